//! Templates of translation tables: what many spaces show alike is counted once.
//!
//! A program that starts gets its file's cached pages by one table that is copied, and gives them back by one count. A
//! *template* is a frame with the pages of one table of the lowest level. Which file it is of is its owner's business.
//!
//! Invariants: no page of a template can be written; a template outlives all tables that show its pages. A violation
//! is a bug of the caller and panics. Not here: the other operations on spaces (`memory.rs`).

use crate::memory::{Frame, ListedFrame};

/// Bytes of address space that one table of the lowest level covers, and so one template.
pub const TEMPLATE_SPAN_BYTES: u64 = 2 << 20;

/// Most templates that can exist at a time on a board.
pub const TEMPLATES_MAX: usize = 64;

/// The templates of a board's user memory.
pub trait TableTemplates {
    /// Makes a plain, unmapped, unborrowed frame a *template* of the table that covers the address range from `va` on: of
    /// all pages that it shows and that can be read, of which none can be written. Those are the template's from now on,
    /// with the reference that each held to its frame; the table is its first user. Panics when there are
    /// [`TEMPLATES_MAX`], or the table uses one already.
    fn make_template(&self, space: Frame, va: u64, template: Frame);

    /// Whether `frame` exists and is a template.
    fn is_template(&self, frame: Frame) -> bool;

    /// How many tables show pages of it, and who holds it.
    fn template_uses(&self, template: Frame) -> u32;

    /// Keeps a template for who is about to use it ([`TableTemplates::add_template`]) or to release it.
    fn hold_template(&self, template: Frame);

    /// Ends a hold that was not used.
    fn release_template(&self, template: Frame);

    /// How many tables are missing on the way to `va`.
    fn missing_tables(&self, space: Frame, va: u64) -> usize;

    /// As `add_table`, for the lowest table on the way to `va`: it shows all pages of `template`, which the caller has
    /// held and holds no more.
    fn add_template(&self, space: Frame, va: u64, table: Frame, template: Frame);

    /// Whether the page at `va` is a template's: its frame is not to be given back by who unmaps it. `unmap_run` does not
    /// list such pages, nor does `share_run`.
    fn is_templates(&self, space: Frame, va: u64) -> bool;

    /// The page at `va`, which is a template's, is the space's own from now on, with a reference to its frame that the
    /// caller has taken.
    fn leave_page(&self, space: Frame, va: u64);

    /// The space shows no page of a template any more: it is only to be taken apart, and no program runs in it until it
    /// is. One step for each table, where `unmap_run` takes one for each page.
    fn leave_templates(&self, space: Frame);

    /// Lists frames that a template without users gives back, as far as there is room. None: it is a plain frame again.
    fn end_template(&self, template: Frame, frames: &mut [ListedFrame]) -> usize;
}
