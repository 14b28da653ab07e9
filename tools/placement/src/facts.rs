//! What the code says about its process kinds: the input that is not in the system file.
//!
//! Invariant: plain constant data, so that it can be computed at compile time from the signatures of the
//! process functions: `Port<P>` gives `serves`, each `Client<P>` or `Family<P>` gives one of `uses`.
//! Not here: how many of each kind there are and where (the system file).

/// A protocol, as seen by the placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementProtocol {
    /// Its name, unique in the code.
    pub name: &'static str,
    /// Its entries: number (below 31) and name.
    pub entries: &'static [(u32, &'static str)],
    /// The set (a bit each) of entries whose reply may wait for another client's call.
    pub defers: u32,
    /// The set of entries without a result: an asynchronous edge may release their callers early.
    pub releases: u32,
    /// The set of entries that return data, more than a status: in paired form their answers are rendezvous too.
    pub returns_data: u32,
    /// The set of entries whose calls give a slice (`&[u8]`).
    pub gives: u32,
    /// The set of entries whose calls lend one to be written (`&mut [u8]`).
    pub takes: u32,
    /// The most bytes that a call gives (`&[u8]`).
    pub given_bytes_max: u32,
    /// The most bytes that a call takes (`&mut [u8]`).
    pub taken_bytes_max: u32,
}

impl PlacementProtocol {
    /// All entries, a bit each.
    pub(crate) fn set(&self) -> u32 {
        self.entries.iter().fold(0, |set, (op, _)| set | 1 << op)
    }
    /// The most bytes that the slices of one call to one of `entries` have.
    pub(crate) fn slice_bytes(&self, entries: u32) -> u64 {
        let of = |op: u32| {
            let bytes = |set: u32, max: u32| if set >> op & 1 != 0 { u64::from(max) } else { 0 };
            bytes(self.gives, self.given_bytes_max) + bytes(self.takes, self.taken_bytes_max)
        };
        let chosen = self.entries.iter().filter(|(op, _)| entries & 1 << op != 0);
        chosen.map(|(op, _)| of(*op)).max().unwrap_or(0)
    }
    /// The names of the entries in the set `entries`, for messages.
    pub(crate) fn names(&self, entries: u32) -> String {
        let chosen = self.entries.iter().filter(|(op, _)| entries & 1 << op != 0);
        chosen.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// Which of a protocol's servers a client may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerChoice {
    /// Those on its own board.
    OwnBoard,
    /// Those on its own board, if it has any: a `Local`.
    OwnBoardIfAny,
    /// Those on the one board that has any: the disk's, unless the system file moves them.
    OneBoard,
    /// Those on its own board, or if it has none, on the one board that has any: a `Client` of a kind that
    /// the system file may spread.
    Nearest,
    /// Those on every board that has any: a `Family`.
    AllBoards,
}

/// A protocol that a kind calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolUse {
    /// [`PlacementProtocol::name`].
    pub protocol: &'static str,
    /// Whose servers.
    pub at: ServerChoice,
    /// The entries that it may call, a bit each.
    pub entries: u32,
    /// It only passes its callers' calls on to them: they wait for these servers, it does not.
    pub forwards: bool,
}

/// On which boards a kind may be, or must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardRule {
    /// Wherever the system file says.
    Any,
    /// As `Any`, and a system may do without: a [`Where::AllBoards`] use of what only such kinds serve may find none.
    Optional,
    /// On the board that owns the disk and nowhere else.
    DiskOnly,
    /// On the board where all others of this rule are, whichever, and nowhere else.
    FileOnly,
    /// On every board.
    Every,
    /// On every board of a system of several boards; nowhere in a system of one (the router, what reports
    /// on it). The proxies run on the core of the first of them in the code that shares something with them.
    EveryLinked,
    /// Computed: for the processes of each kind of another board that call servers here some that they share
    /// ([`crate::SystemDescription::shared_of`]), and one for each that calls entries which may wait for long (the
    /// proxies).
    PerRemoteCaller,
    /// Computed: [`crate::AsyncPool::proxies`] for each other board with an asynchronous edge to here.
    PerAsyncBoard,
}

/// A kind of system process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindFacts {
    /// Its name in system files: lower case, words joined by `_`.
    pub name: &'static str,
    /// The protocol that it serves.
    pub serves: Option<PlacementProtocol>,
    /// The protocols that it calls.
    pub uses: &'static [ProtocolUse],
    /// Where it may be.
    pub board: BoardRule,
    /// The most that one board may have; 1 for those that clients reach through `Client`.
    pub count_max: u16,
    /// Size of its future.
    pub future_bytes: u32,
    /// Names of what it reaches by cells, together with other processes of its board.
    pub shares: &'static [&'static str],
    /// What it needs that only the home of a board has.
    pub needs_home: Option<&'static str>,
    /// Its core is its board's home.
    pub is_home: bool,
}

impl KindFacts {
    /// Whether the tool computes its number, so that the system file may not name it.
    pub(crate) fn computed(&self) -> bool {
        matches!(self.board, BoardRule::PerRemoteCaller | BoardRule::PerAsyncBoard)
    }
    /// Whether it serves the protocol called `protocol`.
    pub(crate) fn serves(&self, protocol: &str) -> bool {
        self.serves.is_some_and(|p| p.name == protocol)
    }
}
