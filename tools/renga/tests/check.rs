//! Messages of `renga check` and `renga run` about systems that do not exist.

use std::process::Command;

fn refusal(arguments: &[&str]) -> String {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga"));
    let output = renga.args(arguments).output().expect("it was built");
    assert_eq!(output.status.code(), Some(125));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Holds: run-wrong-board.
#[test]
fn check_of_unknown_system_names_known_ones_and_a_way_out_of_its_own() {
    let stderr = refusal(&["check", "nope"]);
    assert!(stderr.contains("there is no system `nope`: known ones are") && stderr.contains("pair"), "{stderr}");
    assert!(stderr.contains("such as ./my.toml") && !stderr.contains("--system"), "{stderr}");
    assert_eq!(refusal(&["run", "--system", "nope", "-c", "true"]), stderr);
}
