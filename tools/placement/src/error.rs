//! Every way in which a placement is refused: what is wrong, where, and how to mend it.
//!
//! Invariant: one variant per rule, one bad file per variant in `tests/bad` with the exact message. The
//! file's name is not in the message: who prints it puts it in front.

use thiserror::Error;

/// Why a system file is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // the messages name every field
pub enum PlacementError {
    // Its form.
    #[error(
        "line {line}: not TOML: {detail}\n  found: {source_line}\n  mend: correct this line; strings need quotes, a key may appear once"
    )]
    Syntax { line: usize, source_line: String, detail: String },
    #[error(
        "line {line}: unknown key `{found}` in {place}\n  known: {known}\n  mend: correct the name, or remove the key"
    )]
    UnknownKey { line: usize, place: String, found: String, known: String },
    #[error("line {line}: {place} has no `{missing}`\n  mend: add {example}")]
    MissingKey { line: usize, place: String, missing: String, example: &'static str },
    #[error("line {line}: `{key}` in {place} is of type {found}, but must be {wanted}\n  mend: write {wanted}")]
    WrongType { line: usize, place: String, key: String, wanted: &'static str, found: &'static str },
    #[error("line {line}: `{key} = {found}` in {place} is out of range\n  mend: choose a number from 1 to {max}")]
    OutOfRange { line: usize, place: String, key: &'static str, found: i64, max: i64 },
    #[error(
        "line {line}: \"{name}\" cannot be the name of a system\n  mend: use 1 to {max} of a-z, A-Z, 0-9, `-` and `_`"
    )]
    BadSystemName { line: usize, name: String, max: usize },
    #[error("line {line}: \"{found}\" is not a mode\n  mend: write \"sync\" or \"async\"")]
    BadMode { line: usize, found: String },
    /// Neither form of messages.
    #[error("line {line}: \"{found}\" is not a form of messages\n  mend: write \"two-way\" or \"paired\"")]
    BadMessages { line: usize, found: String },
    #[error(
        "line {line}: `{found}` does not name an edge\n  mend: write \"caller -> server\" or \"caller -> server.Entry\", with kinds from [place]"
    )]
    BadEdge { line: usize, found: String },
    #[error("line {line}: the list of boards is empty\n  mend: add at least {{ name = \"a\", disk = true }}")]
    NoBoards { line: usize },
    #[error(
        "line {line}: \"{name}\" cannot be the name of a board\n  mend: use 1 to {max} of a-z, 0-9 and `-`; \"every\" stands for all boards"
    )]
    BadBoardName { line: usize, name: String, max: usize },
    #[error(
        "line {line}: board \"{name}\" is already on line {first}\n  mend: give the second one another name, or remove it"
    )]
    DuplicateBoard { line: usize, name: String, first: usize },
    #[error(
        "line {line}: {count} boards, but a cluster has at most {max}\n  mend: remove boards from here on; the link has {max} acknowledgement lines"
    )]
    TooManyBoards { line: usize, count: usize, max: usize },

    // Names and numbers in [place].
    #[error(
        "line {line}: unknown kind of process `{kind}` in [place]\n  known: {known}\n  mend: correct the name, or remove the line"
    )]
    UnknownKind { line: usize, kind: String, known: String },
    #[error(
        "line {line}: `{kind}` is placed on board \"{board}\", which is not in this system\n  boards: {known}\n  mend: place it on one of these or on \"every\", or add the board to `boards`"
    )]
    UnknownBoard { line: usize, kind: String, board: String, known: String },
    #[error(
        "line {line}: `{kind}` may not be placed: how many are needed, and where, is computed\n  mend: remove the line"
    )]
    ComputedKind { line: usize, kind: &'static str },
    #[error(
        "line {line}: {count} of `{kind}` on board \"{board}\", but there must be 1 to {max}\n  mend: change `count`, or remove the line if the kind is not wanted"
    )]
    BadCount { line: usize, kind: &'static str, board: String, count: i64, max: u16 },
    #[error(
        "line {line}: `{kind}` is placed on core {core} of board \"{board}\", which has {cores} (numbered from 0)\n  mend: choose a lower `core`, or give the board more `cores`"
    )]
    NoSuchCore { line: usize, kind: &'static str, board: String, core: i64, cores: u8 },
    #[error(
        "line {line}: programs of board \"{board}\" are to run on core {core}, but it has {cores} (numbered from 0)\n  mend: take the number out of `programs`, or give the board more `cores`"
    )]
    NoSuchProgramCore { line: usize, board: String, core: i64, cores: u8 },
    #[error(
        "line {line}: programs of board \"{board}\" run on no core\n  mend: name some in `programs`, such as `programs = [0]`, or leave it out, which is the same"
    )]
    NoProgramCore { line: usize, board: String },
    #[error(
        "line {line}: `{kind}` is placed twice on core {core} of board \"{board}\"\n  mend: add the counts up in one place, or choose another core or board"
    )]
    PlacedTwice { line: usize, kind: &'static str, board: String, core: i64 },
    #[error(
        "line {line}: `{kind}` is placed on core {core} of board \"{board}\", but shares {shared} with `{other}`, which is on core {other_core}\n  mend: give both the same `core`"
    )]
    MustShareCore {
        line: usize,
        kind: &'static str,
        core: u8,
        board: String,
        shared: &'static str,
        other: &'static str,
        other_core: u8,
    },
    #[error(
        "line {line}: `{kind}` is placed on core {core} of board \"{board}\", but needs {needs}, which only the core of the first `user` has, {home}\n  mend: `core = {home}`"
    )]
    MustBeAtHome { line: usize, kind: &'static str, core: u8, board: String, needs: &'static str, home: u8 },
    #[error(
        "board \"{board}\" (line {line}) would have {count} processes, {computed} of them computed proxies, but a board has at most {max}\n  mend: lower a `count` on it, or move a kind to another board"
    )]
    TooManyProcesses { line: usize, board: String, count: usize, computed: usize, max: usize },

    // Kinds that belong to certain boards.
    #[error("line {line}: no board owns the disk\n  boards: {known}\n  mend: add `disk = true` to one of them")]
    NoDiskBoard { line: usize, known: String },
    #[error(
        "line {line}: board \"{second}\" owns the disk, but \"{first}\" (line {first_line}) does too\n  mend: leave `disk = true` at one of them"
    )]
    TwoDiskBoards { line: usize, first: String, first_line: usize, second: String },
    #[error(
        "line {line}: board \"{board}\" has the file system, so it needs no leases for its pages of files, and cannot do without them\n  mend: leave `leases = false` out, or write it at other boards"
    )]
    FileBoardLeases { line: usize, board: String },
    #[error(
        "line {line}: `{kind}` is placed on board \"{board}\", but must run where the disk is: on \"{disk}\" alone\n  mend: write `{kind} = {{ on = \"{disk}\" }}`, or move `disk = true`"
    )]
    DiskKindElsewhere { line: usize, kind: &'static str, board: String, disk: String },
    #[error(
        "line {line}: `{kind}` is placed on board \"{board}\", but `{other}` (line {other_line}) on \"{files}\"; the file system's processes are on one board, any\n  mend: write `{kind} = {{ on = \"{files}\" }}`, or move all of them"
    )]
    FileKindElsewhere {
        line: usize,
        kind: &'static str,
        board: String,
        other: &'static str,
        other_line: usize,
        files: String,
    },
    #[error("`{kind}` is not placed, but {needs} needs it\n  mend: add `{kind} = {{ on = \"{board}\" }}` to [place]")]
    KindMissing { kind: &'static str, needs: &'static str, board: String },
    #[error(
        "board \"{board}\" (line {line}) has no `{kind}`, which every board needs\n  mend: write `{kind} = {{ on = \"every\" }}` in [place]"
    )]
    MissingOnBoard { line: usize, kind: &'static str, board: String },
    #[error(
        "line {line}: `{kind}` is placed in a system of one board, which has no link\n  mend: remove the line, or add a board"
    )]
    LinkKindAlone { line: usize, kind: &'static str },

    // Who calls whom.
    #[error(
        "`{caller}` on board \"{board}\" (line {line}) calls {protocol}, but no process on {scope} serves it\n  served by: {kinds}\n  mend: place one of these there in [place], or remove `{caller}`"
    )]
    MissingServer {
        line: usize,
        caller: &'static str,
        board: String,
        protocol: &'static str,
        scope: String,
        kinds: String,
    },
    #[error(
        "`{caller}` (line {line}) calls {protocol} on one board, but it is served on: {boards}\n  mend: keep the servers ({kinds}) on one board; they may be on any"
    )]
    AmbiguousServer { line: usize, caller: &'static str, protocol: &'static str, boards: String, kinds: String },
    #[error(
        "`{kind}` calls {protocol}, which it serves itself: two of them could wait for each other\n  mend: in the code, give the shared part a kind of its own, or notify instead of calling"
    )]
    CallsItself { kind: &'static str, protocol: &'static str },
    #[error(
        "processes could wait for each other in a circle:\n  {circle}\n  mend: in the code, remove one of these calls (a `Client` parameter) or make it a notification; if only an asynchronous edge closes the circle, make it \"sync\""
    )]
    Cycle { circle: String },
    #[error(
        "`{server}` on board \"{board}\" passes calls on to {protocol} on board \"{to}\", but `{caller}` calls it from board \"{from}\"\n  a call crosses the link once: it is passed on where it arrives\n  mend: place the servers of {protocol} beside `{server}`, or `{caller}` too"
    )]
    ForwardLeavesBoard {
        server: &'static str,
        board: String,
        protocol: &'static str,
        to: String,
        caller: &'static str,
        from: String,
    },
    #[error(
        "`{caller}` calls {protocol}, whose reply to {entries} may wait for another client, but `{waiting}` waits for `{caller}` meanwhile\n  mend: in the code, let only kinds that no process calls ({free}) use {protocol}, or let {entries} answer at once"
    )]
    DefersBehindServer {
        caller: &'static str,
        protocol: &'static str,
        entries: String,
        waiting: &'static str,
        free: String,
    },

    // Asynchronous edges.
    #[error(
        "line {line}: `{caller}` does not call `{server}`\n  `{caller}` calls: {known}\n  mend: name one of these, or remove the line"
    )]
    NoSuchEdge { line: usize, caller: String, server: String, known: String },
    #[error(
        "line {line}: {protocol}, which `{server}` serves, has no entry `{entry}`\n  entries: {known}\n  mend: correct the name, or leave the entry out"
    )]
    NoSuchEntry { line: usize, server: String, protocol: &'static str, entry: String, known: String },
    #[error(
        "line {line}: {entries} of {protocol} cannot be asynchronous: callers need the result\n  without result: {releasable}\n  mend: name one of these, or write \"sync\""
    )]
    AsyncReturnsResult { line: usize, protocol: &'static str, entries: String, releasable: String },
    #[error(
        "line {line}: {entries} of {protocol} cannot be asynchronous: the reply may wait for another client, and would block a process of the pool meanwhile\n  mend: write \"sync\""
    )]
    AsyncDefers { line: usize, protocol: &'static str, entries: String },

    // Bounds.
    #[error(
        "messages need up to {bytes} bytes on board \"{board}\" (line {line}), but its bound is {bound} ({kib} KiB)\n  {formula}\n  mend: raise `message_kib` of the board, or lower the `count` of its remote callers, a number in [shared], or `slots` in [async]"
    )]
    MessageMemory { line: usize, board: String, bytes: u64, bound: u64, kib: u32, formula: String },
    #[error(
        "line {line}: the calls of `{caller}` to another board cannot share {found} proxies there: without a proxy no call is possible, and no call needs more than {max}\n  mend: write a number from 1 to {max}"
    )]
    SharedProxies { line: usize, caller: String, found: i64, max: i64 },
    #[error(
        "line {line}: `{caller}` has no calls to other boards for which it could share proxies\n  these have: {known}\n  mend: name one of these, or remove the line"
    )]
    SharesNothing { line: usize, caller: String, known: String },
    #[error(
        "the code has no kind for the link's computed processes ({rule}), but this system has several boards\n  mend: add it to the kinds in the code"
    )]
    NoComputedKind { rule: &'static str },
}
