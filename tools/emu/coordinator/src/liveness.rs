//! Whether a QEMU that is to finish a quantum is at it, however loaded the host is.
//!
//! Samples its threads (Linux's /proc) whenever it has sent nothing for [`SAMPLE_PERIOD`]: one that waits for the
//! host's cores is alive though it has not run for minutes. It is stuck when no thread of it wanted to run at a number
//! of samples in a row, or when it has spent more processor time than any quantum takes. Not here: its messages.

use std::fs;
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Time of the host between two samples.
pub const SAMPLE_PERIOD: Duration = Duration::from_secs(1);
/// Ticks of `/proc/PID/stat`, a second.
const TICKS_A_SECOND: u64 = 100;

/// When a QEMU counts as stuck.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Samples in a row at which it did not want to run.
    pub idle_samples: u32,
    /// Seconds of processor time between two messages.
    pub busy_s: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { idle_samples: 30, busy_s: 120 }
    }
}

/// What the threads of a process were seen to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ThreadSight {
    /// One of them runs, waits for a core, or for the host's disk.
    wants: bool,
    /// Processor time of all, ticks.
    ticks: u64,
}

/// The state and the processor time in a thread's `stat`.
fn in_stat(stat: &str) -> Option<(char, u64)> {
    // The name before may have blanks and brackets itself.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut times = fields.skip(10).map_while(|field| field.parse::<u64>().ok());
    Some((state, times.next()? + times.next()?))
}

fn sample(process: u32) -> ThreadSight {
    let mut sight = ThreadSight::default();
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return sight };
    for thread in threads.flatten() {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        if let Some((state, ticks)) = in_stat(&stat) {
            sight.wants |= matches!(state, 'R' | 'D');
            sight.ticks += ticks;
        }
    }
    sight
}

/// What has been seen of a process since it was last heard of.
#[derive(Debug)]
pub struct Liveness {
    process: u32,
    patience: Patience,
    first_ticks: Option<u64>,
    last_ticks: u64,
    idle_samples: u32,
    samples: u32,
}

impl Liveness {
    /// Of `process`.
    pub fn new(process: u32, patience: Patience) -> Self {
        Self { process, patience, first_ticks: None, last_ticks: 0, idle_samples: 0, samples: 0 }
    }

    /// It was heard of.
    pub fn heard(&mut self) {
        (self.first_ticks, self.idle_samples, self.samples) = (None, 0, 0);
    }

    /// Samples once more; returns whether it is stuck.
    pub fn is_stuck(&mut self) -> bool {
        self.note(sample(self.process))
    }

    fn note(&mut self, ThreadSight { wants, ticks }: ThreadSight) -> bool {
        let first = *self.first_ticks.get_or_insert(ticks);
        let idle = !wants && (self.samples == 0 || ticks == self.last_ticks);
        self.idle_samples = if idle { self.idle_samples + 1 } else { 0 };
        self.last_ticks = ticks;
        self.samples += 1;
        self.idle_samples >= self.patience.idle_samples
            || ticks - first.min(ticks) >= self.patience.busy_s * TICKS_A_SECOND
    }

    /// For how long it has not been heard of, seconds of the host.
    pub fn waited_s(&self) -> f64 {
        f64::from(self.samples) * SAMPLE_PERIOD.as_secs_f64()
    }
}

/// The stream of a process: reading from it fails (`TimedOut`) only when the process is stuck.
#[derive(Debug)]
pub struct LiveStream {
    stream: BufReader<UnixStream>,
    /// The process at the other end.
    pub liveness: Liveness,
}

impl LiveStream {
    /// Messages of the process that `liveness` samples.
    pub fn new(stream: UnixStream, liveness: Liveness) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(SAMPLE_PERIOD))?;
        Ok(Self { stream: BufReader::new(stream), liveness })
    }
    /// The way to the process.
    pub fn out(&mut self) -> &mut UnixStream {
        self.stream.get_mut()
    }
}

impl Read for LiveStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // Bounded by the patience for a process that does nothing, or too much.
        loop {
            match self.stream.read(bytes) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.liveness.is_stuck() {
                        return Err(error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    self.liveness.heard();
                    return read;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Liveness, Patience, ThreadSight, in_stat};

    const WAITS: ThreadSight = ThreadSight { wants: true, ticks: 7 };
    const SLEEPS: ThreadSight = ThreadSight { wants: false, ticks: 7 };

    fn liveness() -> Liveness {
        Liveness::new(1, Patience { idle_samples: 3, busy_s: 2 })
    }

    #[test]
    fn liveness_process_waiting_for_core_is_alive() {
        let mut starved = liveness();
        assert!((0..100_000).all(|_| !starved.note(WAITS)));
        assert!(!starved.note(SLEEPS) && !starved.note(SLEEPS) && starved.note(SLEEPS), "and asleep it is not");
    }

    #[test]
    fn liveness_short_sleeps_are_alive() {
        let mut slow = liveness();
        for round in 0..100 {
            let sight = ThreadSight { wants: false, ticks: 7 + round };
            assert!(!slow.note(sight) && !slow.note(sight));
        }
    }

    #[test]
    fn liveness_endless_computation_is_stuck() {
        let mut busy = liveness();
        let stuck: Vec<bool> = (0..=4).map(|half| busy.note(ThreadSight { wants: true, ticks: 50 * half })).collect();
        assert_eq!(stuck, [false, false, false, false, true]);
        busy.heard();
        assert!(!busy.note(ThreadSight { wants: true, ticks: 250 }), "each message restarts it");
    }

    #[test]
    fn liveness_any_thread_name_is_parsed() {
        let stat = "12 (CPU 0) R) S 1 2 3 4 5 6 7 8 9 10 31 11 0 0 20 0";
        assert_eq!(in_stat(stat), Some(('S', 42)));
        assert_eq!(in_stat("12 (short) R 1"), None);
    }
}
