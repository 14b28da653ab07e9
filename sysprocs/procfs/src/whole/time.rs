//! Time and load of the cluster: each core of a board that runs programs is a processor, numbered board by board. The
//! board's first processor includes the time of system processes on cores that serve programs and run none.
//!
//! A load average has Linux's meaning, not its method: it is computed on each read, not sampled. It is the current
//! mean of running and runnable programs.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::procs::BoardCounts;

const NS_PER_S: u64 = 1_000_000_000;
/// Ticks of Linux's files (USER_HZ is 100).
pub(crate) const NS_PER_TICK: u64 = NS_PER_S / 100;
const NS_PER_HUNDREDTH: u64 = NS_PER_S / 100;

/// The cores of a board on which programs run.
fn cores(counts: &BoardCounts) -> impl Iterator<Item = usize> + use<> {
    let mask = counts.program_cores;
    (0..counts.core_user_ns.len()).filter(move |core| mask >> core & 1 != 0)
}

fn idle_ns(counts: &BoardCounts) -> u64 {
    let all_ns = counts.now_ns.saturating_mul(cores(counts).count() as u64);
    all_ns.saturating_sub(counts.user_ns).saturating_sub(counts.system_ns)
}

/// What one core, the first of those of its board or another, ran of programs and of system processes, and was idle, in
/// ticks.
fn core_ticks(counts: &BoardCounts, core: usize, first: bool) -> [u64; 3] {
    let of = |by_core: &[u64; 4], core: usize| by_core.get(core).copied().unwrap_or(0);
    let user_ns = of(&counts.core_user_ns, core);
    let without = (0..4).filter(|core| first && counts.program_cores >> core & 1 == 0);
    let system_ns = without.chain([core]).fold(0_u64, |all, core| all.saturating_add(of(&counts.core_system_ns, core)));
    let idle_ns = counts.now_ns.saturating_sub(user_ns).saturating_sub(system_ns);
    [user_ns, system_ns, idle_ns].map(|ns| ns / NS_PER_TICK)
}

/// Both added up, but for time since the start and pids, of which it is the largest. What another board says may be
/// anything, and is no panic.
fn sum(one: BoardCounts, other: BoardCounts) -> BoardCounts {
    BoardCounts {
        now_ns: one.now_ns.max(other.now_ns),
        user_ns: one.user_ns.saturating_add(other.user_ns),
        system_ns: one.system_ns.saturating_add(other.system_ns),
        context_switches: one.context_switches.saturating_add(other.context_switches),
        made: one.made.saturating_add(other.made),
        programs: one.programs.saturating_add(other.programs),
        running: one.running.saturating_add(other.running),
        last_pid: one.last_pid.max(other.last_pid),
        free_slots: one.free_slots.saturating_add(other.free_slots),
        ..BoardCounts::default()
    }
}

fn put_processor(out: &mut TextWindow<'_>, name: core::fmt::Arguments<'_>, [user, system, idle]: [u64; 3]) {
    put!(out, "{name} {user} 0 {system} {idle} 0 0 0 0 0 0\n");
}

impl<M: UserMemory> ProcFilesState<M> {
    /// Uptime of the reader's board; and the idle time of all boards together.
    pub(super) async fn uptime(&mut self, out: &mut TextWindow<'_>) {
        let up_ns = self.me.now_ns();
        let idle = self.fold_counts(0_u64, |idle, counts| idle.saturating_add(idle_ns(&counts))).await;
        let hundredths = |ns: u64| (ns / NS_PER_S, ns % NS_PER_S / NS_PER_HUNDREDTH);
        let ((up, up_part), (idle, idle_part)) = (hundredths(up_ns), hundredths(idle));
        put!(out, "{up}.{up_part:02} {idle}.{idle_part:02}\n");
    }

    /// What `add` makes of the counts of each board that is up, one after the other.
    async fn fold_counts<T>(&mut self, first: T, add: impl Fn(T, BoardCounts) -> T) -> T {
        let mut all = first;
        for board in 0..self.clients.boards() {
            if let Some(counts) = self.clients.counts(board).await {
                all = add(all, counts);
            }
        }
        all
    }

    pub(super) async fn load_average(&mut self, out: &mut TextWindow<'_>) {
        let all = self.fold_counts(BoardCounts::default(), sum).await;
        let load = all.running;
        put!(out, "{load}.00 {load}.00 {load}.00 {}/{} {}\n", all.running.max(1), all.programs, all.last_pid);
    }

    pub(super) async fn statistics(&mut self, out: &mut TextWindow<'_>) {
        let ticks =
            |counts: &BoardCounts| [counts.user_ns, counts.system_ns, idle_ns(counts)].map(|ns| ns / NS_PER_TICK);
        let add = |(all, mut total): (BoardCounts, [u64; 3]), counts: BoardCounts| {
            total.iter_mut().zip(ticks(&counts)).for_each(|(total, ticks)| *total = total.saturating_add(ticks));
            (sum(all, counts), total)
        };
        let (all, total) = self.fold_counts((BoardCounts::default(), [0; 3]), add).await;
        put_processor(out, format_args!("cpu "), total);
        let mut number = 0;
        for board in 0..self.clients.boards() {
            let Some(counts) = self.clients.counts(board).await else { continue };
            for (at, core) in cores(&counts).enumerate() {
                put_processor(out, format_args!("cpu{number}"), core_ticks(&counts, core, at == 0));
                number += 1;
            }
        }
        let began_s = self.clients.calendar_ns().await.saturating_sub(self.me.now_ns()) / NS_PER_S;
        put!(out, "intr 0\nctxt {}\nbtime {began_s}\nprocesses {}\n", all.context_switches, all.made);
        put!(out, "procs_running {}\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n", all.running.max(1));
    }

    /// As Linux on the boards' processors, a Cortex-A53 each.
    pub(super) async fn processor_info(&mut self, out: &mut TextWindow<'_>) {
        let processors = self.fold_counts(0, |processors, counts| processors + cores(&counts).count()).await;
        for number in 0..processors {
            put!(out, "processor\t: {number}\nBogoMIPS\t: 125.00\nFeatures\t: fp asimd evtstrm crc32 cpuid\n");
            put!(out, "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd03\n");
            put!(out, "CPU revision\t: 4\n\n");
        }
    }
}
