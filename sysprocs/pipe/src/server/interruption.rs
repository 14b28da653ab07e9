//! Calls whose callers were interrupted while they waited in a pipe.

use super::PipeState;
use renga_rt::{Call, Entry, Errno};

impl PipeState {
    /// Answers every kept call whose caller was interrupted.
    pub(super) fn answer_interrupted(&mut self) {
        self.reading.retain(unless_interrupted(|call| call.reply(Err(Errno::EINTR))));
        self.partnerless.retain(unless_interrupted(|call| call.reply(Err(Errno::EINTR))));
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

/// Keeps a call, or has it answered if its caller was interrupted.
fn unless_interrupted<E: Entry>(answer: impl Fn(Call<E>)) -> impl FnMut(Call<E>) -> Option<Call<E>> {
    move |call| {
        if !call.wait_cancelled() {
            return Some(call);
        }
        answer(call);
        None
    }
}
