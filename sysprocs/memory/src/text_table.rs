//! The table of cached file pages: which frame shows which page of which file.
//!
//! Pages next to each other in a file lie in sets next to each other; within a set of [`WAYS`] the
//! entry unused for longest makes room. Invariant: an entry holds one reference to its frame; at most
//! one entry per page of a file, whatever the version. Not here: references (`text.rs`).

use renga_hal::memory::Frame;

/// Entries of one set.
pub const WAYS: usize = 8;

/// A page of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageKey {
    /// Its inode's number.
    pub ino: u32,
    /// The content's version.
    pub version: u64,
    /// Which page.
    pub page: u32,
}

/// Room for one cached page.
#[derive(Clone, Copy, Debug)]
pub struct TextEntry {
    key: PageKey,
    frame: Option<Frame>,
    /// When it was used last, in uses of the table.
    used: u64,
}

impl TextEntry {
    /// Room, not used.
    pub const EMPTY: TextEntry = TextEntry { key: PageKey { ino: 0, version: 0, page: 0 }, frame: None, used: 0 };
}

/// What a look into the table found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The page.
    Here(Frame),
    /// Only an older version of it.
    Older,
    /// Nothing, or a newer version.
    Nothing,
}

/// The table.
pub struct TextTable {
    entries: &'static mut [TextEntry],
    uses: u64,
    /// Where the search for entries to give up goes on.
    hand: usize,
}

impl TextTable {
    /// Over `entries`, of which whole sets are used.
    pub fn new(entries: &'static mut [TextEntry]) -> Self {
        let whole = entries.len() / WAYS * WAYS;
        let entries = &mut entries[..whole];
        entries.fill(TextEntry::EMPTY);
        TextTable { entries, uses: 0, hand: 0 }
    }

    fn set(&mut self, key: &PageKey) -> &mut [TextEntry] {
        let sets = self.entries.len() / WAYS;
        if sets == 0 {
            return &mut [];
        }
        // Fibonacci hashing (Knuth, vol. 3, 6.4) spreads files; pages follow each other.
        let file = key.ino.wrapping_mul(0x9e37_79b9) >> 8;
        let set = (file.wrapping_add(key.page) as usize) % sets;
        &mut self.entries[set * WAYS..(set + 1) * WAYS]
    }

    /// Looks for a page, and notes its use.
    pub fn find(&mut self, key: &PageKey) -> Found {
        self.uses += 1;
        let now = self.uses;
        for entry in self.set(key) {
            let same_page = (entry.key.ino, entry.key.page) == (key.ino, key.page);
            if let Some(frame) = entry.frame.filter(|_| same_page) {
                if entry.key.version == key.version {
                    entry.used = now;
                    return Found::Here(frame);
                }
                return if entry.key.version < key.version { Found::Older } else { Found::Nothing };
            }
        }
        Found::Nothing
    }

    /// Puts a page in that [`TextTable::find`] did not find; the frame that made room for it. `Err`
    /// with `frame` when it is not to be cached: a newer version of it is, or there is no table.
    pub fn put(&mut self, key: PageKey, frame: Frame) -> Result<Option<Frame>, Frame> {
        self.uses += 1;
        let now = self.uses;
        let set = self.set(&key);
        let same = set
            .iter()
            .position(|entry| entry.frame.is_some() && (entry.key.ino, entry.key.page) == (key.ino, key.page));
        if same.is_some_and(|index| set[index].key.version > key.version) {
            return Err(frame);
        }
        let oldest = || set.iter().enumerate().min_by_key(|(_, entry)| entry.frame.map_or(0, |_| entry.used));
        let Some(index) = same.or_else(|| oldest().map(|(index, _)| index)) else { return Err(frame) };
        let old = set[index].frame;
        set[index] = TextEntry { key, frame: Some(frame), used: now };
        Ok(old)
    }

    /// Takes out one page of an older version of the file of `key`; `from` says where to look on.
    pub fn take_older(&mut self, key: &PageKey, from: &mut usize) -> Option<Frame> {
        let older = |entry: &TextEntry| entry.key.ino == key.ino && entry.key.version < key.version;
        while let Some(entry) = self.entries.get_mut(*from) {
            *from += 1;
            if entry.frame.is_some() && older(entry) {
                return entry.frame.take();
            }
        }
        None
    }

    /// Takes out some page: whichever comes next in the table.
    pub fn take_any(&mut self) -> Option<Frame> {
        for _ in 0..self.entries.len() {
            self.hand = (self.hand + 1) % self.entries.len();
            if let Some(frame) = self.entries[self.hand].frame.take() {
                return Some(frame);
            }
        }
        None
    }
}
