//! The journal's blocks, as Linux's `jbd2` lays them out: big-endian numbers, each block with a header.
//!
//! A *descriptor* lists where the blocks behind it belong, a *commit* block ends their transaction.
//! Layout: Linux, `Documentation/filesystems/ext4/journal.rst`. Not here: what is written when
//! (`journal.rs`), what is read after a cut (`recovery.rs`).

use renga_abi::{Errno, PAGE_BYTES};

pub(crate) type Page = [u8; PAGE_BYTES];

/// The first bytes of each of the journal's own blocks.
pub(crate) const JOURNAL_MAGIC: [u8; 4] = [0xc0, 0x3b, 0x39, 0x98];
pub(crate) const DESCRIPTOR: u32 = 1;
pub(crate) const COMMIT: u32 = 2;
pub(crate) const REVOKE: u32 = 5;
/// Superblocks, of which only the second version has features.
const SUPERBLOCK_V1: u32 = 3;
const SUPERBLOCK_V2: u32 = 4;

const HEADER_BYTES: usize = 12;
const TAG_BYTES: usize = 8;
const UUID_BYTES: usize = 16;
/// Tags that fit into a descriptor; behind the first stands the UUID.
pub(crate) const TAGS_MAX: usize = (PAGE_BYTES - HEADER_BYTES - UUID_BYTES) / TAG_BYTES;
const ESCAPED: u16 = 1;
const SAME_UUID: u16 = 2;
const LAST: u16 = 8;

fn be32(page: &Page, at: usize) -> u32 {
    u32::from_be_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]])
}
fn put_be32(page: &mut Page, at: usize, value: u32) {
    page[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

/// The kind and transaction of a block, if it is the journal's own.
pub(crate) fn header(page: &Page) -> Option<(u32, u32)> {
    (page[..4] == JOURNAL_MAGIC).then(|| (be32(page, 4), be32(page, 8)))
}

pub(crate) fn begin(page: &mut Page, kind: u32, sequence: u32) {
    page.fill(0);
    page[..4].copy_from_slice(&JOURNAL_MAGIC);
    put_be32(page, 4, kind);
    put_be32(page, 8, sequence);
}

fn tag_at(number: usize) -> usize {
    HEADER_BYTES + number * TAG_BYTES + if number > 0 { UUID_BYTES } else { 0 }
}

/// Adds tag `number`: the next block belongs to `block`.
pub(crate) fn put_tag(page: &mut Page, number: usize, block: u32, escaped: bool) {
    let at = tag_at(number);
    put_be32(page, at, block);
    let flags = if escaped { ESCAPED } else { 0 } | if number > 0 { SAME_UUID } else { 0 };
    page[at + 6..at + 8].copy_from_slice(&flags.to_be_bytes());
}

pub(crate) fn end_tags(page: &mut Page, number: usize) {
    page[tag_at(number) + 7] |= LAST as u8;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) block: u32,
    pub(crate) escaped: bool,
}

pub(crate) struct Tags<'a> {
    page: &'a Page,
    at: usize,
}
pub(crate) fn tags(page: &Page) -> Tags<'_> {
    Tags { page, at: HEADER_BYTES }
}
impl Iterator for Tags<'_> {
    type Item = Tag;
    fn next(&mut self) -> Option<Tag> {
        let at = self.at;
        if at + TAG_BYTES > PAGE_BYTES {
            return None;
        }
        let flags = u16::from_be_bytes([self.page[at + 6], self.page[at + 7]]);
        let uuid = if flags & SAME_UUID == 0 { UUID_BYTES } else { 0 };
        self.at = if flags & LAST != 0 { PAGE_BYTES } else { at + TAG_BYTES + uuid };
        Some(Tag { block: be32(self.page, at), escaped: flags & ESCAPED != 0 })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JournalHead {
    /// Its blocks, and the first behind this.
    pub(crate) length: u32,
    pub(crate) first: u32,
    /// The transaction expected at `start`; 0: the journal is empty.
    pub(crate) sequence: u32,
    pub(crate) start: u32,
}

/// Reads the journal's superblock. `EINVAL` if it is none, or of a kind that we do not know.
pub(crate) fn head(page: &Page, blocks: u32) -> Result<JournalHead, Errno> {
    let kind = header(page).map(|(kind, _)| kind);
    let head =
        JournalHead { length: be32(page, 16), first: be32(page, 20), sequence: be32(page, 24), start: be32(page, 28) };
    // Of the features, revocation does no harm while there is nothing revoked, which recovery checks.
    let plain = kind == Some(SUPERBLOCK_V1) || be32(page, 40) & !1 == 0 && be32(page, 44) == 0;
    let known = matches!(kind, Some(SUPERBLOCK_V1 | SUPERBLOCK_V2)) && plain && be32(page, 12) == PAGE_BYTES as u32;
    let inside = head.first > 0 && head.first < head.length && head.length <= blocks && head.start < head.length;
    if known && inside && (head.start == 0 || head.start >= head.first) { Ok(head) } else { Err(Errno::EINVAL) }
}

/// Sets what the journal's superblock says of its data.
pub(crate) fn set_head(page: &mut Page, sequence: u32, start: u32) {
    put_be32(page, 24, sequence);
    put_be32(page, 28, start);
}

#[cfg(test)]
mod tests {
    use super::{DESCRIPTOR, Errno, PAGE_BYTES, TAGS_MAX, Tag, begin, end_tags, head, header, put_tag, tags};

    #[test]
    fn journal_format_descriptor_round_trips() {
        let mut page = [1; PAGE_BYTES];
        begin(&mut page, DESCRIPTOR, 7);
        assert_eq!(header(&page), Some((DESCRIPTOR, 7)));
        for number in 0..TAGS_MAX {
            put_tag(&mut page, number, number as u32 * 3, number % 5 == 0);
        }
        end_tags(&mut page, TAGS_MAX - 1);
        assert_eq!(tags(&page).count(), TAGS_MAX);
        assert_eq!(tags(&page).nth(10), Some(Tag { block: 30, escaped: true }));
        assert_eq!(tags(&page).last().map(|tag| tag.block), Some((TAGS_MAX as u32 - 1) * 3));
    }

    #[test]
    fn journal_format_garbage_is_refused() {
        assert_eq!(head(&[0; PAGE_BYTES], 1024), Err(Errno::EINVAL));
        assert!(tags(&[0; PAGE_BYTES]).count() <= TAGS_MAX);
        assert!(tags(&[0xf5; PAGE_BYTES]).count() <= TAGS_MAX * 2);
    }
}
