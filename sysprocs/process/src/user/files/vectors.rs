//! Reading and writing what lies in several pieces of memory (`readv`, `writev` and the like).
//!
//! Invariant: what fits in a page is written by one call, however many pieces it is of, so that nobody tears it. Not here: one
//! piece (`transfer.rs`).

use crate::user::escape::Outcome;
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::open::{O_DSYNC, O_SYNC};
use crate::user::files::transfer::TRANSFER_BYTES_MAX;
use crate::user::{User, pager};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::pages::AT_END;
use renga_rt::Errno;

/// Most parts of a vector, as on Linux.
const PARTS_MAX: u64 = 1024;
const PART_BYTES: u64 = 16;
/// As an offset of `preadv2` and `pwritev2`: where the file stands.
const HERE: u64 = u64::MAX;
/// What may be wished of one transfer: that its wait burns time, which none here does.
const RWF_HIPRI: u32 = 1;
/// That it is as if the file had been opened with `O_DSYNC`.
const RWF_DSYNC: u32 = 2;
/// That it is as if the file had been opened with `O_SYNC`.
const RWF_SYNC: u32 = 4;
/// Of one that writes: that it goes to the end of the file.
const RWF_APPEND: u32 = 16;

/// Where a vector is written.
struct Place {
    /// Unless where the file stands.
    offset: Option<u64>,
    /// At the end whatever the offset, as the call wishes.
    at_end: bool,
}

impl Place {
    /// Where it says, unless the file is one for appending.
    fn of(offset: Option<u64>) -> Place {
        Place { offset, at_end: false }
    }
}

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn read_vector(&mut self) -> Outcome {
        self.read_parts(None).await
    }

    pub(in crate::user) async fn read_vector_from(&mut self) -> Outcome {
        self.read_parts(self.offset_in(Some(3))?).await
    }

    pub(in crate::user) async fn write_vector(&mut self) -> Outcome {
        self.write_parts_kept(Place::of(None), 0).await
    }

    pub(in crate::user) async fn write_vector_to(&mut self) -> Outcome {
        self.write_parts_kept(Place::of(self.offset_in(Some(3))?), 0).await
    }

    /// `preadv2`: as `preadv`, or where the file stands.
    pub(in crate::user) async fn read_vector_so(&mut self) -> Outcome {
        let offset = self.offset_or_here()?;
        self.program.files.get(self.argument(0))?.for_reading()?;
        self.wishes(0)?;
        self.read_parts(offset).await
    }

    /// `pwritev2`: as `pwritev`, or where the file stands, or at its end.
    pub(in crate::user) async fn write_vector_so(&mut self) -> Outcome {
        let offset = self.offset_or_here()?;
        self.program.files.get(self.argument(0))?.for_writing()?;
        let open_flags = self.wishes(RWF_APPEND)?;
        let at_end = self.int(5) & RWF_APPEND != 0;
        self.write_parts_kept(Place { offset, at_end }, open_flags).await
    }

    fn offset_or_here(&self) -> Result<Option<u64>, Errno> {
        if self.argument(3) == HERE { Ok(None) } else { self.offset_in(Some(3)) }
    }

    /// The open flags that the call wishes for its transfer; it may also wish `others`. `EOPNOTSUPP`: it wishes what there
    /// is not.
    fn wishes(&self, others: u32) -> Result<u32, Errno> {
        let wished = self.int(5);
        if wished & !(RWF_HIPRI | RWF_DSYNC | RWF_SYNC | others) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let table = [(RWF_DSYNC, O_DSYNC), (RWF_SYNC, O_SYNC)];
        Ok(table.iter().filter(|(wish, _)| wished & wish != 0).fold(0, |flags, (_, open)| flags | open))
    }

    /// Part `index` of the vector at `vector`: address and length.
    async fn part(&mut self, vector: u64, index: u64) -> Result<(u64, u64), Errno> {
        let at = vector.checked_add(index * PART_BYTES).ok_or(Errno::EFAULT)?;
        let address = self.get_word(at).await?;
        Ok((address, self.get_word(at.wrapping_add(8)).await?))
    }

    async fn read_parts(&mut self, offset: Option<u64>) -> Outcome {
        let descriptor = *self.program.files.get(self.argument(0))?;
        descriptor.for_reading()?;
        let nonblocking = self.await_reading(&descriptor).await?;
        let (vector, count) = (self.argument(1), self.argument(2));
        if count > PARTS_MAX {
            return Err(Errno::EINVAL.into());
        }
        let mut done = 0;
        for index in 0..count {
            let (address, length) = self.part(vector, index).await?;
            let mut manner = descriptor.manner(offset.map(|offset| offset.saturating_add(done)));
            manner.nonblocking |= done > 0 || nonblocking;
            match self.take_in(&descriptor, address, length, manner).await {
                Ok(bytes) => {
                    done += bytes;
                    if bytes < length {
                        break;
                    }
                }
                Err(_) if done > 0 => break,
                Err(escape) => return Err(escape),
            }
        }
        Ok(done)
    }

    async fn write_parts_kept(&mut self, place: Place, open_flags: u32) -> Outcome {
        let mut descriptor = *self.program.files.get(self.argument(0))?;
        descriptor.for_writing()?;
        descriptor.flags |= open_flags;
        let written = self.write_parts(&descriptor, place).await?;
        self.kept(&descriptor, written).await
    }

    async fn write_parts(&mut self, descriptor: &Descriptor, Place { offset, at_end }: Place) -> Outcome {
        let (vector, count) = (self.argument(1), self.argument(2));
        if count > PARTS_MAX {
            return Err(Errno::EINVAL.into());
        }
        let at_end = at_end && matches!(descriptor.object, Object::File { .. });
        let aim = if at_end { Some(AT_END) } else { offset };
        let room = self.allowed_bytes(descriptor, aim, TRANSFER_BYTES_MAX).await?;
        // What only this call has go to the end, and the offset with it, is as long appends are.
        if (!at_end || offset.is_some())
            && let Some(length) = self.gather(vector, count).await?
        {
            let length = length.min(room as usize);
            let aim = if aim.is_some() && self.appends(descriptor).await? { Some(AT_END) } else { aim };
            return self.give_out_scratch(descriptor.object, length, descriptor.manner(aim)).await;
        }
        if !at_end && !self.appends(descriptor).await? {
            return self.give_out_parts(descriptor, (vector, count), room, offset).await;
        }
        let length = self.length(vector, count).await?.min(room);
        let place = match self.begin_append(descriptor, length).await {
            Ok(place) => place,
            Err(errno) => return self.write_failed(descriptor.object, errno).await,
        };
        let written = self.give_out_parts(descriptor, (vector, count), length, Some(place.start)).await;
        self.end_append(descriptor, place, &written, offset.is_none()).await;
        written
    }

    /// Bytes of a vector.
    async fn length(&mut self, vector: u64, count: u64) -> Result<u64, Errno> {
        let mut length = 0u64;
        for index in 0..count {
            length = length.saturating_add(self.part(vector, index).await?.1);
        }
        Ok(length.min(TRANSFER_BYTES_MAX))
    }

    /// Part by part, `room` bytes at most.
    async fn give_out_parts(
        &mut self,
        to: &Descriptor,
        (vector, count): (u64, u64),
        room: u64,
        offset: Option<u64>,
    ) -> Outcome {
        let mut done = 0;
        for index in 0..count {
            let (address, length) = self.part(vector, index).await?;
            let manner = to.manner(offset.map(|offset| offset.saturating_add(done)));
            let length_now = length.min(room - done);
            let given = match to.object {
                // Whether it goes to the end was asked before.
                Object::File { .. } => self.give_out_pages(to, address, length_now, manner).await,
                _ => self.give_out(to, address, length_now, manner).await,
            };
            match given {
                Ok(bytes) => {
                    done += bytes;
                    if bytes < length || done >= room {
                        break;
                    }
                }
                Err(_) if done > 0 => break,
                Err(escape) => return Err(escape),
            }
        }
        Ok(done)
    }

    /// Gathers the parts of a vector in the scratch page, if they fit: one rendezvous instead of
    /// several, and a pipe does not tear them.
    async fn gather(&mut self, vector: u64, count: u64) -> Result<Option<usize>, Errno> {
        let mut length = 0;
        for index in 0..count {
            let (address, bytes) = self.part(vector, index).await?;
            if bytes > (PAGE_BYTES - length) as u64 {
                return Ok(None);
            }
            let end = length + bytes as usize;
            let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
            let mut pager = pager(self.machine, &mut self.services);
            space.copy_in(&mut pager, address, &mut self.scratch[length..end]).await?;
            length = end;
        }
        Ok(Some(length))
    }
}
