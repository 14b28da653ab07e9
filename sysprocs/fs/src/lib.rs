//! Files: ext2 on the disk board as a network of processes, and open files on every board.
//!
//! From the medium up: [`disk`] (one), [`buffer`] (one per cached page), [`buffer_directory`],
//! [`allocator`] (bitmaps, counts, superblock, journal), [`inode`] (one per active inode),
//! [`inode_directory`], [`path`] (one per walk at a time), [`write_back`]; and [`file`], [`file_table`]
//! on each opener's board. Each calls only those before it, so nobody waits in a circle; the waits that
//! depend on another client (a pinned buffer, the lock of names, a commit) end because who holds the
//! one never waits for another's.
//!
//! Order of writing (decision 0013). Content goes to its place when its buffer is needed for another
//! block (least recently used first), or with the next commit. *Books*, the blocks in which the file
//! system describes itself, go to the journal first, all changes together in one commit: when somebody
//! syncs, or 5 s after a change. After a cut either all of a commit is there or nothing
//! (`tests/cut.rs`).
//!
//! Placement: buffers are looked for on their directory's board; inodes on that of the directory of
//! inodes, which is the allocator's. Walkers and open files may be anywhere.
//!
//! Not here: file descriptors and permissions of processes (`process`), device files' devices,
//! pages of programs (`memory`).
#![no_std]
#![forbid(unsafe_code)]

mod active_inode;
mod allocator;
mod bitmap;
mod block_map;
mod buffer;
mod buffer_directory;
mod buffer_work;
mod bytes;
mod cache;
mod commit;
mod content;
mod directory;
mod directory_block;
mod disk;
mod file;
mod file_table;
mod groups;
mod inode;
mod inode_directory;
mod inode_record;
mod journal;
mod journal_format;
mod medium;
mod mount;
mod names;
mod open;
mod partition;
mod path;
mod pathname;
mod recovery;
mod rename;
mod status;
mod superblock;
mod truncate;
mod walk;
mod write_back;

pub use allocator::allocator;
pub use buffer::buffer;
pub use buffer_directory::{BufferSlot, buffer_directory};
pub use cache::CacheClients;
pub use disk::disk;
pub use file::{FileClients, file};
pub use file_table::file_table;
pub use inode::inode;
pub use inode_directory::{InodeSlot, inode_directory};
pub use medium::Medium;
pub use partition::{NotExt2, Partition, recognise};
pub use path::{PathClients, path};
pub use write_back::{Due, write_back};
