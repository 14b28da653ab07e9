//! The program's memory: brk, mmap and what goes with it.

use super::escape::Outcome;
use super::files::descriptors::Object;
use super::{User, pager};
use renga_hal::memory::UserMemory;
use renga_memory::area::Origin;
use renga_memory::{Backing, MappedFile, Mapping, Place, access_of};
use renga_proto::file::DescribeFile;
use renga_rt::Errno;

const PROT_WRITE: u64 = 2;
const MAP_SHARED: u64 = 1;
const MAP_PRIVATE: u64 = 2;
const MAP_SHARED_VALIDATE: u64 = 3;
const MAP_TYPE: u64 = 0xf;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
const MREMAP_MAYMOVE: u64 = 1;
const MADV_DONTNEED: u32 = 4;

impl<M: UserMemory + ?Sized> User<M> {
    pub(super) async fn set_break(&mut self) -> Outcome {
        let end = self.argument(0);
        let now = self.memory().0.break_end();
        if end > now && self.allow_space(end - now).is_err() {
            return Ok(now);
        }
        let (space, mut pager) = self.memory();
        Ok(space.set_brk(&mut pager, end).await)
    }

    pub(super) async fn map(&mut self) -> Outcome {
        let (address, length, protection) = (self.argument(0), self.argument(1), self.argument(2));
        let (flags, number, offset) = (self.argument(3), self.argument(4), self.argument(5));
        let shared = match flags & MAP_TYPE {
            MAP_PRIVATE => false,
            MAP_SHARED | MAP_SHARED_VALIDATE => true,
            _ => return Err(Errno::EINVAL.into()),
        };
        // What is shared and written would have to be written for others too.
        if shared && (protection & PROT_WRITE != 0 || flags & MAP_ANONYMOUS != 0) {
            return Err(Errno::ENODEV.into());
        }
        let place = match (flags & MAP_FIXED_NOREPLACE != 0, flags & MAP_FIXED != 0) {
            (true, _) => Place::FixedFree(address),
            (_, true) => Place::Fixed(address),
            _ => Place::Anywhere(address),
        };
        let backing = if flags & MAP_ANONYMOUS != 0 {
            Backing::Zero
        } else {
            Backing::File { file: self.mapped_file(number).await?, offset }
        };
        let mapping = Mapping { place, length, access: access_of(protection)?, backing };
        self.allow_space(length)?;
        let (space, mut pager) = self.memory();
        Ok(space.map(&mut pager, mapping).await?)
    }

    /// The file behind a descriptor.
    async fn mapped_file(&mut self, number: u64) -> Result<MappedFile, Errno> {
        let descriptor = self.program.files.get(number)?;
        let Object::File { board, number, .. } = descriptor.object else {
            return Err(Errno::ENODEV);
        };
        if !descriptor.reads() {
            return Err(if descriptor.writes() { Errno::EACCES } else { Errno::EBADF });
        }
        let facts = self.services.file(board, number)?.call(DescribeFile {}, ()).await?;
        Ok(MappedFile { ino: facts.ino, generation: facts.birth.generation, slot: facts.slot })
    }

    pub(super) async fn unmap(&mut self) -> Outcome {
        let (address, length) = (self.argument(0), self.argument(1));
        let (space, mut pager) = self.memory();
        space.unmap(&mut pager, address, length).await?;
        Ok(0)
    }

    pub(super) async fn protect(&mut self) -> Outcome {
        let (address, length) = (self.argument(0), self.argument(1));
        let access = access_of(self.argument(2))?;
        let (space, mut pager) = self.memory();
        space.protect(&mut pager, address, length, access).await?;
        Ok(0)
    }

    pub(super) async fn remap(&mut self) -> Outcome {
        let (address, length, new_length) = (self.argument(0), self.argument(1), self.argument(2));
        let flags = self.argument(3);
        if flags & !MREMAP_MAYMOVE != 0 {
            return Err(Errno::EINVAL.into());
        }
        self.allow_space(new_length.saturating_sub(length))?;
        let (space, mut pager) = self.memory();
        Ok(space.remap(&mut pager, address, length, new_length, flags & MREMAP_MAYMOVE != 0).await?)
    }

    /// Advice is ignored, but that which programs rely on: pages of zeros become zeros again.
    pub(super) async fn advise(&mut self) -> Outcome {
        let (address, length, advice) = (self.argument(0), self.argument(1), self.int(2));
        if advice != MADV_DONTNEED || length == 0 {
            return Ok(0);
        }
        let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
        let end = address.checked_add(length).ok_or(Errno::EINVAL)?;
        let area = space.areas().iter().find(|area| area.start_address() <= address && end <= area.end_address());
        let Some(area) = area.filter(|area| area.origin == Origin::Zero) else { return Ok(0) };
        let mapping = Mapping { place: Place::Fixed(address), length, access: area.access, backing: Backing::Zero };
        space.map(&mut pager(self.machine, &mut self.services), mapping).await?;
        Ok(0)
    }
}
