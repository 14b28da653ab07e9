//! The system calls about resource limits, and the limits that no server enforces.
//!
//! Invariant: only root's programs raise their hard limits; that of descriptors stays below [`DESCRIPTORS_MAX`].
//! Not here: the limits themselves (`state/limits.rs`), who counts processes (`procs`).

use crate::signals::SIGXFSZ;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::{STAT_SIZE_AT, word_at};
use crate::user::state::limits::{AS, FSIZE, INFINITY, LIMITS, NOFILE, ResourceLimit, STACK};
use crate::user::state::open_flags::STRIPS;
use crate::user::state::{DESCRIPTORS_MAX, FileDescriptor};
use renga_hal::memory::UserMemory;
use renga_proto::file::{FileStatus, Seek, Whence};
use renga_proto::inode::STAT_BYTES;
use renga_proto::pages::AT_END;
use renga_proto::procs::{Cause, Kill};
use renga_rt::{Errno, apart};

impl<M: UserMemory> User<M> {
    async fn take_limit(&mut self, place: u64) -> Result<ResourceLimit, Errno> {
        let limit =
            ResourceLimit { soft: self.get_word(place).await?, hard: self.get_word(place.wrapping_add(8)).await? };
        if limit.soft > limit.hard { Err(Errno::EINVAL) } else { Ok(limit) }
    }

    async fn put_limit(&mut self, which: usize, limit: ResourceLimit) -> Result<(), Errno> {
        if limit.hard > self.program.limits.0[which].hard && !self.program.credentials.is_root() {
            return Err(Errno::EPERM);
        }
        if which == NOFILE {
            if limit.hard > DESCRIPTORS_MAX as u64 {
                return Err(Errno::EPERM);
            }
            self.program.files.allow(limit.soft as usize);
        }
        if let (STACK, Some(space)) = (which, &mut self.program.space) {
            space.limit_stack(self.machine, limit.soft);
        }
        self.program.limits.0[which] = limit;
        self.publish_info();
        self.report_ignored(0).await; // and how many signals may wait
        Ok(())
    }

    /// Limit `which` becomes the one at `new`, and what it was goes to `old`: each if there is an address.
    async fn exchange_limit(&mut self, which: u32, new: Option<u64>, old: Option<u64>) -> Result<(), Errno> {
        let which = Some(which as usize).filter(|&which| which < LIMITS).ok_or(Errno::EINVAL)?;
        let limit = if let Some(new) = new { Some(self.take_limit(new).await?) } else { None };
        if let Some(old) = old {
            let ResourceLimit { soft, hard } = self.program.limits.0[which];
            self.put_words(old, [soft, hard]).await?;
        }
        if let Some(limit) = limit { self.put_limit(which, limit).await } else { Ok(()) }
    }

    pub(crate) async fn get_limit(&mut self) -> Result<(), Errno> {
        self.exchange_limit(self.int(0), None, Some(self.argument(1))).await
    }

    pub(crate) async fn set_limit(&mut self) -> Result<(), Errno> {
        self.exchange_limit(self.int(0), Some(self.argument(1)), None).await
    }

    /// Of the program itself only.
    pub(crate) async fn change_limit(&mut self) -> Result<(), Errno> {
        if self.int(0) != 0 && self.int(0) != self.program.pid {
            return Err(if (self.int(1) as usize) < LIMITS { Errno::ESRCH } else { Errno::EINVAL });
        }
        let [new, old] = [2, 3].map(|index| Some(self.argument(index)).filter(|&address| address != 0));
        self.exchange_limit(self.int(1), new, old).await
    }

    /// How many of `bytes` may be written to `to`, at `offset` or where it stands.
    pub(crate) async fn allowed_bytes(
        &mut self,
        to: &FileDescriptor,
        offset: Option<u64>,
        bytes: u64,
    ) -> Result<u64, Errno> {
        let Some(at) = to.object.file() else { return Ok(bytes) };
        if to.flags & STRIPS != 0 {
            apart!(self.strip(at))?;
        }
        if self.program.limits.soft(FSIZE) == INFINITY {
            return Ok(bytes);
        }
        let appends = offset == Some(AT_END) || self.appends(to).await?;
        let mut file = self.services.file(at)?;
        let start = if appends {
            file.call(FileStatus {}, &mut self.scratch[..STAT_BYTES]).await?;
            word_at(&self.scratch, STAT_SIZE_AT)
        } else if let Some(offset) = offset {
            offset
        } else {
            leaving!(self, file.call(Seek { offset: 0, whence: Whence::Current }, ()))?
        };
        self.allowed_size(start, bytes).await
    }

    /// How many of `bytes` may be in a file from `offset` on. None: `EFBIG`, and SIGXFSZ comes.
    pub(crate) async fn allowed_size(&mut self, offset: u64, bytes: u64) -> Result<u64, Errno> {
        let most = self.program.limits.soft(FSIZE);
        if bytes == 0 || offset < most {
            return Ok(bytes.min(most.saturating_sub(offset)));
        }
        let pid = self.program.pid;
        self.services.clients.procs.call(Kill { pid, signal: SIGXFSZ, cause: Cause::user(pid) }, ()).await?;
        Err(Errno::EFBIG)
    }

    /// Whether a file may become `bytes` long.
    pub(crate) async fn allow_length(&mut self, bytes: u64) -> Result<(), Errno> {
        if bytes > 0 { self.allowed_size(bytes - 1, 1).await.map(|_| ()) } else { Ok(()) }
    }

    /// Whether `bytes` more of address space may be mapped.
    pub(crate) fn allow_space(&self, bytes: u64) -> Result<(), Errno> {
        let most = self.program.limits.soft(AS);
        if most == INFINITY {
            return Ok(());
        }
        let areas = self.program.space.as_ref().map_or(&[][..], |space| space.areas());
        let mapped: u64 = areas.iter().map(|area| area.end_address() - area.start_address()).sum();
        if mapped.saturating_add(bytes) > most { Err(Errno::ENOMEM) } else { Ok(()) }
    }
}
