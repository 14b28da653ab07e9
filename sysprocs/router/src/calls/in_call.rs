//! One call of another board's process to this board: from its first fragment to the last of its reply.
//!
//! Invariant: the memory of its slices is here, except while its proxy works. Called by: `incoming.rs`, `transmit.rs`.
//! Not here: which place a call has (`router_memory.rs`).

use crate::calls::fragment::{Fragments, first_words, put};
use crate::packing::AnswerBytes;
use renga_rt::account::AccountNumber;
use renga_rt::raw::Message;
use renga_wire::{Cost, Head, Request};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum CallStage {
    #[default]
    Fresh,
    /// Fragments of its call are missing.
    Receiving,
    /// Its call is complete, and waits for asynchronous calls that came before it.
    Queued,
    /// Its proxy makes the call.
    Running,
    /// As `Running`, for a session that has ended: the reply will be dropped.
    Stale,
    /// Its reply is being sent.
    Answered,
    /// In paired form: its reply is sent, and the caller's board has not said that it has come.
    Unacknowledged,
}

/// The place of one call.
#[derive(Default)]
pub struct InCall {
    /// Whose processes have it.
    pub(crate) board: u8,
    pub(crate) stage: CallStage,
    pub(crate) number: u8,
    pub(crate) caller: u16,
    pub(crate) request: Request,
    /// The account of the caller, if it is the slot of a program: unless the request names another.
    pub(crate) own_account: AccountNumber,
    /// Whether it waits for the share of the program for which it is made.
    pub(crate) patient: bool,
    /// Whether its caller's long messages go in the background.
    pub(crate) background: bool,
    pub(crate) account: AccountNumber,
    /// The work for the account, which the reply reports.
    pub(crate) cost: Cost,
    pub(crate) received: usize,
    /// When it came, among all calls from other boards.
    pub(crate) arrival: u64,
    pub(crate) interrupted: bool,
    /// In paired form: each of its two rendezvous is awaited to its end.
    pub(crate) ends_awaited: bool,
    pub(crate) reply: Message,
    /// Words of the reply.
    pub(crate) reply_words: u8,
    pub(crate) answer: AnswerBytes,
    pub(crate) fragments: Fragments,
    /// The memory of its slices, the one given and behind it the one taken; with the proxy while that works.
    pub(crate) slices: Option<&'static mut [u8]>,
}

impl InCall {
    /// A place for calls of processes of `board`, without one.
    pub(crate) fn new(board: u8, slices: &'static mut [u8]) -> InCall {
        InCall { board, slices: Some(slices), ..InCall::default() }
    }

    /// Writes the next fragment of the reply into `room`: its length, bytes, and whether more follow.
    pub(crate) fn build(&mut self, room: &mut [u8]) -> (usize, bool) {
        let (CallStage::Answered, Some(slices)) = (self.stage, &self.slices) else { return (0, false) };
        let (caller, number, cost) = (self.caller, self.number, self.cost);
        let words = first_words(self.reply, self.reply_words);
        let AnswerBytes { sent: used_bytes, plain: plain_bytes } = self.answer;
        let first = || Head::Reply { caller, number, words, used_bytes, plain_bytes, cost };
        let answer = &slices[usize::from(self.request.given_bytes)..][..usize::from(used_bytes)];
        let (bytes, more) = self.fragments.build(first, Head::ReplyMore { caller }, answer, room);
        if !more {
            self.stage = if self.ends_awaited { CallStage::Unacknowledged } else { CallStage::Fresh };
        }
        (bytes, more)
    }

    /// Writes the news that the call is passed on into `room`, as `build` does.
    pub(crate) fn build_accepted(&self, room: &mut [u8]) -> (usize, bool) {
        (put(Head::Accepted { caller: self.caller, number: self.number }, &[], room).0, false)
    }
}
