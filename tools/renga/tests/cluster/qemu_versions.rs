//! Every supported version of QEMU gives the same runs.

use crate::support::{Facts, Renga, Scratch, clusters_can_run, root};
use renga_emu::SUPPORTED_QEMU;
use std::path::Path;
use std::process::Command;

/// Debian's suites and what their QEMU is to be.
const SUITES: [(&str, bool); 3] = [("bookworm-backports", true), ("trixie", true), ("trixie-backports", false)];
/// Programs on both boards, the disk, time.
const SCRIPT: &str = "ls / | remote -b b sort | tail -n 2; echo x > /f; sync; remote -b b cat /f; sleep 1";

/// The QEMU of that suite, unpacked into `folder`, and its version.
fn unpacked(folder: &Path, suite: &str) -> (String, String) {
    let script = root().join("tools/setup/fetch-qemu.sh");
    let output = Command::new("bash").arg(script).arg(folder).arg(suite).output().expect("bash starts");
    assert!(output.status.success(), "{suite}: {}", String::from_utf8_lossy(&output.stderr));
    let program = String::from_utf8_lossy(&output.stdout).trim().to_string();
    let said = Command::new(&program).arg("--version").output().expect("it was unpacked").stdout;
    let said = String::from_utf8_lossy(&said).into_owned();
    (program, said.split_whitespace().nth(3).expect("QEMU emulator version N").to_string())
}

#[test]
#[ignore = "fetches three versions of QEMU from Debian: renga test --long=qemu"]
fn qemu_versions_of_debian_give_same_hashes_or_are_refused() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("qemu-versions");
    let script = || Renga::script(SCRIPT).with(["--stats"]);
    let expected = Facts::of(&script().end().expect_status(0));
    for (suite, is_supported) in SUITES {
        let (program, version) = unpacked(&scratch.join(suite), suite);
        assert_eq!(SUPPORTED_QEMU.contains(&version.as_str()), is_supported, "{suite} has QEMU {version}");
        let ended = script().setting("RENGA_QEMU", &program).end();
        println!("{suite}: QEMU {version}: status {}, {:.1} s", ended.status, ended.took.as_secs_f64());
        if is_supported {
            assert_eq!(Facts::of(&ended.expect_status(0)), expected, "QEMU {version} of {suite}");
        } else {
            assert_ne!(ended.status, 0, "{}", ended.report());
            assert!(ended.stderr.contains(&format!("found {version}")), "{}", ended.report());
        }
    }
}
