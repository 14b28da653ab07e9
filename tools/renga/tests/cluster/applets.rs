//! The scripts of `userland/scripts` on board a, on board b and on the host with the same busybox: the same output, the
//! same status, the same files.

use crate::support::suite::{self, Suite};
use crate::support::{Busybox, Disk, Scratch, clusters_can_run};
use std::fs;

/// There are at least so many.
const SCRIPTS_MIN: usize = 60;

fn scripts() -> Suite {
    Suite::of("userland/scripts")
}

/// The suite as the host's busybox leaves it.
fn on_the_host(scripts: &Suite) -> Scratch {
    let suite = scripts.scratch();
    Busybox::new().run(suite.path(), suite::DRIVER).expect_status(0);
    suite
}

fn on_board(name: &str, how: &str) {
    if !clusters_can_run() {
        return;
    }
    let scripts = scripts();
    assert!(scripts.len() >= SCRIPTS_MIN, "{} scripts", scripts.len());
    let disk = Disk::new(&format!("applets-{name}"), &suite::command(how), &scripts.files());
    let ended = disk.run().expect_status(0);
    disk.expect_clean(&ended);
    let differences = scripts.differences(on_the_host(&scripts).path(), &suite::place(&disk.tree()));
    assert!(
        differences.is_empty(),
        "{} scripts differ from the host's busybox\n{}\n{}",
        differences.len(),
        differences.join("\n"),
        ended.report()
    );
}

/// Otherwise a script would test the host, not the boards.
#[test]
fn applet_scripts_use_busybox_only() {
    if !clusters_can_run() {
        return;
    }
    let scripts = scripts();
    let (one, other) = (on_the_host(&scripts), on_the_host(&scripts));
    let differences = scripts.differences(one.path(), other.path());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for name in scripts.names() {
        let out = fs::read(one.join(&format!("said/{name}.out"))).expect("each script ran");
        let text = String::from_utf8_lossy(&out);
        let folder = one.path().to_string_lossy();
        assert!(!text.contains(folder.as_ref()), "{name} prints where it runs:\n{text}");
        assert!(!text.contains(": not found"), "{name} uses what busybox does not have:\n{text}");
    }
}

/// Holds: linux-binaries.
#[test]
fn applets_on_board_a_match_host() {
    on_board("a", "");
}

/// Holds: linux-binaries.
#[test]
fn applets_on_board_b_match_host() {
    on_board("b", "remote -b b");
}
