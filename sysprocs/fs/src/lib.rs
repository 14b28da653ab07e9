//! Files: ext2 on the disk board as a network of processes, and open files on every board.
//!
//! The folders are the layers, from the medium up; each uses only those before it:
//!
//! | Folder | Processes |
//! |---|---|
//! | `medium` | [`disk`] (one) |
//! | `format` | none: ext2 and its journal as they lie on the medium |
//! | `cache` | [`buffer`] (one per cached block of metadata), [`buffer_directory`], [`metadata_writeback`] |
//! | `data` | [`data_reader`], [`data_writeback`], between the page cache of this board and the medium; [`lease_flusher`] and [`prefetcher`], on other boards |
//! | `volume` | [`allocator`] (bitmaps, counts, superblock) and, on top of the inodes, [`committer`] (journal), [`commit_timer`] |
//! | `name_index` | [`name_index`]: in which block of a large directory a name is |
//! | `leases` | [`revocations`], which calls the caches of other boards |
//! | `inode` | [`inode`] (one per active inode) |
//! | `lookup` | none: paths, and the names that the disk board knows |
//! | `inode_table` | [`inode_directory`], [`inode_reclaimer`] |
//! | `names` | [`path_lookup`] and [`lookup_worker`] (one per walk at a time) |
//! | `locks` | [`locks`] (one): what programs have locked |
//! | `lease_cache` | [`name_cache`], on each board without the disk: names and inodes that it may cache |
//! | `file` | [`file`], [`file_table`], on each opener's board |
//!
//! Each process calls only those before it, so no circle of waits exists. The waits that depend on another client (a
//! clean buffer, the lock of names, a commit) end because the owner of the one never waits for another's. Workers
//! (metadata writeback, committer, inode reclaimer) wait at the directory that gives them work.
//!
//! Order of writing (docs/design/files-and-durability.md): programs write data in the page cache; they go to their
//! place when much of that is dirty, or with the next commit. *Metadata*, the blocks in which the file system
//! describes itself, go to the journal first, all changes together in one commit: at a sync, or 5 s after a change.
//! After a power cut either all of a commit is there or nothing (`tests/fs/cut.rs`).
//!
//! Placement: buffers are on their directory's board; inodes on that of the directory of inodes, which is the
//! allocator's. Lookup workers and open files may be anywhere.
//!
//! Not here: file descriptors and permissions of processes (`process`), device files' devices,
//! pages of programs (`memory`).
#![no_std]
#![forbid(unsafe_code)]

mod cache;
mod change_reports;
mod commit_due;
mod data;
mod file;
mod format;
mod inode;
mod inode_table;
mod lease_cache;
mod leases;
mod locks;
mod lookup;
mod medium;
mod name_index;
mod names;
mod probes;
mod volume;

pub use cache::buffer::buffer;
pub use cache::buffer_directory::buffer_directory;
pub use cache::metadata_writeback::{METADATA_WRITEBACK_PAGES, MetadataWritebackClients, metadata_writeback};
pub use cache::slots::BufferSlot;
pub use change_reports::REPORTS;
pub use commit_due::CommitDue;
pub use data::client::DataClients;
pub use data::data_reader::{RUN_PAGES, data_reader};
pub use data::data_writeback::data_writeback;
pub use data::lease_flusher::lease_flusher;
pub use data::prefetcher::prefetcher;
pub use file::file_table::file_table;
pub use file::open_file::FileClients;
pub use file::server::file;
pub use inode::active_inode::InodeClients;
pub use inode::server::inode;
pub use inode_table::inode_directory::inode_directory;
pub use inode_table::inode_reclaimer::{InodeReclaimerClients, inode_reclaimer};
pub use inode_table::inode_slot::InodeSlot;
pub use lease_cache::inode_cache::CachedInode;
pub use lease_cache::name_cache::name_cache;
pub use leases::page_leases::Holders;
pub use leases::referrers::Referrers;
pub use leases::revocations::revocations;
pub use locks::server::locks;
pub use locks::table::LockPlace;
pub use lookup::name_cache::NameSlot;
pub use medium::disk::disk;
pub use medium::partition::{NotExt2, Partition, recognise};
pub use medium::timing::Medium;
pub use name_index::index_table::IndexSlot;
pub use name_index::server::{INDEXED_PER_INODE, name_index};
pub use names::lookup_worker::lookup_worker;
pub use names::path_lookup::{FreeLookupWorkers, path_lookup};
pub use names::worker_state::LookupClients;
pub use volume::allocator::allocator;
pub use volume::commit_timer::commit_timer;
pub use volume::committer::{CommitterClients, committer, committer_pages};
