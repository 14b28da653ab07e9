//! Time limits of calls that wait at a socket (`SO_RCVTIMEO`, `SO_SNDTIMEO`).
//!
//! Invariant: a call fails with `EAGAIN` when it has waited for as long as its side said when its wait began. A signal
//! ends the wait for good. A socket without limits never asks for the time. Not here: connecting, and datagrams of
//! other sockets, which have no limit.

use super::SocketProcess;
use crate::side::ConnectionSide;
use crate::wait_limit::{BEGINS, WaitLimit, wait_for_ever};
use renga_proto::socket::{INTERRUPTED_FOR_GOOD, RECEIVE_TIME, SEND_TIME, SocketSide};
use renga_rt::{Call, CallQueue, Entry, Errno};

const NEVER_NS: u64 = u64::MAX;

/// Fails the calls of the queue that have waited long enough; `next_ns` is at most when the next one will have.
fn end_over<T, E: Entry<Reply = Result<T, Errno>>>(
    queue: &mut CallQueue<E>,
    limit: WaitLimit,
    now_ns: u64,
    next_ns: &mut u64,
) {
    queue.retain(|call| {
        if !limit.is_over(&call, now_ns, next_ns) {
            return Some(call);
        }
        call.reply(Err(Errno::EAGAIN));
        None
    });
}

/// The call, unless its caller was interrupted.
pub(super) fn unless_interrupted<T, E: Entry<Reply = Result<T, Errno>>>(
    call: Call<E>,
    limit: WaitLimit,
) -> Option<Call<E>> {
    if !call.wait_cancelled() {
        return Some(call);
    }
    let errno = interruption(&call, limit);
    call.reply(Err(errno));
    None
}

/// How the interrupted call fails.
pub(super) fn interruption<E: Entry>(call: &Call<E>, limit: WaitLimit) -> Errno {
    if limit.is_limited(call) { INTERRUPTED_FOR_GOOD } else { Errno::EINTR }
}

/// The wait of the call begins, if it has to wait.
#[inline(always)]
pub(super) fn begin_wait<E: Entry>(call: &Call<E>, limit: WaitLimit) {
    if limit.is_used() {
        call.note().set(BEGINS);
    }
}

impl SocketProcess {
    /// Whether any call may have to be failed.
    #[inline(always)]
    pub(super) fn has_limits(&self) -> bool {
        self.sides.iter().any(ConnectionSide::has_limits)
    }

    /// Keeps `value` of an option; false: there are too many.
    pub(super) fn keep_option(&mut self, side: SocketSide, option: u32, value: u64) -> bool {
        let accepting = &mut self.accepting;
        let own = &mut self.sides[side as usize];
        match option {
            RECEIVE_TIME => {
                if !own.receive_limit.is_used() {
                    wait_for_ever(&mut own.receiving);
                    if side == SocketSide::First {
                        wait_for_ever(accepting);
                    }
                }
                own.receive_limit.set(value);
            }
            SEND_TIME => {
                if !own.send_limit.is_used() {
                    wait_for_ever(&mut own.sending);
                    wait_for_ever(&mut own.sending_with);
                }
                own.send_limit.set(value);
            }
            _ => {}
        }
        own.set_option(option, value)
    }

    /// Fails the calls that have waited long enough; when the next one will have.
    pub(super) fn end_waits(&mut self, now_ns: u64) -> Option<u64> {
        let mut next_ns = NEVER_NS;
        for side in [SocketSide::First, SocketSide::Second] {
            let own = &mut self.sides[side as usize];
            if own.receive_limit.is_used() {
                end_over(&mut own.receiving, own.receive_limit, now_ns, &mut next_ns);
                if side == SocketSide::First {
                    end_over(&mut self.accepting, own.receive_limit, now_ns, &mut next_ns);
                }
            }
            if own.send_limit.is_used() {
                end_over(&mut own.sending_with, own.send_limit, now_ns, &mut next_ns);
                let limit = own.send_limit;
                own.answer_senders(|call| limit.is_over(call, now_ns, &mut next_ns).then_some(Errno::EAGAIN));
            }
        }
        (next_ns != NEVER_NS).then_some(next_ns)
    }
}
