//! Replying with a value whose computation uses the call.
//!
//! Invariant: the value is complete before the call is consumed. Called by: the servers' loops. Not here: calls
//! (`renga_core`).

use renga_abi::{Errno, InWords};
use renga_core::{Call, Entry};

/// The call, unless its caller's wait is cancelled: that has `EINTR`.
pub fn unless_cancelled<T: InWords, E: Entry<Reply = Result<T, Errno>>>(call: Call<E>) -> Option<Call<E>> {
    if !call.wait_cancelled() {
        return Some(call);
    }
    call.reply(Err(Errno::EINTR));
    None
}

/// Replies to `$call` with the value of `$answer`, which may borrow the call; `if` an error comes first, with that.
/// `bytes`, or a function of the value, says how many bytes of the slice taken are filled.
#[macro_export]
macro_rules! reply {
    ($call:ident, if $allowed:expr => $answer:expr) => {
        $crate::reply!(
            $call,
            match $allowed {
                Ok(()) => $answer,
                Err(errno) => Err(errno),
            }
        )
    };
    ($call:ident, $answer:expr) => {{
        let answer = $answer;
        $call.reply(answer);
    }};
    ($call:ident, $answer:expr, bytes) => {
        $crate::reply!($call, $answer, |bytes| bytes)
    };
    ($call:ident, $answer:expr, |$value:ident| $bytes:expr) => {{
        let answer = $answer;
        $call.set_taken_used(answer.map_or(0, |$value| $bytes as usize));
        $call.reply(answer);
    }};
}
