//! Directory entries in one block of a directory.
//!
//! Invariant: the records of a block fill it exactly; a record without an inode, or the tail of one
//! behind its name, is free. A block that breaks this gives `EIO`, never a fault.
//! Layout: inode (4 bytes), record length (2), name length (1), type (1), name.

use crate::format::bytes::{put_u16, put_u32, put_u64, u16_at, u32_at};
use renga_abi::{Errno, PAGE_BYTES};
use renga_proto::inode::{DirectoryRead, EntryFound};

type Page = [u8; PAGE_BYTES];

const HEADER_BYTES: usize = 8;
/// Header of a `struct linux_dirent64`: inode, next position (8 bytes each), length, type.
const LISTED_HEADER_BYTES: usize = 19;
/// `d_type` of each ext2 entry type.
const LISTED_TYPES: [u8; 8] = [0, 8, 4, 2, 6, 1, 12, 10];

/// The header of a block without entries: one free record.
pub(crate) const EMPTY: [u8; HEADER_BYTES] = [0, 0, 0, 0, 0x00, 0x10, 0, 0];

#[derive(Clone, Copy)]
struct EntryRecord {
    at: usize,
    bytes: usize,
    ino: u32,
    name_bytes: usize,
}

impl EntryRecord {
    fn name<'a>(&self, page: &'a Page) -> &'a [u8] {
        &page[self.at + HEADER_BYTES..self.at + HEADER_BYTES + self.name_bytes]
    }
    fn used_bytes(&self) -> usize {
        if self.ino == 0 { 0 } else { record_bytes(self.name_bytes) }
    }
    fn is_dots(&self, page: &Page) -> bool {
        matches!(self.name(page), b"." | b"..")
    }
}

fn record_bytes(name_bytes: usize) -> usize {
    (HEADER_BYTES + name_bytes).next_multiple_of(4)
}

/// The records of a block; an error ends it.
struct Records<'a> {
    page: &'a Page,
    at: usize,
}
impl Iterator for Records<'_> {
    type Item = Result<EntryRecord, Errno>;
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        if at + HEADER_BYTES > PAGE_BYTES {
            return None;
        }
        let record = EntryRecord {
            at,
            bytes: usize::from(u16_at(self.page, at + 4)),
            ino: u32_at(self.page, at),
            name_bytes: usize::from(self.page[at + 6]),
        };
        let whole = record.bytes >= HEADER_BYTES
            && record.bytes.is_multiple_of(4)
            && at + record.bytes <= PAGE_BYTES
            && (record.ino == 0 || HEADER_BYTES + record.name_bytes <= record.bytes);
        self.at = if whole { at + record.bytes } else { PAGE_BYTES };
        Some(if whole { Ok(record) } else { Err(Errno::EIO) })
    }
}

fn records(page: &Page) -> Records<'_> {
    Records { page, at: 0 }
}

fn position(page: &Page, name: &[u8]) -> Result<EntryRecord, Errno> {
    for record in records(page) {
        let record = record?;
        if record.ino != 0 && record.name_bytes == name.len() && record.name(page) == name {
            return Ok(record);
        }
    }
    Err(Errno::ENOENT)
}

pub(crate) fn find(page: &Page, name: &[u8]) -> Result<EntryFound, Errno> {
    position(page, name).map(|record| EntryFound { ino: record.ino, kind: page[record.at + 7] })
}

/// Shows each name to `see`.
pub(crate) fn names(page: &Page, mut see: impl FnMut(&[u8])) -> Result<(), Errno> {
    for record in records(page) {
        let record = record?;
        if record.ino != 0 {
            see(record.name(page));
        }
    }
    Ok(())
}

pub(crate) fn add(page: &mut Page, name: &[u8], ino: u32, kind: u8) -> Result<(), Errno> {
    let needed = record_bytes(name.len());
    let mut room = None;
    for record in records(page) {
        let record = record?;
        if record.bytes - record.used_bytes() >= needed {
            room = Some(record);
            break;
        }
    }
    let room = room.ok_or(Errno::ENOSPC)?;
    let used = room.used_bytes();
    if used > 0 {
        put_u16(page, room.at + 4, used as u16);
    }
    let at = room.at + used;
    put_u32(page, at, ino);
    put_u16(page, at + 4, (room.bytes - used) as u16);
    page[at + 6] = name.len() as u8;
    page[at + 7] = kind;
    page[at + HEADER_BYTES..at + HEADER_BYTES + name.len()].copy_from_slice(name);
    Ok(())
}

/// Removes an entry: its record joins the one before it.
pub(crate) fn remove(page: &mut Page, name: &[u8]) -> Result<u32, Errno> {
    let gone = position(page, name)?;
    let before = records(page).filter_map(Result::ok).take_while(|record| record.at < gone.at).last();
    match before {
        Some(before) => put_u16(page, before.at + 4, (before.bytes + gone.bytes) as u16),
        None => put_u32(page, gone.at, 0),
    }
    Ok(gone.ino)
}

pub(crate) fn repoint(page: &mut Page, name: &[u8], ino: u32, kind: u8) -> Result<u32, Errno> {
    let record = position(page, name)?;
    put_u32(page, record.at, ino);
    page[record.at + 7] = kind;
    Ok(record.ino)
}

pub(crate) fn has_entries(page: &Page) -> Result<bool, Errno> {
    for record in records(page) {
        let record = record?;
        if record.ino != 0 && !record.is_dots(page) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Copies the name that stands for `ino`; its length.
pub(crate) fn name_of(page: &Page, ino: u32, out: &mut [u8]) -> Result<u32, Errno> {
    for record in records(page) {
        let record = record?;
        if record.ino == ino && !record.is_dots(page) {
            let name = record.name(page);
            out.get_mut(..name.len()).ok_or(Errno::ENAMETOOLONG)?.copy_from_slice(name);
            return Ok(name.len() as u32);
        }
    }
    Err(Errno::ENOENT)
}

/// Writes the entries from `position` on as `struct linux_dirent64`s, as far as they fit.
pub(crate) fn list(page: &Page, position: u64, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
    let base = position & !(PAGE_BYTES as u64 - 1);
    let mut filled = 0;
    for record in records(page) {
        let record = record?;
        let (start, end) = (base + record.at as u64, base + (record.at + record.bytes) as u64);
        if record.ino == 0 || start < position {
            continue;
        }
        let bytes = (LISTED_HEADER_BYTES + record.name_bytes + 1).next_multiple_of(8);
        let Some(listed) = out.get_mut(filled..filled + bytes) else {
            return Ok(DirectoryRead { bytes: filled as u32, next: start });
        };
        listed.fill(0);
        put_u64(listed, 0, u64::from(record.ino));
        put_u64(listed, 8, end);
        put_u16(listed, 16, bytes as u16);
        listed[18] = LISTED_TYPES[usize::from(page[record.at + 7] & 7)];
        listed[LISTED_HEADER_BYTES..LISTED_HEADER_BYTES + record.name_bytes].copy_from_slice(record.name(page));
        filled += bytes;
    }
    Ok(DirectoryRead { bytes: filled as u32, next: base + PAGE_BYTES as u64 })
}

#[cfg(test)]
mod tests {
    use super::{EMPTY, Errno, PAGE_BYTES, add, find, has_entries, list, name_of, remove, repoint};

    fn empty() -> [u8; PAGE_BYTES] {
        let mut page = [0; PAGE_BYTES];
        page[..EMPTY.len()].copy_from_slice(&EMPTY);
        page
    }

    #[test]
    fn directory_block_removal_frees_room() {
        let mut page = empty();
        let name = [b'x'; 255];
        let mut added = 0;
        while add(&mut page, &name[..200 + added % 50], 10 + added as u32, 1).is_ok() {
            added += 1;
        }
        assert_eq!(added, 18);
        assert_eq!(remove(&mut page, &name[..205]), Ok(15));
        assert_eq!(add(&mut page, b"y", 99, 2), Ok(()));
        assert_eq!(add(&mut page, b"z", 98, 2), Ok(()));
        assert_eq!(find(&page, b"z").map(|found| (found.ino, found.kind)), Ok((98, 2)));
        assert_eq!(remove(&mut page, &name[..205]), Err(Errno::ENOENT));
    }

    #[test]
    fn directory_block_first_entry_is_removed_and_added() {
        let mut page = empty();
        add(&mut page, b"a", 5, 1).unwrap();
        assert_eq!(remove(&mut page, b"a"), Ok(5));
        assert_eq!(has_entries(&page), Ok(false));
        add(&mut page, b".", 6, 2).unwrap();
        add(&mut page, b"..", 2, 2).unwrap();
        assert_eq!(has_entries(&page), Ok(false));
        assert_eq!(repoint(&mut page, b"..", 7, 2), Ok(2));
        add(&mut page, b"name", 7, 1).unwrap();
        let mut name = [0; 8];
        assert_eq!(name_of(&page, 7, &mut name), Ok(4));
        assert_eq!(&name[..4], b"name");
    }

    #[test]
    fn directory_block_list_continues_at_cursor() {
        let mut page = empty();
        for name in [&b"."[..], b"..", b"file"] {
            add(&mut page, name, 11, 1).unwrap();
        }
        let mut out = [0; 48];
        let read = list(&page, 8192, &mut out).unwrap();
        assert_eq!((read.bytes, read.next), (48, 8192 + 24));
        let read = list(&page, read.next, &mut out).unwrap();
        assert_eq!((read.bytes, read.next), (24, 12288));
        assert_eq!(&out[19..24], b"file\0");
        assert_eq!(out[18], 8);
    }

    #[test]
    fn directory_block_corruption_is_refused() {
        assert_eq!(find(&[0; PAGE_BYTES], b"a").map(|found| found.ino), Err(Errno::EIO));
        let mut page = empty();
        page[4] = 6;
        assert_eq!(add(&mut page, b"a", 1, 1), Err(Errno::EIO));
    }
}
