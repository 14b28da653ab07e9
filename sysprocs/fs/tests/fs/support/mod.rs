//! A whole file system in a host program: an image made by mke2fs, all processes, and a client that
//! speaks to them as a user process does.

mod counts;
pub mod events;
mod image;
pub mod name_cache;
mod stat;
use counts::log;
pub use counts::{Counts, FEW, O_APPEND, O_RDWR, O_WRONLY, USUAL};
pub use image::{Medium512, Scratch, check_image, dump, make_image, sum, tool, tree};
pub use renga_random::Random;
pub use stat::Stat;
use stat::stat_of;

use renga_fs::Medium;
pub use renga_fs_host::EPOCH_NS;
use renga_fs_host::{FsServers, HostFrames};
use renga_hal_host::HostMemory;
use renga_proto::allocator::Allocator;
use renga_proto::buffer::directory::BufferDirectory;
use renga_proto::file::{self, File};
use renga_proto::inode::{
    CommitAll, CommitExtent, Inode, InodeDirectory, InodeFacts, InodeOwner, KnownOpen, Release, Truncate,
};
use renga_proto::names::Names;
use renga_proto::pages::Pages;
use renga_proto::path::{self, Path};
use renga_proto::slots::{FileTable, TakeFile};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Family, Me, Members};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;

pub const ROOT: u32 = 2;
/// Boot memory of a board; the host has none of it before it is used.
const BOOT_BYTES: usize = 16 << 20;
/// Files that may have pages in the cache.
const CACHED_FILES: usize = 16;

/// The processes of a board.
#[derive(Clone, Copy)]
pub struct System {
    pub board: HostBoard,
    pub servers: FsServers,
    names: Address<Names>,
}

impl System {
    pub fn new(device: &Medium512, medium: &'static str, counts: Counts) -> System {
        System::beside(device, medium, counts, |board, pages| board.family(&[pages]))
    }

    /// With these page caches of boards, of which the first has that address.
    pub fn beside(
        device: &Medium512,
        medium: &'static str,
        counts: Counts,
        page_caches: impl FnOnce(HostBoard, Address<Pages>) -> &'static [Members],
    ) -> System {
        let board = HostBoard::new(0, BOOT_BYTES);
        board.core.set_log(log);
        let (device, medium) = (board.arena.put(|| device.clone()), Medium::named(medium).unwrap());
        let machine = board.arena.put(|| HostMemory::new(counts.frames));
        let (frames, names) = (HostFrames::start(board, machine, CACHED_FILES), name_cache::start(board));
        let events = board.server(|_, port| events::recorder(port));
        let caches = (page_caches(board, frames.pages), board.family(&[names]), &board.family(&[events])[0]);
        let servers = FsServers::start(board, device, medium, frames, caches, counts);
        System { board, servers, names }
    }

    /// Starts a client that runs `body`; whether it has ended.
    pub fn client<F: Future<Output = ()> + 'static>(self, body: impl FnOnce(User) -> F) -> Rc<Cell<bool>> {
        let ended = Rc::new(Cell::new(false));
        let end = ended.clone();
        self.board.client(|me| {
            let user = User {
                path: Client::new(&me, self.servers.path),
                names: Client::new(&me, self.names),
                cache_hits: Cell::new(0),
                allocator: Client::new(&me, self.servers.allocator),
                buffers: Client::new(&me, self.servers.buffers),
                table: Client::new(&me, self.servers.table),
                files: Family::new(&me, self.servers.files),
                directory: Client::new(&me, self.servers.directory),
                inodes: Family::new(&me, self.servers.inodes),
                generations: BTreeMap::new(),
                me,
            };
            let future = body(user);
            async move {
                future.await;
                end.set(true);
            }
        });
        ended
    }

    /// Runs `body` as a client to its end.
    pub fn run<F: Future<Output = ()> + 'static>(self, body: impl FnOnce(User) -> F) {
        let ended = self.client(body);
        self.board.run_through_alarms();
        if !ended.get() {
            for process in self.board.directory().here() {
                eprintln!("{} waits for {:?} {:?} {}", process.id(), process.wait(), process.waits_for(), process.op());
            }
        }
        assert!(ended.get(), "the client waits for ever");
    }

    pub fn unmount(self) {
        self.run(|mut user| async move {
            user.path.call(path::Unmount {}, ()).await.unwrap();
        });
    }
}

pub struct User {
    pub path: Client<Path>,
    pub names: Client<Names>,
    /// How many `stat` calls the cache answered.
    pub cache_hits: Cell<u32>,
    pub allocator: Client<Allocator>,
    pub buffers: Client<BufferDirectory>,
    pub table: Client<FileTable>,
    pub files: Family<File>,
    pub directory: Client<InodeDirectory>,
    pub inodes: Family<Inode>,
    /// Of each open file, by its number.
    pub generations: BTreeMap<u16, u32>,
    pub me: Me,
}

pub type FsResult<T> = Result<T, Errno>;

impl User {
    pub async fn pause(&mut self, ns: u64) {
        let until_ns = self.me.now_ns() + ns;
        self.me.sleep_until(until_ns).await;
    }

    pub fn file(&mut self, number: u16) -> Client<File> {
        self.files.at(0, number.into()).unwrap()
    }

    pub async fn open_facts(&mut self, path: &str, flags: u32, mode: u16) -> FsResult<InodeFacts> {
        if flags & (path::OPEN_CREATE | path::OPEN_TRUNCATE) == 0 {
            let known = self.directory.call(KnownOpen { at: ROOT.into(), flags }, path.as_bytes()).await;
            if known != Err(Errno::EAGAIN) {
                return known;
            }
        }
        match self
            .path
            .call(path::Open { at: ROOT.into(), flags, mode, owner: InodeOwner::default() }, path.as_bytes())
            .await?
        {
            InodeFacts { mode: 0, slot, ino, birth, .. } => {
                self.directory.call(Release { slot, ino }, ()).await.unwrap();
                Err(Errno(birth.device as u16))
            }
            facts => Ok(facts),
        }
    }

    /// Opens as `open(2)` would: `flags` are the lookup worker's, `access` Linux's.
    pub async fn open(&mut self, path: &str, flags: u32, access: u32) -> FsResult<u16> {
        let facts = self.open_facts(path, flags, 0o644).await?;
        let number = self.table.call(TakeFile {}, ()).await.unwrap();
        let InodeFacts { slot, ino, mode, birth, origin } = facts;
        let open = file::OpenInode { slot, ino, mode, flags: access, generation: birth.generation, origin };
        let generation = self.file(number).call(open, ()).await.unwrap();
        self.generations.insert(number, generation);
        Ok(number)
    }

    pub async fn close(&mut self, number: u16) -> FsResult<()> {
        let generation = self.generations[&number];
        self.file(number).call(file::Close { generation }, ()).await
    }

    pub async fn read_file(&mut self, path: &str) -> FsResult<Vec<u8>> {
        let number = self.open(path, 0, 0).await?;
        let mut all = vec![];
        let mut part = [0; 4096];
        loop {
            match self.file(number).call(file::Read {}, &mut part[..]).await {
                Ok(0) => break,
                Ok(count) => all.extend_from_slice(&part[..count as usize]),
                Err(errno) => {
                    self.close(number).await.unwrap();
                    return Err(errno);
                }
            }
        }
        self.close(number).await?;
        Ok(all)
    }

    pub async fn write_all(&mut self, number: u16, data: &[u8]) -> FsResult<()> {
        for part in data.chunks(4096) {
            self.file(number).call(file::Write {}, part).await?;
        }
        Ok(())
    }

    /// Creates or replaces a file.
    pub async fn write_file(&mut self, path: &str, data: &[u8]) -> FsResult<()> {
        let flags = path::OPEN_CREATE | path::OPEN_TRUNCATE | path::OPEN_WRITE;
        let number = self.open(path, flags, O_WRONLY).await?;
        let written = self.write_all(number, data).await;
        self.close(number).await.and(written)
    }

    pub async fn mkdir(&mut self, path: &str) -> FsResult<()> {
        self.path
            .call(path::MakeDirectory { at: ROOT.into(), mode: 0o755, owner: InodeOwner::default() }, path.as_bytes())
            .await
    }
    pub async fn unlink(&mut self, path: &str) -> FsResult<()> {
        self.path.call(path::Unlink { at: ROOT.into(), directory: false, expected: 0 }, path.as_bytes()).await
    }
    pub async fn rmdir(&mut self, path: &str) -> FsResult<()> {
        self.path.call(path::Unlink { at: ROOT.into(), directory: true, expected: 0 }, path.as_bytes()).await
    }
    pub async fn rename(&mut self, from: &str, to: &str) -> FsResult<()> {
        self.rename_with(from, to, 0).await
    }
    pub async fn rename_with(&mut self, from: &str, to: &str, flags: u32) -> FsResult<()> {
        let both = format!("{from}\0{to}");
        self.path.call(path::Rename { from_at: ROOT.into(), to_at: ROOT.into(), flags }, both.as_bytes()).await
    }
    pub async fn link(&mut self, from: &str, to: &str) -> FsResult<()> {
        let both = format!("{from}\0{to}");
        self.path
            .call(path::Link { from_at: ROOT.into(), to_at: ROOT.into(), flags: path::NO_FOLLOW }, both.as_bytes())
            .await
    }
    pub async fn symlink(&mut self, target: &str, at: &str) -> FsResult<()> {
        let both = format!("{target}\0{at}");
        self.path.call(path::SymbolicLink { at: ROOT.into(), owner: InodeOwner::default() }, both.as_bytes()).await
    }
    pub async fn readlink(&mut self, path: &str) -> FsResult<String> {
        let mut out = [0; 1024];
        let bytes = self.path.call(path::ReadLinkOf { at: ROOT.into() }, (path.as_bytes(), &mut out[..])).await?;
        Ok(String::from_utf8(out[..bytes as usize].to_vec()).unwrap())
    }
    /// As `truncate(2)`.
    pub async fn truncate(&mut self, path: &str, bytes: u64) -> FsResult<()> {
        let InodeFacts { slot, ino, .. } = self.open_facts(path, path::OPEN_WRITE, 0).await?;
        let cut = self.inodes.at(0, slot.into()).unwrap().call(Truncate { bytes }, ()).await;
        self.directory.call(Release { slot, ino }, ()).await.unwrap();
        cut
    }
    /// As `sync(2)`.
    pub async fn sync(&mut self) -> FsResult<()> {
        self.directory.call(CommitAll { extent: CommitExtent::Freed }, ()).await
    }

    /// The names in a directory, with their `d_type`.
    pub async fn list(&mut self, path: &str) -> FsResult<Vec<(String, u8)>> {
        let number = self.open(path, path::OPEN_DIRECTORY, 0).await?;
        let mut names = vec![];
        let mut out = [0; 1000];
        loop {
            let read = self.file(number).call(file::NextEntries {}, &mut out[..]).await?;
            let mut rest = &out[..read.bytes as usize];
            if rest.is_empty() {
                break;
            }
            while !rest.is_empty() {
                let (entry, after) = rest.split_at(usize::from(u16::from_le_bytes([rest[16], rest[17]])));
                let name = entry[19..].split(|byte| *byte == 0).next().unwrap();
                names.push((String::from_utf8(name.to_vec()).unwrap(), entry[18]));
                rest = after;
            }
        }
        self.close(number).await?;
        names.sort();
        Ok(names)
    }
}
