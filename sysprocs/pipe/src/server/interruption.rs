//! Calls whose callers were interrupted while they waited in a pipe.

use super::PipeState;
use renga_rt::{Errno, unless_cancelled};

impl PipeState {
    /// Answers every kept call whose caller was interrupted.
    pub(super) fn answer_interrupted(&mut self) {
        self.reading.retain(unless_cancelled);
        self.partnerless.retain(unless_cancelled);
        let (written, mut first) = (&mut self.written, true);
        self.writing.retain(|call| {
            // Only the first may have written a part.
            let first = core::mem::replace(&mut first, false);
            if !call.wait_cancelled() {
                return Some(call);
            }
            let written = if first { core::mem::take(written) } else { 0 };
            call.reply(if written > 0 { Ok(written as u32) } else { Err(Errno::EINTR) });
            None
        });
    }
}
