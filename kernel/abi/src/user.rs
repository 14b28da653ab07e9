//! The state of a user program, and why it stopped, as plain data.
//!
//! Invariant: whatever the words of a [`UserContext`] say, entering it cannot do more than run code at
//! user level: the processor's mode and masks are not taken from it.
//!
//! Not here: how a context is entered (`renga-arch-aarch64`) and what a trap leads to (the process that
//! owns the program).

/// Bits of [`UserContext::pstate`] that are the program's: the condition flags N, Z, C and V.
pub const PSTATE_USER: u64 = 0xf000_0000;

/// Floating-point and SIMD registers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FpState {
    /// V0 to V31.
    pub v: [u128; 32],
    /// Control register.
    pub fpcr: u64,
    /// Status register.
    pub fpsr: u64,
}

impl FpState {
    /// All zero, as a program finds it at its start.
    pub const ZERO: Self = Self { v: [0; 32], fpcr: 0, fpsr: 0 };
}

/// Where the floating-point state of a program is.
#[repr(u64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FpPlace {
    /// In [`UserContext::fp`].
    Context,
    /// In the processor's registers, which it keeps until another program is entered; `fp` is stale until the processor
    /// flushes them.
    Processor,
}

/// All registers of a user program.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct UserContext {
    /// X0 to X30.
    pub x: [u64; 31],
    /// Stack pointer.
    pub sp: u64,
    /// Program counter: the next instruction; after a system call, the one behind it.
    pub pc: u64,
    /// Condition flags; other bits are ignored.
    pub pstate: u64,
    /// Thread pointer (TPIDR_EL0).
    pub tpidr: u64,
    /// Where the floating-point state is.
    pub fp_place: FpPlace,
    /// The user-process slot that this program occupies on its board: no two contexts in use share one.
    pub slot: u64,
    /// Floating-point state, when `fp_place` says so.
    pub fp: FpState,
}

impl UserContext {
    /// A program of user-process slot `slot` about to start at `pc` with stack pointer `sp` and
    /// everything else zero.
    pub const fn new(slot: u16, pc: u64, sp: u64) -> Self {
        Self {
            x: [0; 31],
            sp,
            pc,
            pstate: 0,
            tpidr: 0,
            fp_place: FpPlace::Context,
            slot: slot as u64,
            fp: FpState::ZERO,
        }
    }
}

/// What a program was doing to memory when it faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Loading.
    Read,
    /// Storing.
    Write,
    /// Fetching an instruction.
    Execute,
}

/// Why a program cannot continue by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// A system call: number in X8, arguments in X0 to X5; the result goes to X0.
    Syscall,
    /// It touched memory that it may not.
    PageFault {
        /// The address touched.
        address: u64,
        /// How.
        kind: AccessKind,
        /// Whether a page is there, with less access.
        present: bool,
    },
    /// No such instruction, or not at user level.
    Undefined,
    /// A breakpoint instruction; `pc` is its address.
    Breakpoint,
    /// A misaligned program counter, stack pointer or atomic access; the address touched.
    Alignment {
        /// The address touched.
        address: u64,
    },
    /// Anything else the processor complains about; the syndrome register says what.
    OtherFault {
        /// ESR_EL1.
        syndrome: u64,
    },
    /// The time slice has ended, or a more urgent task is ready. The processor never reports this: the kernel maps an
    /// interrupt to it.
    Preempted,
}

/// Why a user program gave the processor back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program cannot continue by itself.
    Trap(Trap),
    /// An interrupt is pending; the program knows nothing of it.
    Interrupt,
}
