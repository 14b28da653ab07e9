//! What the code says of each kind of process: its signature, and where it may be.
//!
//! Invariant: what a kind serves and uses is read off its function by the compiler; only the rule of
//! its place and the bound of its number are written here. Devices are stood in for by types that
//! are never made.

use crate::Kind;
use renga_hal::block::{Block, BlockError};
use renga_hal::host::HostMemory;
use renga_hal::link::{FRAME_BYTES_MAX, FrameDevice, TransmitFull};
use renga_hal::uart::Uart;
use renga_rt::signature;

/// On which boards a kind may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Wherever the system file says.
    Any,
    /// On the board that owns the disk: next to the medium, or next to the lock of names, which does not answer
    /// callers of other boards that are interrupted or die while they wait for it.
    DiskBoard,
    /// On every board.
    Every,
    /// On every board of a system that has several.
    EveryLinked,
    /// Computed: one for each process of another board that calls here.
    PerRemoteCaller,
    /// Computed: some for each other board that may release calls to here.
    PerAsyncBoard,
}

/// One kind.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Which.
    pub kind: Kind,
    /// What its function's signature says.
    pub signature: signature::Kind,
    /// Where it may be.
    pub place: Place,
    /// The most that one board may have.
    pub count_max: u16,
}

macro_rules! facts { ($($Kind:ident $function:expr, $place:ident, $count_max:literal;)+) => {
    /// All kinds.
    pub const FACTS: &[Facts] = &[$(Facts {
        kind: Kind::$Kind,
        signature: signature::kind(Kind::$Kind.name(), &$function),
        place: Place::$place,
        count_max: $count_max,
    }),+];
} }
facts! {
    Clock renga_clock::clock, Every, 1;
    Console renga_console::console::<NoDevice>, Any, 1;
    Keyboard renga_process::keyboard, Any, 1;
    Disk renga_fs::disk::<NoDevice>, DiskBoard, 1;
    BufferDirectory renga_fs::buffer_directory, Any, 1;
    Buffer renga_fs::buffer, Any, 512;
    Allocator renga_fs::allocator, Any, 1;
    InodeDirectory renga_fs::inode_directory, DiskBoard, 1;
    Inode renga_fs::inode, Any, 256;
    WriteBack renga_fs::write_back, Any, 1;
    Path renga_fs::path, DiskBoard, 16;
    File renga_fs::file, Every, 128;
    FileTable renga_fs::file_table, Every, 1;
    Pipe renga_pipe::pipe, Every, 64;
    PipeTable renga_pipe::pipe_table, Every, 1;
    Procs renga_process::procs, Every, 1;
    User renga_process::user::<HostMemory>, Every, 64;
    Memory renga_memory::memory::<HostMemory>, Every, 1;
    Text renga_memory::text, Every, 1;
    Router renga_router::router::<NoDevice>, EveryLinked, 1;
    Membership renga_router::membership, EveryLinked, 1;
    LinkStatus renga_router::link_status, EveryLinked, 1;
    Proxy renga_router::proxy, PerRemoteCaller, 1024;
    AsyncProxy renga_router::proxy, PerAsyncBoard, 1024;
}

/// A device that no signature needs to be real.
pub enum NoDevice {}

impl Uart for NoDevice {
    fn try_write(&mut self, _: u8) -> bool {
        match *self {}
    }
    fn try_read(&mut self) -> Option<u8> {
        match *self {}
    }
    fn enable_receive_interrupt(&mut self, _: bool) {}
    fn enable_transmit_interrupt(&mut self, _: bool) {}
}

impl Block for NoDevice {
    fn blocks(&self) -> u64 {
        match *self {}
    }
    fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), BlockError> {
        match *self {}
    }
    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BlockError> {
        match *self {}
    }
}

impl FrameDevice for NoDevice {
    fn board(&self) -> u8 {
        match *self {}
    }
    fn receive(&mut self, _: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        match *self {}
    }
    fn send(&mut self, _: u8, _: &[u8]) -> Result<(), TransmitFull> {
        match *self {}
    }
    fn enable_receive_interrupt(&mut self, _: bool) {}
    fn enable_transmit_interrupt(&mut self, _: bool) {}
    fn take_overrun(&mut self) -> bool {
        match *self {}
    }
}
