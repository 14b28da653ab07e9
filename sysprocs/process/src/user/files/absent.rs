//! Calls about what is not here: sockets, extended attributes, room set aside. They fail as on a Linux that was built
//! without them, so that programs take the way that they have for that; `ENOSYS` is taken for an error of the file.

use crate::user::User;
use crate::user::escape::Outcome;
use crate::user::files::descriptors::Object;
use crate::user::files::path::AT_SYMLINK_NOFOLLOW;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

/// The highest advice of `posix_fadvise`.
const ADVICE_MAX: u64 = 5;

impl<M: UserMemory + ?Sized> User<M> {
    /// There is no family of addresses.
    pub(in crate::user) async fn make_socket(&mut self) -> Outcome {
        Err(Errno::EAFNOSUPPORT.into())
    }

    /// What is open is no socket.
    pub(in crate::user) async fn use_socket(&mut self) -> Outcome {
        self.program.files.get(self.argument(0))?;
        Err(Errno::ENOTSOCK.into())
    }

    /// Reading, setting or removing an extended attribute of a path.
    pub(in crate::user) async fn use_attribute(&mut self) -> Outcome {
        self.find_path(self.argument(0), 0).await?;
        Err(Errno::EOPNOTSUPP.into())
    }

    /// The same of a link itself.
    pub(in crate::user) async fn use_attribute_of_link(&mut self) -> Outcome {
        self.find_path(self.argument(0), AT_SYMLINK_NOFOLLOW).await?;
        Err(Errno::EOPNOTSUPP.into())
    }

    /// The same of a descriptor.
    pub(in crate::user) async fn use_attribute_of_file(&mut self) -> Outcome {
        self.program.files.get(self.argument(0))?;
        Err(Errno::EOPNOTSUPP.into())
    }

    /// The extended attributes of a path: none.
    pub(in crate::user) async fn list_attributes(&mut self) -> Outcome {
        self.find_path(self.argument(0), 0).await?;
        Ok(0)
    }

    /// The same of a link itself.
    pub(in crate::user) async fn list_attributes_of_link(&mut self) -> Outcome {
        self.find_path(self.argument(0), AT_SYMLINK_NOFOLLOW).await?;
        Ok(0)
    }

    /// The same of a descriptor.
    pub(in crate::user) async fn list_attributes_of_file(&mut self) -> Outcome {
        self.program.files.get(self.argument(0))?;
        Ok(0)
    }

    /// ext2 cannot set room aside for a file.
    pub(in crate::user) async fn allocate_room(&mut self) -> Outcome {
        match self.program.files.get(self.argument(0))?.object {
            Object::File { .. } => Err(Errno::EOPNOTSUPP.into()),
            Object::Pipe { .. } | Object::Fifo { .. } => Err(Errno::ESPIPE.into()),
            _ => Err(Errno::ENODEV.into()),
        }
    }

    /// Advice about reading that nobody needs here.
    pub(in crate::user) async fn advise_about_file(&mut self) -> Outcome {
        match self.program.files.get(self.argument(0))?.object {
            Object::Pipe { .. } | Object::Fifo { .. } => Err(Errno::ESPIPE.into()),
            _ if self.argument(3) > ADVICE_MAX => Err(Errno::EINVAL.into()),
            _ => Ok(0),
        }
    }
}
