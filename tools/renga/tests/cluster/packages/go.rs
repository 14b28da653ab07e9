//! Programs of Go, which the host's toolchain builds for boards: static ones, without C.

use crate::support::Scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The toolchain's version, if the host has one.
pub(super) fn version() -> Option<String> {
    let output =
        Command::new("go").args(["env", "GOVERSION"]).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The program whose source is this file.
pub(super) fn build(source: &Path) -> Vec<u8> {
    let scratch = Scratch::new("go");
    let program = scratch.join("program");
    let mut go = Command::new("go");
    go.envs([("GOARCH", "arm64"), ("GOOS", "linux"), ("CGO_ENABLED", "0"), ("GO111MODULE", "off")]);
    let output = go.args(["build", "-trimpath", "-ldflags=-s -w", "-o"]).arg(&program).arg(source).output();
    let output = output.expect("go starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(program).expect("it was built")
}
