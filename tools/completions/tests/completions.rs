//! What `renga completions` prints.

use std::process::Command;

fn completions(kind: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_renga-completions")).args(["completions", kind]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn completions_of_each_shell_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let text = completions(shell);
        assert!(["sweep", "host-limit-s", "pins4"].iter().all(|word| text.contains(word)), "{shell}: {text}");
    }
}

#[test]
fn manual_page_lists_commands() {
    let text = completions("man");
    assert!(text.contains(".TH renga 1") && text.contains("sweep"), "{text}");
}
