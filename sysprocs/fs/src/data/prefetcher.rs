//! A prefetcher: brings pages of files from the owner's board into the page cache of its own, before programs read
//! them.
//!
//! Page `p` is the business of prefetcher `p` modulo their count, so a reader of a page on its way waits for the right
//! one, and sequential reading keeps as many requests under way as a board has prefetchers. Each prefetcher asks for
//! one page at a time. So a fill that a program waits for queues behind that many pages at most.
//!
//! Invariant: a page comes into the cache with the cache generation from before its request, or not at all; no cached
//! page is given up for it. Called by: open files, user processes. Calls: page cache, memory, inodes. Not here: the
//! window (`read_ahead_window.rs`).

use crate::data::client::PAGE;
use crate::data::read_ahead_window::ReadAheadWindow;
use renga_hal::memory::{Frame, UserMemory};
use renga_pages::{Fill, fill};
use renga_proto::data::{Prefetcher, PrefetcherCall, ReadMissed};
use renga_proto::inode::{FillPage, Filled, Inode};
use renga_proto::memory::{AllocateFrame, Memory};
use renga_proto::pages::{BeginRun, FileId, Pages, RunBegun};
use renga_rt::{Client, Errno, Family, Me, Never, Port, Protocol, Retry};

/// Sequential readers of a board that are known at a time.
const STREAMS: usize = 8;
/// Misses of a file that are passed over after a page of it could not be had or kept.
const PASSES: u32 = 32;

/// A sequential reader of a file.
#[derive(Clone, Copy)]
struct SequentialReader {
    file: FileId,
    slot: u16,
    /// The size of the file, pages, as far as this process knows.
    pages: u32,
    /// Of this process's pages: number n is the n-th of them.
    window: ReadAheadWindow,
    /// Misses of the file that are to be passed over.
    passes: u32,
}

impl SequentialReader {
    const NONE: SequentialReader =
        SequentialReader { file: FileId::ANY, slot: 0, pages: 0, window: ReadAheadWindow::NONE, passes: 0 };
}

struct PrefetcherState<M: UserMemory + ?Sized + 'static> {
    pages: Client<Pages>,
    memory: Client<Memory>,
    inodes: Family<Inode, { FillPage::BIT }>,
    machine: &'static M,
    number: u32,
    count: u32,
    /// The last to miss first.
    streams: [SequentialReader; STREAMS],
}

/// Serves the readers of a board, as number `number` of `count`. `without_leases`: the boards that may keep no pages, a
/// bit each.
#[allow(clippy::too_many_arguments, reason = "what a process is given at boot")]
pub async fn prefetcher<M: UserMemory + ?Sized + 'static>(
    me: Me,
    mut port: Port<Prefetcher>,
    pages: Client<Pages>,
    memory: Client<Memory>,
    inodes: Family<Inode, { FillPage::BIT }>,
    machine: &'static M,
    number: u16,
    count: usize,
    without_leases: u8,
) -> Never {
    let (number, count, streams) = (number.into(), count.max(1) as u32, [SequentialReader::NONE; STREAMS]);
    let mut state = PrefetcherState { pages, memory, inodes, machine, number, count, streams };
    let caches = without_leases >> me.id().board.0 & 1 == 0;
    loop {
        // Readers first: they may wait for the page that has just come.
        let waiting = match state.is_due() {
            true => port.accept_waiting(Prefetcher::ENTRIES),
            false => Some(port.accept().await),
        };
        match waiting {
            Some(PrefetcherCall::ReadMissed(call)) => {
                let brought = if caches { state.missed(call.entry()).await } else { Err(Errno::ENOENT) };
                call.reply(brought);
            }
            None => state.bring_next().await,
        }
    }
}

impl<M: UserMemory + ?Sized> PrefetcherState<M> {
    /// A program waits for that page: brings it if the program reads sequentially.
    async fn missed(&mut self, miss: ReadMissed) -> Result<(), Errno> {
        let (file, slot) = (miss.file, miss.slot);
        let page = miss.page / self.count;
        let continues =
            |stream: &SequentialReader| stream.file == file && (stream.passes > 0 || stream.window.contains(page));
        let known = self.streams.iter().position(continues);
        if known.is_none() {
            // Perhaps the only one: it goes to the reader without a detour.
            self.streams[STREAMS - 1] =
                SequentialReader { file, window: ReadAheadWindow::behind(page), ..SequentialReader::NONE };
        }
        self.streams[..=known.unwrap_or(STREAMS - 1)].rotate_right(1);
        let [stream, ..] = &mut self.streams;
        stream.slot = slot;
        if stream.passes > 0 {
            stream.passes -= 1;
            return Err(Errno::EAGAIN);
        }
        if known.is_none() || stream.window.missed(page, 1) == 0 {
            return Err(Errno::ENOENT);
        }
        self.bring(0, miss.page).await
    }

    /// How many of the first `pages` pages of a file are this process's.
    fn own_of(&self, pages: u32) -> u32 {
        (pages + self.count - 1).saturating_sub(self.number) / self.count
    }

    fn is_due(&self) -> bool {
        self.streams.iter().any(|stream| stream.window.is_due(self.own_of(stream.pages)))
    }

    /// Brings a page that no program waits for.
    async fn bring_next(&mut self) {
        for at in 0..STREAMS {
            let pages = self.own_of(self.streams[at].pages);
            if let Some(page) = self.streams[at].window.take_one(pages) {
                // A reader that wants it finds the failure itself.
                let _ = self.bring(at, page * self.count + self.number).await;
                return;
            }
        }
    }

    /// Brings page `page` of a stream into the cache. After a failure the stream has ended.
    async fn bring(&mut self, at: usize, page: u32) -> Result<(), Errno> {
        let SequentialReader { file, slot, .. } = self.streams[at];
        let brought = self.fill(file, slot, page).await;
        match brought {
            Ok(0) => {}
            Ok(pages) => self.streams[at].pages = pages,
            Err(_) => self.streams[at] = SequentialReader { file, passes: PASSES, ..SequentialReader::NONE },
        }
        brought.map(|_| ())
    }

    /// The size of the file in pages; 0: the page is cached already.
    async fn fill(&mut self, file: FileId, slot: u16, page: u32) -> Result<u32, Errno> {
        let RunBegun { cache_generation, absent } = self.pages.call(BeginRun { file, page, count: 1 }, ()).await?;
        if absent == 0 {
            return Ok(0);
        }
        let frame = self.memory.call(AllocateFrame {}, ()).await.map(Frame)?;
        let begun = Fill::begun((file, page), cache_generation, frame);
        match self.read(frame, (slot, file.ino), page).await {
            Ok(filled) if filled.is_kept() => {
                let frame = begun.keep(&mut self.pages, filled.size).await;
                fill::free(&mut self.memory, frame).await;
                Ok(u32::try_from(filled.size.div_ceil(PAGE)).unwrap_or(u32::MAX))
            }
            other => {
                begun.give_up(&mut self.memory).await;
                Err(other.err().unwrap_or(Errno::EAGAIN))
            }
        }
    }

    async fn read(&mut self, frame: Frame, (slot, ino): (u16, u32), page: u32) -> Result<Filled, Errno> {
        let board = (0..self.inodes.boards()).find(|&board| self.inodes.count(board) > 0).ok_or(Errno::EIO)?;
        let mut inode = self.inodes.at(board, slot.into()).ok_or(Errno::EIO)?;
        let mut content = self.machine.page(frame);
        let filled = inode.call_retrying(FillPage { ino, page, maps: false }, &mut content[..]).await?;
        filled.clear_behind(&mut content[..]);
        Ok(filled)
    }
}
