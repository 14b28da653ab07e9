//! Time limits of calls that wait at a socket (`SO_RCVTIMEO`, `SO_SNDTIMEO`).
//!
//! Invariant: the first call of a queue fails with `EAGAIN` when it has been first for as long as its side says; the
//! time of the next one begins then. A socket without limits never asks for the time. Not here: connecting, and
//! datagrams of other sockets, which have no limit.

use super::SocketProcess;
use crate::side::ConnectionSide;
use renga_proto::socket::{SocketHandle, SocketSide};
use renga_rt::{Call, Entry, Errno};

fn fail<E: Entry<Reply = Result<T, Errno>>, T>(call: Option<Call<E>>) {
    if let Some(call) = call {
        call.reply(Err(Errno::EAGAIN));
    }
}

impl SocketProcess {
    /// Whether any call may have to be failed.
    #[inline(always)]
    pub(super) fn has_limits(&self) -> bool {
        self.sides.iter().any(ConnectionSide::has_limits)
    }

    /// Fails the calls that have waited long enough; when the next one will have.
    pub(super) fn end_waits(&mut self, now_ns: u64) -> Option<u64> {
        for side in [SocketSide::First, SocketSide::Second] {
            let accepting = if side == SocketSide::First { self.accepting.len() } else { 0 };
            let own = &mut self.sides[side as usize];
            if own.receive_limit.is_over(own.receiving.len() + accepting, now_ns) {
                match own.receiving.pop_front() {
                    Some(call) => call.reply(Err(Errno::EAGAIN)),
                    None => fail::<_, SocketHandle>(self.accepting.pop_front()),
                }
                // The time of the next one begins.
                own.receive_limit.begin(own.receiving.len(), now_ns);
            }
            let own = &mut self.sides[side as usize];
            if own.send_limit.is_over(own.sending.len() + own.sending_with.len(), now_ns) {
                match own.sending.pop_front() {
                    Some(call) => self.end_send(side, call, Errno::EAGAIN),
                    None => fail::<_, u32>(own.sending_with.pop_front()),
                }
                let own = &mut self.sides[side as usize];
                own.send_limit.begin(own.sending.len() + own.sending_with.len(), now_ns);
            }
        }
        self.sides.iter().flat_map(|side| [side.receive_limit.until_ns, side.send_limit.until_ns]).flatten().min()
    }
}
