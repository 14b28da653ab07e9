//! One area of an address space: pages next to each other with one access and one origin.
//!
//! Invariant: bounds are page numbers below 2^27, `start < end`. Not here: the list (`areas.rs`), what
//! is mapped (`fault.rs`).

use crate::layout::PAGE;
use renga_hal::memory::Access;

/// Where the first content of an area's pages comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// Zeros.
    #[default]
    Zero,
    /// A file.
    File {
        /// Index into the space's files.
        file: u8,
        /// Page of the file that the first page of the area shows.
        first_page: u32,
        /// Bytes of the file from there on that belong to the area; behind them are zeros.
        bytes: u64,
    },
}

/// Whose the pages are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sharing {
    /// The space's own, from the first write on.
    #[default]
    Private,
    /// The file's, which was not opened for writing.
    Readable,
    /// The file's.
    Writable,
    /// Those of memory without a file that a program shares with its children.
    Object,
}

/// Pages next to each other with one access and one origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Area {
    /// Its first page's number (address / 4096).
    pub start: u32,
    /// The number of the page behind its last.
    pub end: u32,
    /// What the program may do.
    pub access: Access,
    /// Whether its pages may differ from their origin, so that they go along to another board.
    pub touched: bool,
    /// Whose its pages are.
    pub sharing: Sharing,
    /// Where its content comes from.
    pub origin: Origin,
}

impl Area {
    /// The area of addresses `start..end`, both multiples of the page size below 2^39.
    pub fn new(start: u64, end: u64, access: Access, origin: Origin) -> Self {
        let touched = access.writable() || origin == Origin::Zero;
        Area { start: number(start), end: number(end), access, touched, sharing: Sharing::Private, origin }
    }
    /// The same with pages that others have, too.
    pub fn shared(self, sharing: Sharing) -> Self {
        Area { sharing, touched: sharing == Sharing::Object, ..self }
    }
    /// Whether its pages are others', too.
    pub fn is_shared(&self) -> bool {
        self.sharing != Sharing::Private
    }
    /// The same with another access.
    pub fn with_access(self, access: Access) -> Self {
        let touched = self.touched || (access.writable() && !self.is_shared());
        Area { access, touched, ..self }
    }
    /// Whether it may have `access`.
    pub fn admits(&self, access: Access) -> bool {
        self.sharing != Sharing::Readable || !access.writable()
    }
    /// Its first address.
    pub fn start_address(&self) -> u64 {
        u64::from(self.start) * PAGE
    }
    /// The address behind its last.
    pub fn end_address(&self) -> u64 {
        u64::from(self.end) * PAGE
    }
    /// Whether the page is in it.
    pub fn contains(&self, page: u32) -> bool {
        self.start <= page && page < self.end
    }
    /// Of a file area: the file's page that `page` shows, and how many bytes of it belong here.
    pub fn file_page(&self, page: u32) -> Option<(u8, u32, usize)> {
        let Origin::File { file, first_page, bytes } = self.origin else { return None };
        let before = u64::from(page - self.start) * PAGE;
        let here = bytes.saturating_sub(before).min(PAGE);
        (here > 0).then(|| (file, first_page + (page - self.start), here as usize))
    }
    /// The part of it in pages `start..end`, which must overlap it.
    pub fn part(&self, start: u32, end: u32) -> Area {
        let (start, end) = (start.max(self.start), end.min(self.end));
        let origin = match self.origin {
            Origin::Zero => Origin::Zero,
            Origin::File { file, first_page, bytes } => {
                let skipped = start - self.start;
                let bytes = bytes.saturating_sub(u64::from(skipped) * PAGE);
                Origin::File { file, first_page: first_page + skipped, bytes: bytes.min(u64::from(end - start) * PAGE) }
            }
        };
        Area { start, end, origin, ..*self }
    }
    /// Both as one area, if `next` continues this one.
    pub fn joined(&self, next: &Area) -> Option<Area> {
        let alike = |area: &Area| (area.access, area.touched, area.sharing);
        if self.end != next.start || alike(self) != alike(next) {
            return None;
        }
        let origin = match (self.origin, next.origin) {
            (Origin::Zero, Origin::Zero) => Origin::Zero,
            (
                Origin::File { file, first_page, bytes },
                Origin::File { file: next_file, first_page: next_page, bytes: next_bytes },
            ) => {
                let pages = self.end - self.start;
                let continues = file == next_file && first_page.checked_add(pages) == Some(next_page);
                if !continues || bytes != u64::from(pages) * PAGE {
                    return None;
                }
                Origin::File { file, first_page, bytes: bytes + next_bytes }
            }
            _ => return None,
        };
        Some(Area { end: next.end, origin, ..*self })
    }
}

/// The number of the page that contains `address`, which is below 2^39.
pub(crate) fn number(address: u64) -> u32 {
    (address / PAGE) as u32
}
