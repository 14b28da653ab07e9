//! A board's several cores in parallel virtual time: a clock for each.
//!
//! QEMU runs the cores in turn in one thread, on one clock that counts the instructions of all. Here each core has a
//! clock of its own: when another core's quantum begins, QEMU's clock is moved to where that core stood. A core that
//! waited (`wfi`, `wfe`, `yield`) goes on at the present time. One that is ahead of the slowest that runs by more than
//! a quarter of the slice ends its quantum after one block. QEMU lets a core run for a quarter of the time to the next
//! timer at most, so a timer at the end of each slice bounds the quanta; while all wait it does not run.
//!
//! A core that is behind could read a counter below one that another core has read, which kernels do not expect: so a
//! read shows at least what any core has read before, for that one instruction.
//!
//! Invariant: all of it runs in the cores' thread, so the result depends on virtual time alone. Callbacks of
//! instructions do not take the big lock, and use nothing of the board's. Not here: boards with one core (`waiting`).

use crate::ffi::{self, Opaque};
use crate::machine::{self, VirtualTimer};
use crate::{clock, current, fail};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock};

const WFE: u32 = 0xd503_205f;
const WFI: u32 = 0xd503_207f;
const YIELD: u32 = 0xd503_203f;
/// `mrs x0, cntvct_el0` and `mrs x0, cntpct_el0`; the register is in the low bits.
const READS: [u32; 2] = [0xd53b_e040, 0xd53b_e020];
const REGISTER_BITS: u32 = 0x1f;
/// Quanta in a slice, as QEMU divides the time to the next timer; a core gets one if it is at most that part of a slice
/// ahead.
const QUANTA: i64 = 4;

/// How a board's cores are run; fixed when the plugin is installed.
#[derive(Clone, Copy, Debug)]
pub struct CorePlan {
    /// At least two.
    pub cores: u32,
    /// ns.
    pub slice_ns: i64,
}

struct PluginCore {
    state: *mut Opaque,
    /// Its clock at the end of its quantum.
    own_ns: i64,
    waits: bool,
}

struct PluginCores {
    plan: CorePlan,
    cores: Vec<PluginCore>,
    /// The core whose quantum runs.
    at: usize,
    /// The latest counter value that any core has read.
    newest_ns: i64,
    /// By so much the clock is ahead, for one read.
    clamped_ns: i64,
    slice: VirtualTimer,
    /// The slice's timer runs.
    is_sliced: bool,
}

// SAFETY: the pointers are QEMU's cores, which live as long as it; the cores' thread alone hands them back to QEMU.
unsafe impl Send for PluginCores {}

static PLAN: OnceLock<CorePlan> = OnceLock::new();
static CORES: Mutex<Option<PluginCores>> = Mutex::new(None);
/// The core of which the next block needs nothing done before it.
static GOES_ON: AtomicPtr<Opaque> = AtomicPtr::new(null_mut());

/// The clocks of the cores that run, ns.
#[derive(Clone, Copy, Debug)]
pub struct ClockSpan {
    /// No core does anything before this.
    pub least_ns: u64,
    /// No core is further.
    pub front_ns: u64,
}

/// The board has several cores.
pub fn plan(plan: CorePlan) {
    // Called once, at the plugin's installation.
    let _ = PLAN.set(plan);
}

/// How the cores are run, if there are several.
pub fn planned() -> Option<CorePlan> {
    PLAN.get().copied()
}

/// The machine is complete and has not run; false if QEMU is not as expected.
pub fn start() -> bool {
    let Some(plan) = planned() else { return true };
    // SAFETY: asks for cores of a machine that is complete; those that are not there come as null.
    let states = (0..plan.cores).map(|index| unsafe { ffi::qemu_get_cpu(index as c_int) });
    let cores: Vec<PluginCore> = states.map(|state| PluginCore { state, own_ns: 0, waits: false }).collect();
    if cores.iter().any(|core| core.state.is_null()) || !clock::check() {
        return false;
    }
    let slice = VirtualTimer::new(at_slice);
    let all = PluginCores { plan, cores, at: 0, newest_ns: 0, clamped_ns: 0, slice, is_sliced: false };
    *CORES.lock().expect("no callback panics") = Some(all);
    true
}

fn with_cores<R>(work: impl FnOnce(&mut PluginCores) -> R) -> R {
    let mut cores = CORES.lock().expect("no callback panics");
    work(cores.as_mut().unwrap_or_else(|| fail("a core ran before the machine was complete")))
}

/// The clocks, between quanta and under the big lock; QEMU's is that of the core that ran last.
pub fn span() -> ClockSpan {
    if planned().is_none() {
        let now_ns = machine::now_ns();
        return ClockSpan { least_ns: now_ns, front_ns: now_ns };
    }
    with_cores(|cores| {
        cores.unclamp();
        let now_ns = machine::now_ns() as i64;
        let own_ns = |(place, core): (usize, &PluginCore)| if place == cores.at { now_ns } else { core.own_ns };
        let running = cores.cores.iter().enumerate().filter(|(_, core)| !core.waits).map(own_ns);
        let (least_ns, front_ns) =
            running.fold((now_ns, now_ns), |(least, front), own| (own.min(least), own.max(front)));
        ClockSpan { least_ns: least_ns as u64, front_ns: front_ns as u64 }
    })
}

/// Which core executes: for its callbacks.
pub fn number() -> u8 {
    planned().map_or(0, |_| with_cores(|cores| cores.number(current::core()) as u8))
}

/// Where the board may be stopped that may run until `until_ns`: cores that are past that give those behind time to
/// follow.
pub fn reachable(until_ns: u64, now_ns: u64) -> u64 {
    planned().map_or(until_ns, |plan| if until_ns > now_ns { until_ns } else { now_ns + plan.slice_ns as u64 })
}

/// A block was translated.
pub fn translated(block: *mut Opaque) {
    let mut word = [0; 4];
    // SAFETY: QEMU gives a block of at least one instruction, valid during this call; `word` has the bytes named; the
    // callbacks need no registers and no argument.
    let last = unsafe {
        ffi::qemu_plugin_register_vcpu_tb_exec_cb(block, before_block, ffi::NO_REGISTERS, null_mut());
        let last = ffi::qemu_plugin_tb_get_insn(block, ffi::qemu_plugin_tb_n_insns(block) - 1);
        ffi::qemu_plugin_insn_data(last, word.as_mut_ptr().cast(), word.len());
        last
    };
    let word = u32::from_le_bytes(word);
    let callback = match word {
        WFI | WFE | YIELD => before_wait,
        _ if READS.contains(&(word & !REGISTER_BITS)) => before_read,
        _ => return,
    };
    // SAFETY: as above.
    unsafe { ffi::qemu_plugin_register_vcpu_insn_exec_cb(last, callback, ffi::NO_REGISTERS, null_mut()) };
}

extern "C" fn before_block(_: c_uint, _: *mut c_void) {
    let core = current::core();
    if core != GOES_ON.load(Ordering::Relaxed) {
        with_cores(|cores| cores.go_on(core));
    }
}

/// Before `wfi`, `wfe` or `yield`, each the last of its block. What the core executed is counted here, as in `waiting`.
extern "C" fn before_wait(_: c_uint, _: *mut c_void) {
    let core = current::core();
    // SAFETY: this is the thread of the core, which executes, as `icount_update` wants; it has its own lock.
    unsafe { ffi::icount_update(core) };
    with_cores(|cores| cores.wait(core));
}

/// Before a counter is read, which ends the block.
extern "C" fn before_read(_: c_uint, _: *mut c_void) {
    // SAFETY: as in `before_wait`.
    unsafe { ffi::icount_update(current::core()) };
    with_cores(PluginCores::clamp);
}

/// The slice is over: under the big lock, between quanta.
extern "C" fn at_slice(_: *mut c_void) {
    with_cores(|cores| {
        cores.slice.ran_out();
        cores.unclamp();
        if machine::now_ns() as i64 != clock::settled_ns() {
            fail("QEMU's clock is not made as it was when the board started");
        }
        cores.is_sliced = !machine::idle();
        if cores.is_sliced {
            cores.begin_slice();
        }
    });
}

impl PluginCores {
    fn begin_slice(&mut self) {
        let end_ns = clock::settled_ns() + self.plan.slice_ns;
        self.slice.set(Some(end_ns as u64));
    }

    fn number(&self, state: *mut Opaque) -> usize {
        let number = self.cores.iter().position(|core| core.state == state);
        number.unwrap_or_else(|| fail("a core runs that the board does not have"))
    }

    /// A core is about to execute a block that needs something done before it.
    fn go_on(&mut self, state: *mut Opaque) {
        self.unclamp();
        let own = self.number(state);
        if own != self.at || self.cores[own].waits {
            self.take_turn(own);
        }
        GOES_ON.store(state, Ordering::Relaxed);
    }

    fn take_turn(&mut self, own: usize) {
        let now_ns = clock::settled_ns();
        let before = &mut self.cores[self.at];
        if self.at != own && !before.waits {
            before.own_ns = now_ns;
        }
        let core = &mut self.cores[own];
        if std::mem::take(&mut core.waits) {
            core.own_ns = core.own_ns.max(now_ns);
        }
        let (own_ns, state) = (core.own_ns, core.state);
        clock::move_by(own_ns - now_ns);
        self.at = own;
        let running = self.cores.iter().filter(|core| !core.waits);
        let slowest_ns = running.map(|core| core.own_ns).min().unwrap_or(own_ns);
        if own_ns - slowest_ns > self.plan.slice_ns / QUANTA {
            // SAFETY: a core, which ends its quantum after this block.
            unsafe { ffi::cpu_exit(state) };
        }
        if !self.is_sliced {
            self.is_sliced = true;
            self.begin_slice();
        }
    }

    fn wait(&mut self, state: *mut Opaque) {
        let (own, now_ns) = (self.number(state), clock::settled_ns());
        self.cores[own].own_ns = now_ns;
        self.cores[own].waits = true;
        GOES_ON.store(null_mut(), Ordering::Relaxed);
        // When all wait, what any of them did lies behind.
        if self.cores.iter().all(|core| core.waits) {
            let latest_ns = self.cores.iter().map(|core| core.own_ns).max().unwrap_or(now_ns);
            clock::move_by(latest_ns - now_ns);
        }
    }

    fn clamp(&mut self) {
        let now_ns = clock::settled_ns();
        if now_ns >= self.newest_ns {
            self.newest_ns = now_ns;
            return;
        }
        self.clamped_ns = self.newest_ns - now_ns;
        clock::move_by(self.clamped_ns);
        GOES_ON.store(null_mut(), Ordering::Relaxed);
    }

    fn unclamp(&mut self) {
        clock::move_by(-std::mem::take(&mut self.clamped_ns));
    }
}
