//! What befalls the medium: errors, and power cuts of its board in the middle of a write; cuts of another board at a
//! frame.
//!
//! Invariant: whatever a cut leaves, `e2fsck -p` mends it, and what was synced is there. Not here: what becomes of
//! the board (`ongoing`).

use super::checker::MediumChecker;
use super::known::KnownFiles;
use super::verdict::keeps;
use crate::incident::Trouble;
use crate::ongoing::DISK_BOARD;
use crate::outcome::SimCounts;
use crate::system::{DiskFaults, SimSystem};

/// Until when all programs have been started, at the latest.
const BEGIN_NS: u64 = 60_000_000_000;
/// How long the write is waited for that is to be torn, then the power goes between two: longer than changes stay in
/// buffers.
const WRITE_NS: u64 = 6_000_000_000;

/// How often the counted event happened before the cut: the number of a cut that comes behind all of them.
pub const EVENTS: &str = "events before a cut";

/// Trouble is about to begin: does what of it concerns the medium.
pub fn begin(
    system: &mut SimSystem,
    trouble: Trouble,
    (files, checker): (&KnownFiles, &MediumChecker),
    counts: &mut SimCounts,
) -> Result<(), String> {
    match trouble {
        Trouble::DiskErrors(faults) => fail(system, faults, files),
        Trouble::DiskCut(writes) => {
            // A board that hangs would be waited for in vain, and begin once more after the cut.
            system.cluster.resume(DISK_BOARD);
            wait(system, files, KnownFiles::is_begun);
            // A board boots from a medium that works.
            system.disk.set_faults(DiskFaults::default());
            system.disk.cut_power_after(writes);
            let (disk, before) = (system.disk.clone(), system.disk.writes());
            system.cluster.run_while(WRITE_NS, || !disk.is_cut());
            counts.add("of them, in the middle of a write", u64::from(disk.is_cut()));
            disk.cut_power();
            counts.add(EVENTS, disk.writes() - before);
            files.expect_losses(false);
            files.set_running(false);
            let found = checker.files(&disk.content(), true);
            let kept = found.and_then(|found| found.map_or(Ok(()), |found| keeps(&found, files)));
            kept.map_err(|error| format!("after a cut: {error}"))?;
        }
        Trouble::FrameCut(_, frames) => {
            wait(system, files, KnownFiles::is_begun);
            let bus = system.cluster.bus().clone();
            let before = bus.count().frames;
            system.cluster.run_while(WRITE_NS, || bus.count().frames - before <= frames);
            counts.add(EVENTS, bus.count().frames - before);
        }
        _ => {}
    }
    Ok(())
}

/// From now on transfers fail.
fn fail(system: &mut SimSystem, faults: DiskFaults, files: &KnownFiles) {
    if system.cluster.alive(DISK_BOARD) && wait(system, files, KnownFiles::is_running) {
        files.expect_losses(true);
        system.disk.set_faults(faults);
    }
}

/// A system whose init cannot be read is at its end: so it is waited for. Whether it has come.
fn wait(system: &mut SimSystem, files: &KnownFiles, come: impl Fn(&KnownFiles) -> bool) -> bool {
    system.cluster.run_while(BEGIN_NS, || !come(files))
}

/// Trouble has ended.
pub fn end(system: &mut SimSystem, trouble: Trouble) {
    if let Trouble::DiskErrors(_) = trouble {
        system.disk.set_faults(DiskFaults::default());
    }
}
