//! Bringing a page of a file into the cache, after a miss.
//!
//! Invariant: a frame that is handed on carries one reference, which is the caller's. Not here: the call that reads the
//! page, which differs between callers.

use renga_abi::Errno;
use renga_hal::memory::Frame;
use renga_proto::data::{Prefetcher, ReadMissed};
use renga_proto::memory::{AllocateFrame, FreeFrame, Memory};
use renga_proto::pages::{BeginFill, FileId, Filled, KEPT, KeepPage, NO_PAGE, Pages, Shrink};
use renga_rt::{Client, Local};

/// Cached pages to give up when memory is short.
const SHRINK_FRAMES: u32 = 64;

/// A page on its way into the cache: an own frame for its content, and the right to offer it.
#[must_use = "the frame is to be kept or freed"]
pub struct Fill {
    file: FileId,
    page: u32,
    cache_generation: u64,
    /// Zeros, to be filled.
    pub frame: Frame,
}

impl Fill {
    /// The cache generation, which serves for an `AcceptLease` of the file, too.
    pub fn cache_generation(&self) -> u64 {
        self.cache_generation
    }

    /// The same fill with another cache generation.
    pub fn with_generation(self, cache_generation: u64) -> Fill {
        Fill { cache_generation, ..self }
    }

    /// With the cache generation from when the page was read, if there is one.
    pub fn as_read(self, filled: &Filled) -> Fill {
        if filled.keep == KEPT { self } else { self.with_generation(filled.keep) }
    }

    /// Before page `page` of `file` is read.
    pub async fn begin(
        memory: &mut Client<Memory>,
        pages: &mut Client<Pages>,
        file: FileId,
        page: u32,
    ) -> Result<Fill, Errno> {
        Fill::begin_for(memory, pages, (file, page), NO_PAGE).await
    }

    /// As `begin`, of a page that the caller is about to map because it shares it.
    pub async fn begin_shared(
        memory: &mut Client<Memory>,
        pages: &mut Client<Pages>,
        file: FileId,
        page: u32,
    ) -> Result<Fill, Errno> {
        Fill::begin_for(memory, pages, (file, page), page).await
    }

    /// One that was begun otherwise, with that cache generation and frame.
    pub fn begun((file, page): (FileId, u32), cache_generation: u64, frame: Frame) -> Fill {
        Fill { file, page, cache_generation, frame }
    }

    async fn begin_for(
        memory: &mut Client<Memory>,
        pages: &mut Client<Pages>,
        (file, page): (FileId, u32),
        mapped: u32,
    ) -> Result<Fill, Errno> {
        let cache_generation = pages.call(BeginFill { file, mapped }, ()).await?;
        let frame = allocate(memory, pages).await?;
        Ok(Fill { file, page, cache_generation, frame })
    }

    /// The page was read, of a file of `size` bytes: offers it. The frame stays the caller's, too.
    pub async fn keep(self, pages: &mut Client<Pages>, size: u64) -> Frame {
        let Fill { file, page, cache_generation, frame } = self;
        // Revoked meanwhile or not: it was the file's at the time of the call.
        let _ = pages.call(KeepPage { file, page, frame: frame.0, cache_generation, size }, ()).await;
        frame
    }

    /// It could not be read.
    pub async fn give_up(self, memory: &mut Client<Memory>) {
        free(memory, self.frame).await;
    }
}

/// A frame, all zeros; if there is none, one that the cache gives up.
pub async fn allocate(memory: &mut Client<Memory>, pages: &mut Client<Pages>) -> Result<Frame, Errno> {
    let mut frame = memory.call(AllocateFrame {}, ()).await;
    if frame == Err(Errno::ENOMEM) && shrink(pages).await {
        frame = memory.call(AllocateFrame {}, ()).await;
    }
    frame.map(Frame)
}

/// Whether the cache gave frames back.
pub async fn shrink(pages: &mut Client<Pages>) -> bool {
    pages.call(Shrink::at_once(SHRINK_FRAMES), ()).await.is_ok_and(|shrunk| shrunk.freed > 0)
}

/// Gives a frame back.
pub async fn free(memory: &mut Client<Memory>, frame: Frame) {
    // A refusal means that the frame was not the caller's; the memory process has logged it.
    let _ = memory.call(FreeFrame { frame: frame.0 }, ()).await;
}

/// Whether the board's prefetchers have brought the page of that miss into the cache.
pub async fn prefetched(prefetchers: &mut Local<Prefetcher>, miss: ReadMissed) -> bool {
    let number = miss.page as usize % prefetchers.count().max(1);
    match prefetchers.at(number) {
        Some(prefetcher) => prefetcher.call_once(miss, ()).await.is_ok(),
        None => false,
    }
}
