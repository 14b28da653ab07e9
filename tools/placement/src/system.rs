//! A system file, read but not yet compared with the code.
//!
//! Invariant: every number and name is as in the file, with its line, for messages. Not here: reading
//! (`parse.rs`), judging (`checked.rs`).

/// Proxies that the processes of a kind share on another board, unless the file says otherwise.
const SHARED_DEFAULT: u16 = 4;

/// How a call between boards releases its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseMode {
    /// When the reply has come.
    Sync,
    /// When the router has a copy, if the entry returns no result.
    Async,
}

impl ReleaseMode {
    /// As system files write it.
    pub fn name(self) -> &'static str {
        match self {
            ReleaseMode::Sync => "sync",
            ReleaseMode::Async => "async",
        }
    }
}

/// How a call between boards that returns data travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageForm {
    /// As one rendezvous, in which the data come back.
    TwoWay,
    /// As two, one in each direction: the request, and the answer.
    Paired,
}

impl MessageForm {
    /// As system files write it.
    pub fn name(self) -> &'static str {
        match self {
            MessageForm::TwoWay => "two-way",
            MessageForm::Paired => "paired",
        }
    }
}

/// A board of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemBoard {
    /// Its name.
    pub name: String,
    /// Whether it owns the disk.
    pub owns_disk: bool,
    /// Whether it may keep pages of files.
    pub leases: bool,
    /// Cores that run system processes.
    pub cores: u8,
    /// Those of them that run programs, a bit each; without it the programs' home.
    pub program_cores: Option<u8>,
    /// The most memory that programs and cached files have on it, MiB.
    pub memory_mib: u16,
    /// The most memory that messages may need on it, KiB.
    pub message_kib: u32,
    /// Where it is in the file.
    pub line: usize,
}

/// A set of boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// All.
    Every,
    /// The one of this name.
    Board(String),
}

/// Some processes of one kind on one core of a board, or of every board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPlace {
    /// [`crate::KindFacts::name`].
    pub kind: String,
    /// Where.
    pub on: On,
    /// How many on each board; not yet judged.
    pub count: i64,
    /// On which core; not yet judged.
    pub core: i64,
    /// Where it is in the file.
    pub line: usize,
}

/// A mode for one edge or for one entry of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeMode {
    /// The kind that calls.
    pub caller: String,
    /// The kind that serves.
    pub server: String,
    /// Only this entry of the server's protocol.
    pub entry: Option<String>,
    /// The mode.
    pub mode: ReleaseMode,
    /// Where it is in the file.
    pub line: usize,
}

/// What bounds asynchronous calls from one board to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncPool {
    /// Copies of calls under way; a call that finds none free is synchronous.
    pub slots: u16,
    /// Processes at the far board that carry them out.
    pub proxies: u16,
}

/// How many proxies the processes of one kind of a board share on each other board that they call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedProxies {
    /// The kind that calls.
    pub caller: String,
    /// How many of its calls may be under way to one board.
    pub count: u16,
    /// Where it is in the file.
    pub line: usize,
}

/// A system file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemDescription {
    /// Its name.
    pub name: String,
    /// The mode of all edges that `edges` does not mention.
    pub mode: ReleaseMode,
    /// How calls between boards that return data travel.
    pub messages: MessageForm,
    /// Its boards, in the order in which the token travels.
    pub boards: Vec<SystemBoard>,
    /// Who runs where, in the file's order.
    pub places: Vec<SystemPlace>,
    /// Exceptions from `mode`, in the file's order.
    pub edges: Vec<EdgeMode>,
    /// The pool of each pair of boards.
    pub pool: AsyncPool,
    /// Numbers of shared proxies, in the file's order.
    pub shared: Vec<SharedProxies>,
}

impl SystemDescription {
    /// How many proxies the `count` processes of `kind` of one board share on another.
    pub fn shared_of(&self, kind: &str, count: u16) -> u16 {
        let wanted = self.shared.iter().find(|shared| shared.caller == kind).map(|shared| shared.count);
        wanted.unwrap_or(SHARED_DEFAULT).min(count)
    }
}
