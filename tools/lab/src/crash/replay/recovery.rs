//! Renga's own recovery of a disk, on the host: the file system's processes mount it and unmount it again.
//!
//! Invariant: what the boards would run runs here, but for the board's devices. Called by: `cut_state`. Not here:
//! e2fsck's recovery (`renga-images`).

use super::cut_disk::CutDisk;
use renga_fs::Medium;
use renga_fs_host::{FsCounts, FsServers, HostFrames};
use renga_hal::block::{Block, BlockError};
use renga_hal_host::HostMemory;
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::{StatusOf, Unmount};
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Members};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Boot memory of the board, words of 16 bytes.
const BOOT_WORDS: usize = 1 << 20;
const COUNTS: FsCounts = FsCounts { buffers: 48, inodes: 16, paths: 2, files: 4, frames: 256 };
const CACHED_FILES: usize = 16;
/// The root's inode.
const ROOT: u32 = 2;

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
    static MACHINE: &'static HostMemory = Box::leak(Box::new(HostMemory::new(COUNTS.frames)));
    static DISK: &'static RefCell<Option<CutDisk>> = Box::leak(Box::default());
}

/// The thread's disk, as the board has it.
struct ThreadDisk(&'static RefCell<Option<CutDisk>>);

impl Block for ThreadDisk {
    fn blocks(&self) -> u64 {
        self.0.borrow().as_ref().map_or(0, Block::blocks)
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        self.0.borrow_mut().as_mut().map_or(Err(BlockError::NoMedium), |disk| disk.read(sector, out))
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        self.0.borrow_mut().as_mut().map_or(Err(BlockError::NoMedium), |disk| disk.write(sector, data))
    }
}

/// The disk as Renga leaves it; or what went wrong.
pub fn recovered(disk: CutDisk) -> Result<CutDisk, String> {
    DISK.with(|place| place.replace(Some(disk)));
    let done = catch_unwind(AssertUnwindSafe(mount_and_unmount));
    let disk = DISK.with(|place| place.take());
    match (done, disk) {
        (Ok(Some(Ok(()))), Some(disk)) => Ok(disk),
        (Ok(Some(Err(errno))), _) => Err(format!("Renga does not mount and unmount the disk: {errno:?}")),
        (Ok(None), _) => Err("Renga's mount waits for ever".into()),
        _ => Err("Renga's recovery panics".into()),
    }
}

/// `None`: it does not come to an end.
fn mount_and_unmount() -> Option<Result<(), Errno>> {
    BOOT.with_borrow_mut(|memory| {
        HostBoard::within(0, memory, |board| {
            let machine = MACHINE.with(|machine| *machine);
            machine.reset();
            let device = board.arena.put(|| ThreadDisk(DISK.with(|place| *place)));
            let frames = HostFrames::start(board, machine, CACHED_FILES);
            let medium = Medium::named("none")?;
            let caches: (&[Members], &[Members], &Members) =
                (board.family(&[frames.pages]), &[Members::NONE], &Members::NONE);
            let servers = FsServers::start(board, device, medium, frames, caches, COUNTS);
            let ended: &'static Cell<Option<Result<(), Errno>>> = board.arena.put(|| Cell::new(None));
            board.client(|me| {
                let mut path = Client::new(&me, servers.path);
                async move {
                    let mut out = [0; STAT_BYTES];
                    let mounted = path.call(StatusOf { at: ROOT.into(), flags: 0 }, (&b"/"[..], &mut out[..])).await;
                    let unmounted = path.call(Unmount {}, ()).await;
                    ended.set(Some(mounted.and(unmounted)));
                }
            });
            board.run_through_alarms();
            ended.get()
        })
    })
}
