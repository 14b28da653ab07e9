//! Descriptors themselves: close, dup, fcntl, locks, seeking.

use crate::user::User;
use crate::user::escape::Outcome;
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::locks::{LockCall, Way};
use crate::user::files::open::{O_CLOEXEC, is_path_only, shown_flags};
use renga_hal::memory::UserMemory;
use renga_proto::file::{Seek, Whence};
use renga_rt::{Errno, apart};

const F_DUPFD: u32 = 0;
const F_GETFD: u32 = 1;
const F_SETFD: u32 = 2;
const F_GETFL: u32 = 3;
const F_SETFL: u32 = 4;
const F_GETLK: u32 = 5;
const F_SETLK: u32 = 6;
const F_SETLKW: u32 = 7;
const F_OFD_GETLK: u32 = 36;
const F_OFD_SETLK: u32 = 37;
const F_OFD_SETLKW: u32 = 38;
const F_DUPFD_CLOEXEC: u32 = 1030;
const FD_CLOEXEC: u64 = 1;

/// Which call about locks `command` is.
fn lock_call(command: u32) -> Option<LockCall> {
    let (of_file, way) = match command {
        F_GETLK => (false, Way::Find),
        F_SETLK => (false, Way::Set),
        F_SETLKW => (false, Way::Wait),
        F_OFD_GETLK => (true, Way::Find),
        F_OFD_SETLK => (true, Way::Set),
        F_OFD_SETLKW => (true, Way::Wait),
        _ => return None,
    };
    Some(LockCall { of_file, way })
}

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn close(&mut self) -> Outcome {
        let closed = *self.program.files.get(self.argument(0))?;
        let object = self.program.files.remove(self.argument(0))?;
        self.let_locks_go(&closed).await;
        self.services.release(object).await?;
        Ok(0)
    }

    pub(in crate::user) async fn duplicate(&mut self) -> Outcome {
        let number = self.argument(0);
        let descriptor = *self.program.files.get(number)?;
        let copy = Descriptor { close_on_exec: false, ..descriptor };
        match self.program.files.add_copy(number, copy, 0) {
            Err(Errno::EINVAL) => Err(Errno::EMFILE.into()), // none at all is allowed
            added => Ok(added?),
        }
    }

    pub(in crate::user) async fn duplicate_to(&mut self) -> Outcome {
        let (old, new, flags) = (self.argument(0), self.argument(1), self.argument(2) as u32);
        if old as u32 == new as u32 || flags & !O_CLOEXEC != 0 {
            return Err(Errno::EINVAL.into());
        }
        let descriptor = *self.program.files.get(old)?;
        let close_on_exec = flags & O_CLOEXEC != 0;
        let closed = self.program.files.get(new).ok().copied();
        let object = self.program.files.replace(old, new, Descriptor { close_on_exec, ..descriptor })?;
        if let Some(closed) = closed {
            self.let_locks_go(&closed).await;
        }
        // As on Linux, what closing the old one would say is lost.
        let _ = self.services.release(object).await;
        Ok(u64::from(new as u32))
    }

    pub(in crate::user) async fn control_descriptor(&mut self) -> Outcome {
        let (number, argument) = (self.argument(0), self.argument(2));
        let descriptor = *self.program.files.get(number)?;
        match self.int(1) {
            command @ (F_DUPFD | F_DUPFD_CLOEXEC) => {
                let close_on_exec = command == F_DUPFD_CLOEXEC;
                Ok(self.program.files.add_copy(number, Descriptor { close_on_exec, ..descriptor }, argument)?)
            }
            F_GETFD => Ok(if descriptor.close_on_exec { FD_CLOEXEC } else { 0 }),
            F_SETFD => {
                self.program.files.get_mut(number)?.close_on_exec = argument & FD_CLOEXEC != 0;
                Ok(0)
            }
            F_GETFL => Ok(u64::from(shown_flags(apart!(self.status_flags(&descriptor))?))),
            _ if is_path_only(descriptor.flags) => Err(Errno::EBADF.into()),
            F_SETFL => apart!(self.set_status_flags(number, argument as u32)),
            command => {
                let call = lock_call(command).ok_or(Errno::EINVAL)?;
                self.lock_bytes(&descriptor, argument, call).await
            }
        }
    }

    pub(in crate::user) async fn seek(&mut self) -> Outcome {
        let whence = match self.int(2) {
            0 => Whence::Start,
            1 => Whence::Current,
            2 => Whence::End,
            _ => return Err(Errno::EINVAL.into()),
        };
        let descriptor = self.program.files.get(self.argument(0))?;
        if is_path_only(descriptor.flags) {
            return Err(Errno::EBADF.into());
        }
        match descriptor.object {
            Object::File { board, number, .. } => {
                let offset = self.argument(1) as i64;
                Ok(self.services.file(board, number)?.call(Seek { offset, whence }, ()).await?)
            }
            Object::Pipe { .. } | Object::Fifo { .. } | Object::Console => Err(Errno::ESPIPE.into()),
            // They have no places, which Linux says by going nowhere.
            Object::Signals { .. } | Object::Events { .. } => Ok(0),
            Object::Named { .. } => Err(Errno::EBADF.into()),
            Object::Lost { pipe: false } => Err(Errno::EIO.into()),
            Object::Lost { pipe: true } => Err(Errno::ESPIPE.into()),
            Object::Null | Object::Zero | Object::Full | Object::Random => Ok(0),
        }
    }
}
