//! A busy host.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Does `work` while two threads keep the host busy.
pub fn under_load<R>(work: impl FnOnce() -> R) -> R {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        stop.store(true, Ordering::Relaxed);
        result
    })
}
