//! One scripted call, for tests of a single check.
//!
//! Invariant: the call is made once, on request, and its answer is kept. Not here: random calls (`attack.rs`).

use core::cell::Cell;
use renga_core::Members;
use renga_rt::given::Servers;
use renga_rt::raw::{Message, RawClient};
use renga_rt::{Me, Never, PAGE_BYTES};
use renga_systems::tables::Board;
use renga_systems::{Directory, Kind};

/// Between two polls of the request, ns.
const PAUSE_NS: u64 = 1_000_000;

/// A call, and what became of it.
pub struct ScriptedCall {
    /// The first process of this kind makes it.
    pub caller: Kind,
    /// To that process of this kind of the attacked board.
    pub server: (Kind, u16),
    /// The entry.
    pub op: u32,
    /// The words.
    pub words: Message,
    /// The slice given.
    pub given: &'static [u8],
    /// Bytes of the slice taken, a page at most.
    pub taken: usize,
    /// It is to be made now.
    pub go: Cell<bool>,
    /// The words of the answer.
    pub answer: Cell<Option<Message>>,
}

impl ScriptedCall {
    /// Entry `op` with `words`, without slices.
    pub const fn new(caller: Kind, server: (Kind, u16), op: u32, words: Message) -> ScriptedCall {
        ScriptedCall { caller, server, op, words, given: &[], taken: 0, go: Cell::new(false), answer: Cell::new(None) }
    }
}

/// Makes the call, of `all` processes of `victim`, and nothing afterwards.
pub(crate) async fn doer(
    mut me: Me,
    all: Members,
    (directory, victim): (&'static Directory, &'static Board<'static>),
    deed: &'static ScriptedCall,
) -> Never {
    let mut client = RawClient::new(&me, all);
    while !deed.go.get() {
        let until_ns = me.now_ns() + PAUSE_NS;
        me.sleep_until(until_ns).await;
    }
    let destination = victim.range(deed.server.0).start + deed.server.1;
    let mut taken = [0; PAGE_BYTES];
    let call = client.call(directory.board(), (destination, deed.op), deed.words, deed.given, &mut taken[..deed.taken]);
    let words = match call.await {
        Ok(answer) => answer.words,
        Err(errno) => [u64::from(errno.0), 0, 0, 0, 0, 0],
    };
    deed.answer.set(Some(words));
    loop {
        me.notified().await;
    }
}
