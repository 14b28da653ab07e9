//! A hostile program: whatever it puts into its registers and calls, its board goes on and another program
//! on it keeps what it has; it can be killed whatever it does, and all that it took comes back.
//!
//! The bytes are calls: a number, the kinds of the six arguments, bytes for them; or bytes for the program's memory.
//! Files are the image's.
//! Init is the victim: it lives on a page with known bytes, which must not change; its child, and that one's children,
//! are hostile. In the end they are killed.

mod board;

use crate::fs::image::FuzzMedium;
use board::{Free, SyscallKeeper};
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_hal_host::HostMemory;
use renga_process::user::IMPLEMENTED;
use renga_rt::host::HostBoard;
use renga_rt::user::{AccessKind, Trap, UserContext};
use std::cell::{Cell, RefCell};

/// Boot memory of the board, 16-byte words.
const BOOT_WORDS: usize = 160 << 10;
const FRAMES: u32 = 128;
/// Most calls of an input.
const CALLS_MAX: usize = 32;
/// Time slices of programs before they are killed.
const TURNS_MAX: u32 = 200;
/// Dispatches that they have; each completes up to 64 rendezvous.
const DISPATCHES_MAX: u32 = 1_000;
/// Dispatches, of slices too, after which all killed programs must be gone, in any state.
const LAST_DISPATCHES_MAX: u32 = 1_000;
/// The length of a slice, ns.
const SLICE_NS: u64 = 1_000;
/// No board runs for longer, a century; programs may ask to sleep for longer.
const UPTIME_NS_MAX: u64 = 100 * 365 * 24 * 3600 * 1_000_000_000;
/// The program: code, and a page of zeros behind its first page of data.
const CODE: u64 = 0x40_0000;
const DATA: u64 = 0x41_0000;
const DATA_BYTES: u64 = 3 * PAGE_BYTES as u64;
const CLONE: u64 = 220;
const EXIT: u64 = 94;
const WAIT: u64 = 260;
const POLL: u64 = 73;
const ECHILD: u64 = 10;
const SIGCHLD: u64 = 17;
/// What the victim has on its page.
const KNOWN: [u8; 64] = [0x5c; 64];

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
    static MEDIUM: &'static FuzzMedium = Box::leak(Box::default());
    /// The free resources without an attack.
    static UNTOUCHED: Cell<Option<Free>> = const { Cell::new(None) };
    static MACHINE: &'static HostMemory = Box::leak(Box::new(HostMemory::new(FRAMES)));
}

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let untouched = UNTOUCHED.get().unwrap_or_else(|| {
        let free = attack(&[]);
        UNTOUCHED.set(Some(free));
        free
    });
    assert_eq!(attack(bytes), untouched, "what hostile programs had is lost");
}

/// What is free after an attack.
fn attack(bytes: &[u8]) -> Free {
    let (medium, machine) = (MEDIUM.with(|medium| *medium), MACHINE.with(|machine| *machine));
    medium.reset();
    medium.patch(board::PROGRAM_BLOCK, 0, &board::program());
    medium.patch(board::MODE_PLACE.0, board::MODE_PLACE.1, &0o100_755u16.to_le_bytes());
    machine.reset();
    BOOT.with_borrow_mut(|memory| {
        HostBoard::within(0, memory, |board| {
            let keeper = board::start(board, medium, machine);
            let mut attack =
                SyscallAttack { board, machine, rest: bytes, calls: 0, victim: None, childless: false, killed: false };
            attack.go();
            attack.end(&keeper)
        })
    })
}

struct SyscallAttack<'a> {
    board: HostBoard,
    machine: &'static HostMemory,
    rest: &'a [u8],
    calls: usize,
    /// The victim's address space, once it has its page.
    victim: Option<Frame>,
    /// The victim has waited for all its children, which all orphans become.
    childless: bool,
    /// All but the victim were killed, and do nothing more.
    killed: bool,
}

impl SyscallAttack<'_> {
    /// Every program has its slices, the hostile ones with calls of the input until it is used up, for a while.
    fn go(&mut self) {
        let mut dispatches = 0;
        for _ in 0..TURNS_MAX {
            while self.board.core.dispatch() {
                dispatches += 1;
                if dispatches == DISPATCHES_MAX {
                    return;
                }
            }
            if !self.run_slice() && !self.pass() {
                return;
            }
            self.check_victim();
        }
    }

    /// Lets time pass until something is to do; false: nothing ever is.
    fn pass(&mut self) -> bool {
        let core = self.board.core;
        let next = core.next_alarm_ns().filter(|at_ns| *at_ns < UPTIME_NS_MAX);
        if let Some(at_ns) = next {
            core.set_now_ns(at_ns.max(core.now_ns()));
            core.expire_alarms(core.now_ns());
        }
        next.is_some()
    }

    /// The keeper kills all but init; what is free then.
    fn end(&mut self, keeper: &SyscallKeeper) -> Free {
        assert!(self.victim.is_some(), "init was not started");
        self.killed = true;
        keeper.notifier.notify();
        for _ in 0..LAST_DISPATCHES_MAX {
            if !self.board.core.dispatch() && !self.run_slice() && (self.childless || !self.pass()) {
                break;
            }
        }
        assert!(self.childless, "a hostile program survives");
        self.check_victim();
        keeper.notifier.notify();
        self.board.run();
        keeper.free.get().unwrap_or_else(|| panic!("the servers of the board answer no more"))
    }

    fn check_victim(&self) {
        let Some(space) = self.victim else { return };
        let Some((frame, _)) = self.machine.lookup(space, DATA) else { panic!("the victim's page is gone") };
        assert_eq!(self.machine.shared_page(frame)[..KNOWN.len()], KNOWN, "the victim's page was changed");
    }

    /// The next program's slice; false: none is ready.
    fn run_slice(&mut self) -> bool {
        let Some(mut slice) = self.board.core.next_user() else { return false };
        if slice.wait_cancelled() {
            slice.end(Trap::Preempted);
            return true;
        }
        let space = Frame(slice.space());
        let first = self.victim.is_none();
        if first && self.machine.lookup(space, DATA).is_none_or(|(_, access)| !access.writable()) {
            slice.end(Trap::PageFault { address: DATA, kind: AccessKind::Write, present: false });
            return true;
        }
        if first {
            let Some((frame, _)) = self.machine.lookup(space, DATA) else { unreachable!("it is there") };
            self.machine.page(frame)[..KNOWN.len()].copy_from_slice(&KNOWN);
            self.victim = Some(space);
            call(slice.context(), CLONE, [SIGCHLD, 0, 0, 0, 0, 0]);
        } else if self.victim == Some(space) {
            self.childless |= slice.context().x[0] == ECHILD.wrapping_neg();
            if self.childless {
                call(slice.context(), POLL, [0; 6]); // for ever
            } else {
                call(slice.context(), WAIT, [u64::MAX, 0, 0, 0, 0, 0]);
            }
        } else if self.killed {
            slice.end(Trap::Preempted);
            return true;
        } else {
            self.hostile(space, slice.context());
        }
        slice.charge(SLICE_NS);
        slice.end(Trap::Syscall);
        true
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let fits = self.rest.len().min(N);
        bytes[..fits].copy_from_slice(&self.rest[..fits]);
        self.rest = &self.rest[fits..];
        bytes
    }

    /// Writes what the input says into the program's memory, and makes its next call.
    fn hostile(&mut self, space: Frame, context: &mut UserContext) {
        self.calls += 1;
        if self.rest.is_empty() || self.calls > CALLS_MAX {
            return call(context, EXIT, [0; 6]);
        }
        let [number, high] = self.take();
        if high & 0x80 != 0 {
            let [offset, bytes] = self.take();
            let written: [u8; 32] = self.take();
            let written = &written[..usize::from(bytes % 32)];
            if let Some((frame, access)) = self.machine.lookup(space, DATA)
                && access.writable()
            {
                self.machine.page(frame)[usize::from(offset)..][..written.len()].copy_from_slice(written);
            }
        }
        let number = match high & 0x7f {
            0 => IMPLEMENTED[usize::from(number) % IMPLEMENTED.len()].0,
            high => u64::from(high - 1) << 8 | u64::from(number),
        };
        let kinds: [u8; 3] = self.take();
        let arguments = std::array::from_fn(|place| {
            let kind = kinds[place / 2] >> (4 * (place % 2)) & 0xf;
            self.argument(kind)
        });
        call(context, number, arguments);
    }

    fn argument(&mut self, kind: u8) -> u64 {
        let mut byte = || u64::from(self.take::<1>()[0]);
        match kind {
            0 => 0,
            1 => byte(),
            2 => DATA + byte(),
            3 => DATA + 8 * byte(),
            4 => DATA + DATA_BYTES - byte(),
            5 => CODE + 16 * byte(),
            6 => byte() << 12,
            7 => u64::MAX - byte(),
            8 => 0xffff_0000_0000_0000 | byte() << 12,
            9 => 1 << (byte() % 64),
            10 => (1 << 39) - byte(),
            11 => u64::from(u32::MAX) - byte(),
            12 => -100i64 as u64, // AT_FDCWD
            13 => byte() << 8 | byte(),
            14 => 3 + byte() % 8,
            _ => u64::from_le_bytes(self.take()),
        }
    }
}

fn call(context: &mut UserContext, number: u64, arguments: [u64; 6]) {
    context.x[8] = number;
    context.x[..6].copy_from_slice(&arguments);
}
