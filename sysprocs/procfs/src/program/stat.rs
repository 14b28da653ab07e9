//! `/proc/PID/stat`: the line of numbers that listings are made of (proc(5)).

use crate::server::ProcFilesState;
use crate::whole::NS_PER_TICK;
use crate::window::{TextWindow, put};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::listed::Listed;
use renga_proto::proc_files::{pair_node, slave_device};
use renga_rt::account::Count;
use renga_rt::policy::Policy;

/// The console: major 5, minor 1.
const CONSOLE: u64 = 5 << 8 | 1;
/// No foreground group, or none that is known.
const NO_GROUP: i64 = -1;
/// The signal that the end of a child sends.
const SIGCHLD: u32 = 17;
/// Signals that the line has room for: the 31 that are not real-time ones.
const OLD_SIGNALS: u64 = (1 << 31) - 1;

/// What Linux's listings call priority, nice value, real-time priority and class.
pub(super) fn scheduling(word: u64) -> [i64; 4] {
    let Policy { class, nice, priority, .. } = Policy::from_word(word).unwrap_or(Policy::DEFAULT);
    let (nice, real_time) = (i64::from(nice), i64::from(priority));
    // Only real-time classes have a priority.
    let shown = if real_time > 0 { -1 - real_time } else { 20 + nice };
    [shown, nice, real_time, class as i64]
}

/// The state letter of Linux's listings: a suspended program counts as stopped.
pub(super) fn linux_state(state: u8) -> u8 {
    if state == b'H' { b'T' } else { state }
}

/// Time of what others did for it, ns.
pub(super) fn system_ns(listed: &Listed) -> u64 {
    [Count::SystemNs, Count::BehalfNs, Count::ElsewhereNs].iter().map(|&count| listed.count(count)).sum()
}

impl<M: UserMemory> ProcFilesState<M> {
    /// The terminal of the program's session, as a device (0: it has none), and the terminal's foreground group.
    pub(super) async fn terminal_of(&mut self, listed: &Listed) -> (u64, i64) {
        let [pair, generation] = self.info(listed.pid).map_or([0; 2], |info| info.terminal.get());
        let Some(name) = (pair as u32).checked_sub(1) else { return (CONSOLE, NO_GROUP) };
        match self.clients.terminal_jobs(name, generation as u32).await {
            Ok(jobs) if jobs.session == listed.session => (slave_device(pair_node(name)), jobs.group.into()),
            _ => (0, NO_GROUP),
        }
    }

    pub(super) fn stat(&self, listed: &Listed, (terminal, foreground): (u64, i64), out: &mut TextWindow<'_>) {
        let Listed { pid, parent, group, session, state, pending, started_ns, .. } = *listed;
        let [priority, nice, real_time, policy] = scheduling(listed.policy);
        let (resident, size) = (listed.count(Count::FramesResident), self.pages_of(listed) * PAGE_BYTES as u64);
        let ticks = |ns: u64| ns / NS_PER_TICK;
        let info = self.info(pid);
        let strings = info.map_or([0; 3], |info| info.origin.get().strings);
        let [blocked, ignored, handled] = info.map_or([0; 3], |info| info.signals.get().map(|set| set & OLD_SIGNALS));
        put!(out, "{pid} (");
        out.name(&listed.name);
        put!(out, ") {} {parent} {group} {session} {terminal} {foreground} 4194304", char::from(linux_state(state)));
        put!(out, " {} 0 {} 0", listed.count(Count::FaultsMinor), listed.count(Count::FaultsMajor));
        put!(out, " {} {} 0 0", ticks(listed.count(Count::UserNs)), ticks(system_ns(listed)));
        put!(out, " {priority} {nice} {} 0 {} {size} {resident} {}", listed.threads, ticks(started_ns), u64::MAX);
        put!(out, " 0 0 0 0 0 {} {blocked} {ignored} {handled} 0 0 0 {SIGCHLD}", pending & OLD_SIGNALS);
        put!(out, " {} {real_time} {policy} 0 0 0 0 0 0", self.board);
        put!(out, " {} {} {} {} 0\n", strings[0], strings[1], strings[1], strings[2]);
    }
}
