//! The state of the process that keeps a board's user processes: the table, the calls that wait, and what is counted.
//!
//! Owns: [`ProcsState`]. Not here: what it does, in the files beside (`server.rs` first).

use super::home_cores::Homes;
use super::slot_set::{SLOTS_MAX, SlotSet};
use super::table::ProcessTable;
use renga_proto::procs::{
    AwaitContinue, AwaitSignal, AwaitVfork, AwaitWork, RelieveMemory, Spawn, VforkDone, WaitChild,
};
use renga_proto::regulation::{RESOURCES, ResourceUse};
use renga_rt::{BoardReferences as Sent, Call, Me, WaitCanceller, Watch};

/// What a slot's process waits for here.
pub(super) enum WaitingCall {
    Nothing,
    Work(Call<AwaitWork>),
    Child(Call<WaitChild>),
    Signal(Call<AwaitSignal>),
    Vfork(Call<AwaitVfork>),
    Returned(Call<VforkDone>),
    Continue(Call<AwaitContinue>),
    Memory(Call<RelieveMemory>),
}

renga_rt::with_defaults! {
    pub(super) struct ProcsState {
        pub(super) me: Me = me,
        pub(super) table: ProcessTable = table,
        pub(super) waiting: [WaitingCall; SLOTS_MAX] = [const { WaitingCall::Nothing }; SLOTS_MAX],
        /// Slots that wait for work.
        pub(super) idle: SlotSet = SlotSet::NONE,
        /// Slots that were interrupted since the last check of the calls that wait here.
        pub(super) interrupted: SlotSet = SlotSet::NONE,
        /// By slot: who made its process from another board, and waits until that has taken up everything.
        pub(super) makers: [Option<Call<Spawn>>; SLOTS_MAX] = [const { None }; SLOTS_MAX],
        pub(super) wait_cancellers: &'static [WaitCanceller] = wait_cancellers,
        pub(super) homes: Homes = Homes::new(wait_cancellers),
        /// Signals on their way to groups on every board, by the board of the sender.
        pub(super) killing: Sent = Sent::NONE,
        /// The program that was killed for want of memory and has not ended; 0: none.
        pub(super) dying: u32 = 0,
        /// Slots that wait for that.
        pub(super) in_want: SlotSet = SlotSet::NONE,
        /// Boards where children of processes here are, a bit each, as the router knows.
        pub(super) watched: u8 = 0,
        pub(super) watch: &'static Watch = watch,
        pub(super) made: CreatedPrograms = CreatedPrograms::default(),
        pub(super) regulated: JobSampling = JobSampling::new(seen),
    }
    pub(super) fn new(
        me: Me,
        table: ProcessTable,
        wait_cancellers: &'static [WaitCanceller],
        watch: &'static Watch,
        seen: &'static mut [SlotUse],
    );
}

/// Programs that were made here.
#[derive(Default)]
pub(super) struct CreatedPrograms {
    pub(super) count: u64,
    pub(super) last_pid: u32,
}

/// What is known of a slot's use. Boot provides one for each.
#[derive(Clone, Copy, Debug)]
pub struct SlotUse {
    /// The counts of its account at the last sample.
    pub(super) used: ResourceUse,
    /// Its program has not begun its account yet: that still shows what the one before used.
    pub(super) fresh: bool,
    /// When it was last seen to run, ns since the board began; 0: never.
    pub(super) ran_ns: u64,
}
impl SlotUse {
    /// Nothing used.
    pub const NOTHING: SlotUse = SlotUse { used: [0; RESOURCES], fresh: false, ran_ns: 0 };
}

/// What a board keeps while it is regulated.
pub(super) struct JobSampling {
    /// When orders expire, ns since boot; 0: no lease.
    pub(super) until_ns: u64,
    /// When the board was sampled last, and what had been charged in all, ns.
    pub(super) looked_ns: u64,
    pub(super) charged_ns: u64,
    pub(super) seen: &'static mut [SlotUse],
    /// ResourceUse since then by those that have ended or changed their class, of the foreground and of the background.
    pub(super) past: [ResourceUse; 2],
}
impl JobSampling {
    /// Not regulated; `seen` has a place for each slot.
    pub(super) fn new(seen: &'static mut [SlotUse]) -> JobSampling {
        JobSampling { until_ns: 0, looked_ns: 0, charged_ns: 0, seen, past: [[0; RESOURCES]; 2] }
    }
}
