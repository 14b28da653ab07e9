//! Replying with a value whose computation uses the call.
//!
//! Invariant: the value is complete before the call is consumed. Called by: the servers' loops. Not here: calls (`renga_core`).

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
