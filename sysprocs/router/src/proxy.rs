//! A proxy: makes calls of processes of another board, one at a time, on this board.
//!
//! Invariant: it has at most one call under way, and makes each piece of work it finds exactly once. It remembers
//! nothing: the call that it makes is the router's ([`crate::incoming::InCall`]).

use crate::post::{Completions, Done, Post, Work};
use renga_rt::raw::{Message, RawClient};
use renga_rt::{Errno, Me, Never};

/// Serves `post`.
pub async fn proxy(mut me: Me, mut client: RawClient, post: &'static Post, completions: &'static Completions) -> Never {
    loop {
        me.notified().await;
        let Some((work, interrupted)) = post.take_work() else { continue };
        if !interrupted {
            me.clear_cancellation(); // it was for an earlier caller's call
        }
        let Work { board, account, patient, destination, op, words, given_bytes, taken_bytes, slices } = work;
        me.act_for(account);
        if patient {
            me.await_share().await;
        }
        let (given, behind) = slices.split_at_mut(given_bytes);
        let answer = client.call(board, (destination, op), words, given, &mut behind[..taken_bytes]).await;
        let (words, used_bytes) = match answer {
            Ok(reply) => (reply.words, reply.taken_used),
            Err(errno) => (failure(errno), 0),
        };
        post.finish(Done { words, used_bytes, slices }, completions);
    }
}

/// The reply that tells `errno`, whatever the entry: word 0 of a `Result`.
pub fn failure(errno: Errno) -> Message {
    [u64::from(errno.0), 0, 0, 0, 0, 0]
}
