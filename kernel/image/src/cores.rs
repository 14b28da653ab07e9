//! Starts the board's cores: as many as the placement names, or the argument `cores=4` if that is more.
//!
//! Core 0 builds what each core runs, then releases the others from the firmware's spin table. Each core comes up with
//! its own stack, vectors, number, timer and IPI, is woken once by the timer and once by the IPI, and runs its
//! processes or sleeps (docs/design/rendezvous-and-cores.md). The home core of programs and devices wakes last, when
//! core 0 has finished.
//!
//! Invariant: core 0 writes all that another core reads before it releases that core. Afterwards each core reaches its
//! own [`Core`], and of the others only their endpoints. Not here: calls between cores (`kernel/core`).

use crate::executor::Executor;
use crate::hardware::{board, registers};
use crate::once::{OnHome, Once, hand_over};
use crate::programs::Programs;
use crate::secondary_core::SecondaryCore;
use crate::{boot_stage, fault, hardware, logger};
use core::cell::RefCell;
use core::sync::atomic::{AtomicU8, Ordering};
use renga_abi::OsTimes;
use renga_arch_aarch64::cores::{CORES_MAX, fetch};
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::memory::{FrameMemory, KernelMap};
use renga_arch_aarch64::mmio::Mmio;
use renga_arch_aarch64::timer::GenericTimer;
use renga_board_rpi::boards::Controllers;
use renga_board_rpi::core_ipi::CoreIpi;
use renga_board_rpi::gic;
use renga_board_rpi::interrupts::enable_timer_of;
use renga_core::CoreEndpoint;
use renga_core::{Arena, Core};
use renga_hal::timer::HardwareTimer;
use renga_sync::Ipi;

/// So long cores may take to come, and then to wake, ns.
const COMING_NS: u64 = 100_000_000;
/// Those that have not come after so long are fetched again, ns.
const AGAIN_NS: u64 = 10_000_000;
/// A core's first sleep, ns.
const FIRST_SLEEP_NS: u64 = 1_000_000;

/// The cores that are up, a bit each.
static UP: AtomicU8 = AtomicU8::new(1);
/// Cores that their IPIs have woken; core 0 needs none.
static WOKEN: AtomicU8 = AtomicU8::new(1);
/// What each core runs.
static CORES: Once<Each> = Once::new();
/// What the programs' home runs, of a board of several cores.
static EXECUTOR: OnHome<RefCell<Executor<true>>> = OnHome::new();
static IPIS: [CoreNumber; CORES_MAX as usize] = [CoreNumber(0), CoreNumber(1), CoreNumber(2), CoreNumber(3)];

/// The IPI of a core, for any core.
struct CoreNumber(u8);

impl Ipi for CoreNumber {
    fn send(&self) {
        ipi_of(self.0).send();
    }
    fn acknowledge(&self) {
        ipi_of(self.0).acknowledge();
    }
    fn wait(&self) {
        ThisCore.wait_for_interrupt();
    }
}

/// What runs on the cores of the board, by core.
#[derive(Clone, Copy)]
pub struct Each {
    /// Their processes.
    pub cores: &'static [&'static Core],
    /// Address spaces: of all of them.
    pub memory: &'static FrameMemory,
    /// The way into the programs whose home it is.
    pub programs: &'static [Programs],
}

// SAFETY: `start` fills it when core 0 has made all that runs on each core, and starts the others after that; from then
// on core n alone takes entry n, by its number (`renga_core_main`). The memory is made for all cores where several
// reach frames (`main.rs`); elsewhere only the home enters programs, and no other core uses it.
unsafe impl Sync for Each {}

/// Makes `count` cores, idle, whose programs have these `times`.
pub fn make(arena: &'static Arena, count: u8, times: &OsTimes) -> &'static [&'static Core] {
    let core = || Core::with_clock(|_| hardware::now_ns());
    if count == 1 {
        return prepare(arena.put_slice(1, |_| &*arena.put(core)), times);
    }
    let endpoints: &'static [CoreEndpoint] =
        arena.put_slice(usize::from(count), |number| CoreEndpoint::new(&IPIS[number]));
    let core = |number: usize| {
        let core = arena.put(core);
        core.set_endpoints(number as u8, endpoints);
        &*core
    };
    prepare(arena.put_slice(endpoints.len(), core), times)
}

fn prepare(cores: &'static [&'static Core], times: &OsTimes) -> &'static [&'static Core] {
    for core in cores {
        core.set_log(logger::process_log);
        core.set_times(times);
    }
    cores
}

/// Keeps what is to run the programs' home, of a board of several cores.
pub fn keep(executor: Executor<true>) {
    EXECUTOR.set(RefCell::new(executor));
}

/// Fetches the cores below `wanted` and those that have something in `each`, and waits until their timers and their
/// IPIs have woken them, the `home` last; the others sleep for ever.
///
/// # Safety
/// Once, by core 0, when all that runs on `each` is made; core 0 reaches nothing of the other cores or of the home from
/// then on.
pub unsafe fn start(each: Each, home: u8, wanted: u32, timer: GenericTimer) {
    let cores = each.cores;
    let count = wanted.max(cores.len() as u32);
    let count = match u8::try_from(count) {
        Ok(count @ 1..=CORES_MAX) => count,
        _ => fault::refuse(format_args!("{count} cores cannot be started on this board")),
    };
    CORES.set(each);
    // SAFETY: by core 0, by this function's own condition; `renga_core_main` uses the map, the board and `CORES`.
    let fetch = || unsafe { fetch(count) };
    fetch();
    let wanted = (1u8 << count) - 1;
    wait_for(&UP, wanted, "came up", timer, fetch);
    (1..count).filter(|core| *core != home).for_each(|core| ipi_of(core).send());
    wait_for(&WOKEN, wanted & !(1 << home) | 1, "were woken by their ipis", timer, || ());
    if cores.len() > 1 {
        ipi_of(0).enable();
    }
    if count > 1 {
        boot_stage::say(format_args!("{count} cores"));
        defmt::info!("{=u8} cores, each woken by its own timer and its IPI", count);
    }
    // SAFETY: once, and by this function's own condition the last that core 0 has of what is the home's.
    unsafe { hand_over(home) };
    if home != 0 {
        timer_interrupts(0);
        ipi_of(home).send();
        wait_for(&WOKEN, wanted, "were woken by their ipis", timer, || ());
    }
}

/// Runs core `number`, which is this one, for ever; if it has nothing it sleeps.
pub fn run(number: u8, timer: GenericTimer) -> ! {
    if let Some(executor) = EXECUTOR.get() {
        executor.borrow_mut().run();
    }
    let at = usize::from(number);
    match CORES.get().and_then(|each| Some((each, each.cores.get(at)?, each.programs.get(at)?))) {
        Some((each, core, programs)) => SecondaryCore { core, timer, memory: each.memory, programs }.run(),
        None => fault::stand_still(),
    }
}

/// Has the controller interrupt this core, which is not the first.
fn join_interrupts() {
    if let Controllers::Gic { distributor, processor } = board().chip.controllers {
        gic::join(&mut registers(distributor), &mut registers(processor));
    }
}

/// Lets the timer of `core`, this one, interrupt it.
fn timer_interrupts(core: u8) {
    match board().chip.controllers {
        Controllers::Legacy { local, .. } => enable_timer_of(&mut registers(local), core),
        Controllers::Gic { distributor, .. } => gic::enable_timer(&mut registers(distributor)),
    }
}

/// Waits until all of the `wanted` cores have done `what`, and has it done `again` while they have not.
fn wait_for(done: &AtomicU8, wanted: u8, what: &str, timer: GenericTimer, again: impl Fn()) {
    let end_ns = timer.now_ns() + COMING_NS;
    let mut again_ns = timer.now_ns() + AGAIN_NS;
    while done.load(Ordering::Acquire) != wanted {
        if timer.now_ns() > again_ns {
            again();
            again_ns = timer.now_ns() + AGAIN_NS;
        }
        if timer.now_ns() > end_ns {
            let done = done.load(Ordering::Acquire).count_ones();
            fault::refuse(format_args!("of {} cores {done} {what}", wanted.count_ones()));
        }
    }
}

/// The IPI of a core.
fn ipi_of(core: u8) -> CoreIpi<Mmio> {
    match board().chip.controllers {
        Controllers::Legacy { local, .. } => CoreIpi::mailbox(registers(local), core),
        Controllers::Gic { distributor, .. } => CoreIpi::software(registers(distributor), core),
    }
}

/// The entry of another core, on its own stack.
#[unsafe(no_mangle)]
extern "C" fn renga_core_main(number: u64) -> ! {
    // SAFETY: the first thing that this core does; core 0 installed the map before it fetched this one.
    unsafe { KernelMap::join() };
    let number = number as u8;
    ThisCore.keep_number(number);
    join_interrupts();
    timer_interrupts(number);
    let mut timer = GenericTimer::new();
    let wake_ns = timer.now_ns() + FIRST_SLEEP_NS;
    timer.set_alarm_ns(Some(wake_ns));
    while timer.now_ns() < wake_ns {
        ThisCore.wait_for_interrupt();
    }
    timer.set_alarm_ns(None);
    let mut ipi = ipi_of(number);
    ipi.enable();
    UP.fetch_or(1 << number, Ordering::Release);
    while !ipi.is_pending() {
        ThisCore.wait_for_interrupt();
    }
    ipi.acknowledge();
    WOKEN.fetch_or(1 << number, Ordering::Release);
    run(number, timer)
}
