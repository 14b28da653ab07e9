//! Templates of the host's imitation of user memory.
//!
//! Not here: spaces (`host.rs`).

use crate::memory::{HostFrameKind, HostMemory, HostPage, HostTemplate, SPAN_BITS, check_va, missing};
use renga_hal::memory::{Frame, ListedFrame};
use renga_hal::templates::{TEMPLATE_SPAN_BYTES, TEMPLATES_MAX, TableTemplates};

/// The number of the span of the lowest table around `va`.
fn span(va: u64) -> u64 {
    va >> SPAN_BITS[0]
}

impl HostMemory {
    fn with_template<R>(&self, template: Frame, run: impl FnOnce(&mut HostTemplate) -> R) -> R {
        let mut templates = self.templates.borrow_mut();
        run(templates.get_mut(&template).unwrap_or_else(|| panic!("{template:?} is not a template")))
    }

    /// Takes a page away if it is a template's; whether it is.
    pub(crate) fn hide_templates_page(&self, space: Frame, va: u64) -> bool {
        let is_templates = self.is_templates(space, va);
        if is_templates {
            self.with_space(space, |space| space.pages.remove(&va));
        }
        is_templates
    }

    /// Shows a template's page in another space, too; whether that has a table for it.
    pub(crate) fn share_templates_page(&self, from: Frame, to: Frame, va: u64) -> bool {
        let (page, template) = self.with_space(from, |space| (space.pages[&va], space.templates[&span(va)]));
        let known = self.with_space(to, |space| {
            if missing(space, va).is_some() {
                return None;
            }
            assert!(space.pages.insert(va, page).is_none(), "{va:#x} is mapped already");
            Some(space.templates.insert(span(va), template))
        });
        match known {
            None => return false,
            Some(None) => self.hold_template(template),
            Some(Some(before)) => assert!(before == template, "a table shows pages of two templates"),
        }
        true
    }
}

impl TableTemplates for HostMemory {
    fn make_template(&self, space: Frame, va: u64, template: Frame) {
        check_va(va);
        assert!(va.is_multiple_of(TEMPLATE_SPAN_BYTES), "{va:#x} is not where a table begins");
        assert!(self.templates.borrow().len() < TEMPLATES_MAX, "more than {TEMPLATES_MAX} templates");
        self.make_table(template, HostFrameKind::HostTemplate);
        let pages = self.with_space(space, |space| {
            assert!(missing(space, va).is_none(), "no table covers {va:#x}");
            assert!(space.templates.insert(span(va), template).is_none(), "a table shows pages of a template already");
            let shown = space.pages.range_mut(va..va + TEMPLATE_SPAN_BYTES).filter(|(_, page)| page.access.readable());
            let mark = |(&at, page): (&u64, &mut HostPage)| {
                assert!(!page.access.writable(), "a page of a template can be written");
                page.is_templates = true;
                (at - va, *page)
            };
            shown.map(mark).collect()
        });
        self.templates.borrow_mut().insert(template, HostTemplate { pages, uses: 1 });
    }

    fn is_template(&self, frame: Frame) -> bool {
        self.templates.borrow().contains_key(&frame)
    }

    fn template_uses(&self, template: Frame) -> u32 {
        self.with_template(template, |template| template.uses)
    }

    fn hold_template(&self, template: Frame) {
        self.with_template(template, |template| template.uses += 1);
    }

    fn release_template(&self, template: Frame) {
        self.with_template(template, |template| {
            template.uses = template.uses.checked_sub(1).expect("uses are counted exactly");
        });
    }

    fn missing_tables(&self, space: Frame, va: u64) -> usize {
        self.with_space(space, |space| missing(space, va).map_or(0, |(level, _)| level + 1))
    }

    fn add_template(&self, space: Frame, va: u64, table: Frame, template: Frame) {
        check_va(va);
        assert!(self.missing_tables(space, va) == 1, "not the lowest table is missing for {va:#x}");
        self.make_table(table, HostFrameKind::Table);
        let pages = self.with_template(template, |template| template.pages.clone());
        self.with_space(space, |space| {
            space.tables.insert((0, span(va)), table);
            space.pages.extend(pages.into_iter().map(|(at, page)| (va + at, page)));
            space.templates.insert(span(va), template);
        });
    }

    fn is_templates(&self, space: Frame, va: u64) -> bool {
        self.with_space(space, |space| space.pages.get(&va).is_some_and(|page| page.is_templates))
    }

    fn leave_page(&self, space: Frame, va: u64) {
        let frame = self.with_space(space, |space| {
            let page = space.pages.get_mut(&va).filter(|page| page.is_templates);
            let page = page.unwrap_or_else(|| panic!("{va:#x} is no template's"));
            page.is_templates = false;
            page.frame
        });
        self.count_mapping(frame, 1);
    }

    fn leave_templates(&self, space: Frame) {
        self.with_space(space, |space| space.pages.retain(|_, page| !page.is_templates));
    }

    fn end_template(&self, template: Frame, frames: &mut [ListedFrame]) -> usize {
        let mut count = 0;
        let is_empty = self.with_template(template, |template| {
            assert!(template.uses == 0, "a template in use is ended");
            while let Some(place) = frames.get_mut(count)
                && let Some((_, page)) = template.pages.pop_first()
            {
                *place = page.frame.listed();
                count += 1;
            }
            template.pages.is_empty()
        });
        for listed in &frames[..count] {
            self.count_mapping(Frame(u32::from_le_bytes(*listed)), -1);
        }
        if is_empty && count == 0 {
            self.templates.borrow_mut().remove(&template);
            self.record(template).kind.set(HostFrameKind::Plain);
        }
        count
    }
}
