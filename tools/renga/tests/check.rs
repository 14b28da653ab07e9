//! `renga check` without a cluster: its JSON, and what it and `renga run` say of systems that do not exist.

use serde_json::Value;
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

fn output(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_renga")).args(arguments).output().expect("it was built");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn check_json_has_the_figures_of_the_text() {
    let (text, json) = (output(&["check", "pair"]), output(&["check", "pair", "--json"]));
    renga_schema::expect_valid("check", &json);
    let facts: Value = serde_json::from_str(&json).expect("nothing but JSON is printed");
    let proof = format!("{} processes, {} possible waits, no cycle", facts["processes"], facts["waits"]);
    assert!(text.contains(&proof), "no {proof:?} in\n{text}");
    for board in facts["boards"].as_array().expect("a list") {
        let name = board["name"].as_str().expect("a name");
        let bound = format!("{name}: {} bytes of ", board["message_bytes"]);
        assert!(text.contains(&bound), "no {bound:?} in\n{text}");
        let futures = format!("{name}: {} bytes\n", board["future_bytes"]);
        assert!(text.contains(&futures), "no {futures:?} in\n{text}");
    }
    let calls = facts["calls"].as_array().expect("a list");
    let is_in_text = |call: &Value| {
        call["entries"].as_array().is_some_and(|entries| text.contains(entries[0].as_str().unwrap_or("?")))
    };
    let mut remote = calls.iter().filter(|call| call["is_remote"] == true && call["entries"] != serde_json::json!([]));
    assert!(remote.clone().count() > 0 && remote.all(is_in_text), "{json}");
}

#[test]
fn check_json_file_leaves_the_text() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("check.json");
    let option = format!("--json={}", file.display());
    assert_eq!(output(&["check", "solo", &option]), output(&["check", "solo"]));
    let facts: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("it was written")).expect("JSON");
    assert_eq!(facts["system"], "solo");
}
