//! A table of kinds like the real one, and changed ones that break the rules of the code.

use renga_placement::{BoardRule, KindFacts, PlacementProtocol, ProtocolUse, ServerChoice};

const PAGE_BYTES: u32 = 4096;
const NONE: u32 = 0;
const ALL: u32 = u32::MAX;

const fn protocol(
    name: &'static str,
    entries: &'static [(u32, &'static str)],
    defers: u32,
    releases: u32,
) -> PlacementProtocol {
    let (gives, takes) = (u32::MAX, u32::MAX);
    let (given_bytes_max, taken_bytes_max) = (PAGE_BYTES, PAGE_BYTES);
    let returns_data = 0;
    PlacementProtocol { name, entries, defers, releases, returns_data, gives, takes, given_bytes_max, taken_bytes_max }
}

const fn words_only(protocol: PlacementProtocol) -> Option<PlacementProtocol> {
    Some(PlacementProtocol { given_bytes_max: 0, taken_bytes_max: 0, ..protocol })
}

const fn own(protocol: &'static str) -> ProtocolUse {
    ProtocolUse { protocol, at: ServerChoice::OwnBoard, entries: ALL, forwards: false }
}
const fn own_if_any(protocol: &'static str) -> ProtocolUse {
    ProtocolUse { protocol, at: ServerChoice::OwnBoardIfAny, entries: ALL, forwards: false }
}
const fn one(protocol: &'static str) -> ProtocolUse {
    ProtocolUse { protocol, at: ServerChoice::OneBoard, entries: ALL, forwards: false }
}
const fn all(protocol: &'static str) -> ProtocolUse {
    ProtocolUse { protocol, at: ServerChoice::AllBoards, entries: ALL, forwards: false }
}
const fn forward(used: ProtocolUse) -> ProtocolUse {
    ProtocolUse { forwards: true, ..used }
}

const fn kind(
    name: &'static str,
    board: BoardRule,
    count_max: u16,
    serves: Option<PlacementProtocol>,
    uses: &'static [ProtocolUse],
) -> KindFacts {
    KindFacts { name, serves, uses, board, count_max, future_bytes: 400, shares: &[], needs_home: None, is_home: false }
}

/// As the code of the pair would state them.
pub const KINDS: &[KindFacts] = &[
    kind("clock", BoardRule::Every, 1, words_only(protocol("Clock", &[(0, "Now"), (1, "Sleep")], NONE, NONE)), &[]),
    kind("waker", BoardRule::Any, 1, None, &[all("Clock")]),
    kind("console", BoardRule::Any, 1, Some(protocol("Console", &[(0, "Read"), (1, "Write")], 0b01, 0b10)), &[]),
    kind(
        "terminals",
        BoardRule::Optional,
        1,
        words_only(protocol("Terminals", &[(0, "Make"), (1, "Open")], NONE, NONE)),
        &[],
    ),
    kind("keyboard", BoardRule::Any, 1, None, &[one("Console"), all("Procs")]),
    kind(
        "disk",
        BoardRule::DiskOnly,
        1,
        Some(protocol("Disk", &[(0, "ReadBlock"), (1, "WriteBlock")], NONE, NONE)),
        &[],
    ),
    kind(
        "buffer_directory",
        BoardRule::Any,
        1,
        words_only(protocol("BufferDirectory", &[(0, "Find"), (1, "Sync")], NONE, NONE)),
        &[one("Buffer")],
    ),
    kind(
        "buffer",
        BoardRule::Any,
        512,
        Some(protocol("Buffer", &[(0, "Read"), (1, "Write"), (2, "Flush")], NONE, 0b010)),
        &[one("Disk")],
    ),
    kind(
        "allocator",
        BoardRule::Any,
        1,
        words_only(protocol("Allocator", &[(0, "Take"), (1, "Free")], NONE, 0b10)),
        &[one("BufferDirectory"), one("Buffer")],
    ),
    kind(
        "inode_directory",
        BoardRule::Any,
        1,
        words_only(protocol("InodeDirectory", &[(0, "Open"), (1, "Close")], NONE, 0b10)),
        &[one("Inode")],
    ),
    kind(
        "name_index",
        BoardRule::Any,
        1,
        Some(protocol("NameIndex", &[(0, "FindCandidate")], NONE, NONE)),
        &[one("BufferDirectory"), one("Buffer")],
    ),
    kind(
        "inode",
        BoardRule::Any,
        16_384,
        Some(protocol("Inode", &[(0, "Read"), (1, "Write"), (2, "Stat")], NONE, 0b010)),
        &[one("BufferDirectory"), one("Buffer"), one("Allocator"), one("NameIndex")],
    ),
    kind("revocations", BoardRule::Any, 1, words_only(protocol("Revocations", &[(0, "Revoke")], NONE, NONE)), &[]),
    kind("name_cache", BoardRule::Any, 1, words_only(protocol("Names", &[(0, "Status")], NONE, NONE)), &[]),
    kind("commit_timer", BoardRule::Any, 1, None, &[one("InodeDirectory")]),
    kind("metadata_writeback", BoardRule::Any, 1, None, &[one("BufferDirectory"), all("Buffer"), one("Disk")]),
    kind(
        "data_reader",
        BoardRule::Any,
        16,
        words_only(protocol("DataReader", &[(0, "Read")], NONE, NONE)),
        &[one("Disk")],
    ),
    kind(
        "data_writeback",
        BoardRule::Any,
        1,
        words_only(protocol("DataWriteback", &[(0, "Write")], NONE, NONE)),
        &[one("Disk")],
    ),
    kind("lease_flusher", BoardRule::Any, 1, None, &[one("Inode")]),
    kind(
        "prefetcher",
        BoardRule::Optional,
        4,
        words_only(protocol("Prefetcher", &[(0, "ReadMissed")], NONE, NONE)),
        &[one("Inode"), own("Pages"), own("Memory")],
    ),
    kind("inode_reclaimer", BoardRule::Any, 1, None, &[one("InodeDirectory"), all("Inode"), one("Allocator")]),
    kind(
        "committer",
        BoardRule::Any,
        1,
        None,
        &[one("InodeDirectory"), all("Inode"), one("Allocator"), one("BufferDirectory"), all("Buffer"), one("Disk")],
    ),
    kind(
        "path_lookup",
        BoardRule::Any,
        16,
        Some(protocol("Path", &[(0, "Walk"), (1, "Unlink")], NONE, 0b10)),
        &[one("InodeDirectory"), one("Inode"), one("Allocator")],
    ),
    kind("lookup_worker", BoardRule::Any, 16, None, &[one("InodeDirectory"), one("Inode"), one("Allocator")]),
    kind(
        "locks",
        BoardRule::FileOnly,
        1,
        words_only(protocol("Locks", &[(0, "Release"), (1, "Await")], 0b10, NONE)),
        &[],
    ),
    kind(
        "file",
        BoardRule::Every,
        4096,
        Some(protocol("File", &[(0, "Read"), (1, "Write"), (2, "Close")], NONE, 0b110)),
        &[
            one("Inode"),
            one("InodeDirectory"),
            own("FileTable"),
            ProtocolUse { protocol: "Locks", at: ServerChoice::OneBoard, entries: 0b01, forwards: false },
        ],
    ),
    kind(
        "file_table",
        BoardRule::Every,
        1,
        words_only(protocol("FileTable", &[(0, "Take"), (1, "Free")], NONE, 0b10)),
        &[],
    ),
    kind(
        "pipe",
        BoardRule::Every,
        1024,
        Some(protocol("Pipe", &[(0, "Read"), (1, "Write"), (2, "Close")], 0b011, 0b110)),
        &[own("PipeTable")],
    ),
    kind(
        "pipe_table",
        BoardRule::Every,
        1,
        words_only(protocol("PipeTable", &[(0, "Take"), (1, "Free")], NONE, NONE)),
        &[],
    ),
    kind("events", BoardRule::Every, 1, words_only(protocol("Events", &[(0, "Make"), (1, "Take")], NONE, NONE)), &[]),
    kind(
        "futexes",
        BoardRule::Every,
        1,
        words_only(protocol("Futexes", &[(0, "JoinQueue"), (2, "WakeFutex")], NONE, NONE)),
        &[],
    ),
    kind(
        "fifos",
        BoardRule::FileOnly,
        1,
        words_only(protocol("Fifos", &[(0, "Open")], NONE, NONE)),
        &[own("PipeTable")],
    ),
    kind(
        "socket",
        BoardRule::Optional,
        1024,
        Some(protocol("Socket", &[(0, "Receive"), (1, "Send"), (2, "Close")], 0b011, 0b100)),
        &[ProtocolUse { protocol: "SocketTable", at: ServerChoice::OwnBoardIfAny, entries: 0b010, forwards: false }],
    ),
    kind(
        "socket_table",
        BoardRule::Optional,
        1,
        Some(protocol("SocketTable", &[(0, "Take"), (1, "Free"), (2, "NextErrand")], 0b100, 0b010)),
        &[],
    ),
    kind(
        "socket_closer",
        BoardRule::Optional,
        1,
        None,
        &[
            ProtocolUse { protocol: "SocketTable", at: ServerChoice::OwnBoardIfAny, entries: 0b100, forwards: false },
            ProtocolUse { protocol: "Socket", at: ServerChoice::AllBoards, entries: 0b100, forwards: false },
        ],
    ),
    kind(
        "procs",
        BoardRule::Every,
        1,
        Some(protocol("Procs", &[(0, "Fork"), (1, "Exit"), (2, "Wait"), (3, "Kill")], 0b100, NONE)),
        &[],
    ),
    kind(
        "user",
        BoardRule::Any,
        256,
        None,
        &[
            own("Procs"),
            all("Procs"),
            own("Memory"),
            all("Memory"),
            own("References"),
            all("Inode"),
            all("InodeDirectory"),
            all("Path"),
            all("Locks"),
            all("File"),
            own("FileTable"),
            all("Pipe"),
            own("PipeTable"),
            all("Socket"),
            ProtocolUse { protocol: "SocketTable", at: ServerChoice::AllBoards, entries: 0b001, forwards: false },
            all("Console"),
            own("Clock"),
            all("RouterStatus"),
        ],
    ),
    kind("memory", BoardRule::Every, 1, words_only(protocol("Memory", &[(0, "Take"), (1, "Free")], NONE, NONE)), &[]),
    kind(
        "page_cache",
        BoardRule::Every,
        1,
        Some(protocol("Pages", &[(0, "Read"), (1, "Revoke")], NONE, NONE)),
        &[own("Memory")],
    ),
    kind(
        "reclaimer",
        BoardRule::Any,
        1,
        Some(protocol("Reclaiming", &[(0, "Read"), (1, "Write")], NONE, NONE)),
        &[own("Memory"), own("Pages")],
    ),
    kind(
        "references",
        BoardRule::Every,
        1,
        Some(protocol("References", &[(0, "Find"), (1, "Keep")], NONE, NONE)),
        &[
            own("Memory"),
            ProtocolUse { protocol: "InodeDirectory", at: ServerChoice::Nearest, entries: ALL, forwards: false },
        ],
    ),
    kind("proc_files", BoardRule::Any, 1, Some(protocol("ProcFiles", &[(0, "Walk"), (1, "Read")], NONE, NONE)), &[]),
    kind(
        "regulator",
        BoardRule::Any,
        1,
        Some(protocol("Regulation", &[(0, "Read"), (1, "Write")], NONE, NONE)),
        &[all("Procs")],
    ),
    kind("router", BoardRule::EveryLinked, 1, None, &[]),
    kind(
        "membership",
        BoardRule::EveryLinked,
        1,
        None,
        &[
            own_if_any("Procs"),
            own_if_any("Pipe"),
            own_if_any("Socket"),
            own_if_any("SocketTable"),
            own_if_any("File"),
            own_if_any("Locks"),
            own_if_any("InodeDirectory"),
            own_if_any("Console"),
            own_if_any("Clock"),
            own_if_any("Memory"),
        ],
    ),
    kind(
        "link_status",
        BoardRule::EveryLinked,
        1,
        Some(protocol("RouterStatus", &[(0, "ReadCounters")], NONE, NONE)),
        &[],
    ),
    kind("proxy", BoardRule::PerRemoteCaller, 0, None, &[]),
    kind("async_proxy", BoardRule::PerAsyncBoard, 0, None, &[]),
];

/// The table, changed as the bad file asks in its first line, `# kinds: NAME`.
pub fn changed(name: &str) -> Vec<KindFacts> {
    let mut kinds = KINDS.to_vec();
    let mut change = |name: &str, board: Option<BoardRule>, uses: &'static [ProtocolUse]| {
        let kind = kinds.iter_mut().find(|kind| kind.name == name).expect("the kind is in the table");
        kind.uses = uses;
        kind.board = board.unwrap_or(kind.board);
    };
    let any = Some(BoardRule::Any);
    match name {
        "" => {}
        // The allocator keeps its bitmaps in a file.
        "circle" => change("allocator", None, const { &[one("Inode")] }),
        // An inode asks for the path that leads to it.
        "circle-across" => change("inode", None, const { &[one("Path")] }),
        // The board of one caller shares asynchronous proxies, so its calls wait for each other.
        "circle-of-order" => {
            change("file_table", any, const { &[one("Path")] });
            change("path_lookup", None, const { &[one("Allocator")] });
            change("file", None, const { &[one("FileTable")] });
            change("user", None, const { &[one("Path"), one("FileTable")] });
        }
        "calls-itself" => change("inode", None, const { &[one("Buffer"), one("BufferDirectory"), one("Inode")] }),
        // An open file that hides whether it is a pipe.
        "defers" => change("file", None, const { &[one("Inode"), all("Pipe")] }),
        // The directory of inodes passes reads on to inodes, and these to buffers.
        "forward" => {
            change("inode_directory", None, const { &[forward(one("Inode"))] });
            change("inode", None, const { &[forward(one("Buffer")), one("Allocator")] });
        }
        // Two servers forward calls to each other: neither replies.
        "forward-circle" => {
            change("inode_directory", None, const { &[forward(one("Inode"))] });
            change("inode", None, const { &[forward(one("InodeDirectory"))] });
        }
        // Who gets the call calls who passed it on.
        "forward-back" => {
            change("inode_directory", None, const { &[forward(one("Inode"))] });
            change("inode", None, const { &[one("InodeDirectory")] });
        }
        // An open file passes reads on to a pipe, and a lookup worker calls files.
        "forward-defers" => {
            change("file", None, const { &[forward(all("Pipe"))] });
            change("path_lookup", None, const { &[all("File")] });
        }
        // Inodes and their directory reach the same cells, walks along paths each other's.
        "shares" => {
            let mut share = |name: &str, shares: &'static [&'static str]| {
                let kind = kinds.iter_mut().find(|kind| kind.name == name).expect("the kind is in the table");
                kind.shares = shares;
            };
            share("inode_directory", &["the inodes' referrers"]);
            share("inode", &["the inodes' referrers"]);
            share("path_lookup", &["the idle lookup workers"]);
        }
        "home" => {
            let mut kind =
                |name: &str| kinds.iter_mut().position(|kind| kind.name == name).expect("the kind is in the table");
            let (console, user) = (kind("console"), kind("user"));
            kinds[console].needs_home = Some("the console's line");
            kinds[user].is_home = true;
        }
        "table-anywhere" => change("file_table", any, &[]),
        "no-proxy" => kinds.retain(|kind| kind.name != "proxy"),
        other => panic!("no such change of the kinds: {other}"),
    }
    kinds
}
