//! Descriptors themselves: close, dup, fcntl, locks, seeking, status flags.
//!
//! Invariant: of an open file, a pipe without a name, an event file and the terminal as init has it, the server keeps
//! the status flags, so each program with a copy of the descriptor, also a child on another board, sees what another
//! one sets. Of the rest (fifos, signal descriptors, devices opened by name) each program keeps them for itself, in all
//! copies.

use crate::user::files::locks::{LockCall, LockWay};
use crate::user::servers::object_calls::SETTABLE;
use crate::user::slot::{User, leaving};
use crate::user::state::open_flags::{O_CLOEXEC, is_path_only, reported_flags};
use crate::user::state::{FileDescriptor, SyscallResult, finish};
use core::future::Future;
use renga_hal::memory::UserMemory;
use renga_proto::file::{Seek, Whence};
use renga_rt::{Errno, apart};

const F_DUPFD: u32 = 0;
const F_GETFD: u32 = 1;
const F_SETFD: u32 = 2;
const F_GETFL: u32 = 3;
const F_SETFL: u32 = 4;
const F_GETLK: u32 = 5;
const F_SETOWN: u32 = 8;
const F_GETOWN: u32 = 9;
const F_OFD_GETLK: u32 = 36;
const F_DUPFD_CLOEXEC: u32 = 1030;
const FD_CLOEXEC: u64 = 1;
/// Of close_range: the table is the process's own anyway; and only mark the descriptors for exec.
const CLOSE_RANGE_UNSHARE: u32 = 2;
const CLOSE_RANGE_CLOEXEC: u32 = 4;

/// Which call about locks `command` is.
fn lock_call(command: u32) -> Option<LockCall> {
    // In each family the calls that find, set and wait for a lock follow each other.
    let of_file = command >= F_OFD_GETLK;
    let index = command.checked_sub(if of_file { F_OFD_GETLK } else { F_GETLK })?;
    let way = *[LockWay::Find, LockWay::Set, LockWay::Wait].get(index as usize)?;
    Some(LockCall { of_file, way })
}

impl<M: UserMemory> User<M> {
    #[inline(always)]
    pub(crate) fn close(&mut self) -> impl Future<Output = Result<(), Errno>> {
        self.close_descriptor(self.argument(0))
    }

    /// Closes descriptor `number`; returns its server's result when that was the last of its object.
    pub(crate) async fn close_descriptor(&mut self, number: u64) -> Result<(), Errno> {
        let (closed, object) = self.program.files.take(number)?;
        // Few programs lock: the others pay for no call.
        if self.program.locks {
            self.release_locks_of(&closed).await;
        }
        self.services.release(object).await
    }

    pub(crate) async fn duplicate(&mut self) -> SyscallResult {
        let number = self.argument(0);
        let descriptor = *self.program.files.get(number)?;
        let copy = FileDescriptor { close_on_exec: false, ..descriptor };
        match self.program.files.add_copy(number, copy, 0) {
            Err(Errno::EINVAL) => Err(Errno::EMFILE.into()), // none at all is allowed
            added => Ok(added?),
        }
    }

    pub(crate) async fn duplicate_to(&mut self) -> SyscallResult {
        let (old, new, flags) = (self.argument(0), self.argument(1), self.argument(2) as u32);
        if old as u32 == new as u32 || flags & !O_CLOEXEC != 0 {
            return Err(Errno::EINVAL.into());
        }
        let descriptor = *self.program.files.get(old)?;
        let close_on_exec = flags & O_CLOEXEC != 0;
        let closed = self.program.files.get(new).ok().copied();
        let object = self.program.files.replace(old, new, FileDescriptor { close_on_exec, ..descriptor })?;
        if let Some(closed) = closed {
            self.release_locks_of(&closed).await;
        }
        // As on Linux, what closing the old one would say is lost.
        let _ = self.services.release(object).await;
        Ok(u64::from(new as u32))
    }

    pub(crate) async fn control_descriptor(&mut self) -> SyscallResult {
        let (number, argument) = (self.argument(0), self.argument(2));
        let descriptor = *self.program.files.get(number)?;
        match self.int(1) {
            command @ (F_DUPFD | F_DUPFD_CLOEXEC) => {
                let close_on_exec = command == F_DUPFD_CLOEXEC;
                Ok(self.program.files.add_copy(number, FileDescriptor { close_on_exec, ..descriptor }, argument)?)
            }
            F_GETFD => Ok(if descriptor.close_on_exec { FD_CLOEXEC } else { 0 }),
            F_SETFD => {
                self.program.files.get_mut(number)?.close_on_exec = argument & FD_CLOEXEC != 0;
                Ok(0)
            }
            F_GETFL => Ok(u64::from(reported_flags(apart!(self.status_flags(&descriptor))?))),
            _ if is_path_only(descriptor.flags) => Err(Errno::EBADF.into()),
            F_SETOWN | F_GETOWN => Ok(0), // nobody gets a signal for input
            F_SETFL => finish(apart!(self.set_status_flags(number, argument as u32))),
            command => {
                let call = lock_call(command).ok_or(Errno::EINVAL)?;
                finish(self.lock_bytes(&descriptor, argument, call).await)
            }
        }
    }

    pub(crate) async fn seek(&mut self) -> SyscallResult {
        let whence = match self.int(2) {
            0 => Whence::Start,
            1 => Whence::Current,
            2 => Whence::End,
            3 => Whence::Data,
            4 => Whence::Hole,
            _ => return Err(Errno::EINVAL.into()),
        };
        let descriptor = self.program.files.get(self.argument(0))?;
        if is_path_only(descriptor.flags) {
            return Err(Errno::EBADF.into());
        }
        match descriptor.object.file() {
            Some(at) => {
                let seek = Seek { offset: self.argument(1) as i64, whence };
                let mut file = self.services.file(at)?;
                Ok(leaving!(self, file.call(seek, ()))?)
            }
            None => Ok(descriptor.object.facts().seek?),
        }
    }

    pub(crate) async fn close_range(&mut self) -> Result<(), Errno> {
        let (first, last, flags) = (self.int(0), self.int(1), self.int(2));
        if first > last || flags & !(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC) != 0 {
            return Err(Errno::EINVAL);
        }
        let mut from = first as usize;
        // Bounded by the descriptors.
        loop {
            let next = self.program.files.iter_from(from).next().map(|(number, _)| number);
            let Some(number) = next.filter(|&number| number <= last as usize) else { break };
            from = number + 1;
            if flags & CLOSE_RANGE_CLOEXEC != 0 {
                self.program.files.get_mut(number as u64)?.close_on_exec = true;
                continue;
            }
            let _ = self.close_descriptor(number as u64).await; // Linux loses the error of the close as well
        }
        Ok(())
    }

    /// The flags of `of`, as they are now.
    pub(crate) async fn status_flags(&mut self, of: &FileDescriptor) -> Result<u32, Errno> {
        let flags = self.services.status_flags(of).await;
        flags.map_err(|errno| self.note_loss(of.object, errno, false))
    }

    /// Sets those of `flags` that can be set of the object of descriptor `number`.
    pub(crate) async fn set_status_flags(&mut self, number: u64, flags: u32) -> Result<(), Errno> {
        let of = *self.program.files.get(number)?;
        let set = self.services.set_status_flags(&of, flags & SETTABLE).await;
        let kept_here = set.map_err(|errno| self.note_loss(of.object, errno, false))?;
        self.program.files.set_flags(number, kept_here);
        Ok(())
    }
}
