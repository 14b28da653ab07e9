//! Calls about missing features: extended attributes, room set aside. They fail as on a Linux that was built
//! without them, so that programs take the way that they have for that; `ENOSYS` is taken for an error of the file.

use crate::user::files::path::AT_SYMLINK_NOFOLLOW;
use crate::user::slot::User;
use core::ops::RangeInclusive;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

/// Linux's number of `setxattr`. For each action on attributes there are three calls in a row: by a path, of a link
/// itself, by a descriptor.
const SETXATTR: u64 = 5;
/// `listxattr`, `llistxattr` and `flistxattr`.
const LISTXATTRS: RangeInclusive<u64> = 11..=13;
/// The highest advice of `posix_fadvise`.
const ADVICE_MAX: u64 = 5;

impl<M: UserMemory> User<M> {
    /// Reading, setting, removing or listing extended attributes: a path or a descriptor that leads to something has
    /// none.
    pub(crate) async fn use_attribute(&mut self) -> Result<(), Errno> {
        let call = self.context.x[8];
        match (call - SETXATTR) % 3 {
            0 => self.find_path(self.argument(0), 0).await?,
            1 => self.find_path(self.argument(0), AT_SYMLINK_NOFOLLOW).await?,
            _ => self.program.files.get(self.argument(0)).map(|_| ())?,
        }
        if LISTXATTRS.contains(&call) { Ok(()) } else { Err(Errno::EOPNOTSUPP) }
    }

    /// ext2 cannot set room aside for a file.
    pub(crate) async fn allocate_room(&mut self) -> Result<(), Errno> {
        let object = self.program.files.get(self.argument(0))?.object;
        Err(match (object.file(), object.is_stream()) {
            (Some(_), _) => Errno::EOPNOTSUPP,
            (_, true) => Errno::ESPIPE,
            _ => Errno::ENODEV,
        })
    }

    /// Advice about reading, which no server here needs.
    pub(crate) async fn advise_about_file(&mut self) -> Result<(), Errno> {
        match self.program.files.get(self.argument(0))?.object.is_stream() {
            true => Err(Errno::ESPIPE),
            _ if self.argument(3) > ADVICE_MAX => Err(Errno::EINVAL),
            _ => Ok(()),
        }
    }
}
