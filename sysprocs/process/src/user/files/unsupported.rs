//! Calls about missing features: sockets, extended attributes, room set aside. They fail as on a Linux that was built
//! without them, so that programs take the way that they have for that; `ENOSYS` is taken for an error of the file.

use crate::user::files::path::AT_SYMLINK_NOFOLLOW;
use crate::user::slot::user::User;
use crate::user::state::syscall_result::SyscallResult;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

/// The highest advice of `posix_fadvise`.
const ADVICE_MAX: u64 = 5;

impl<M: UserMemory + ?Sized> User<M> {
    /// There is no family of addresses.
    pub(crate) async fn make_socket(&mut self) -> SyscallResult {
        Err(Errno::EAFNOSUPPORT.into())
    }

    /// What is open is no socket.
    pub(crate) async fn use_socket(&mut self) -> SyscallResult {
        self.program.files.get(self.argument(0))?;
        Err(Errno::ENOTSOCK.into())
    }

    /// Reading, setting or removing an extended attribute of a path.
    pub(crate) async fn use_attribute(&mut self) -> SyscallResult {
        self.find_path(self.argument(0), 0).await?;
        Err(Errno::EOPNOTSUPP.into())
    }

    /// The same of a link itself.
    pub(crate) async fn use_attribute_of_link(&mut self) -> SyscallResult {
        self.find_path(self.argument(0), AT_SYMLINK_NOFOLLOW).await?;
        Err(Errno::EOPNOTSUPP.into())
    }

    /// The same of a descriptor.
    pub(crate) async fn use_attribute_of_file(&mut self) -> SyscallResult {
        self.program.files.get(self.argument(0))?;
        Err(Errno::EOPNOTSUPP.into())
    }

    /// The extended attributes of a path: none.
    pub(crate) async fn list_attributes(&mut self) -> SyscallResult {
        self.find_path(self.argument(0), 0).await?;
        Ok(0)
    }

    /// The same of a link itself.
    pub(crate) async fn list_attributes_of_link(&mut self) -> SyscallResult {
        self.find_path(self.argument(0), AT_SYMLINK_NOFOLLOW).await?;
        Ok(0)
    }

    /// The same of a descriptor.
    pub(crate) async fn list_attributes_of_file(&mut self) -> SyscallResult {
        self.program.files.get(self.argument(0))?;
        Ok(0)
    }

    /// ext2 cannot set room aside for a file.
    pub(crate) async fn allocate_room(&mut self) -> SyscallResult {
        let object = self.program.files.get(self.argument(0))?.object;
        Err(match (object.file(), object.pipe()) {
            (Some(_), _) => Errno::EOPNOTSUPP,
            (_, Some(_)) => Errno::ESPIPE,
            _ => Errno::ENODEV,
        }
        .into())
    }

    /// Advice about reading, which no server here needs.
    pub(crate) async fn advise_about_file(&mut self) -> SyscallResult {
        match self.program.files.get(self.argument(0))?.object.pipe() {
            Some(_) => Err(Errno::ESPIPE.into()),
            _ if self.argument(3) > ADVICE_MAX => Err(Errno::EINVAL.into()),
            _ => Ok(0),
        }
    }
}
