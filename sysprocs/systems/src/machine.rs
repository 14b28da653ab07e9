//! What a board is made of beside its processes: devices, user memory, and a way to start a process.
//!
//! Invariant: each device is handed out once, when the process that owns it starts. Not here: real ones (the
//! image's) and imitated ones (the simulator's).

use core::future::Future;
use renga_core::{Me, Process};
use renga_fs::Medium;
use renga_hal::block::{Block, BlockError};
use renga_hal::memory::{Access, Frame, ListedFrame, NeedsTable, PageGuard, PageRef, PageRun, UserMemory};
use renga_hal::power::Power;
use renga_hal::shared_tables::SharedPageTables;
use renga_hal::start_card::{NoStartCard, StartCard};
use renga_hal::uart::Uart;
use renga_phy::{FRAME_BYTES_MAX, Phy, TransmitFull};
use renga_process::Processor;
use renga_router::LinkTiming;
use renga_rt::{Never, OsTimes, ProcId};

/// Of which types a board's devices are.
pub trait Devices {
    /// The memory of its user programs.
    type Memory: UserMemory + 'static;
    /// Its console's line.
    type Uart: Uart + 'static;
    /// Its card.
    type Block: Block + 'static;
    /// What carries its frames.
    type Link: Phy + 'static;
    /// Files that may have pages in its page cache.
    const CACHED_FILES: usize;
}

/// One board.
pub trait Machine: Devices {
    /// A header for the process `id` of this board, which runs on `core`, not started.
    fn declare(&self, core: u8, priority: u8, id: ProcId) -> &'static Process;
    /// Starts `process` with the future that `make` returns, which alone uses that [`Me`].
    fn start<F: Future<Output = Never> + 'static>(&self, process: &'static Process, make: impl FnOnce(Me) -> F);

    /// The memory of user programs.
    fn memory(&self) -> &'static Self::Memory;
    /// The console's line.
    fn uart(&self) -> &'static mut Self::Uart;
    /// The card.
    fn block(&self) -> &'static mut Self::Block;
    /// The card from which the board has started, for programs.
    fn start_card(&self) -> &'static dyn StartCard {
        &NoStartCard
    }
    /// How slow the card is to be.
    fn medium(&self) -> &'static Medium;
    /// The device of the link.
    fn link(&self) -> &'static mut Self::Link;
    /// How long to wait for what on the link.
    fn link_timing(&self) -> LinkTiming;
    /// The times of the operating system.
    fn times(&self) -> OsTimes {
        OsTimes::DEFAULT
    }
    /// What ends the run.
    fn power(&self) -> &'static dyn Power;
    /// The owner of the floating-point state of the programs whose home core is `core`.
    fn processor(&self, core: u8) -> &'static dyn Processor;

    /// Starts of the board, or any number that is another one than before its last reset; modulo 256.
    fn starts(&self) -> u8;
    /// Calendar time at boot, ns since 1970.
    fn epoch_ns(&self) -> u64;
    /// The seed of the random numbers that programs see.
    fn seed(&self) -> u64;
    /// The first program of the cluster; "" if there is none.
    fn init(&self) -> &'static str;
}

/// Devices that no signature needs to be real: they are never made.
pub(crate) enum NoDevice {}

impl Devices for NoDevice {
    type Memory = NoDevice;
    type Uart = NoDevice;
    type Block = NoDevice;
    type Link = NoDevice;
    const CACHED_FILES: usize = 0;
}

/// Implements a trait by methods that are never called, as the device cannot exist.
macro_rules! never_called { ($($trait:ident { $(fn $method:ident ( $($by:tt)* ) $(-> $returns:ty)?;)+ })+) => { $(
    impl $trait for NoDevice { $(fn $method($($by)*) $(-> $returns)? { unreachable!("there is no such device") })+ }
)+ } }

never_called! {
    Uart {
        fn try_write(&mut self, _: u8) -> bool;
        fn try_read(&mut self) -> Option<u8>;
        fn enable_receive_interrupt(&mut self, _: bool);
        fn enable_transmit_interrupt(&mut self, _: bool);
    }
    Block {
        fn blocks(&self) -> u64;
        fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), BlockError>;
        fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BlockError>;
    }
    Phy {
        fn board(&self) -> u8;
        fn receive(&mut self, _: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize>;
        fn has_room(&self) -> bool;
        fn send(&mut self, _: u8, _: &[u8]) -> Result<(), TransmitFull>;
        fn enable_receive_interrupt(&mut self, _: bool);
        fn enable_transmit_interrupt(&mut self, _: bool);
        fn take_overrun(&mut self) -> bool;
    }
    UserMemory {
        fn frames(&self) -> u32;
        fn page(&self, _: Frame) -> PageGuard<'_>;
        fn shared_page(&self, _: Frame) -> PageRef<'_>;
        fn peek(&self, _: Frame) -> Option<PageRef<'_>>;
        fn is_plain(&self, _: Frame) -> bool;
        fn mappings(&self, _: Frame) -> u32;
        fn is_space(&self, _: Frame) -> bool;
        fn pages(&self, _: Frame) -> u32;
        fn new_space(&self, _: Frame);
        fn map(&self, _: Frame, _: u64, _: Frame, _: Access) -> Result<(), NeedsTable>;
        fn add_table(&self, _: Frame, _: u64, _: Frame);
        fn unmap(&self, _: Frame, _: u64) -> Option<Frame>;
        fn protect(&self, _: Frame, _: u64, _: Access) -> bool;
        fn lookup(&self, _: Frame, _: u64) -> Option<(Frame, Access)>;
        fn next_mapped(&self, _: Frame, _: u64) -> Option<(u64, Frame, Access)>;
        fn unmap_run(&self, _: Frame, _: (u64, u64), _: &mut [ListedFrame]) -> PageRun;
        fn share_run(&self, _: Frame, _: Frame, _: (u64, u64), _: &mut [ListedFrame]) -> PageRun;
        fn take_table(&self, _: Frame) -> Option<Frame>;
    }
    SharedPageTables {
        fn make_shared_table(&self, _: Frame, _: u64, _: Frame);
        fn is_shared_table(&self, _: Frame) -> bool;
        fn shared_table_references(&self, _: Frame) -> u32;
        fn hold_shared_table(&self, _: Frame);
        fn release_shared_table(&self, _: Frame);
        fn missing_tables(&self, _: Frame, _: u64) -> usize;
        fn add_shared_table(&self, _: Frame, _: u64, _: Frame, _: Frame);
        fn is_of_shared_table(&self, _: Frame, _: u64) -> bool;
        fn leave_page(&self, _: Frame, _: u64);
        fn leave_shared_tables(&self, _: Frame);
        fn end_shared_table(&self, _: Frame, _: &mut [ListedFrame]) -> usize;
    }
}
