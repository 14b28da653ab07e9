//! An imitation of the disk board's file servers: named files in memory, no directories.

use renga_proto::file::{BackingInode, BegunTransfer, File, FileCall, OpenInode, Whence};
use renga_proto::inode::{
    Birth, DirectoryRead, Filled, Inode, InodeCall, InodeDirectory, InodeDirectoryCall, InodeFacts,
};
use renga_proto::pages::{AT_END, KEPT};
use renga_proto::path::{OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE, Path, PathCall};
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::slots::{FileTable, FileTableCall};
use renga_rt::{Errno, Never, PAGE_BYTES, Port};
use std::cell::{Cell, RefCell};

/// Inode number of the first file; the root directory has 2.
const FIRST_INO: u32 = 100;
const ROOT_INO: u32 = 2;
const APPEND: u32 = 0o2000;

pub struct Node {
    pub name: String,
    pub mode: u16,
    pub device: u32,
    pub content: Vec<u8>,
    pub references: i32,
}

/// The files; an inode's slot is its place here.
#[derive(Default)]
pub struct Disk {
    pub nodes: RefCell<Vec<Node>>,
    pub unmounted: Cell<bool>,
    /// References to open files, over all file processes.
    pub open_files: Cell<i32>,
    /// Walks that left the disk, of those that `moved` is about.
    pub crossed: Cell<u32>,
}

/// A path that ends with this and a number leads out of the disk so many times, and never again when its rest is
/// looked up: as if another program changed it all the time.
const MOVED: &[u8] = b"/moved-";

impl Disk {
    pub fn add(&self, name: &str, mode: u16, device: u32, content: Vec<u8>) {
        self.nodes.borrow_mut().push(Node { name: name.into(), mode, device, content, references: 0 });
    }
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        self.nodes.borrow().iter().find(|node| node.name == name).map(|node| node.content.clone())
    }
    fn backing(&self, slot: usize) -> BackingInode {
        let InodeFacts { slot, ino, birth, mode, .. } = self.facts(slot);
        BackingInode { slot, ino, generation: birth.generation, mode }
    }

    fn facts(&self, slot: usize) -> InodeFacts {
        let node = &self.nodes.borrow()[slot];
        let ino = if node.name == "/" { ROOT_INO } else { FIRST_INO + slot as u32 };
        InodeFacts {
            slot: slot as u16,
            ino,
            mode: node.mode,
            birth: Birth { generation: 0, device: node.device },
            origin: ReferenceOrigin::NONE,
        }
    }
    fn refer(&self, slot: u16, by: i32) {
        self.nodes.borrow_mut()[usize::from(slot)].references += by;
    }
    fn find(&self, path: &[u8]) -> Option<usize> {
        self.nodes.borrow().iter().position(|node| node.name.as_bytes() == path)
    }
    fn leaves(&self, path: &[u8]) -> bool {
        let times = path.strip_prefix(MOVED).and_then(|times| std::str::from_utf8(times).ok()?.parse().ok());
        let leaves = times.is_some_and(|times| self.crossed.get() < times);
        self.crossed.set(self.crossed.get() + u32::from(leaves));
        leaves
    }
    fn open(&self, path: &[u8], flags: u32) -> Result<InodeFacts, Errno> {
        let slot = match self.find(path) {
            Some(slot) => slot,
            None if flags & OPEN_CREATE != 0 => {
                self.add(std::str::from_utf8(path).map_err(|_| Errno::EINVAL)?, 0o100_644, 0, Vec::new());
                self.nodes.borrow().len() - 1
            }
            None => return Err(Errno::ENOENT),
        };
        match self.nodes.borrow()[slot].mode & 0o170_000 {
            0o120_000 => return Err(Errno::ELOOP),
            0o040_000 if flags & OPEN_WRITE != 0 => return Err(Errno::EISDIR),
            _ => {}
        }
        if flags & OPEN_TRUNCATE != 0 {
            self.nodes.borrow_mut()[slot].content.clear();
        }
        self.refer(slot as u16, 1);
        Ok(self.facts(slot))
    }
    fn size(&self, slot: u16) -> u64 {
        self.nodes.borrow()[usize::from(slot)].content.len() as u64
    }
    fn read(&self, slot: u16, offset: u64, out: &mut [u8]) -> u32 {
        let nodes = self.nodes.borrow();
        let content = &nodes[usize::from(slot)].content;
        let rest = content.get(offset as usize..).unwrap_or(&[]);
        let bytes = rest.len().min(out.len());
        out[..bytes].copy_from_slice(&rest[..bytes]);
        bytes as u32
    }
    fn write(&self, slot: u16, offset: u64, bytes: &[u8]) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let content = &mut nodes[usize::from(slot)].content;
        let end = offset as usize + bytes.len();
        content.resize(content.len().max(end), 0);
        content[offset as usize..end].copy_from_slice(bytes);
        bytes.len() as u32
    }
}

macro_rules! refuse { ($call:expr, $In:ident: $($E:ident)*) => {
    match $call { $($In::$E(call) => call.reply(Err(Errno::ENOSYS)),)* _ => unreachable!("served above") }
} }

pub async fn path(mut port: Port<Path>, disk: &'static Disk) -> Never {
    loop {
        match port.accept().await {
            PathCall::Open(mut call) => {
                let flags = call.entry().flags;
                let leaves = disk.leaves(call.lent());
                let reply = if leaves { Err(Errno::ECROSSED) } else { disk.open(call.lent(), flags) };
                call.reply(reply);
            }
            PathCall::Access(mut call) => {
                let reply = disk.find(call.lent()).map(|_| ()).ok_or(Errno::ENOENT);
                call.reply(reply);
            }
            PathCall::StatusOf(mut call) => {
                let (path, out) = call.lent();
                let reply = match disk.find(path) {
                    Some(slot) => {
                        out[16..18].copy_from_slice(&disk.facts(slot).mode.to_le_bytes());
                        Ok(())
                    }
                    None => Err(Errno::ENOENT),
                };
                call.reply(reply);
            }
            PathCall::AbsolutePath(mut call) => {
                call.lent()[0] = b'/';
                call.reply(Ok(1));
            }
            PathCall::Unmount(call) => {
                disk.unmounted.set(true);
                call.reply(Ok(()));
            }
            PathCall::Cross(call) => call.reply(Err(Errno::EAGAIN)),
            PathCall::ReadLinkOf(call) => call.reply(Err(Errno::EINVAL)),
            other => refuse!(other, PathCall: MakeDirectory Unlink Rename Link SymbolicLink ChangeMode ChangeTimes
                ChangeOwner MakeNode FileSystemStatus),
        }
    }
}

pub async fn inode_directory(mut port: Port<InodeDirectory>, disk: &'static Disk) -> Never {
    loop {
        match port.accept().await {
            InodeDirectoryCall::Release(call) => {
                disk.refer(call.entry().slot, -1);
                call.reply(Ok(()));
            }
            InodeDirectoryCall::Keep(call) => {
                disk.refer(call.entry().slot, 1);
                call.reply(Ok(()));
            }
            // No name is known.
            InodeDirectoryCall::KnownStatus(call) => call.reply(Err(Errno::EAGAIN)),
            InodeDirectoryCall::KnownOpen(call) => call.reply(Err(Errno::EAGAIN)),
            InodeDirectoryCall::CommitAll(call) => call.reply(Ok(())),
            // No lease exists.
            InodeDirectoryCall::NextLeased(call) => call.reply(Err(Errno::ENOENT)),
            other => refuse!(other, InodeDirectoryCall: Activate Create),
        }
    }
}

pub async fn inode(mut port: Port<Inode>, disk: &'static Disk, slot: u16) -> Never {
    loop {
        match port.accept().await {
            InodeCall::FillPage(mut call) => {
                let offset = u64::from(call.entry().page) * PAGE_BYTES as u64;
                let bytes = disk.read(slot, offset, call.lent()) as usize;
                call.lent()[bytes..].fill(0xa5); // the caller puts zeros there
                let size = disk.nodes.borrow()[usize::from(slot)].content.len() as u64;
                call.reply(Ok(Filled { size, keep: KEPT, bytes: bytes as u32 }));
            }
            InodeCall::Facts(call) => call.reply(Ok(disk.facts(usize::from(slot)))),
            _ => panic!("only the file processes change inodes here"),
        }
    }
}

pub async fn file_table(mut port: Port<FileTable>, files: usize) -> Never {
    let mut taken = vec![false; files];
    loop {
        match port.accept().await {
            FileTableCall::TakeFile(call) => {
                let free = taken.iter().position(|taken| !taken);
                if let Some(free) = free {
                    taken[free] = true;
                }
                call.reply(free.map(|free| free as u16).ok_or(Errno::ENFILE));
            }
            FileTableCall::FreeFile(call) => {
                taken[usize::from(call.entry().file)] = false;
                call.reply(Ok(()));
            }
        }
    }
}

/// Reads or writes.
fn transfer(disk: &Disk, open: &OpenInode, offset: &mut u64, call: FileCall) {
    match call {
        FileCall::Read(mut call) => {
            let bytes = disk.read(open.slot, *offset, call.lent());
            *offset += u64::from(bytes);
            call.reply(Ok(bytes));
        }
        FileCall::ReadFrom(mut call) => {
            let from = call.entry().offset;
            let bytes = disk.read(open.slot, from, call.lent());
            call.reply(Ok(bytes));
        }
        FileCall::Write(mut call) => {
            if open.flags & APPEND != 0 {
                *offset = disk.size(open.slot);
            }
            let bytes = disk.write(open.slot, *offset, call.lent());
            *offset += u64::from(bytes);
            call.reply(Ok(bytes));
        }
        FileCall::WriteTo(mut call) => {
            let to = match call.entry().offset {
                AT_END => disk.size(open.slot),
                to => to,
            };
            let bytes = disk.write(open.slot, to, call.lent());
            call.reply(Ok(bytes));
        }
        _ => unreachable!("not passed here"),
    }
}

/// Appends in pieces, and seeks.
fn move_offset(disk: &Disk, open: &OpenInode, offset: &mut u64, call: FileCall) {
    match call {
        FileCall::BeginAppend(call) => call.reply(Ok(disk.size(open.slot))),
        FileCall::EndAppend(call) => {
            if call.entry().moves {
                *offset = call.entry().end;
            }
            call.reply(Ok(()));
        }
        FileCall::Seek(call) => {
            let base = match call.entry().whence {
                Whence::Start => 0,
                Whence::Current => *offset,
                Whence::End | Whence::Data | Whence::Hole => disk.size(open.slot),
            };
            *offset = base.wrapping_add_signed(call.entry().offset);
            call.reply(Ok(*offset));
        }
        _ => unreachable!("not passed here"),
    }
}

pub async fn file(
    mut port: Port<File>,
    mut table: renga_rt::Client<FileTable>,
    disk: &'static Disk,
    number: u16,
) -> Never {
    let (mut open, mut offset, mut references) =
        (OpenInode { slot: 0, ino: 0, mode: 0, flags: 0, generation: 0, origin: ReferenceOrigin::NONE }, 0u64, 0);
    loop {
        match port.accept().await {
            FileCall::OpenInode(call) => {
                (open, offset, references) = (call.entry(), 0, 1);
                disk.open_files.set(disk.open_files.get() + 1);
                call.reply(Ok(1));
            }
            call @ (FileCall::Read(_) | FileCall::ReadFrom(_) | FileCall::Write(_) | FileCall::WriteTo(_)) => {
                transfer(disk, &open, &mut offset, call);
            }
            call @ (FileCall::BeginAppend(_) | FileCall::EndAppend(_) | FileCall::Seek(_)) => {
                move_offset(disk, &open, &mut offset, call);
            }
            FileCall::BeginRead(mut call) => {
                let bytes = disk.read(open.slot, offset, call.lent());
                let start = offset;
                offset += u64::from(bytes);
                call.reply(Ok(BegunTransfer { bytes, locked: false, start }));
            }
            FileCall::BeginWrite(mut call) => {
                let bytes = disk.write(open.slot, offset, call.lent());
                let start = offset;
                offset += u64::from(bytes);
                call.reply(Ok(BegunTransfer { bytes, locked: false, start }));
            }
            FileCall::AddReference(call) => {
                references += 1;
                disk.open_files.set(disk.open_files.get() + 1);
                call.reply(Ok(()));
            }
            FileCall::Close(call) => {
                references -= 1;
                disk.open_files.set(disk.open_files.get() - 1);
                call.reply(Ok(()));
                if references == 0 {
                    disk.refer(open.slot, -1);
                    table.call(renga_proto::slots::FreeFile { file: number }, ()).await.unwrap();
                }
            }
            FileCall::FileStatus(mut call) => {
                call.lent()[16..18].copy_from_slice(&open.mode.to_le_bytes());
                call.reply(Ok(()));
            }
            FileCall::NextEntries(call) => call.reply(Ok(DirectoryRead { bytes: 0, next: 0 })),
            FileCall::SyncFile(call) => call.reply(Ok(())),
            FileCall::SetFlags(call) => {
                open.flags = call.entry().flags;
                call.reply(Ok(()));
            }
            FileCall::GetFlags(call) => call.reply(Ok(open.flags)),
            FileCall::DescribeFile(call) => call.reply(Ok(disk.backing(open.slot.into()))),
            other => {
                refuse!(other, FileCall: SetSize SetFileMode SetFileTimes SetFileOwner CheckGeneration EndTransfer)
            }
        }
    }
}
