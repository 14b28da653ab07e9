//! What is known of a frame of user memory.
//!
//! Not here: who may change it (`frame_memory.rs`, `runs.rs`, `templates.rs`).

use super::templates::TemplateId;
use core::cell::{Cell, RefCell};
use renga_hal::memory::Access;

/// End of a chain of tables.
pub(super) const NO_FRAME: u32 = u32::MAX;

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Content.
    Plain,
    /// A table below the root; with the number of the template that it shows pages of, if it does.
    Table(Option<TemplateId>),
    /// A root, with the space's number.
    Root(u16),
    /// A root whose space is being taken apart.
    Ending(u16),
    /// A template, with its number.
    Template(TemplateId),
}

/// The access that a frame is ready for: without it there is no entry that lets a program execute one whose content may not be what is
/// fetched.
#[derive(Clone, Copy)]
pub struct Prepared(Access);

impl Prepared {
    /// The access.
    pub const fn access(self) -> Access {
        self.0
    }
}

/// What is known of a frame.
pub struct FrameRecord {
    /// Stands for the content.
    pub(super) borrow: RefCell<()>,
    /// Pages that show this frame, those of a template for all spaces that use it. Of a root: pages in its space. Of a
    /// table: those of them that are its template's. Of a template: the tables that show its pages, and who is about to.
    pub(super) mapped: Cell<u32>,
    /// Of a root or table: the next table of the space. Of a template: how many pages it has.
    pub(super) next_table: Cell<u32>,
    pub(super) kind: Cell<Kind>,
    /// Instruction fetches see the content as it is.
    pub(super) fetchable: Cell<bool>,
}

impl FrameRecord {
    pub(super) const fn new() -> Self {
        Self {
            borrow: RefCell::new(()),
            mapped: Cell::new(0),
            next_table: Cell::new(NO_FRAME),
            kind: Cell::new(Kind::Plain),
            fetchable: Cell::new(false),
        }
    }
}

impl FrameRecord {
    /// Before a page gets `access`: fetches must see the content, by `synchronise`; later stores may outdate it.
    #[inline(always)]
    pub(super) fn prepare(&self, access: Access, synchronise: impl FnOnce()) -> Prepared {
        if access.executable() && !self.fetchable.replace(true) {
            synchronise();
        }
        if access.writable() {
            self.fetchable.set(false);
        }
        Prepared(access)
    }
}

/// Changes a count of mappings.
pub(super) fn change(count: &Cell<u32>, by: i32) {
    count.set(count.get().checked_add_signed(by).expect("mappings are counted exactly"));
}
