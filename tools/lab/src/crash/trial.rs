//! One trial: the cut, the restart, the oracle and e2fsck.
//!
//! Invariant: a board that is cut without the others restarts in the same run; when all are cut, or the script has
//! ended, the disk boots again in a second run. The oracle runs once.

use super::bench::{ConsoleRecorder, CrashBench, RESTART_NS, Rehearsed, printed};
use super::replay::CutDisk;
use super::target::CrashTarget;
use anyhow::{Context, Result, ensure};
use renga_cluster::session::ClusterSession;
use renga_emu::{PowerChange, PowerOrder};
use renga_images::disk_image::{self, FsckVerdict};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// Bytes of a console that a violation shows.
pub const SHOWN_BYTES_MAX: usize = 2000;

/// What a trial found.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct TrialResult {
    /// When the power was cut, ns.
    pub cut_ns: u64,
    /// What is wrong, if something is.
    pub violation: Option<String>,
}

/// A cut and what it is done with.
pub struct Trial<'a> {
    /// What all share.
    pub bench: &'a CrashBench<'a>,
    /// The run without a cut.
    pub rehearsed: &'a Rehearsed,
    /// Whose power is cut.
    pub target: &'a CrashTarget,
    /// At which event.
    pub number: u32,
    /// When, ns.
    pub cut_ns: u64,
}

impl Trial<'_> {
    /// Carries it out with files in a folder called `name`.
    ///
    /// # Errors
    /// If files cannot be written or e2fsck cannot run.
    pub fn carry_out(&self, name: &str) -> Result<TrialResult> {
        let folder = self.bench.folder(name)?;
        let violation = self.violation(&folder)?;
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        Ok(TrialResult { cut_ns: self.cut_ns, violation })
    }

    fn violation(&self, folder: &Path) -> Result<Option<String>> {
        let disk = self.bench.fresh_disk(folder)?;
        let printed_before = self.rehearsed.printed(self.cut_ns);
        let session = self.bench.session(disk.clone(), self.power(), &printed_before, self.rehearsed.limit_ns());
        let system = &self.bench.system.checked;
        if self.target.board == Some(system.file_board()) {
            let session = ClusterSession { keys_from_ns: self.cut_ns + RESTART_NS, ..session };
            let fault = fault_of_oracle(self.bench, session);
            return Ok(fault.or(fault_of(disk_image::fsck(&disk)?, "after the oracle")));
        }
        let mut heard = ConsoleRecorder::new(system.console_board());
        let session = ClusterSession { keys: None, ends_in_cut: self.target.board.is_none(), ..session };
        if let Err(error) = session.run(&mut heard) {
            return Ok(Some(format!("the run with the cut failed: {error:#}\n{}", heard.end(SHOWN_BYTES_MAX))));
        }
        self.compare_with_replay(&disk)?;
        if let Some(fault) = self.fault_after_cut(&disk, folder)? {
            return Ok(Some(fault));
        }
        verdict_of((self.bench, self.rehearsed), &disk, &printed(&heard.console, u64::MAX))
    }

    /// What was recorded must give the disk of the cut, byte for byte.
    fn compare_with_replay(&self, disk: &Path) -> Result<()> {
        let Some(log) = &self.rehearsed.log else { return Ok(()) };
        let mut difference = CutDisk::new(disk, &[])?;
        let replayed = disk.with_extension("replayed");
        CutDisk::new(&self.bench.disk, log.before(self.number))?.write_to(&self.bench.disk, 0, &replayed)?;
        difference.write_changes(&replayed, 0)?;
        fs::remove_file(&replayed).with_context(|| format!("cannot remove {}", replayed.display()))?;
        let sectors: Vec<u64> = difference.written().collect();
        ensure!(sectors.is_empty(), "the disk after the cut is not the replayed one: sectors {sectors:?}");
        Ok(())
    }

    fn power(&self) -> Vec<PowerOrder> {
        let order = |board, time_ns, change| PowerOrder { board, time_ns, change };
        match self.target.board {
            Some(board) => vec![
                order(board, self.cut_ns, PowerChange::Cut),
                order(board, self.cut_ns + RESTART_NS, PowerChange::Start),
            ],
            None => {
                let boards = 0..self.bench.system.checked.boards.len() as u8;
                boards.map(|board| order(board, self.cut_ns, PowerChange::Cut)).collect()
            }
        }
    }

    /// After a cut of all boards the journal is replayed, on a copy; after a clean stop nothing may be wrong.
    fn fault_after_cut(&self, disk: &Path, folder: &Path) -> Result<Option<String>> {
        if self.target.board.is_some() {
            return Ok(fault_of(disk_image::fsck(disk)?, "after the script's end"));
        }
        let copy = folder.join("cut.img");
        fs::copy(disk, &copy).with_context(|| format!("cannot write {}", copy.display()))?;
        Ok(fault_of(disk_image::repair(&copy)?, "after the cut"))
    }
}

/// What is wrong with a disk, when it boots and the oracle inspects it.
///
/// # Errors
/// If e2fsck cannot run.
pub fn verdict_of(of: (&CrashBench<'_>, &Rehearsed), disk: &Path, input: &[u8]) -> Result<Option<String>> {
    let (bench, rehearsed) = of;
    let session = bench.session(disk.to_path_buf(), Vec::new(), input, rehearsed.limit_ns());
    Ok(fault_of_oracle(bench, session).or(fault_of(disk_image::fsck(disk)?, "after the oracle")))
}

/// Runs `session`, whose last script is the oracle.
fn fault_of_oracle(bench: &CrashBench<'_>, session: ClusterSession<'_>) -> Option<String> {
    let mut heard = ConsoleRecorder::new(bench.system.checked.console_board());
    let ended = session.run(&mut heard);
    let said = heard.end(SHOWN_BYTES_MAX);
    match ended {
        Ok(outcome) if outcome.status == 0 => None,
        Ok(outcome) => Some(format!("the oracle ends with status {}:\n{said}", outcome.status)),
        Err(error) => Some(format!("the run with the oracle failed: {error:#}\n{said}")),
    }
}

/// The checker's complaint, if it has one.
pub fn fault_of(verdict: FsckVerdict, when: &str) -> Option<String> {
    match verdict {
        FsckVerdict::Clean => None,
        FsckVerdict::Damaged(report) => Some(format!("the file system is damaged {when}:\n{report}")),
    }
}
