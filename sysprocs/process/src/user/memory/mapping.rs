//! The program's memory: brk, mmap and what goes with it.

use crate::user::slot::User;
use crate::user::state::open_flags::{S_IFMT, S_IFREG};
use crate::user::state::{FileDescriptor, Object, SyscallEscape, SyscallResult};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_memory::area::Origin;
use renga_memory::areas::AREAS_MAX;
use renga_memory::{Backing, MapAddress, MappedFile, Mapping, access_of};
use renga_proto::file::{BackingInode, DescribeFile};
use renga_proto::inode::{CommitAll, CommitExtent};
use renga_rt::Errno;
use renga_rt::proc_info::{self, AreaInfo, EXECUTES, READS, WRITES};
use renga_rt::user::AccessKind;

const PAGE: u64 = PAGE_BYTES as u64;
const PROT_WRITE: u64 = 2;
const MAP_SHARED: u64 = 1;
const MAP_PRIVATE: u64 = 2;
const MAP_SHARED_VALIDATE: u64 = 3;
const MAP_TYPE: u64 = 0xf;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
/// Those that Linux has always taken, and the size of huge pages.
const KNOWN_FLAGS: u64 = 0x7_f933 | 0x400_0000 | 0x3f << 26;
const MLOCK_ONFAULT: u32 = 1;
const MCL_CURRENT: u32 = 1;
const MCL_FUTURE: u32 = 2;
const MCL_ONFAULT: u32 = 4;
const MS_ASYNC: u32 = 1;
const MS_INVALIDATE: u32 = 2;
const MS_SYNC: u32 = 4;
const MREMAP_MAYMOVE: u64 = 1;
const MADV_DONTNEED: u32 = 4;
/// What may be ignored: about reading, keeping, huge, merged and dumped pages. Linux's other numbers change what a
/// program finds in its memory, or are new.
const ADVICE: [u32; 17] = [0, 1, 2, 3, MADV_DONTNEED, 8, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 24];

const _: () = assert!(AREAS_MAX <= proc_info::AREAS);

impl<M: UserMemory> User<M> {
    /// Publishes the areas of the program's memory as they are now, for listings.
    pub(crate) fn publish_areas(&self) {
        let (info, Some(space)) = (self.facts.info, &self.program.space) else { return };
        for (place, area) in info.areas.iter().zip(space.areas()) {
            let (ino, first_page) = space.mapped_file(area);
            let may = |allowed: bool, bit| if allowed { bit } else { 0 };
            let access = may(area.access.readable(), READS)
                | may(area.access.writable(), WRITES)
                | may(area.access.executable(), EXECUTES);
            place.set(AreaInfo { start: area.start, end: area.end, first_page, ino, access, shared: area.is_shared() });
        }
        info.area_count.set(space.areas().len() as u16);
        info.heap_start.set(space.break_start());
        info.heap_end.set(space.break_end());
    }

    pub(crate) async fn set_break(&mut self) -> SyscallResult {
        let end = self.argument(0);
        let now = self.memory().0.break_end();
        if end > now && self.allow_space(end - now).is_err() {
            return Ok(now);
        }
        let (space, mut pager) = self.memory();
        let areas = space.areas().len();
        let end = pager.set_brk(space, end).await;
        let info = self.facts.info;
        let pages = |end: u64| end.div_ceil(PAGE_BYTES as u64);
        let start = pages(info.heap_start.get());
        // The most frequent change: a heap that was there and is there ends elsewhere.
        let is_end_alone = pages(now) > start && pages(end) > start && self.memory().0.areas().len() == areas;
        if end != now && !is_end_alone {
            self.publish_areas();
        }
        info.heap_end.set(end);
        Ok(end)
    }

    pub(crate) async fn map(&mut self) -> SyscallResult {
        let (address, length, protection) = (self.argument(0), self.argument(1), self.argument(2));
        let (flags, number, offset) = (self.argument(3), self.argument(4), self.argument(5));
        // In Linux's order, since programs ask for several things at once that cannot be.
        if !offset.is_multiple_of(PAGE_BYTES as u64) {
            return Err(Errno::EINVAL.into());
        }
        let descriptor = match flags & MAP_ANONYMOUS {
            0 => {
                let file = *self.program.files.get(number)?;
                Some(if file.reads() || file.writes() { file } else { return Err(Errno::EBADF.into()) })
            }
            _ => None,
        };
        if length == 0 {
            return Err(Errno::EINVAL.into());
        }
        let shared = match flags & MAP_TYPE {
            MAP_PRIVATE => false,
            MAP_SHARED => true,
            // Of a file: with flags that are known.
            MAP_SHARED_VALIDATE if descriptor.is_some() && flags & !KNOWN_FLAGS == 0 => true,
            MAP_SHARED_VALIDATE if descriptor.is_some() => return Err(Errno::EOPNOTSUPP.into()),
            _ => return Err(Errno::EINVAL.into()),
        };
        let place = match (flags & MAP_FIXED_NOREPLACE != 0, flags & MAP_FIXED != 0) {
            (true, _) => MapAddress::FixedFree(address),
            (_, true) => MapAddress::Fixed(address),
            _ => MapAddress::Anywhere(address),
        };
        let writes = protection & PROT_WRITE != 0;
        let backing = match descriptor {
            None if shared => Backing::Object,
            None => Backing::Zero,
            Some(descriptor) => self.backing(descriptor, offset, shared, writes).await?,
        };
        let mapping = Mapping { place, length, access: access_of(protection), backing };
        self.allow_space(length)?;
        let (space, mut pager) = self.memory();
        let mapped = pager.map(space, mapping).await;
        self.publish_areas();
        Ok(mapped?)
    }

    /// What is behind a descriptor.
    pub(super) async fn backing(
        &mut self,
        descriptor: FileDescriptor,
        offset: u64,
        shared: bool,
        writes: bool,
    ) -> Result<Backing, Errno> {
        if !descriptor.reads() || (shared && writes && !descriptor.writes()) {
            return Err(Errno::EACCES);
        }
        if descriptor.object == Object::Zero {
            return Ok(if shared { Backing::Object } else { Backing::Zero });
        }
        let at = descriptor.object.file().ok_or(Errno::ENODEV)?;
        let BackingInode { slot, ino, generation, mode } = self.services.file(at)?.call(DescribeFile {}, ()).await?;
        if mode & S_IFMT != S_IFREG {
            return Err(Errno::ENODEV);
        }
        let file = MappedFile { ino, generation, slot };
        if !shared {
            return Ok(Backing::File { file, offset });
        }
        let elsewhere = self.services.board != self.services.file_board;
        if writes && elsewhere && !self.memory().1.may_store(file).await? {
            return Err(Errno::ENODEV);
        }
        Ok(Backing::Shared { file, offset, writable: descriptor.writes() })
    }

    /// `msync`: puts the file's mapped writes on the medium, if `flags` want that.
    pub(crate) async fn sync_mapping(&mut self) -> Result<(), Errno> {
        let (address, length, flags) = (self.argument(0), self.argument(1), self.int(2));
        let both = MS_SYNC | MS_ASYNC;
        if flags & !(both | MS_INVALIDATE) != 0 || flags & both == both || !address.is_multiple_of(PAGE_BYTES as u64) {
            return Err(Errno::EINVAL);
        }
        let (space, mut pager) = self.memory();
        let written = pager.settle_shared(space, address, length).await?;
        if written && flags & MS_SYNC != 0 {
            self.services.inode_directory()?.call(CommitAll { extent: CommitExtent::Journal }, ()).await?;
        }
        Ok(())
    }

    /// `mlock`, `munlock`: pages of programs never leave memory.
    pub(crate) async fn lock_memory(&mut self) -> Result<(), Errno> {
        let (address, length) = (self.argument(0), self.argument(1));
        let start = address - address % PAGE_BYTES as u64;
        let end = address.checked_add(length).ok_or(Errno::EINVAL)?;
        let (space, _) = self.memory();
        if space.covers(start, end) { Ok(()) } else { Err(Errno::ENOMEM) }
    }

    /// `mlock2`, whose one flag says that pages are to stay once they have come: so they do.
    pub(crate) async fn lock_memory_with_flags(&mut self) -> Result<(), Errno> {
        match self.int(2) {
            0 | MLOCK_ONFAULT => self.lock_memory().await,
            _ => Err(Errno::EINVAL),
        }
    }

    /// `mlockall`: as `mlock`, of all.
    pub(crate) fn lock_all_memory(&mut self) -> Result<(), Errno> {
        match self.int(0) {
            0 | MCL_ONFAULT => Err(Errno::EINVAL),
            flags if flags & !(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0 => Err(Errno::EINVAL),
            _ => Ok(()),
        }
    }

    pub(crate) async fn unmap(&mut self) -> Result<(), Errno> {
        let (address, length) = (self.argument(0), self.argument(1));
        let (space, mut pager) = self.memory();
        let unmapped = pager.unmap(space, address, length).await;
        self.publish_areas();
        unmapped
    }

    pub(crate) async fn protect(&mut self) -> Result<(), Errno> {
        let (address, length) = (self.argument(0), self.argument(1));
        let access = access_of(self.argument(2));
        let (space, mut pager) = self.memory();
        let protected = pager.protect(space, address, length, access).await;
        self.publish_areas();
        protected
    }

    pub(crate) async fn remap(&mut self) -> SyscallResult {
        let (address, length, new_length) = (self.argument(0), self.argument(1), self.argument(2));
        let flags = self.argument(3);
        if flags & !MREMAP_MAYMOVE != 0 {
            return Err(Errno::EINVAL.into());
        }
        self.allow_space(new_length.saturating_sub(length))?;
        let (space, mut pager) = self.memory();
        let moved = pager.remap(space, address, length, new_length, flags & MREMAP_MAYMOVE != 0).await;
        self.publish_areas();
        Ok(moved?)
    }

    /// Advice is ignored, but that which programs rely on: pages of zeros become zeros again.
    pub(crate) async fn advise(&mut self) -> Result<(), Errno> {
        let (address, length, advice) = (self.argument(0), self.argument(1), self.int(2));
        if !ADVICE.contains(&advice) || !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
        let end = address.checked_add(length).ok_or(Errno::EINVAL)?;
        let (space, mut pager) = self.memory();
        if length > 0 && !space.covers(address, end) {
            return Err(Errno::ENOMEM);
        }
        if advice != MADV_DONTNEED || length == 0 {
            return Ok(());
        }
        let area = space.areas().iter().find(|area| area.start_address() <= address && end <= area.end_address());
        let Some(area) = area.filter(|area| area.origin == Origin::Zero) else { return Ok(()) };
        let mapping =
            Mapping { place: MapAddress::Fixed(address), length, access: area.access, backing: Backing::Zero };
        pager.map(space, mapping).await.map(|_| ())
    }

    /// mincore: which pages have a frame that the program can use without a fault.
    pub(crate) async fn which_are_present(&mut self) -> SyscallResult<()> {
        let (address, length, place) = (self.argument(0), self.argument(1), self.argument(2));
        if !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        let end = address.checked_add(length).ok_or(Errno::ENOMEM)?;
        let (mut at, mut out) = (address, place);
        // Each pass fills a page of answers.
        while at < end {
            if self.is_over_after_page(false).await {
                return Err(SyscallEscape::Restart);
            }
            let pages = (end - at).div_ceil(PAGE).min(PAGE);
            for index in 0..pages {
                let page = at + index * PAGE;
                let Some(space) = &self.program.space else { unreachable!("a program has a space while it runs") };
                if !space.areas().iter().any(|area| area.start_address() <= page && page < area.end_address()) {
                    return Err(Errno::ENOMEM.into());
                }
                let present = space.present_frame(self.machine, page, AccessKind::Read).is_some();
                self.scratch[index as usize] = u8::from(present);
            }
            self.put_scratch(out, pages as usize).await?;
            (at, out) = (at + pages * PAGE, out.wrapping_add(pages));
        }
        Ok(())
    }
}
