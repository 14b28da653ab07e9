//! Files: ext2 on the disk board as a network of processes, and open files on every board.
//!
//! The folders are the layers, from the medium up; each uses only those before it:
//!
//! | Folder | Processes |
//! |---|---|
//! | `medium` | [`disk`] (one) |
//! | `format` | none: ext2 and its journal as they lie on the medium |
//! | `cache` | [`buffer`] (one per cached block of books), [`buffer_directory`], [`cleaner`] |
//! | `content` | [`content_reader`], [`content_writer`], between the page cache of this board and the medium; [`content_returner`], on other boards |
//! | `volume` | [`allocator`] (bitmaps, counts, superblock) and, on top of the inodes, [`committer`] (journal), [`write_back`] |
//! | `inode` | [`inode`] (one per active inode), [`name_index`], [`inode_directory`], [`reaper`], [`recalls`] |
//! | `names` | [`path`] (one per walk at a time) |
//! | `locks` | [`locks`] (one): what programs have locked |
//! | `held` | [`name_cache`], on each board without the disk: names and inodes that it may hold |
//! | `file` | [`file`], [`file_table`], on each opener's board |
//!
//! Each process calls only those before it, so nobody waits in a circle; the waits that depend on another
//! client (a clean buffer, the lock of names, a commit) end because who holds the one never waits for
//! another's; workers (cleaner, committer, reaper) wait at the directory that gives them work.
//!
//! Order of writing (decision 0013). Content is written in the page cache, and goes to its place when much of that is
//! dirty, or with the next commit. *Books*, the blocks in which the file
//! system describes itself, go to the journal first, all changes together in one commit: when somebody
//! syncs, or 5 s after a change. After a cut either all of a commit is there or nothing
//! (`tests/fs/cut.rs`).
//!
//! Placement: buffers are looked for on their directory's board; inodes on that of the directory of
//! inodes, which is the allocator's. Walkers and open files may be anywhere.
//!
//! Not here: file descriptors and permissions of processes (`process`), device files' devices,
//! pages of programs (`memory`).
#![no_std]
#![forbid(unsafe_code)]

mod cache;
mod content;
mod file;
mod format;
mod held;
mod inode;
mod locks;
mod medium;
mod names;
mod volume;

pub use cache::buffer::buffer;
pub use cache::buffer_directory::buffer_directory;
pub use cache::client::CacheClients;
pub use cache::slots::BufferSlot;
pub use cache::writer::{CLEANER_PAGES, WriterClients, cleaner};
pub use content::client::ContentClients;
pub use content::reader::{RUN_PAGES, content_reader};
pub use content::returner::content_returner;
pub use content::writer::content_writer;
pub use file::file_table::file_table;
pub use file::open_file::{FileClients, file};
pub use held::inodes::HeldInode;
pub use held::name_cache::name_cache;
pub use held::references::HeldReference;
pub use held::targets::HeldTarget;
pub use inode::active_inode::InodeClients;
pub use inode::active_table::InodeSlot;
pub use inode::index_table::IndexSlot;
pub use inode::inode_directory::inode_directory;
pub use inode::lending::page_leases::Holders;
pub use inode::lending::recalls::recalls;
pub use inode::name_cache::NameSlot;
pub use inode::name_index::{INDEXED_PER_INODE, name_index};
pub use inode::reaper::{ReaperClients, reaper};
pub use inode::referrers::Referrers;
pub use inode::server::inode;
pub use locks::server::locks;
pub use locks::table::LockPlace;
pub use medium::disk::disk;
pub use medium::partition::{NotExt2, Partition, recognise};
pub use medium::timing::Medium;
pub use names::dispatcher::{FreeWalkers, path};
pub use names::walker::{PathClients, walker};
pub use volume::allocator::allocator;
pub use volume::committer::{CommitterClients, committer, committer_pages};
pub use volume::write_back::{Due, write_back};
