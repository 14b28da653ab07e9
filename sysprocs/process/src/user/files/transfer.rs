//! Reading and writing.
//!
//! A transfer is split where the program's pages end, and each page is lent to the server as it is: no
//! copy is made, but of small writes to pipes that must not be torn, and of pages that other programs share and may
//! use, or the page cache may change, meanwhile. A count that is short of what was
//! asked is as POSIX allows it. Not here: vectors of pieces (`vectors.rs`).

use crate::signals::SIGPIPE;
use crate::user::escape::{Escape, Outcome, restartable};
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::objects::Manner;
use crate::user::files::open::{O_ACCMODE, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY};
use crate::user::{User, pager};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::pages::AT_END;
use renga_proto::pipe::PIPE_ATOMIC_BYTES;
use renga_proto::procs::{Cause, Kill};
use renga_rt::{Errno, apart};

/// Most bytes of one transfer, as on Linux.
pub(super) const TRANSFER_BYTES_MAX: u64 = 0x7fff_f000;
/// After so many pages of one call other programs have their turn, though no server made it wait; then a
/// signal ends it.
const PAGES_PER_TURN: u32 = 64;

impl Descriptor {
    /// Whether it was opened for reading.
    pub fn reads(&self) -> bool {
        matches!(self.flags & O_ACCMODE, O_RDONLY | O_RDWR)
    }
    /// Whether it was opened for writing.
    pub fn writes(&self) -> bool {
        matches!(self.flags & O_ACCMODE, O_WRONLY | O_RDWR)
    }
    pub(super) fn for_reading(&self) -> Result<(), Errno> {
        if self.reads() { Ok(()) } else { Err(Errno::EBADF) }
    }
    pub(super) fn for_writing(&self) -> Result<(), Errno> {
        if self.writes() { Ok(()) } else { Err(Errno::EBADF) }
    }
    pub(super) fn manner(&self, offset: Option<u64>) -> Manner {
        Manner { offset, nonblocking: self.flags & O_NONBLOCK != 0 }
    }
}

/// The offset that a call names; negative: `EINVAL`.
pub(super) fn offset(argument: u64) -> Result<Option<u64>, Errno> {
    if (argument as i64) < 0 { Err(Errno::EINVAL) } else { Ok(Some(argument)) }
}

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn read(&mut self) -> Outcome {
        self.read_one(None).await
    }

    pub(in crate::user) async fn read_from(&mut self) -> Outcome {
        self.read_one(Some(3)).await
    }

    pub(in crate::user) async fn write(&mut self) -> Outcome {
        self.write_one(None).await
    }

    pub(in crate::user) async fn write_to(&mut self) -> Outcome {
        self.write_one(Some(3)).await
    }

    /// Reads into one piece of memory; `place` is the argument that says where in the file, if one does.
    #[inline(always)]
    async fn read_one(&mut self, place: Option<usize>) -> Outcome {
        let descriptor = *self.program.files.get(self.argument(0))?;
        descriptor.for_reading()?;
        let nonblocking = self.await_reading(&descriptor).await?;
        if let (Object::Signals { .. }, None) = (descriptor.object, place) {
            return self.read_signals(&descriptor, self.argument(1), self.argument(2)).await;
        }
        let mut manner = descriptor.manner(self.offset_in(place)?);
        manner.nonblocking |= nonblocking;
        if let Object::Events { .. } = descriptor.object {
            return apart!(self.read_events(&descriptor, self.argument(1), self.argument(2), manner));
        }
        self.take_in(&descriptor, self.argument(1), self.argument(2), manner).await
    }

    /// As `read_one`, to write.
    #[inline(always)]
    async fn write_one(&mut self, place: Option<usize>) -> Outcome {
        let descriptor = *self.program.files.get(self.argument(0))?;
        descriptor.for_writing()?;
        let manner = descriptor.manner(self.offset_in(place)?);
        if let Object::Events { .. } = descriptor.object {
            return apart!(self.write_events(&descriptor, self.argument(1), self.argument(2), manner));
        }
        let written = self.give_out(&descriptor, self.argument(1), self.argument(2), manner).await?;
        self.kept(&descriptor, written).await
    }

    /// The offset that an argument names, if one does.
    pub(super) fn offset_in(&self, argument: Option<usize>) -> Result<Option<u64>, Errno> {
        argument.map_or(Ok(None), |index| offset(self.argument(index)))
    }

    /// Fills the program's memory from `address` on; how many bytes.
    pub(super) async fn take_in(&mut self, from: &Descriptor, address: u64, count: u64, manner: Manner) -> Outcome {
        let count = count.min(TRANSFER_BYTES_MAX);
        if from.is_synthetic() {
            return apart!(self.take_in_synthetic(from, address, count, manner));
        }
        let mut done = 0;
        // Each turn passes a page.
        while done < count {
            if self.is_over_after_page().await {
                return if done > 0 { Ok(done) } else { Err(Escape::Restart) };
            }
            let at = address.checked_add(done).ok_or(Errno::EFAULT)?;
            let manner = Manner {
                offset: manner.offset.map(|offset| offset.saturating_add(done)),
                // What is there already is not kept back until more comes.
                nonblocking: manner.nonblocking || done > 0,
            };
            match self.take_in_page(from.object, at, (count - done) as usize, manner).await {
                Ok((bytes, asked)) => {
                    done += bytes as u64;
                    if bytes < asked {
                        break;
                    }
                }
                Err(_) if done > 0 => break,
                Err(errno) => return restartable(Err(self.note_loss(from.object, errno, false))),
            }
        }
        Ok(done)
    }

    /// Called before each page of a call that may have many. Lets other programs run after a while; true:
    /// a signal has come meanwhile, and the call should end with what is done.
    pub(in crate::user) async fn is_over_after_page(&mut self) -> bool {
        self.pages_moved += 1;
        if !self.pages_moved.is_multiple_of(PAGES_PER_TURN) {
            return false;
        }
        self.me.yield_to_programs().await;
        self.me.wait_cancelled()
    }

    /// As `take_in`, of what is made when it is read: what has room in a page is read at once, however it lies in memory,
    /// so that it is of one moment.
    async fn take_in_synthetic(&mut self, from: &Descriptor, address: u64, count: u64, manner: Manner) -> Outcome {
        let length = count.min(PAGE_BYTES as u64) as usize;
        let read = self.services.read(from.object, &mut self.scratch[..length], manner).await;
        let bytes = match read {
            Ok(bytes) => bytes.min(length),
            Err(errno) => return restartable(Err(self.note_loss(from.object, errno, false))),
        };
        self.put_scratch(address, bytes).await?;
        Ok(bytes as u64)
    }

    async fn take_in_page(
        &mut self,
        object: Object,
        address: u64,
        length: usize,
        manner: Manner,
    ) -> Result<(usize, usize), Errno> {
        let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
        let mut pager = pager(self.machine, &mut self.services);
        let space_shares = space.may_share(address);
        let mut piece = space.page_for_write(&mut pager, address, length).await?;
        let asked = piece.len();
        if space_shares {
            drop(piece);
            let bytes = self.services.read(object, &mut self.scratch[..asked], manner).await?.min(asked);
            space
                .copy_out(&mut crate::user::pager(self.machine, &mut self.services), address, &self.scratch[..bytes])
                .await?;
            return Ok((bytes, asked));
        }
        Ok((self.services.read(object, &mut piece, manner).await?.min(asked), asked))
    }

    /// Writes the program's memory from `address` on; how many bytes.
    pub(super) async fn give_out(&mut self, to: &Descriptor, address: u64, count: u64, manner: Manner) -> Outcome {
        let count = self.allowed_bytes(to, manner.offset, count.min(TRANSFER_BYTES_MAX)).await?;
        let in_page = PAGE_BYTES as u64 - address % PAGE_BYTES as u64;
        // A write of one piece goes where the file has it go.
        let appends = (count > in_page || manner.offset.is_some()) && self.appends(to).await?;
        let manner = Manner { offset: manner.offset.map(|offset| if appends { AT_END } else { offset }), ..manner };
        let whole = appends || to.is_synthetic() || matches!(to.object, Object::Pipe { .. } | Object::Fifo { .. });
        if whole && count > in_page && count <= PIPE_ATOMIC_BYTES as u64 {
            let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
            let mut pager = pager(self.machine, &mut self.services);
            space.copy_in(&mut pager, address, &mut self.scratch[..count as usize]).await?;
            return self.give_out_scratch(to.object, count as usize, manner).await;
        }
        if !appends || count <= in_page {
            return self.give_out_pages(to, address, count, manner).await;
        }
        let room = match self.begin_append(to, count).await {
            Ok(room) => room,
            Err(errno) => return self.write_failed(to.object, errno).await,
        };
        let written = self.give_out_pages(to, address, count, Manner { offset: Some(room.start), ..manner }).await;
        self.end_append(to, room, &written, manner.offset.is_none()).await;
        written
    }

    /// Page by page.
    pub(super) async fn give_out_pages(
        &mut self,
        to: &Descriptor,
        address: u64,
        count: u64,
        manner: Manner,
    ) -> Outcome {
        let mut done = 0;
        // Each turn passes a page, or the count ends short.
        while done < count {
            if self.is_over_after_page().await {
                return if done > 0 { Ok(done) } else { Err(Escape::Restart) };
            }
            let at = address.checked_add(done).ok_or(Errno::EFAULT)?;
            let manner = Manner { offset: manner.offset.map(|offset| offset.saturating_add(done)), ..manner };
            match self.give_out_page(to.object, at, (count - done) as usize, manner).await {
                Ok((bytes, asked)) => {
                    done += bytes as u64;
                    if bytes < asked {
                        break;
                    }
                }
                Err(_) if done > 0 => break,
                Err(errno) => return self.write_failed(to.object, errno).await,
            }
        }
        Ok(done)
    }

    async fn give_out_page(
        &mut self,
        object: Object,
        address: u64,
        length: usize,
        manner: Manner,
    ) -> Result<(usize, usize), Errno> {
        let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
        let mut pager = pager(self.machine, &mut self.services);
        let space_shares = space.may_share(address);
        let piece = space.page_for_read(&mut pager, address, length).await?;
        let asked = piece.len();
        if space_shares {
            self.scratch[..asked].copy_from_slice(&piece);
            drop(piece);
            return Ok((self.services.write(object, &self.scratch[..asked], manner).await?.min(asked), asked));
        }
        Ok((self.services.write(object, &piece, manner).await?.min(asked), asked))
    }

    /// Writes the first `length` bytes of the scratch page.
    pub(super) async fn give_out_scratch(&mut self, object: Object, length: usize, manner: Manner) -> Outcome {
        match self.services.write(object, &self.scratch[..length], manner).await {
            Ok(bytes) => Ok(bytes as u64),
            Err(errno) => self.write_failed(object, errno).await,
        }
    }

    pub(in crate::user) async fn write_failed(&mut self, object: Object, errno: Errno) -> Outcome {
        if (object, errno) == (Object::Console, Errno::EPERM) {
            return apart!(self.await_writing());
        }
        let errno = self.note_loss(object, errno, true);
        if errno == Errno::EPIPE {
            let pid = self.program.pid;
            self.services.clients.procs.call(Kill::new(pid, SIGPIPE, Cause::user(pid)), ()).await?;
        }
        restartable(Err(errno))
    }
}
