//! A space as bytes, for its way to another slot of this board or to another board.
//!
//! Three ways: *handed over* (a copy, which the bytes are from now on: fork), *borrowed* (vfork: the sender
//! waits and goes on with its own afterwards), *described* (remote fork: areas and files only; pages
//! travel by [`crate::page_list`]). On the same board its areas lie deposited ([`crate::tables`]), and the bytes say
//! where.
//! To another board they are in the bytes: numbers are LEB128, areas count from the end of the one before, so that a
//! static program takes about 60 bytes, a dynamic one some 8 for each area. What does not fit into a page does not
//! travel.
//!
//! Not here: registers, files, signals: the rest of a process's descriptor.

use crate::area::{Area, Origin, Sharing, number};
use crate::areas::{AREAS_MAX, Areas};
use crate::fork::SpaceCopy;
use crate::layout::{PAGE, STACK_END};
use crate::mapped_files::{FILES_MAX, MappedFile, MappedFiles};
use crate::pager::Pager;
use crate::space::Space;
use crate::tables::{Lists, SpaceTables};
use renga_abi::Errno;
use renga_hal::memory::{Access, Frame, UserMemory};
use renga_proto::packed::{NUMBER_BYTES, Unpack, put_number};

const ACCESS: [Access; 4] = [Access::None, Access::Read, Access::ReadWrite, Access::ReadExecute];
/// What can be read and executed can be written, too: rare, and a byte more.
const WRITES_CODE: u64 = 128;
const TOUCHED: u64 = 4;
const FROM_FILE: u64 = 8;
const WHOLE: u64 = 16;
/// From here on: whose the pages are.
const SHARING_SHIFT: u32 = 5;
const SHARING: [Sharing; 4] = [Sharing::Private, Sharing::Readable, Sharing::Writable, Sharing::Object];
const KIND_MAX: u64 = 255;

/// How a space travels; the first number.
const DESCRIBED: u64 = 0;
const HANDED_OVER: u64 = 1;
const BORROWED: u64 = 2;

struct AreaWriter<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl AreaWriter<'_> {
    fn put(&mut self, number: u64) -> Result<(), Errno> {
        let mut bytes = [0; NUMBER_BYTES];
        let length = put_number(number, &mut bytes);
        let place = self.out.get_mut(self.at..self.at + length).ok_or(Errno::E2BIG)?;
        place.copy_from_slice(&bytes[..length]);
        self.at += length;
        Ok(())
    }
}

/// The next number of `reader`, at most `max`. `EINVAL`: there is none.
fn get_max(reader: &mut Unpack<'_>, max: u64) -> Result<u64, Errno> {
    reader.number().filter(|&number| number <= max).ok_or(Errno::EINVAL)
}

/// The next number of `reader`, of any value of its type. `EINVAL`: there is none.
fn get<T: TryFrom<u64>>(reader: &mut Unpack<'_>) -> Result<T, Errno> {
    reader.number().ok_or(Errno::EINVAL)
}

impl Space {
    /// Writes `copy` so that the process that decodes the bytes owns it, or runs in it while this one is not used. How
    /// many bytes; `E2BIG` if they do not fit.
    pub fn encode_copy(&self, copy: &SpaceCopy, out: &mut [u8]) -> Result<usize, Errno> {
        let mut writer = AreaWriter { out, at: 0 };
        self.put_head(&mut writer, if copy.lent { BORROWED } else { HANDED_OVER }, copy.root)?;
        writer.put(copy.table as u64)?;
        Ok(writer.at)
    }
    /// Writes areas, files and break for another board.
    pub fn encode_areas(&self, out: &mut [u8]) -> Result<usize, Errno> {
        let mut writer = AreaWriter { out, at: 0 };
        self.put_head(&mut writer, DESCRIBED, Frame(0))?;
        put_files(&mut writer, &self.table.files)?;
        put_areas(&mut writer, &self.table.areas)?;
        Ok(writer.at)
    }

    fn put_head(&self, writer: &mut AreaWriter, way: u64, root: Frame) -> Result<(), Errno> {
        writer.put(way)?;
        writer.put(u64::from(root.0))?;
        writer.put(self.break_start)?;
        writer.put(self.break_end.saturating_sub(self.break_start))
    }

    fn get_break(&mut self, reader: &mut Unpack) -> Result<(), Errno> {
        self.break_start = get_max(reader, STACK_END)?;
        self.break_end = self.break_start + get_max(reader, STACK_END)?;
        Ok(())
    }

    /// The space that was encoded on this board, handed over or borrowed. `EINVAL` for other bytes.
    pub fn decode_local(tables: &'static SpaceTables, bytes: &[u8]) -> Result<Space, Errno> {
        let mut reader = Unpack(bytes);
        let way: u64 = get(&mut reader)?;
        if way != HANDED_OVER && way != BORROWED {
            return Err(Errno::EINVAL);
        }
        let mut space = Space::none();
        space.root = Frame(get(&mut reader)?);
        space.get_break(&mut reader)?;
        space.table = tables.take_over(get(&mut reader)?)?;
        space.borrowed = way == BORROWED;
        space.note_shared_areas();
        Ok(space)
    }

    fn note_shared_areas(&mut self) {
        for index in 0..self.table.areas.as_slice().len() {
            let area = self.table.areas.as_slice()[index];
            if area.is_shared() {
                self.note_shared(&area);
            }
        }
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// A new space with areas and files described on another board; no page is present. The caller keeps the files
    /// active by other references until this is done.
    pub async fn decode_areas(&mut self, bytes: &[u8]) -> Result<Space, Errno> {
        let mut reader = Unpack(bytes);
        if get::<u64>(&mut reader)? != DESCRIBED {
            return Err(Errno::EINVAL);
        }
        get::<u64>(&mut reader)?;
        let mut described = Space::of(Frame(0), self.tables.take()?, false);
        described.get_break(&mut reader)?;
        get_files(&mut reader, &mut described.table.files)?;
        let Lists { areas, files } = &mut *described.table;
        get_areas(&mut reader, files, areas)?;
        described.note_shared_areas();
        let mut result = self.take_over_files(&mut described).await;
        if result.is_ok() {
            result = self.create_root().await.map(|root| described.root = root);
        }
        if let Err(errno) = result {
            described.table.areas.clear();
            self.release_unused_files(&mut described).await;
            return Err(errno);
        }
        Ok(described)
    }

    /// A use of each file, and an object of its own for each that is another board's. Those without are none
    /// afterwards.
    async fn take_over_files(&mut self, space: &mut Space) -> Result<(), Errno> {
        let mut result = Ok(());
        for index in 0..space.table.files.as_slice().len() {
            let Some(file) = space.table.files.as_slice()[index] else { continue };
            let adopted = if file.is_object() {
                // What is there is not shared with here: it is copied.
                self.make_object().await
            } else {
                self.keep_file(file).await.map(|()| file)
            };
            result = result.and(adopted.map(|_| ()));
            space.table.files.put(index, adopted.ok())?;
        }
        result
    }
}

fn put_files(writer: &mut AreaWriter, files: &MappedFiles) -> Result<(), Errno> {
    writer.put(files.as_slice().len() as u64)?;
    for file in files.as_slice() {
        writer.put(u64::from(file.is_some()))?;
        if let Some(MappedFile { ino, generation, slot }) = *file {
            writer.put(u64::from(ino))?;
            writer.put(u64::from(generation))?;
            writer.put(u64::from(slot))?;
        }
    }
    Ok(())
}

fn get_files(reader: &mut Unpack, files: &mut MappedFiles) -> Result<(), Errno> {
    for index in 0..get_max(reader, FILES_MAX as u64)? {
        let mut file = None;
        if get_max(reader, 1)? == 1 {
            file = Some(MappedFile { ino: get(reader)?, generation: get(reader)?, slot: get(reader)? });
        }
        files.put(index as usize, file)?;
    }
    Ok(())
}

fn put_areas(writer: &mut AreaWriter, areas: &Areas) -> Result<(), Errno> {
    writer.put(areas.as_slice().len() as u64)?;
    let mut behind = 0;
    for area in areas.as_slice() {
        let pages = area.end - area.start;
        writer.put(u64::from(area.start - behind))?;
        writer.put(u64::from(pages))?;
        let writes_code = area.access == Access::ReadWriteExecute;
        let readable = if writes_code { Access::ReadExecute } else { area.access };
        let access = ACCESS.iter().position(|&access| access == readable).unwrap_or(0) as u64;
        let sharing = SHARING.iter().position(|&sharing| sharing == area.sharing).unwrap_or(0) as u64;
        let flags = if area.touched { TOUCHED } else { 0 } | if writes_code { WRITES_CODE } else { 0 };
        let kind = access | flags | sharing << SHARING_SHIFT;
        match area.origin {
            Origin::Zero => writer.put(kind)?,
            Origin::File { file, first_page, bytes } => {
                let whole = bytes == u64::from(pages) * PAGE;
                writer.put(kind | FROM_FILE | if whole { WHOLE } else { 0 })?;
                writer.put(u64::from(file))?;
                writer.put(u64::from(first_page))?;
                if !whole {
                    writer.put(bytes)?;
                }
            }
        }
        behind = area.end;
    }
    Ok(())
}

fn get_areas(reader: &mut Unpack, files: &MappedFiles, areas: &mut Areas) -> Result<(), Errno> {
    let (mut behind, end_max) = (0, u64::from(number(STACK_END)));
    for _ in 0..get_max(reader, AREAS_MAX as u64)? {
        let start = behind + get_max(reader, end_max)?;
        let pages = get_max(reader, end_max)?;
        behind = start + pages;
        if pages == 0 || behind > end_max {
            return Err(Errno::EINVAL);
        }
        let kind = get_max(reader, KIND_MAX)?;
        let sharing = SHARING[(kind >> SHARING_SHIFT) as usize % SHARING.len()];
        let mut origin = Origin::Zero;
        let mut is_object = false;
        if kind & FROM_FILE != 0 {
            let file = get_max(reader, FILES_MAX as u64 - 1)? as u8;
            let first_page = get_max(reader, u64::from(u32::MAX) - pages)? as u32;
            let bytes = if kind & WHOLE != 0 { pages * PAGE } else { get_max(reader, pages * PAGE)? };
            is_object = files.get(file).ok_or(Errno::EINVAL)?.is_object();
            origin = Origin::File { file, first_page, bytes };
        }
        let (start, end) = (start as u32, behind as u32);
        let access = match ACCESS[(kind % ACCESS.len() as u64) as usize] {
            access if kind & WRITES_CODE == 0 => access,
            Access::ReadExecute => Access::ReadWriteExecute,
            _ => return Err(Errno::EINVAL),
        };
        let area = Area { start, end, access, touched: kind & TOUCHED != 0, sharing, origin };
        if !area.admits(access)
            || is_object != (sharing == Sharing::Object)
            || (area.is_shared() && origin == Origin::Zero)
        {
            return Err(Errno::EINVAL);
        }
        areas.insert(area)?;
    }
    Ok(())
}
