//! A board with all processes of a file system, and a client that speaks to them as a user process does.

use super::image::FuzzMedium;
use crate::memory;
use renga_fs::{Medium, recognise};
use renga_fs_host::{FsCounts, FsServers, HostFrames};
use renga_hal_host::HostMemory;
use renga_proto::file::{self, File};
use renga_proto::inode::{Inode, InodeDirectory, InodeFacts, InodeOwner, Release, STAT_BYTES, Truncate};
use renga_proto::path::{self as walk, Path};
use renga_proto::slots::{FileTable, TakeFile};
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Family, Me, Members};
use std::cell::{Cell, RefCell};
use std::future::Future;

/// The root's inode.
pub const ROOT: u32 = 2;
/// Boot memory of the board, 16-byte words.
const BOOT_WORDS: usize = 80 << 10;
/// Its processes and page frames.
const COUNTS: FsCounts = FsCounts { buffers: 8, inodes: 8, paths: 1, files: 2, frames: 64 };
/// Most parts of a directory or file that are read: more than the image has.
const PARTS_MAX: usize = 40;
/// Dispatches that one input may take; each completes up to 64 rendezvous.
const DISPATCHES_MAX: u32 = 10_000;

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
    static MACHINE: &'static HostMemory = Box::leak(Box::new(HostMemory::new(COUNTS.frames)));
    static MEDIUM: &'static FuzzMedium = Box::leak(Box::default());
}

/// What a client speaks to.
pub struct FuzzUser {
    path: Client<Path>,
    table: Client<FileTable>,
    files: Family<File>,
    directory: Client<InodeDirectory>,
    inodes: Family<Inode>,
}

/// Patches the image, and if it is still taken for ext2 runs `body` on a board that has it mounted, with a
/// copy of `input`; the medium in the end, or `None`: it was refused.
pub fn run<F: Future<Output = ()> + 'static>(
    input: &[u8],
    patch: impl FnOnce(&FuzzMedium),
    body: impl FnOnce(FuzzUser, &'static [u8]) -> F,
) -> Option<&'static FuzzMedium> {
    MEDIUM.with(|&medium| {
        medium.reset();
        MACHINE.with(|machine| machine.reset());
        patch(medium);
        recognise(&mut &*medium).ok()?;
        BOOT.with_borrow_mut(|memory| HostBoard::within(0, memory, |board| client(board, medium, input, body)));
        Some(medium)
    })
}

fn client<F: Future<Output = ()> + 'static>(
    board: HostBoard,
    medium: &'static FuzzMedium,
    input: &[u8],
    body: impl FnOnce(FuzzUser, &'static [u8]) -> F,
) {
    let arena = board.arena;
    let input: &'static [u8] = arena.put_slice(input.len(), |at| input[at]);
    let finished: &'static Cell<bool> = arena.put(|| Cell::new(false));
    let servers = processes(board, medium, memory::start(board, MACHINE.with(|machine| *machine)));
    board.client(|me| {
        let future = body(FuzzUser::new(&me, servers), input);
        async move {
            future.await;
            finished.set(true);
        }
    });
    for _ in 0..DISPATCHES_MAX {
        if !board.core.dispatch() {
            assert!(finished.get(), "a client waits for ever");
            return;
        }
    }
    panic!("operations take longer than any on a medium of this size may");
}

/// Starts all processes of a file system on `medium`.
pub fn processes(board: HostBoard, medium: &'static FuzzMedium, frames: HostFrames) -> FsServers {
    let Some(timing) = Medium::named("none") else { unreachable!("there is such a model") };
    FsServers::start(
        board,
        board.arena.put(|| medium),
        timing,
        frames,
        (board.family(&[frames.pages]), &[Members::NONE], &Members::NONE),
        COUNTS,
    )
}

/// What an operation said.
pub type FuzzResult<T> = Result<T, Errno>;

impl FuzzUser {
    fn new(me: &Me, FsServers { path, table, files, directory, inodes, .. }: FsServers) -> FuzzUser {
        FuzzUser {
            path: Client::new(me, path),
            table: Client::new(me, table),
            files: Family::new(me, files),
            directory: Client::new(me, directory),
            inodes: Family::new(me, inodes),
        }
    }

    /// The lookup worker.
    pub fn path(&mut self) -> &mut Client<Path> {
        &mut self.path
    }

    /// Opens an inode by path and gives it back at once.
    pub async fn open(&mut self, path: &[u8], flags: u32) -> FuzzResult<InodeFacts> {
        let facts = self
            .path
            .call(walk::Open { at: ROOT.into(), flags, mode: 0o644, owner: InodeOwner::default() }, path)
            .await?;
        self.directory.call(Release { slot: facts.slot, ino: facts.ino }, ()).await?;
        Ok(facts)
    }

    /// As `truncate(2)`.
    pub async fn truncate(&mut self, path: &[u8], bytes: u64) -> FuzzResult<()> {
        let facts = self
            .path
            .call(walk::Open { at: ROOT.into(), flags: walk::OPEN_WRITE, mode: 0, owner: InodeOwner::default() }, path)
            .await?;
        let mut cut = Err(Errno::EIO);
        if let Some(mut inode) = self.inodes.at(0, facts.slot.into()) {
            cut = inode.call(Truncate { bytes }, ()).await;
        }
        self.directory.call(Release { slot: facts.slot, ino: facts.ino }, ()).await.and(cut)
    }

    /// Opens a file by path, does something with it, closes it.
    async fn with_file<R>(
        &mut self,
        path: &[u8],
        flags: u32,
        access: u32,
        body: impl AsyncFnOnce(&mut Client<File>) -> FuzzResult<R>,
    ) -> FuzzResult<R> {
        let facts = self
            .path
            .call(walk::Open { at: ROOT.into(), flags, mode: 0o644, owner: InodeOwner::default() }, path)
            .await?;
        let number = self.table.call(TakeFile {}, ()).await?;
        let mut file = self.files.at(0, number.into()).ok_or(Errno::EBADF)?;
        let open = file::OpenInode {
            slot: facts.slot,
            ino: facts.ino,
            mode: facts.mode,
            flags: access,
            generation: facts.birth.generation,
            origin: facts.origin,
        };
        let generation = file.call(open, ()).await?;
        let done = body(&mut file).await;
        let closed = file.call(file::Close { generation }, ()).await;
        done.and_then(|done| closed.map(|()| done))
    }

    /// Reads a file's first parts, and behind its middle; how many bytes.
    pub async fn read(&mut self, path: &[u8]) -> FuzzResult<u64> {
        self.with_file(path, 0, 0, async |file| {
            let (mut page, mut total) = ([0; 1500], 0);
            for _ in 0..PARTS_MAX {
                match file.call(file::Read {}, &mut page[..]).await? {
                    0 => break,
                    bytes => total += u64::from(bytes),
                }
            }
            let size = file.call(file::Seek { offset: 0, whence: file::Whence::End }, ()).await?;
            let _ = file.call(file::ReadFrom { offset: size / 2 }, &mut page[..]).await?;
            Ok(total)
        })
        .await
    }

    /// Writes `data` at `offset`.
    pub async fn write(&mut self, path: &[u8], flags: u32, offset: u64, data: &[u8]) -> FuzzResult<u32> {
        self.with_file(path, flags | walk::OPEN_WRITE, 1, async |file| file.call(file::WriteTo { offset }, data).await)
            .await
    }

    /// Reads a directory; how many bytes its entries take.
    pub async fn list(&mut self, path: &[u8]) -> FuzzResult<u64> {
        self.with_file(path, walk::OPEN_DIRECTORY, 0, async |file| {
            let (mut out, mut total) = ([0; 600], 0);
            for _ in 0..PARTS_MAX {
                match file.call(file::NextEntries {}, &mut out[..]).await?.bytes {
                    0 => break,
                    bytes => total += u64::from(bytes),
                }
            }
            Ok(total)
        })
        .await
    }

    /// Asks for the status of a path.
    pub async fn status(&mut self, path: &[u8], flags: u32) -> FuzzResult<()> {
        let mut out = [0; STAT_BYTES];
        self.path.call(walk::StatusOf { at: ROOT.into(), flags }, (path, &mut out[..])).await
    }
}
