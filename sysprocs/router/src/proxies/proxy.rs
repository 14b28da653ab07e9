//! A proxy: makes calls of other boards' processes on this board, one at a time.
//!
//! Invariant: a proxy has at most one call under way, and makes each call in its mailbox exactly once. It remembers
//! nothing:
//! the call is the router's ([`crate::calls::in_call::InCall`]).

use crate::proxies::mailbox::{ProxyCall, ProxyMailbox, ProxyReply, ProxyResults};
use renga_rt::raw::{Message, RawClient};
use renga_rt::{Errno, Me, Never};

/// Serves `post`.
pub async fn proxy(
    mut me: Me,
    mut client: RawClient,
    mailbox: &'static ProxyMailbox,
    proxy_results: &'static ProxyResults,
) -> Never {
    loop {
        me.notified().await;
        let Some((work, interrupted)) = mailbox.take_call() else { continue };
        if !interrupted {
            me.clear_cancellation(); // it was for an earlier caller's call
        }
        let ProxyCall { board, account, patient, destination, op, words, given_bytes, taken_bytes, slices } = work;
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
        mailbox.finish(ProxyReply { words, used_bytes, slices }, proxy_results);
    }
}

/// The reply `errno`, whatever the entry: word 0 of a `Result`.
pub fn failure(errno: Errno) -> Message {
    [u64::from(errno.0), 0, 0, 0, 0, 0]
}
