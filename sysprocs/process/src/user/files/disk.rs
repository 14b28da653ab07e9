//! The disk's own node, `/dev/mmcblk0p1`: the partition with the file system, byte by byte, to be read only.
//!
//! Invariant: an open one is a file process whose content the server of synthetic files takes from the buffers, so
//! that metadata is current. Not here: that content (`renga_procfs`).

use crate::user::files::synthetic::unreferenced;
use crate::user::slot::User;
use crate::user::state::open_flags::{O_ACCMODE, O_RDONLY};
use crate::user::state::{FileDescriptor, Object};
use renga_hal::memory::UserMemory;
use renga_proto::file::FileStatus;
use renga_proto::inode::{InodeFacts, STAT_BYTES};
use renga_proto::proc_files::{DISK, SECTOR_BYTES, sectors_of};
use renga_rt::Errno;

/// Major and minor number of the partition, as Linux has them for SD infos.
pub(crate) const PARTITION: u32 = 179 << 8 | 1;

/// `ioctl`s of block devices, as in Linux's `fs.h`.
const BLKROGET: u32 = 0x125e;
const BLKGETSIZE: u32 = 0x1260;
const BLKFLSBUF: u32 = 0x1261;
const BLKSSZGET: u32 = 0x1268;
const BLKPBSZGET: u32 = 0x127b;
const BLKBSZGET: u32 = 0x8008_1270;
const BLKGETSIZE64: u32 = 0x8008_1272;

impl<M: UserMemory> User<M> {
    /// Opens the device that the node `facts` stands for, whose reference is given back already.
    pub(crate) async fn open_disk(&mut self, facts: &InodeFacts, flags: u32) -> Result<u64, Errno> {
        if facts.birth.device != PARTITION {
            return Err(Errno::ENXIO);
        }
        if flags & O_ACCMODE != O_RDONLY {
            return Err(Errno::EROFS);
        }
        let disk = unreferenced(self.services.board.into(), DISK, facts.mode, 0);
        let object = self.open_file(&disk, flags).await?;
        self.add_descriptor(FileDescriptor::opened(object, facts.ino, facts.mode, flags)).await
    }

    /// `ioctl` on an open disk.
    pub(crate) async fn control_disk(&mut self, object: Object, request: u32, place: u64) -> Result<(), Errno> {
        let at = object.file().ok_or(Errno::ENOTTY)?;
        let mut status = [0; STAT_BYTES];
        self.services.file(at)?.call(FileStatus {}, &mut status[..]).await?;
        let sectors = sectors_of(&status);
        let bytes: ([u8; 8], usize) = match request {
            BLKGETSIZE64 => (sectors.checked_mul(SECTOR_BYTES).ok_or(Errno::EINVAL)?.to_le_bytes(), 8),
            BLKGETSIZE => (sectors.to_le_bytes(), 8),
            BLKSSZGET | BLKPBSZGET => (SECTOR_BYTES.to_le_bytes(), 4),
            BLKBSZGET => (4096_u64.to_le_bytes(), 4),
            BLKROGET => (1_u64.to_le_bytes(), 4),
            BLKFLSBUF => return Ok(()),
            _ => return Err(Errno::ENOTTY),
        };
        self.put(place, &bytes.0[..bytes.1]).await
    }
}
