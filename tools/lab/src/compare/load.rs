//! The load of a comparison: the script around it, which marks its start and its end, and when it starts.
//!
//! Invariant: the offsets of a seed are a sequence, so that more of them keep those that were there.

use renga_bench::phases;
use renga_images::disk_image::{FileContent, Placed};

/// Where the load is on the disk.
const LOAD_PATH: &str = "/etc/renga/load";
/// The phase that begins with the load, until it marks another one.
pub(super) const START: &str = "start";
const PERIOD_US: u64 = phases::LONGEST_MS as u64 * 1_000;

/// When the load starts after the boards have: at once, and then at times drawn from `seed`.
pub(super) fn offsets_us(seed: u64, count: u16) -> Vec<u64> {
    (0..count).map(|phase| phases::offset_us(seed, phase, 0, PERIOD_US)).collect()
}

/// The script that runs the load at an offset.
pub(super) fn script(offset_us: u64) -> String {
    let sleep = phases::wait(offset_us);
    let (start, end) = (START, renga_trace::phases::END);
    let mark = "/proc/renga/mark";
    format!("{sleep}echo {start} > {mark}\nsh {LOAD_PATH}\nstatus=$?\necho {end} > {mark}\nexit $status\n")
}

/// The load as a file of the disk.
pub(super) fn placed(load: &[u8]) -> Placed {
    Placed { dest: LOAD_PATH.to_string(), content: FileContent::Bytes(load.to_vec()), mode: 0o755 }
}

#[cfg(test)]
mod tests {
    use super::{PERIOD_US, offsets_us, script};
    use std::collections::BTreeSet;

    #[test]
    fn load_offsets_are_a_sequence_of_the_seed() {
        let many = offsets_us(7, 64);
        assert_eq!(offsets_us(7, 8), many[..8]);
        assert_eq!((many[0], many.iter().copied().collect::<BTreeSet<_>>().len()), (0, 64));
        assert!(many.iter().all(|offset| *offset < PERIOD_US) && many.iter().any(|offset| *offset > PERIOD_US / 2));
        assert_ne!(offsets_us(8, 8)[1..], many[1..8]);
    }

    #[test]
    fn load_script_sleeps_for_the_offset_alone() {
        assert!(script(1_000_020).starts_with("sleep 1.000020\necho start > "));
        assert!(script(0).starts_with("echo start > "));
    }
}
