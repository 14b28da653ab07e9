//! Ext2 and its journal as they lie on the medium: bytes in, values out; no processes.

pub(crate) mod bitmap;
pub(crate) mod bytes;
pub(crate) mod directory_block;
pub(crate) mod groups;
pub(crate) mod inode_record;
pub(crate) mod journal_format;
pub(crate) mod superblock;
