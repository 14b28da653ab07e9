//! The link on the boards' pins: the driver and the token protocol that real boards run, pin by pin.

use crate::support::{Ended, Renga, clusters_can_run};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A program on the other board, and a pipe through one there.
const SCRIPT: &str = "remote -b b uname -n; seq 1000 | remote -b b cat | md5sum";
/// With the sum of the 3893 bytes that `seq 1000` writes.
const EXPECTED: &str = "b\n53d025127ae99ab79e8502aae2d9bea6  -\n";
/// Busy threads beside a run.
const LOAD_THREADS: usize = 2;

fn figures(ended: &Ended) -> Vec<String> {
    let names = ["virtual time", "pins", "pin hash", "console hash", "frames"];
    names.iter().map(|name| format!("{name}: {}", ended.figure(name))).collect()
}

fn run() -> Ended {
    Renga::script(SCRIPT).with(["--link", "pins", "--stats"]).end().expect_status(0)
}

/// Calls `body` while threads keep the host's cores busy.
fn under_load<T>(body: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..LOAD_THREADS {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = body();
        done.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn boards_work_together_over_their_pins_the_same_way_every_time() {
    if !clusters_can_run() {
        return;
    }
    let first = run();
    assert!(!figures(&first).contains(&"pins: 0".to_owned()), "{}", first.report());
    let second = under_load(run);
    assert_eq!(figures(&first), figures(&second), "{}", second.report());
    // Last, so that the hashes are seen if it fails.
    first.expect_text(EXPECTED);
}
