//! Mapping and unmapping: what mmap, munmap, mprotect, mremap and brk do to a space.
//!
//! Invariant: areas change before pages do, so a page is never mapped with more access than its area
//! has. A borrowed space refuses all of it (`ENOMEM`): its lender would not learn of the change.
//!
//! Not here: flags of the system calls, what a shared mapping shows (`shared_fault.rs`).

use crate::area::{Area, Origin, Sharing, number};
use crate::layout::{MAP_START, MMAP_END, PAGE, STACK_END, page_up};
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Access, USER_END, UserMemory};

const PROT_READ: u64 = 1;
const PROT_WRITE: u64 = 2;
const PROT_EXEC: u64 = 4;

/// The access of Linux's `prot`, of which other bits are ignored.
pub fn access_of(prot: u64) -> Access {
    let has = |bit| prot & bit != 0;
    Access::from_flags(has(PROT_READ), has(PROT_WRITE), has(PROT_EXEC))
}

/// Where a mapping goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapAddress {
    /// At this address if it is free, else where there is room; 0: anywhere.
    Anywhere(u64),
    /// At this address, instead of what is there.
    Fixed(u64),
    /// At this address; `EEXIST` if something is there.
    FixedFree(u64),
}

/// What a mapping shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backing {
    /// Zeros.
    Zero,
    /// A file, privately. The caller keeps its inode active (by an open file) until `map` returns.
    File {
        /// Which.
        file: MappedFile,
        /// From which byte on; a multiple of the page size.
        offset: u64,
    },
    /// A file, which changes as the program writes; otherwise as `File`.
    Shared {
        /// Which.
        file: MappedFile,
        /// From which byte on; a multiple of the page size.
        offset: u64,
        /// Whether it was opened for writing.
        writable: bool,
    },
    /// Zeros, which the program shares with its children.
    Object,
}
impl Backing {
    fn sharing(&self) -> Sharing {
        match self {
            Backing::Zero | Backing::File { .. } => Sharing::Private,
            Backing::Shared { writable: false, .. } => Sharing::Readable,
            Backing::Shared { writable: true, .. } => Sharing::Writable,
            Backing::Object => Sharing::Object,
        }
    }
}

/// What to map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Where.
    pub place: MapAddress,
    /// How many bytes; rounded up to whole pages.
    pub length: u64,
    /// What the program may do.
    pub access: Access,
    /// What it shows.
    pub backing: Backing,
}

/// The whole pages `address..address + length`, within what a program may map.
fn whole_pages(address: u64, length: u64) -> Result<(u64, u64), Errno> {
    if !address.is_multiple_of(PAGE) || length == 0 {
        return Err(Errno::EINVAL);
    }
    let end = address.checked_add(length).and_then(page_up).ok_or(Errno::ENOMEM)?;
    if address < MAP_START || end > STACK_END {
        return Err(Errno::ENOMEM);
    }
    Ok((address, end))
}

impl Space {
    fn check_owned(&self) -> Result<(), Errno> {
        if self.borrowed { Err(Errno::ENOMEM) } else { Ok(()) }
    }

    fn place(&self, place: MapAddress, length: u64) -> Result<u64, Errno> {
        let is_free = |start, end| self.table.areas.within(number(start), number(end)).is_empty();
        match place {
            MapAddress::Fixed(address) => whole_pages(address, length).map(|(start, _)| start),
            MapAddress::FixedFree(address) => {
                let (start, end) = whole_pages(address, length)?;
                if is_free(start, end) { Ok(start) } else { Err(Errno::EEXIST) }
            }
            MapAddress::Anywhere(hint) => {
                let hinted = page_up(hint).and_then(|hint| whole_pages(hint, length).ok());
                if let Some((start, _)) = hinted.filter(|&(start, end)| end <= MMAP_END && is_free(start, end)) {
                    return Ok(start);
                }
                let pages = number(length);
                let found =
                    self.table.areas.find_free(pages, number(MAP_START), number(MMAP_END)).ok_or(Errno::ENOMEM)?;
                Ok(u64::from(found) * PAGE)
            }
        }
    }

    /// Whether all pages of addresses `start..end` are mapped.
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let Some(end) = page_up(end).filter(|&end| end <= USER_END) else { return false };
        start >= end || self.table.areas.covers(number(start), number(end))
    }

    fn protect_pages<M: UserMemory>(&self, machine: &M, (start, end): (u64, u64), access: Access) {
        let mut at = start;
        // Each pass passes a page.
        while let Some((va, _, old)) = self.next_page(machine, at, end) {
            let new = if old.writable() { access } else { access.without_writing() };
            machine.protect(self.root, va, new);
            at = va + PAGE;
        }
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// Maps; the address.
    pub async fn map(&mut self, space: &mut Space, mapping: Mapping) -> Result<u64, Errno> {
        space.check_owned()?;
        let length = page_up(mapping.length).filter(|&length| length < USER_END).ok_or(Errno::ENOMEM)?;
        if length == 0 {
            return Err(Errno::EINVAL);
        }
        let writable_zeros = mapping.backing == Backing::Zero && mapping.access.writable();
        if writable_zeros && length / PAGE > u64::from(self.machine.frames()) {
            return Err(Errno::ENOMEM); // could never be used
        }
        let start = space.place(mapping.place, length)?;
        let origin = self.origin(space, mapping.backing, length).await?;
        let mut area = Area::new(start, start + length, mapping.access, origin);
        if mapping.backing.sharing() != Sharing::Private {
            area = area.shared(mapping.backing.sharing());
            space.note_shared(&area);
        }
        let mapped = self.replace_area(space, area).await;
        self.release_unused_files(space).await;
        mapped.map(|()| start)
    }

    /// Puts `area` in the place of whatever is there.
    pub(crate) async fn replace_area(&mut self, space: &mut Space, area: Area) -> Result<(), Errno> {
        if !space.table.areas.within(area.start, area.end).is_empty() {
            space.table.areas.remove(area.start, area.end)?;
            self.unmap_pages(space, area.start_address(), area.end_address()).await;
        }
        space.table.areas.insert(area)
    }

    async fn origin(&mut self, space: &mut Space, backing: Backing, length: u64) -> Result<Origin, Errno> {
        let (file, offset) = match backing {
            Backing::Zero => return Ok(Origin::Zero),
            Backing::File { file, offset } | Backing::Shared { file, offset, .. } => (file, offset),
            Backing::Object => {
                let object = self.make_object().await?;
                return Ok(Origin::File { file: self.add_file(space, object).await?, first_page: 0, bytes: length });
            }
        };
        if !offset.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let end_page = u32::try_from((offset / PAGE).saturating_add(length / PAGE)).map_err(|_| Errno::EOVERFLOW)?;
        let first_page = end_page - number(length);
        Ok(Origin::File { file: self.use_file(space, file).await?, first_page, bytes: length })
    }

    /// The number of `file` among those of the space, with a use at the `references` process.
    pub(crate) async fn use_file(&mut self, space: &mut Space, file: MappedFile) -> Result<u8, Errno> {
        if let Some(index) = space.table.files.find(&file) {
            return Ok(index);
        }
        self.keep_file(file).await?;
        self.add_file(space, file).await
    }

    /// The number that a file with a use gets, which is released if there is none.
    async fn add_file(&mut self, space: &mut Space, file: MappedFile) -> Result<u8, Errno> {
        let added = space.table.files.add(file);
        if added.is_err() {
            self.release_file(file).await;
        }
        added
    }

    /// Unmaps whatever is in `address..address + length`.
    pub async fn unmap(&mut self, space: &mut Space, address: u64, length: u64) -> Result<(), Errno> {
        space.check_owned()?;
        let (start, end) = whole_pages(address, length).map_err(|_| Errno::EINVAL)?;
        space.table.areas.remove(number(start), number(end))?;
        self.unmap_pages(space, start, end).await;
        self.release_unused_files(space).await;
        Ok(())
    }

    /// Changes what the program may do with `address..address + length`. `ENOMEM` when not all of it
    /// is mapped, `EACCES` when a file that was not opened for writing would be writable.
    pub async fn protect(&mut self, space: &mut Space, address: u64, length: u64, access: Access) -> Result<(), Errno> {
        space.check_owned()?;
        if length == 0 && address.is_multiple_of(PAGE) {
            return Ok(());
        }
        let (start, end) = whole_pages(address, length)?;
        if !space.table.areas.covers(number(start), number(end)) {
            return Err(Errno::ENOMEM);
        }
        if !space.table.areas.within(number(start), number(end)).iter().all(|area| area.admits(access)) {
            return Err(Errno::EACCES);
        }
        space.table.areas.set_access(number(start), number(end), access)?;
        for area in space.table.areas.within(number(start), number(end)) {
            let (start, end) = (start.max(area.start_address()), end.min(area.end_address()));
            if area.is_shared() {
                // It faults on them again: some may have been withheld, others are to be dirty first.
                self.unmap_pages(space, start, end).await;
            } else {
                space.protect_pages(self.machine, (start, end), access);
            }
        }
        Ok(())
    }

    /// Whether files may have been written by shared areas of `address..address + length`; or what has failed of that.
    /// `ENOMEM` when not all of it is mapped.
    pub async fn settle_shared(&mut self, space: &mut Space, address: u64, length: u64) -> Result<bool, Errno> {
        let end = address.checked_add(length).ok_or(Errno::ENOMEM)?;
        if !space.covers(address, end) {
            return Err(Errno::ENOMEM);
        }
        let (mut written, mut result, mut last) = (false, Ok(()), None);
        for area in space.table.areas.within(number(address), number(page_up(end).ok_or(Errno::ENOMEM)?)) {
            let Origin::File { file, .. } = area.origin else { continue };
            if area.sharing == Sharing::Writable && last.replace(file) != Some(file) {
                written = true;
                let settled = self.settle_file(space.table.files.get(file).ok_or(Errno::EIO)?).await;
                result = result.and(settled);
            }
        }
        result.map(|()| written)
    }

    /// Sets the end of the heap; returns the resulting end (the old one if it cannot be).
    pub async fn set_brk(&mut self, space: &mut Space, end: u64) -> u64 {
        if space.borrowed || end < space.break_start || end > MMAP_END {
            return space.break_end;
        }
        let (Some(old), Some(new)) = (page_up(space.break_end), page_up(end)) else { return space.break_end };
        if new > old {
            let area = Area::new(old, new, Access::ReadWrite, Origin::Zero);
            let too_much = (new - old) / PAGE > u64::from(self.machine.frames());
            let free = space.table.areas.within(area.start, area.end).is_empty();
            if too_much || !free || space.table.areas.insert(area).is_err() {
                return space.break_end;
            }
        } else if new < old {
            if space.table.areas.remove(number(new), number(old)).is_err() {
                return space.break_end;
            }
            self.unmap_pages(space, new, old).await;
        }
        space.break_end = end;
        end
    }

    /// Makes the mapping `address..address + length` `new_length` bytes long; its address, another one
    /// only with `may_move`. Only mappings of zeros grow.
    pub async fn remap(
        &mut self,
        space: &mut Space,
        address: u64,
        length: u64,
        new_length: u64,
        may_move: bool,
    ) -> Result<u64, Errno> {
        space.check_owned()?;
        let (start, end) = whole_pages(address, length)?;
        let new_length = page_up(new_length).filter(|&new| new > 0 && new < USER_END).ok_or(Errno::EINVAL)?;
        let area =
            *space.table.areas.find(number(start)).filter(|area| area.end_address() >= end).ok_or(Errno::EFAULT)?;
        let new_end = start + new_length;
        if new_end < end {
            self.unmap(space, new_end, end - new_end).await?;
        }
        if new_end <= end {
            return Ok(start);
        }
        if area.origin != Origin::Zero || new_length / PAGE > u64::from(self.machine.frames()) {
            return Err(Errno::ENOMEM);
        }
        let grown = Area::new(end, new_end, area.access, Origin::Zero);
        if new_end <= STACK_END && space.table.areas.within(grown.start, grown.end).is_empty() {
            return space.table.areas.insert(grown).map(|()| start);
        }
        if !may_move {
            return Err(Errno::ENOMEM);
        }
        let target = space.place(MapAddress::Anywhere(0), new_length)?;
        space.table.areas.insert(Area::new(target, target + new_length, area.access, Origin::Zero))?;
        let moved = self.move_pages(space, (start, end), target).await;
        let (old, old_end) = if moved.is_ok() { (start, end) } else { (target, target + new_length) };
        space.table.areas.remove(number(old), number(old_end))?;
        moved.map(|()| target)
    }

    /// Moves the pages of `from` to `target`; all of them or none.
    async fn move_pages(&mut self, space: &mut Space, (start, end): (u64, u64), target: u64) -> Result<(), Errno> {
        let mut at = start;
        // Each pass moves a page.
        while let Some((va, frame, access)) = space.next_page(self.machine, at, end) {
            if let Err(errno) = self.map_frame(space.root, va - start + target, frame, access).await {
                let back = start..va;
                for va in back.step_by(PAGE as usize) {
                    if let Some((frame, access)) = self.machine.lookup(space.root, va - start + target) {
                        self.machine.unmap(space.root, va - start + target);
                        // Its table is still there, so this takes no frame.
                        self.map_frame(space.root, va, frame, access).await?;
                    }
                }
                return Err(errno);
            }
            self.machine.unmap(space.root, va);
            at = va + PAGE;
        }
        Ok(())
    }
}
