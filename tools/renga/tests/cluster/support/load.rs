//! A host that has other things to do, too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Busy threads beside a run.
const LOAD_THREADS: usize = 2;
/// They are busy so long, then idle so long: what comes and goes disturbs more than what stays, and leaves time to the
/// tests beside.
const BURST: Duration = Duration::from_millis(5);

/// Ends what keeps the host busy, also when the run beside it panics.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Calls `body` while threads keep the host's cores busy.
pub fn under_load<T>(body: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let _ends = Ends(&done);
        for _ in 0..LOAD_THREADS {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let begin = Instant::now();
                    while begin.elapsed() < BURST {
                        std::hint::spin_loop();
                    }
                    thread::sleep(BURST);
                }
            });
        }
        body()
    })
}
