//! Templates: what a program's file pages look like in a table of the lowest level, kept for the programs that come
//! after, whose tables begin as copies.
//!
//! Invariant: no page of a template can be written. A frame is counted once for the template, not for the tables that
//! show it; those are counted as uses of the template, which therefore outlives them. Pages of a template are marked
//! in each table, so that nobody takes them for the table's own.
//!
//! Not here: which file a template is of, and when it is out of date (the page cache).

use super::descriptor::Descriptor;
use super::frame_memory::FrameMemory;
use super::frame_record::{FrameRecord, Kind, NO_FRAME, change};
use super::maintenance::forget_page;
use super::table::{ENTRIES, SHIFTS, Table, index, table_span};
use core::cell::Cell;
use core::ops::Range;
use renga_hal::memory::{Frame, ListedFrame, PAGE_BYTES};
use renga_hal::templates::{TEMPLATES_MAX, TableTemplates};

const NO_TEMPLATE: u32 = u32::MAX;

/// Which template.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TemplateId(u16);

/// The frames of all templates.
pub(super) struct Templates([Cell<u32>; TEMPLATES_MAX]);

impl Templates {
    pub(super) const fn new() -> Self {
        Self([const { Cell::new(NO_TEMPLATE) }; TEMPLATES_MAX])
    }

    fn add(&self, template: Frame) -> TemplateId {
        let free = self.0.iter().position(|place| place.get() == NO_TEMPLATE);
        let place = free.unwrap_or_else(|| panic!("more than {TEMPLATES_MAX} templates"));
        self.0[place].set(template.0);
        TemplateId(place as u16)
    }

    fn frame(&self, id: TemplateId) -> Frame {
        Frame(self.0[usize::from(id.0)].get())
    }
}

/// The positions in its table of the pages of `start..end`, all of one table.
fn positions(start: u64, end: u64) -> Range<usize> {
    let first = index(start, SHIFTS.len() - 1);
    first..first + ((end - start) / PAGE_BYTES as u64) as usize
}

impl FrameMemory {
    pub(super) fn template(&self, template: Frame) -> &'static FrameRecord {
        let record = self.record(template);
        assert!(matches!(record.kind.get(), Kind::Template(_)), "{template:?} is not a template");
        record
    }

    /// The table of the lowest level that covers `va`, which exists.
    fn table_around(&self, space: Frame, va: u64) -> (Table, Frame) {
        self.space_id(space);
        assert!(va.is_multiple_of(table_span(SHIFTS.len() - 1)), "{va:#x} is not where a table begins");
        self.lowest_table(space, va).unwrap_or_else(|_| panic!("no table covers {va:#x}"))
    }

    /// Takes the pages of a template that `frame` shows at `start..end` away; how many.
    pub(super) fn hide_template(&self, (table, frame): (Table, Frame), start: u64, end: u64) -> usize {
        let record = self.record(frame);
        let mut pages = 0;
        if record.mapped.get() > 0 {
            for position in positions(start, end) {
                let entry = table.entry_at(position);
                if entry.get().is_templates() {
                    entry.set(Descriptor::EMPTY);
                    pages += 1;
                }
            }
            change(&record.mapped, -(pages as i32));
        }
        pages
    }

    /// Whether entries of `frame`, a table, may be a template's.
    pub(super) fn has_template(&self, frame: Frame) -> bool {
        matches!(self.record(frame).kind.get(), Kind::Table(Some(_)))
    }

    /// Whether `frame`, a table, shows pages of a template.
    pub(super) fn uses_template(&self, frame: Frame) -> bool {
        self.record(frame).mapped.get() > 0
    }

    /// Shows the pages of a template that table `from` shows at `start..end` in table `to` as well; how many.
    pub(super) fn share_template(&self, from: (Table, Frame), to: (Table, Frame), start: u64, end: u64) -> usize {
        let (source, target) = (self.record(from.1), self.record(to.1));
        if target.kind.get() == Kind::Table(None)
            && let Kind::Table(Some(id)) = source.kind.get()
        {
            target.kind.set(source.kind.get());
            change(&self.template(self.templates.frame(id)).mapped, 1);
        }
        assert!(target.kind.get() == source.kind.get(), "a table shows pages of two templates");
        let mut pages = 0;
        for position in positions(start, end) {
            let page = from.0.entry_at(position).get();
            let place = to.0.entry_at(position);
            if page.is_templates() && place.get().is_empty() {
                place.set(page);
                pages += 1;
            }
        }
        change(&target.mapped, pages as i32);
        pages
    }

    /// A table that is taken from its space uses its template no more.
    pub(super) fn leave_template(&self, table: Frame) {
        let record = self.record(table);
        assert!(record.mapped.get() == 0, "a table with pages is taken from its space");
        if let Kind::Table(Some(id)) = record.kind.get() {
            change(&self.template(self.templates.frame(id)).mapped, -1);
        }
    }
}

impl TableTemplates for FrameMemory {
    fn make_template(&self, space: Frame, va: u64, template: Frame) {
        let (table, frame) = self.table_around(space, va);
        let record = self.record(frame);
        assert!(record.kind.get() == Kind::Table(None), "a table shows pages of a template already");
        let id = self.templates.add(template);
        let uses = self.make_table(template, Kind::Template(id));
        let copy = self.table(template);
        let mut pages = 0;
        for position in 0..ENTRIES {
            let entry = table.entry_at(position);
            let page = entry.get();
            if page.is_valid() {
                assert!(!page.access().writable(), "a page of a template can be written");
                // Only a bit changes that the processor ignores, so it needs to forget nothing.
                entry.set(page.as_templates());
                copy.entry_at(position).set(page.as_templates());
                pages += 1;
            }
        }
        record.kind.set(Kind::Table(Some(id)));
        record.mapped.set(pages);
        uses.mapped.set(1);
        uses.next_table.set(pages);
    }

    fn is_template(&self, frame: Frame) -> bool {
        self.kind(frame).is_some_and(|kind| matches!(kind, Kind::Template(_)))
    }

    fn template_uses(&self, template: Frame) -> u32 {
        self.template(template).mapped.get()
    }

    fn hold_template(&self, template: Frame) {
        change(&self.template(template).mapped, 1);
    }

    fn release_template(&self, template: Frame) {
        change(&self.template(template).mapped, -1);
    }

    fn missing_tables(&self, space: Frame, va: u64) -> usize {
        self.space_id(space);
        match (self.table(space).entry(va, 0).get().is_empty(), self.walk_page(space, va)) {
            (true, _) => SHIFTS.len() - 1,
            (false, Err(_)) => 1,
            (false, Ok(_)) => 0,
        }
    }

    fn add_template(&self, space: Frame, va: u64, table: Frame, template: Frame) {
        assert!(self.missing_tables(space, va) == 1, "not the lowest table is missing for {va:#x}");
        let Kind::Template(id) = self.template(template).kind.get() else { unreachable!("it is one") };
        let record = self.make_table(table, Kind::Table(Some(id)));
        let copy = self.table(table);
        copy.copy_from(self.table(template));
        let pages = self.template(template).next_table.get();
        record.mapped.set(pages);
        change(&self.record(space).mapped, pages as i32);
        if let Err(entry) = self.walk_page(space, va) {
            self.link_table(space, entry, table);
        }
    }

    fn is_templates(&self, space: Frame, va: u64) -> bool {
        self.walk_page(space, va).is_ok_and(|entry| entry.get().is_templates())
    }

    fn leave_page(&self, space: Frame, va: u64) {
        let id = self.space_id(space);
        let Ok((_, frame)) = self.lowest_table(space, va) else { panic!("no table covers {va:#x}") };
        let Ok(entry) = self.walk_page(space, va) else { panic!("no table covers {va:#x}") };
        let page = entry.get();
        assert!(page.is_templates(), "{va:#x} is no template's");
        entry.set(page.as_its_own());
        forget_page(id, va);
        change(&self.record(frame).mapped, -1);
        change(&self.record(self.frame_at(page.physical())).mapped, 1);
    }

    fn leave_templates(&self, space: Frame) {
        self.space_id(space);
        let root = self.record(space);
        let mut table = root.next_table.get();
        // Bounded by the tables of the space. What their entries show stays: the template outlives them, and they are
        // plain frames next.
        while table != NO_FRAME {
            let record = self.record(Frame(table));
            change(&root.mapped, -(record.mapped.replace(0) as i32));
            table = record.next_table.get();
        }
    }

    fn end_template(&self, template: Frame, frames: &mut [ListedFrame]) -> usize {
        let record = self.template(template);
        assert!(record.mapped.get() == 0, "{template:?} is in use");
        let mut pages = 0;
        for position in 0..ENTRIES {
            let entry = self.table(template).entry_at(position);
            if entry.get().is_empty() {
                continue;
            }
            let Some(place) = frames.get_mut(pages) else { return pages };
            let frame = self.frame_at(entry.get().physical());
            change(&self.record(frame).mapped, -1);
            *place = frame.listed();
            entry.set(Descriptor::EMPTY);
            pages += 1;
        }
        if pages == 0
            && let Kind::Template(id) = record.kind.get()
        {
            record.kind.set(Kind::Plain);
            self.templates.0[usize::from(id.0)].set(NO_TEMPLATE);
        }
        pages
    }
}
