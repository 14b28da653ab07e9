//! The process that has a board's cached file pages.
//!
//! Invariants: a page in the index holds one reference to its frame, taken before it is put in and given back
//! after it is out. Every answer is given at once, but that a program may run before a page is taken away that it was just
//! shown (`windows.rs`): nobody waits here for anybody else.
//!
//! On the disk's board content is written here. The content writer is woken when a tenth of the frames is dirty; whoever
//! makes more than a fifth dirty is told to wait for it.
//!
//! It grows as long as there is memory. The reclaimer asks for frames in bounded steps before there are none, whoever finds none
//! at all for some at once (`Shrink`).
//!
//! Not here: which page is where (`index.rs`), who may hold what (the inode processes), files that another board writes
//! (`holding.rs`), the end of a session (`adrift.rs`).

use crate::frame_list::FrameList;
use crate::index::PageIndex;
use crate::room::CacheMemory;
use crate::templates::{Template, Templates};
use crate::windows::Windows;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::memory::{FreeFrames, MakePrivate, Memory, ShareFrame, ShareFrames};
use renga_proto::pages::{
    BeginFill, FileId, FindPages, KeepPage, NO_FRAME, NO_PAGE, PAGES_PER_FIND_MAX, Pages, PagesCall, ReadCached,
    Recall, ShowPages, Shrink, Shrunk,
};
use renga_rt::{Call, Client, Errno, Me, Never, Notifier, Port};

pub(crate) const PAGE: u64 = PAGE_BYTES as u64;

/// With this one nothing is kept: all records are of files that are ahead of the medium. Whoever only looks needs none.
const VOID_TICKET: u64 = u64::MAX;

/// Shown pages that are looked at before it is said that nothing can go.
const SHOWN_PER_REVIEW: usize = 256;

pub(crate) struct State<M: UserMemory + ?Sized + 'static> {
    pub(crate) memory: Client<Memory>,
    pub(crate) machine: &'static M,
    pub(crate) index: PageIndex,
    pub(crate) templates: Templates,
    disk_board: u8,
    /// Writes dirty pages, or has them taken back.
    pub(crate) writer: Option<Notifier>,
    /// Frames that are wanted and still dirty.
    pub(crate) missing: u32,
    /// Pages that were looked at since some were given up.
    fruitless: u32,
    pub(crate) windows: Windows,
    pub(crate) me: Me,
}

/// Serves the cache; the inodes are on `disk_board`, and there is the content `writer`.
pub async fn page_cache<M: UserMemory + ?Sized + 'static>(
    me: Me,
    mut port: Port<Pages>,
    memory: Client<Memory>,
    machine: &'static M,
    room: &'static mut CacheMemory,
    disk_board: u8,
    writer: Option<Notifier>,
) -> Never {
    let (index, templates) = (PageIndex::new(room), Templates::new());
    let windows = Windows::new();
    let (missing, fruitless) = (0, 0);
    let mut state = State { memory, machine, index, templates, disk_board, writer, missing, fruitless, windows, me };
    loop {
        match port.accept_or_notified(state.windows.entries()).await {
            Some(PagesCall::ReadCached(mut call)) => {
                let ReadCached { file, offset } = call.entry();
                let read = state.read(file, offset, call.lent());
                call.reply(read);
            }
            Some(call) => state.serve_in_time(call).await,
            None => state.look().await,
        }
    }
}

impl<M: UserMemory + ?Sized> State<M> {
    /// Whether this is the board of the inodes.
    pub(crate) fn is_home(&self) -> bool {
        self.disk_board == self.me.id().board.0
    }

    fn read(&mut self, id: FileId, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let (file, size) = self.index.sized_file(id).ok_or(Errno::ENOENT)?;
        let count = size.saturating_sub(offset).min(out.len() as u64) as usize;
        let mut filled = 0;
        while filled < count {
            let at = offset + filled as u64;
            let within = (at % PAGE) as usize;
            let part = (count - filled).min(PAGE_BYTES - within);
            let frame = self.index.page_of(file, (at / PAGE) as u32).ok_or(Errno::ENOENT)?;
            let page = self.machine.shared_page(frame);
            out[filled..filled + part].copy_from_slice(&page[within..within + part]);
            filled += part;
        }
        Ok(count as u32)
    }

    pub(crate) async fn serve(&mut self, call: PagesCall) {
        match call {
            PagesCall::FindPage(call) => {
                let found = self.find(call.entry().file, call.entry().page).await;
                call.reply(found);
            }
            PagesCall::FindPages(call) => self.find_all(call).await,
            PagesCall::ShowPages(call) => {
                let (shown, who) = (self.show(call.entry()).await, call.made_by());
                if shown.is_ok() {
                    let ShowPages { file, page, .. } = call.entry();
                    self.open_window(who, (file, page), true);
                }
                call.reply(shown);
            }
            PagesCall::BeginFill(call) => {
                let BeginFill { file, shown } = call.entry();
                if shown != NO_PAGE {
                    self.open_window(call.made_by(), (file, shown), false);
                }
                let ticket = match self.ticket(file).await {
                    Err(Errno::ENOMEM) if shown == NO_PAGE && !file.is_object() => Ok(VOID_TICKET),
                    ticket => ticket,
                };
                call.reply(ticket);
            }
            PagesCall::KeepPage(call) => {
                let kept = self.keep(call.entry()).await;
                call.reply(kept);
            }
            PagesCall::Recall(call) => {
                let Recall { file, from, to } = call.entry();
                let left = self.recall(file, from, to).await;
                call.reply(left);
            }
            PagesCall::Shrink(call) => {
                let shrunk = self.shrink_by(call.entry()).await;
                call.reply(Ok(shrunk));
            }
            PagesCall::BoardDied(call) => {
                if call.entry().board == self.disk_board {
                    self.end_leases().await;
                }
                call.reply(Ok(()));
            }
            PagesCall::FindTemplate(call) => {
                let found = self.find_template(call.entry());
                call.reply(found);
            }
            PagesCall::KeepTemplate(call) => {
                let kept = self.keep_template(call.entry()).await;
                call.reply(kept);
            }
            other => self.serve_writes(other).await,
        }
    }

    async fn find(&mut self, file: FileId, page: u32) -> Result<u32, Errno> {
        let file = self.index.record(file).ok_or(Errno::ENOENT)?;
        let Frame(frame) = self.index.page_of(file, page).ok_or(Errno::ENOENT)?;
        self.memory.call(ShareFrame { frame }, ()).await?;
        if !self.index.is_shown(frame) {
            return Ok(frame);
        }
        // Programs write that one: whoever has it otherwise may lend it, or rely on what it is.
        let copy = self.memory.call(MakePrivate { frame }, ()).await;
        if copy.is_err() {
            self.free_one(Frame(frame)).await;
        }
        copy
    }

    async fn find_all(&mut self, mut call: Call<FindPages>) {
        let FindPages { file, page, mut but } = call.entry();
        let (mut list, mut count, mut told) = (FrameList::new(), 0, Ok(()));
        let file = self.index.record(file);
        for (place, page) in call.lent().as_chunks_mut::<4>().0.iter_mut().take(PAGES_PER_FIND_MAX).zip(page..) {
            *place = NO_FRAME.to_le_bytes();
            let wanted = but & 1 == 0;
            but >>= 1;
            if told.is_err() || !wanted {
                continue;
            }
            if list.is_full() {
                told = self.share(&mut list).await;
            }
            let frame = file.and_then(|file| self.index.page_of(file, page));
            if let Some(frame) = frame.filter(|frame| !self.index.is_shown(frame.0)) {
                *place = frame.0.to_le_bytes();
                list.push(frame);
                count += 1;
            }
        }
        call.reply(told.and(self.share(&mut list).await).map(|()| count));
    }

    /// A reference more to each of `list`, which is empty then.
    pub(crate) async fn share(&mut self, list: &mut FrameList) -> Result<(), Errno> {
        let shared = if list.is_empty() { Ok(()) } else { self.memory.call(ShareFrames {}, list.as_bytes()).await };
        list.clear();
        shared
    }

    pub(crate) async fn ticket(&mut self, id: FileId) -> Result<u64, Errno> {
        if let Some(ticket) = self.index.ticket(id) {
            return Ok(ticket);
        }
        let oldest = self.index.oldest_file().ok_or(Errno::ENOMEM)?;
        self.drop_range(oldest, 0, u32::MAX).await;
        self.index.forget(oldest);
        self.index.ticket(id).ok_or(Errno::ENOMEM)
    }

    async fn keep(&mut self, offer: KeepPage) -> Result<(), Errno> {
        let KeepPage { file, page, frame, ticket, size } = offer;
        self.memory.call(ShareFrame { frame }, ()).await?;
        let put = self.index.put(file, page, Frame(frame), ticket, size);
        if put != Ok(true) {
            let mut list = FrameList::new();
            list.push(Frame(frame));
            self.free(&mut list).await;
        }
        put.map(|_| ()).map_err(|_| Errno::ESTALE)
    }

    async fn recall(&mut self, id: FileId, from: u32, to: u32) -> Result<u32, Errno> {
        if self.index.is_held(id) {
            return Err(Errno::EBUSY);
        }
        let Some(file) = self.index.recall(id, to) else { return Ok(0) };
        self.drop_range(file, from, to).await;
        let left = self.index.count_of(file);
        if left == 0 {
            self.index.forget(file);
        }
        self.templates.outdate(Some(id));
        self.end_templates(Template::is_outdated).await;
        Ok(left)
    }

    pub(crate) async fn drop_range(&mut self, file: u32, from: u32, to: u32) {
        self.index.withhold_range(self.machine, file, from, to);
        let mut list = FrameList::new();
        // Each turn but the last takes out as many pages as the list holds.
        while self.index.take_range(file, from, to, &mut list) {
            self.free(&mut list).await;
        }
        self.free(&mut list).await;
    }

    /// Clean pages first, dirty ones when they are written.
    async fn shrink_by(&mut self, asked: Shrink) -> Shrunk {
        let Shrink { frames, looks, wanted } = asked;
        let mut left = looks;
        let freed = self.shrink_within(frames, &mut left).await;
        self.fruitless = if freed == 0 { self.fruitless.saturating_add(looks - left) } else { 0 };
        // Each that was used is passed over once before it is known that none can go.
        let more = left == 0 && freed < frames && self.fruitless <= 2 * self.index.count();
        if wanted > 0 {
            self.want(if freed < frames && !more { wanted.saturating_sub(freed) } else { 0 });
        }
        Shrunk { freed, more, arrived: self.index.arrived() }
    }

    /// So many frames are to be had from pages that are dirty.
    fn want(&mut self, frames: u32) {
        self.missing = frames.min(self.index.dirty_count());
        if self.missing > 0
            && let Some(writer) = self.writer
        {
            writer.notify();
        }
    }

    /// Pages have become clean: gives them back if frames are missing.
    pub(crate) async fn meet_want(&mut self) {
        if self.missing > 0 {
            self.missing -= self.shrink(self.missing).await;
        }
    }

    /// Gives up to `frames` pages up that no program shows, those not used for longest first; how many.
    pub(crate) async fn shrink(&mut self, frames: u32) -> u32 {
        self.shrink_within(frames, &mut { u32::MAX }).await
    }

    /// The same, looking at `looks` pages at most, of which there are as many fewer then.
    async fn shrink_within(&mut self, frames: u32, looks: &mut u32) -> u32 {
        let (mut list, mut count) = (FrameList::new(), 0);
        self.end_templates(|_| true).await;
        while count < frames
            && let Some(frame) = self.take_oldest(looks)
        {
            list.push(frame);
            count += 1;
            if list.is_full() {
                self.free(&mut list).await;
            }
        }
        self.free(&mut list).await;
        count
    }

    /// What is shown is looked at when there is nothing else.
    fn take_oldest(&mut self, looks: &mut u32) -> Option<Frame> {
        let machine = self.machine;
        let in_use = |frame| machine.mappings(frame) > 0;
        self.index.take_oldest(looks, in_use).or_else(|| {
            if *looks > 0 {
                self.index.review(machine, SHOWN_PER_REVIEW);
            }
            self.index.take_oldest(looks, in_use)
        })
    }

    pub(crate) async fn free(&mut self, list: &mut FrameList) {
        if !list.is_empty() {
            // A refusal is a bug here, which the memory process has logged.
            let _ = self.memory.call(FreeFrames {}, list.as_bytes()).await;
            list.clear();
        }
    }
}
