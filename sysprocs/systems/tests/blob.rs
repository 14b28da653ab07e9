//! Tables come back as they went, and what is not tables is refused with its reason.

use renga_core::Wait;
use renga_core::interleaved::Cores;
use renga_proto::inode::{CommitAll, DirtyPage, FillPage, LeaseWrite, Reactivate, Release, Sync, Truncate};
use renga_proto::memory::{FreeFrame, FreeFrames, MemoryStatus, StorePage};
use renga_proto::pages::{FlushLease, RevokePages};
use renga_proto::{file, path, procs};
use renga_rt::given::Servers;
use renga_rt::host::HostBoard;
use renga_systems::blob::{self, BadTables, HEAD_BYTES};
use renga_systems::tables::System;
use renga_systems::{Directory, Kind, RuleText};

const BOOT_BYTES: usize = 9 << 20;

fn tables(name: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(format!("{}/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let system = renga_placement::parse(&text.replace("mode = \"sync\" ", "mode = \"async\" ")).unwrap();
    renga_placement::check(&system, &renga_placement::code_kinds()).unwrap().to_blob()
}

fn read(bytes: &[u8]) -> Result<&'static System<'static>, BadTables> {
    blob::read(HostBoard::new(0, BOOT_BYTES).arena, bytes)
}

/// `system` again as bytes.
fn written(system: &System<'_>) -> Vec<u8> {
    let mut body = Vec::new();
    blob::write(system, &mut |bytes| body.extend(bytes));
    sealed(&body)
}

fn sealed(body: &[u8]) -> Vec<u8> {
    [&blob::head(body)[..], body].concat()
}

#[test]
fn blob_written_tables_read_back_equal() {
    for name in ["pair", "solo", "solo4", "pair4", "quad4"] {
        let bytes = tables(name);
        let system = read(&bytes).unwrap();
        assert_eq!((system.name, written(system)), (name, bytes));
    }
    let pair = read(&tables("pair")).unwrap();
    let placed: Vec<u16> = pair.boards.iter().map(|b| b.range(Kind::AsyncProxy).end).collect();
    assert_eq!(placed, [pair.boards[0].processes, pair.boards[1].processes]);
    assert!(pair.async_edges.iter().any(|edge| edge.caller == Kind::User));
    for board in pair.boards {
        assert!((0..board.processes).all(|index| board.range(board.kind_at(index)).contains(&index)));
    }
}

#[test]
fn blob_padded_file_is_read() {
    let bytes = tables("pair");
    let filled = |rest: &[u8]| [&bytes[..], rest].concat();
    assert_eq!(blob::without_padding(&bytes), bytes);
    assert_eq!(blob::without_padding(&filled(&[0; 900])), bytes);
    // Anything else is refused as it is.
    let other = filled(&[0, 0, 1]);
    assert_eq!(blob::without_padding(&other), other);
    assert_eq!(read(blob::without_padding(&other)).err(), Some(BadTables::Length));
    assert_eq!(blob::without_padding(&bytes[..20]), &bytes[..20]);
    assert_eq!(blob::without_padding(&[]), b"");
}

#[test]
fn blob_system_name_is_read_without_body() {
    for name in ["pair", "solo4"] {
        assert_eq!(blob::system_name(&tables(name)), Some(name));
    }
    let bytes = tables("pair");
    for at in [0, 8] {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert_eq!(blob::system_name(&other), None, "{at}");
    }
    for len in 0..HEAD_BYTES + 1 + "pair".len() {
        assert_eq!(blob::system_name(&bytes[..len]), None, "{len}");
    }
}

#[test]
fn directory_board_of_tables_has_its_processes() {
    let (board, bytes) = (HostBoard::new(1, BOOT_BYTES), tables("pair"));
    let system = blob::read(board.arena, &bytes).unwrap();
    let directory = Directory::make(&[board.core], board.arena, (system, 1), |_, priority, _| board.declare(priority));
    assert_eq!(directory.of_kind(Kind::Router).len(), 1);
    assert!(directory.of_kind(Kind::Disk).is_empty());
}

#[test]
fn directory_each_core_finds_own_processes_and_remote_handles() {
    let (cores, bytes) = (Cores::new(0, 4, BOOT_BYTES), tables("solo4"));
    let arena = cores.on(0).arena;
    let each = [0, 1, 2, 3].map(|core| cores.on(core).core);
    let declare = |core: u8, priority, _| cores.on(usize::from(core)).declare(priority);
    let directory = Directory::make(&each, arena, (blob::read(arena, &bytes).unwrap(), 0), declare);
    assert_eq!(directory.of_kind(Kind::Disk)[0].core().number(), 1);
    for core in 0..4 {
        for (found, process) in directory.on(core).own().iter().zip(directory.own()) {
            assert_eq!((found.core().number(), found.id()), (core, process.id()));
            let is_gate = found.wait() == Wait::RemoteHandle;
            assert_eq!((is_gate, std::ptr::eq(*found, *process)), (process.core().number() != core, !is_gate));
        }
    }
}

#[test]
fn blob_changed_byte_is_refused() {
    let good = tables("pair");
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(read_in_place(&bad).is_err(), "byte {at}");
        assert!(read_in_place(&good[..at]).is_err(), "the first {at} bytes");
    }
}

/// As `read`, for many.
fn read_in_place(bytes: &[u8]) -> Result<(), BadTables> {
    let mut memory = vec![0u128; 16 << 10];
    HostBoard::within(0, &mut memory, |board| blob::read(board.arena, bytes).map(drop))
}

#[test]
fn blob_refusal_names_reason() {
    let good = tables("pair");
    let changed = |at: usize, byte: u8| [&good[..at], &[byte], &good[at + 1..]].concat();
    assert_eq!(read(&changed(0, b'X')).unwrap_err(), BadTables::NotTables);
    assert_eq!(read(&changed(8, 99)).unwrap_err(), BadTables::OtherVersion(99));
    assert_eq!(read(&changed(12, !good[12])).unwrap_err(), BadTables::OtherCode);
    assert_eq!(read(&good[..good.len() - 1]).unwrap_err(), BadTables::Length);
    assert_eq!(read(&changed(good.len() - 1, !good[good.len() - 1])).unwrap_err(), BadTables::Damaged);
    assert_eq!(read(&[]).unwrap_err(), BadTables::Length);
    let body = &good[HEAD_BYTES..];
    assert_eq!(read(&sealed(&body[..body.len() - 1])).unwrap_err(), BadTables::Malformed);
    assert_eq!(read(&sealed(&[body, &[0]].concat())).unwrap_err(), BadTables::Malformed);
    let messages = [BadTables::OtherVersion(3).to_string(), BadTables::OtherCode.to_string()];
    assert!(messages.iter().all(|message| message.contains("build both")), "{messages:?}");
}

fn refused(system: &System<'_>) -> RuleText {
    match read(&written(system)) {
        Err(BadTables::RuleBroken(rule)) => rule,
        other => panic!("{other:?}"),
    }
}

/// Holds: cores-cells.
#[test]
fn check_kind_on_wrong_core_is_refused() {
    let pair = *read(&tables("pair")).unwrap();
    let with_core = |moved: Kind, core: u8| {
        let (mut boards, mut placed) = (pair.boards.to_vec(), pair.boards[1].placed.to_vec());
        placed.iter_mut().filter(|row| row.kind == moved).for_each(|row| row.core = core);
        boards[1] = renga_systems::tables::Board { cores: 2, placed: placed.leak(), ..boards[1] };
        refused(&System { boards: &boards, ..pair })
    };
    assert_eq!(with_core(Kind::Clock, 2), "a process runs on a core that its board has");
    assert_eq!(with_core(Kind::User, 1), "a kind that needs the programs' core is on it");
    assert_eq!(with_core(Kind::Clock, 1), "kinds that share cells share a core");
}

#[test]
fn check_tables_breaking_any_rule_are_refused() {
    let pair = *read(&tables("pair")).unwrap();
    let with = |change: &dyn Fn(&mut renga_systems::tables::Board<'static>)| {
        let mut boards = pair.boards.to_vec();
        change(&mut boards[1]);
        refused(&System { boards: &boards, ..pair })
    };
    assert_eq!(refused(&System { boards: &[], ..pair }), "a system has 1 to 8 boards");
    assert_eq!(with(&|board| board.owns_disk = true), "one board owns the disk");
    let kept_nowhere = [renga_systems::tables::Board { leases: false, ..pair.boards[0] }, pair.boards[1]];
    assert_eq!(refused(&System { boards: &kept_nowhere, ..pair }), "the file system's board keeps its pages");
    assert_eq!(with(&|board| board.processes += 1), "a board has as many processes as it says");
    for cores in [0, 5] {
        assert_eq!(with(&|board| board.cores = cores), "a board has 1 to 4 cores");
    }
    assert_eq!(with(&|board| board.placed = &board.placed[1..]), "processes are numbered without gaps");
    assert_eq!(with(&|board| board.elsewhere = &[]), "a kind that calls a server has one");
    let without_router = |board: &mut renga_systems::tables::Board<'static>| {
        let mut placed = board.placed.to_vec();
        placed.iter_mut().filter(|row| row.kind == Kind::Router).for_each(|row| row.kind = Kind::PageCache);
        placed.sort_by_key(|row| row.kind as u8);
        let mut next = 0;
        placed.iter_mut().for_each(|row| (row.first, next) = (next, next + row.count));
        board.placed = placed.leak();
    };
    assert_eq!(with(&without_router), "a kind is where it may be, and not too often");
    let twice = |board: &mut renga_systems::tables::Board<'static>| {
        board.elsewhere = [board.elsewhere, board.elsewhere].concat().leak();
    };
    assert_eq!(with(&twice), "other boards' processes are named once and in order");
    let elsewhere = |board: &mut renga_systems::tables::Board<'static>| {
        let mut elsewhere = board.elsewhere.to_vec();
        elsewhere.iter_mut().for_each(|row| row.board = 7);
        board.elsewhere = elsewhere.leak();
    };
    assert_eq!(with(&elsewhere), "other boards are boards of the system");
    let longer = |board: &mut renga_systems::tables::Board<'static>| {
        let mut elsewhere = board.elsewhere.to_vec();
        elsewhere[0].count += 1;
        board.elsewhere = elsewhere.leak();
    };
    assert_eq!(with(&longer), "a called remote process is placed there");
    let strange = |board: &mut renga_systems::tables::Board<'static>| {
        let mut proxies = board.proxies.to_vec();
        proxies[0].caller_first += 1;
        board.proxies = proxies.leak();
    };
    assert_eq!(with(&strange), "proxies stand for all processes of a kind");
    let more = |change: fn(&mut renga_systems::tables::Permit)| {
        with(&|board: &mut renga_systems::tables::Board<'static>| {
            let mut permits = board.permits.to_vec();
            permits.iter_mut().filter(|permit| permit.server == Kind::Memory).for_each(change);
            board.permits = permits.leak();
        })
    };
    // One more entry of it than programs' slots call; one that the protocol does not have; another kind of caller.
    assert_eq!(more(|permit| permit.entries |= 1), "a kind may call what its signature says, and no more");
    assert_eq!(more(|permit| permit.entries |= 1 << 31), "a kind may call what its signature says, and no more");
    assert_eq!(more(|permit| permit.caller_kind = Kind::File), "a kind may call what its signature says, and no more");
    assert_eq!(more(|permit| permit.caller_board = 1), "other boards are boards of the system");
    assert_eq!(more(|permit| permit.server = Kind::Disk), "permits are for servers that are placed");
    let mut edges = pair.async_edges.to_vec();
    edges[0].entries = !0;
    assert_eq!(refused(&System { async_edges: &edges, ..pair }), "an asynchronous entry returns nothing");
}

/// Holds: placement-signatures.
#[test]
fn permits_match_signatures() {
    let pair = read(&tables("pair")).unwrap();
    let of = |board: usize, caller: Kind, server: Kind| {
        let permits = pair.boards[board].permits.iter();
        let found = permits.filter(|permit| (permit.caller_kind, permit.server) == (caller, server));
        found.fold(0, |all, permit| all | permit.entries)
    };
    assert_eq!(of(0, Kind::User, Kind::Disk), 0);
    assert_eq!(of(0, Kind::User, Kind::Memory), StorePage::BIT | FreeFrames::BIT | FreeFrame::BIT | MemoryStatus::BIT);
    let inode = FillPage::BIT | DirtyPage::BIT | Sync::BIT | Truncate::BIT | LeaseWrite::BIT;
    assert_eq!(of(0, Kind::User, Kind::Inode), inode);
    assert_eq!(of(1, Kind::Revocations, Kind::PageCache), RevokePages::BIT | FlushLease::BIT);
    assert_eq!(of(0, Kind::LeaseFlusher, Kind::Inode), LeaseWrite::BIT);
    assert_eq!(of(0, Kind::Revocations, Kind::PageCache), 0, "the inodes are on this board");
    assert_eq!(of(0, Kind::File, Kind::InodeDirectory), Release::BIT | CommitAll::BIT | Reactivate::BIT);
    // No process of another board notifies a server of a dead board, submits work to a slot, or opens its files.
    for (server, entries) in [
        (Kind::Procs, procs::BoardDied::BIT | procs::AwaitWork::BIT | procs::MakeInit::BIT),
        (Kind::File, file::BoardDied::BIT | file::OpenInode::BIT),
        (Kind::PathLookup, path::Unmount::BIT),
    ] {
        let callers = pair.boards.iter().flat_map(|board| board.permits).filter(|permit| permit.server == server);
        assert!(callers.clone().count() > 0 && callers.clone().all(|permit| permit.entries & entries == 0));
    }
}
