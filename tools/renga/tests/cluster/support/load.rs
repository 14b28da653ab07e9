//! A host that has other things to do, too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Busy threads beside a run.
const LOAD_THREADS: usize = 2;

/// Calls `body` while threads keep the host's cores busy.
pub fn under_load<T>(body: impl FnOnce() -> T) -> T {
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
