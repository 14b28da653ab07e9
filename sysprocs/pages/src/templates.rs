//! Templates of translation tables, by file and address: what the next program of that file begins with.
//!
//! A template is made by the first program that is shown the pages one by one, and given to all after it, as long as
//! the file's content is the same (`since`) and no page of it has come or gone. One that is out of date is taken apart
//! when the last program that shows it has ended; those that nobody shows also when frames are wanted.
//!
//! Invariant: a template here is this process's own frame, and each of its pages holds a reference to its frame.
//!
//! Not here: what templates are (`renga_hal::templates`), who makes them (`renga_memory`).

use crate::frame_list::FrameList;
use crate::page_cache::State;
use heapless::Vec;
use renga_hal::memory::{Frame, UserMemory};
use renga_hal::templates::TEMPLATES_MAX;
use renga_proto::pages::{FileId, FindTemplate, KeepTemplate, NO_FRAME, TemplateFound};
use renga_rt::Errno;

/// A template of a file.
#[derive(Clone, Copy)]
pub(crate) struct Template {
    file: FileId,
    /// Where in an address space.
    at: u64,
    /// Of which content, and of how many cached pages.
    since: u64,
    count: u32,
    frame: Frame,
    /// It is given to nobody any more.
    outdated: bool,
}

impl Template {
    pub(crate) fn is_outdated(&self) -> bool {
        self.outdated
    }
}

/// The templates of a board.
pub(crate) struct Templates(Vec<Template, TEMPLATES_MAX>);

impl Templates {
    pub(crate) const fn new() -> Self {
        Templates(Vec::new())
    }

    /// Gives the templates of `file`, or all, to nobody any more.
    pub(crate) fn outdate(&mut self, file: Option<FileId>) {
        let of_file = |template: &&mut Template| file.is_none_or(|file| file == template.file);
        self.0.iter_mut().filter(of_file).for_each(|template| template.outdated = true);
    }
}

impl<M: UserMemory + ?Sized> State<M> {
    pub(crate) fn find_template(&mut self, wanted: FindTemplate) -> Result<TemplateFound, Errno> {
        let (since, count) = self.index.content(wanted.file).ok_or(Errno::ENOENT)?;
        let is_wanted = |known: &&mut Template| (known.file, known.at) == (wanted.file, wanted.at) && !known.outdated;
        let mut found = TemplateFound { frame: NO_FRAME, ticket: since };
        if let Some(known) = self.templates.0.iter_mut().find(is_wanted) {
            if (known.since, known.count) != (since, count) {
                known.outdated = true;
            } else if self.machine.is_template(known.frame) {
                // Until the caller shows it: somebody else may want frames before.
                self.machine.hold_template(known.frame);
                found.frame = known.frame.0;
            }
        }
        Ok(found)
    }

    pub(crate) async fn keep_template(&mut self, offer: KeepTemplate) -> Result<(), Errno> {
        let KeepTemplate { file, at, frame, ticket } = offer;
        self.end_templates(Template::is_outdated).await;
        if self.templates.0.is_full() {
            self.end_templates(|_| true).await;
        }
        let (since, count) = self.index.content(file).filter(|content| content.0 == ticket).ok_or(Errno::ESTALE)?;
        if self.templates.0.iter().any(|known| (known.file, known.at) == (file, at) && !known.outdated) {
            return Err(Errno::EEXIST);
        }
        let template = Template { file, at, since, count, frame: Frame(frame), outdated: false };
        self.templates.0.push(template).map_err(|_| Errno::ENOMEM)
    }

    /// Takes apart those that nobody shows and that are `wanted`.
    pub(crate) async fn end_templates(&mut self, wanted: impl Fn(&Template) -> bool) {
        let mut list = FrameList::new();
        // From the end, since each that is taken out is replaced by the last.
        for place in (0..self.templates.0.len()).rev() {
            let template = self.templates.0[place];
            // One that was announced just now is no template yet.
            let is_idle = self.machine.is_template(template.frame) && self.machine.template_uses(template.frame) == 0;
            if !is_idle || !wanted(&template) {
                continue;
            }
            self.templates.0.swap_remove(place);
            // Bounded by the pages of a table.
            loop {
                let count = self.machine.end_template(template.frame, list.room());
                list.added(count);
                if count == 0 && !list.is_full() {
                    break;
                }
                self.free(&mut list).await;
            }
            list.push(template.frame);
            self.free(&mut list).await;
        }
    }
}
