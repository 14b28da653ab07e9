//! What a program may have: resource limits, and those of them that no server enforces.
//!
//! Invariant: a soft limit is at most its hard one; that of descriptors is at most what a program can have room for.
//! All programs are root's, so each may raise its hard limits. Who may have any number of processes (init, until it
//! says otherwise) also gets the slots that are kept in reserve. Not here: where processes are counted (`procs`).

use crate::signals::SIGXFSZ;
use crate::user::User;
use crate::user::escape::Outcome;
use crate::user::files::descriptors::{DESCRIPTORS_MAX, Descriptor, Object};
use renga_hal::memory::UserMemory;
use renga_proto::file::{FileStatus, Seek, Whence};
use renga_proto::pages::AT_END;
use renga_proto::procs::{Cause, Kill, QUEUED_MAX, UNLIMITED};
use renga_rt::Errno;

/// Numbers of limits, as in Linux's `asm-generic/resource.h`.
pub const FSIZE: usize = 1;
/// The stack.
pub const STACK: usize = 3;
/// Processes.
pub const NPROC: usize = 6;
/// Descriptors.
pub const NOFILE: usize = 7;
/// Signals that wait with what is told of them.
pub const SIGPENDING: usize = 11;
/// Address space.
pub const AS: usize = 9;
/// How many limits there are.
pub const LIMITS: usize = renga_rt::proc_info::LIMITS;
/// Bytes of `struct stat`, and which of its words is the size.
const STATUS_BYTES: usize = 128;
const SIZE_WORD: usize = 6;
/// No limit.
pub const INFINITY: u64 = u64::MAX;
const STACK_BYTES: u64 = 8 << 20;
/// What programs start with: more than a board runs, yet not all of the reserve.
const PROCESSES: u64 = 4096;

/// A soft and a hard limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// What holds.
    pub soft: u64,
    /// What the soft one can be.
    pub hard: u64,
}

/// The limits of one program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits(pub [Limit; LIMITS]);

impl Default for Limits {
    fn default() -> Self {
        let mut limits = Limits([Limit { soft: INFINITY, hard: INFINITY }; LIMITS]);
        limits.0[STACK].soft = STACK_BYTES;
        limits.0[NPROC].soft = PROCESSES;
        limits.0[SIGPENDING] = Limit { soft: QUEUED_MAX as u64, hard: QUEUED_MAX as u64 };
        limits.0[NOFILE] = Limit { soft: DESCRIPTORS_MAX as u64, hard: DESCRIPTORS_MAX as u64 };
        limits
    }
}

impl Limits {
    /// Those of init: it may use the reserve.
    pub fn of_init() -> Limits {
        let mut limits = Limits::default();
        limits.0[NPROC].soft = INFINITY;
        limits
    }
    /// What holds of limit `which`.
    pub fn soft(&self, which: usize) -> u64 {
        self.0[which].soft
    }
    /// How many signals may wait with what is told of them.
    pub fn signals(&self) -> u32 {
        u32::try_from(self.soft(SIGPENDING)).unwrap_or(u32::MAX)
    }
    /// How many processes there may be, as `Spawn` takes it.
    pub fn processes(&self) -> u32 {
        match self.soft(NPROC) {
            INFINITY => UNLIMITED,
            most => u32::try_from(most).unwrap_or(UNLIMITED - 1).min(UNLIMITED - 1),
        }
    }
}

impl<M: UserMemory + ?Sized> User<M> {
    async fn tell_limit(&mut self, which: usize, place: u64) -> Result<(), Errno> {
        let Limit { soft, hard } = self.program.limits.0[which];
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&soft.to_le_bytes());
        bytes[8..].copy_from_slice(&hard.to_le_bytes());
        self.put(place, &bytes).await
    }

    async fn take_limit(&mut self, place: u64) -> Result<Limit, Errno> {
        let limit = Limit { soft: self.get_word(place).await?, hard: self.get_word(place.wrapping_add(8)).await? };
        if limit.soft > limit.hard { Err(Errno::EINVAL) } else { Ok(limit) }
    }

    async fn put_limit(&mut self, which: usize, limit: Limit) -> Result<(), Errno> {
        if which == NOFILE {
            if limit.hard > DESCRIPTORS_MAX as u64 {
                return Err(Errno::EPERM);
            }
            self.program.files.allow(limit.soft as usize);
        }
        if let (STACK, Some(space)) = (which, &mut self.space) {
            space.limit_stack(self.machine, limit.soft);
        }
        self.program.limits.0[which] = limit;
        self.publish_info();
        self.tell_ignored(0).await; // and how many signals may wait
        Ok(())
    }

    fn limit_argument(&self, index: usize) -> Result<usize, Errno> {
        Some(self.int(index) as usize).filter(|&which| which < LIMITS).ok_or(Errno::EINVAL)
    }

    pub(in crate::user) async fn get_limit(&mut self) -> Outcome {
        let which = self.limit_argument(0)?;
        self.tell_limit(which, self.argument(1)).await?;
        Ok(0)
    }

    pub(in crate::user) async fn set_limit(&mut self) -> Outcome {
        let which = self.limit_argument(0)?;
        let limit = self.take_limit(self.argument(1)).await?;
        self.put_limit(which, limit).await?;
        Ok(0)
    }

    /// Of the program itself only.
    pub(in crate::user) async fn change_limit(&mut self) -> Outcome {
        let (pid, new, old) = (self.int(0), self.argument(2), self.argument(3));
        let which = self.limit_argument(1)?;
        if pid != 0 && pid != self.program.pid {
            return Err(Errno::ESRCH.into());
        }
        let limit = if new != 0 { Some(self.take_limit(new).await?) } else { None };
        if old != 0 {
            self.tell_limit(which, old).await?;
        }
        if let Some(limit) = limit {
            self.put_limit(which, limit).await?;
        }
        Ok(0)
    }

    /// How many of `bytes` may be written to `to`, at `offset` or where it stands.
    pub(in crate::user) async fn allowed_bytes(
        &mut self,
        to: &Descriptor,
        offset: Option<u64>,
        bytes: u64,
    ) -> Result<u64, Errno> {
        let Object::File { board, number, .. } = to.object else { return Ok(bytes) };
        if self.program.limits.soft(FSIZE) == INFINITY {
            return Ok(bytes);
        }
        let appends = offset == Some(AT_END) || self.appends(to).await?;
        let mut file = self.services.file(board, number)?;
        let at = if appends {
            file.call(FileStatus {}, &mut self.scratch[..STATUS_BYTES]).await?;
            let size = self.scratch[..STATUS_BYTES].as_chunks::<8>().0.get(SIZE_WORD);
            size.map_or(0, |size| u64::from_le_bytes(*size))
        } else if let Some(offset) = offset {
            offset
        } else {
            file.call(Seek { offset: 0, whence: Whence::Current }, ()).await?
        };
        self.allowed_size(at, bytes).await
    }

    /// How many of `bytes` may be in a file from `offset` on. None: `EFBIG`, and SIGXFSZ comes.
    pub(in crate::user) async fn allowed_size(&mut self, offset: u64, bytes: u64) -> Result<u64, Errno> {
        let most = self.program.limits.soft(FSIZE);
        if bytes == 0 || offset < most {
            return Ok(bytes.min(most.saturating_sub(offset)));
        }
        let pid = self.program.pid;
        self.services.clients.procs.call(Kill::new(pid, SIGXFSZ, Cause::user(pid)), ()).await?;
        Err(Errno::EFBIG)
    }

    /// Whether a file may become `bytes` long.
    pub(in crate::user) async fn allow_length(&mut self, bytes: u64) -> Result<(), Errno> {
        if bytes > 0 { self.allowed_size(bytes - 1, 1).await.map(|_| ()) } else { Ok(()) }
    }

    /// Whether `bytes` more of address space may be mapped.
    pub(in crate::user) fn allow_space(&self, bytes: u64) -> Result<(), Errno> {
        let most = self.program.limits.soft(AS);
        if most == INFINITY {
            return Ok(());
        }
        let areas = self.space.as_ref().map_or(&[][..], |space| space.areas());
        let mapped: u64 = areas.iter().map(|area| area.end_address() - area.start_address()).sum();
        if mapped.saturating_add(bytes) > most { Err(Errno::ENOMEM) } else { Ok(()) }
    }
}
