//! The pages that a program takes along to another board, and the lists that name them there.
//!
//! A list is a page: how many entries, the frame of the next list, then pairs of page number and frame
//! on the receiving board, all little-endian `u32`s. Pages whose content follows from their origin
//! (clean file pages, zeros) stay behind.
//!
//! Not here: areas and files (`encode.rs`).

use crate::area::{Area, Origin, Sharing, number};
use crate::frame_list::FrameList;
use crate::layout::{PAGE, STACK_END};
use crate::pager::Pager;
use crate::space::Space;
use heapless::Vec;
use renga_abi::Errno;
use renga_hal::memory::{Frame, PAGE_BYTES, PageRef, UserMemory};
use renga_proto::memory::{FreeFrame, FreeFrames, Memory, StorePage, TakeStored};
use renga_proto::pages::NO_FRAME;
use renga_rt::Client;

/// Pages that one list names.
pub const PAGES_PER_LIST: usize = PAGE_BYTES / 8 - 1;
/// Most lists of one program: about 130 MB. Beyond: `ENOMEM`.
pub const LISTS_MAX: usize = 64;

/// Read access to a list in a page.
pub struct PageList<'a>(&'a [u8; PAGE_BYTES]);

impl<'a> PageList<'a> {
    /// The list in a page.
    pub fn new(page: &'a [u8; PAGE_BYTES]) -> Self {
        PageList(page)
    }
    fn word(&self, index: usize) -> u32 {
        self.0.as_chunks::<4>().0.get(index).map_or(0, |word| u32::from_le_bytes(*word))
    }
    /// How many pages it names.
    pub fn len(&self) -> usize {
        (self.word(0) as usize).min(PAGES_PER_LIST)
    }
    /// Whether it names none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The frame with the next list.
    pub fn next(&self) -> Option<Frame> {
        Some(self.word(1)).filter(|&frame| frame != NO_FRAME).map(Frame)
    }
    /// The address and frame of a page.
    pub fn entry(&self, index: usize) -> (u64, Frame) {
        (u64::from(self.word(2 + 2 * index)) * PAGE, Frame(self.word(3 + 2 * index)))
    }
}

fn put_word(page: &mut [u8; PAGE_BYTES], index: usize, word: u32) {
    if let Some(place) = page.as_chunks_mut::<4>().0.get_mut(index) {
        *place = word.to_le_bytes();
    }
}

/// What is called of the memory process of another board.
pub const STORING: u32 = StorePage::BIT | FreeFrame::BIT | FreeFrames::BIT;

/// Pages stored on another board for a program on its way there: to be [`finished`](Export::finish)
/// when it has arrived, [`cancelled`](Export::cancel) otherwise.
pub struct Export {
    /// Our own copies of the lists, so that what is over there can be named until the end.
    lists: Vec<Frame, LISTS_MAX>,
    /// The frames over there with the lists, in the same order.
    stored: Vec<Frame, LISTS_MAX>,
}

impl Export {
    /// The frame with the first list on the other board, for the descriptor; `NO_FRAME` without pages.
    pub fn first_list(&self) -> u32 {
        self.stored.last().map_or(NO_FRAME, |frame| frame.0)
    }
    /// The program has arrived: what was stored is its own now.
    pub async fn finish<M: UserMemory>(mut self, pager: &mut Pager<'_, M>) {
        while let Some(list) = self.lists.pop() {
            pager.free(list).await;
        }
    }
    /// It has not: frees all frames on the other board. If that has rebooted they are free there, and their numbers
    /// may be reused: the first call gets `ESTALE`, and none follows.
    pub async fn cancel<M: UserMemory, const ENTRIES: u32>(
        mut self,
        pager: &mut Pager<'_, M>,
        there: &mut Client<Memory, ENTRIES>,
    ) {
        let (mut frames, mut known) = (FrameList::new(), true);
        while let Some(list) = self.lists.pop() {
            for index in 0..PageList::new(&pager.machine.shared_page(list)).len() {
                let frame = PageList::new(&pager.machine.shared_page(list)).entry(index).1;
                frames.push(frame);
                if frames.is_full() {
                    known = known && !is_gone(there.call(FreeFrames {}, frames.as_bytes()).await);
                    frames.clear();
                }
            }
            pager.free(list).await;
        }
        known = known && !is_gone(there.call(FreeFrames {}, frames.as_bytes()).await);
        while let Some(list) = self.stored.pop().filter(|_| known) {
            known = !is_gone(there.call(FreeFrame { frame: list.0 }, ()).await);
        }
    }
    /// Notes that the page at `va` is in `frame` over there.
    async fn note<M: UserMemory>(&mut self, pager: &mut Pager<'_, M>, va: u64, frame: Frame) -> Result<(), Errno> {
        let full = |&list: &Frame| PageList::new(&pager.machine.shared_page(list)).len() == PAGES_PER_LIST;
        if self.lists.last().is_none_or(full) {
            if self.lists.is_full() {
                return Err(Errno::ENOMEM);
            }
            let list = pager.allocate().await?;
            let _ = self.lists.push(list); // there is room
        }
        let Some(&list) = self.lists.last() else { return Err(Errno::ENOMEM) };
        let mut page = pager.machine.page(list);
        let index = PageList::new(&page).len();
        put_word(&mut page, 0, index as u32 + 1);
        put_word(&mut page, 2 + 2 * index, (va / PAGE) as u32);
        put_word(&mut page, 3 + 2 * index, frame.0);
        Ok(())
    }
}

impl Space {
    /// The first page at or after `from` that a copy elsewhere needs to get.
    fn next_private_page<'m, M: UserMemory>(&self, machine: &'m M, from: u64) -> Option<(u64, PageRef<'m>)> {
        for area in self.table.areas.within(number(from), number(STACK_END)).iter().filter(|area| area.touched) {
            let (mut at, end) = (from.max(area.start_address()), area.end_address());
            // Each pass passes a page.
            while let Some((va, frame, _)) = self.next_page(machine, at, end) {
                let page = machine.shared_page(frame);
                if area.origin != Origin::Zero || page.iter().any(|&byte| byte != 0) {
                    return Some((va, page));
                }
                at = va + PAGE;
            }
        }
        None
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// Stores all private pages in frames of another board, whose memory process is `there`.
    pub async fn export_pages<const ENTRIES: u32>(
        &mut self,
        space: &mut Space,
        there: &mut Client<Memory, ENTRIES>,
    ) -> Result<Export, Errno> {
        self.show_objects(space).await?;
        let mut export = Export { lists: Vec::new(), stored: Vec::new() };
        match self.store_pages(space, there, &mut export).await {
            Ok(()) => Ok(export),
            Err(errno) if is_gone(Err(errno)) => {
                // With the board: also what it gave before this call.
                export.finish(self).await;
                Err(errno)
            }
            Err(errno) => {
                export.cancel(self, there).await;
                Err(errno)
            }
        }
    }

    async fn store_pages<const ENTRIES: u32>(
        &mut self,
        space: &mut Space,
        there: &mut Client<Memory, ENTRIES>,
        export: &mut Export,
    ) -> Result<(), Errno> {
        let mut at = 0;
        // Each pass passes a page.
        while let Some((va, page)) = space.next_private_page(self.machine, at) {
            let stored = if space.may_share(va) {
                drop(page);
                self.store_copy(space, there, va).await?
            } else {
                let (at_byte, bytes) = without_zeros_around(&page[..]);
                let stored = there.call(StorePage { at: at_byte }, bytes).await?;
                drop(page);
                stored
            };
            if let Err(errno) = export.note(self, va, Frame(stored)).await {
                let _ = there.call(FreeFrame { frame: stored }, ()).await; // as in `cancel`
                return Err(errno);
            }
            at = va + PAGE;
        }
        for index in 0..export.lists.len() {
            let list = export.lists[index];
            put_word(&mut self.machine.page(list), 1, export.first_list());
            let page = self.machine.shared_page(list);
            let (at_byte, bytes) = without_zeros_around(&page[..]);
            let stored = there.call(StorePage { at: at_byte }, bytes).await?;
            let _ = export.stored.push(Frame(stored)); // as long as `lists`
        }
        Ok(())
    }

    /// Stores a copy of the page at `va`, which others may write meanwhile.
    async fn store_copy<const ENTRIES: u32>(
        &mut self,
        space: &mut Space,
        there: &mut Client<Memory, ENTRIES>,
        va: u64,
    ) -> Result<u32, Errno> {
        let copy = self.allocate().await?;
        if let Some((frame, _)) = self.machine.lookup(space.root, va) {
            self.machine.page(copy).copy_from_slice(&self.machine.shared_page(frame)[..]);
        }
        let page = self.machine.shared_page(copy);
        let (at_byte, bytes) = without_zeros_around(&page[..]);
        let stored = there.call(StorePage { at: at_byte }, bytes).await;
        drop(page);
        self.free(copy).await;
        stored
    }

    /// Takes over the pages that `board` stored here; `first` is the frame with the first list.
    /// All of them are used or given back, also when it fails; frames that were not stored for it are
    /// left alone.
    pub async fn import_pages(&mut self, space: &mut Space, board: u8, first: u32) -> Result<(), Errno> {
        self.take_lists(Some(space), board, first).await
    }

    /// Gives back the pages that `board` stored here for a program that cannot be taken up.
    pub async fn discard_pages(&mut self, board: u8, first: u32) {
        // Frames that were not stored for it are left alone.
        let _ = self.take_lists(None, board, first).await;
    }

    /// Each page of the lists from `first` on goes to `space`, or is given back.
    async fn take_lists(&mut self, mut space: Option<&mut Space>, board: u8, first: u32) -> Result<(), Errno> {
        let mut next = Some(Frame(first)).filter(|_| first != NO_FRAME);
        let mut result = Ok(());
        for _ in 0..LISTS_MAX {
            let Some(list) = self.stored(board, next).await else { break };
            let count = PageList::new(&self.machine.shared_page(list)).len();
            for index in 0..count {
                let (va, frame) = PageList::new(&self.machine.shared_page(list)).entry(index);
                let taken = match (self.stored(board, Some(frame)).await, &mut space) {
                    (None, _) => Err(Errno::EINVAL),
                    (Some(frame), Some(space)) => self.import_page(space, va, frame).await,
                    (Some(frame), None) => {
                        self.free(frame).await;
                        Ok(())
                    }
                };
                result = result.and(taken);
            }
            next = PageList::new(&self.machine.shared_page(list)).next();
            self.free(list).await;
        }
        result
    }

    async fn import_page(&mut self, space: &mut Space, va: u64, frame: Frame) -> Result<(), Errno> {
        let absent = |area: &Area| area.touched && self.machine.lookup(space.root, va).is_none();
        match space.area_at(va).filter(absent) {
            Some(area) if area.sharing == Sharing::Object => self.import_shared(space, &area, va, frame).await,
            Some(area) => self.show(space, va, frame, area.access).await,
            None => {
                self.free(frame).await;
                Err(Errno::EINVAL)
            }
        }
    }

    /// `frame` is the page at `va` of an object that is new on this board.
    async fn import_shared(&mut self, space: &mut Space, area: &Area, va: u64, frame: Frame) -> Result<(), Errno> {
        let object = area.file_page(number(va)).and_then(|(file, page, _)| space.table.files.get(file).zip(Some(page)));
        let kept = match object {
            Some((object, page)) => self.keep_page(object, page, frame).await,
            None => Err(Errno::EINVAL),
        };
        self.free(frame).await;
        kept
    }

    /// A frame of a list, if `board` has stored it: the sender's word is not taken for it.
    async fn stored(&mut self, board: u8, frame: Option<Frame>) -> Option<Frame> {
        let frame = frame?;
        self.memory.call(TakeStored { frame: frame.0, board }, ()).await.is_ok().then_some(frame)
    }
}

/// Whether the called board failed, or has rebooted since.
fn is_gone(called: Result<(), Errno>) -> bool {
    called == Err(Errno::EHOSTDOWN) || called == Err(Errno::ESTALE)
}

/// A page without the zeros at its start and end, which the other board adds, and where the rest begins: a stack's
/// last page is mostly zeros. They need not cross the link.
fn without_zeros_around(page: &[u8]) -> (u16, &[u8]) {
    let end = page.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let start = page[..end].iter().position(|&byte| byte != 0).unwrap_or(0);
    (start as u16, &page[start..end])
}
