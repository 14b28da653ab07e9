//! Frames that a program has before it needs them, and references that it has yet to give back: most of its faults then
//! ask the memory process for nothing.
//!
//! Invariant: each entry carries one reference, which is the cache's; so all of it may be given back at any time. Of a
//! cache that is empty, or full, as much as there is goes and comes by one call. Not here: the memory process, which
//! says how many it has to spare (`frames.rs`); the content of the frames.

use crate::frame_list::FrameList;
use renga_abi::Errno;
use renga_hal::memory::{Frame, ListedFrame, NOT_LISTED};
use renga_proto::memory::{FreeFrames, Memory, RefillFrames};
use renga_rt::Client;

/// Most frames that come at once.
const FRAMES_PER_CALL: usize = 32;
/// Frames and references together: a program that copies pages gives one back for each that it uses, and has room for
/// as many more.
const CACHE_FRAMES: usize = 2 * FRAMES_PER_CALL;

/// A program's free-frame cache; it gives nothing back by being dropped.
pub struct FrameCache {
    /// First the frames to be used, then the references to be given back.
    entries: [ListedFrame; CACHE_FRAMES],
    unused: usize,
    count: usize,
}

impl FrameCache {
    /// None.
    pub const fn new() -> Self {
        FrameCache { entries: [NOT_LISTED; CACHE_FRAMES], unused: 0, count: 0 }
    }

    /// A frame, with any content. `ENOMEM`: there is none, and what was to be given back has been.
    pub async fn take(&mut self, memory: &mut Client<Memory>) -> Result<Frame, Errno> {
        if self.unused == 0 {
            let given = core::mem::take(&mut self.count) as u32;
            let refill = RefillFrames { given, wanted: FRAMES_PER_CALL as u32 };
            let came = memory.call(refill, self.entries.as_flattened_mut()).await?;
            self.unused = FRAMES_PER_CALL.min(came as usize);
            self.count = self.unused;
        }
        self.unused = self.unused.checked_sub(1).ok_or(Errno::ENOMEM)?;
        self.count -= 1;
        // The last reference to be given back fills the hole, if there is one.
        self.entries.swap(self.unused, self.count);
        Ok(Frame(u32::from_le_bytes(self.entries[self.count])))
    }

    /// A reference to `frame`, which is the cache's from now on, is to be given back some time.
    pub async fn give(&mut self, memory: &mut Client<Memory>, frame: Frame) {
        if self.count == CACHE_FRAMES {
            free(memory, &self.entries[self.unused..]).await;
            self.count = self.unused;
        }
        if self.count == CACHE_FRAMES {
            return free(memory, &[frame.listed()]).await;
        }
        self.entries[self.count] = frame.listed();
        self.count += 1;
    }

    /// Gives all back.
    pub async fn give_back(&mut self, memory: &mut Client<Memory>) {
        free(memory, &self.entries[..self.count]).await;
        (self.unused, self.count) = (0, 0);
    }

    /// What is in it is to be given back with a list, if that has room for it.
    pub(crate) fn join(&mut self, list: &mut FrameList) {
        if let Some(room) = list.room().get_mut(..self.count) {
            room.copy_from_slice(&self.entries[..self.count]);
            list.added(self.count);
            (self.unused, self.count) = (0, 0);
        }
    }
}

impl Default for FrameCache {
    fn default() -> Self {
        Self::new()
    }
}

async fn free(memory: &mut Client<Memory>, frames: &[ListedFrame]) {
    if !frames.is_empty() {
        // A refusal means that a frame was not ours; the memory process has logged it.
        let _ = memory.call(FreeFrames {}, frames.as_flattened()).await;
    }
}
