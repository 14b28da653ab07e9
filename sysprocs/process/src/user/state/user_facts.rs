//! The facts that a slot gets at boot.

use crate::user::state::thread_groups::ThreadGroups;
use renga_memory::{FrameCounts, SpaceTables};
use renga_proto::sessions::Sessions;
use renga_rt::proc_info::ProcInfo;
use renga_rt::{Notifier, WatchFilters};

/// The facts that a slot gets at boot.
#[derive(Clone, Copy)]
pub struct UserFacts {
    /// Its number on its board.
    pub slot: u16,
    /// The path of the program that it starts with, as init; empty: it waits for work.
    pub boot_program: &'static str,
    /// Starts the random numbers of its programs.
    pub seed: u64,
    /// The slice of a fair program, ns.
    pub slice_ns: u64,
    /// Shows its programs to others.
    pub info: &'static ProcInfo,
    /// Its board's tables of areas.
    pub tables: &'static SpaceTables,
    /// How many references its board's page frames have.
    pub counts: &'static FrameCounts,
    /// Which session with each board it is.
    pub sessions: &'static Sessions,
    /// The programs with several threads whose slots are on its core.
    pub groups: &'static ThreadGroups,
    /// How other processes of its core notify it.
    pub notifier: Notifier,
    /// What programs of its board watch.
    pub watched: &'static WatchFilters,
}
