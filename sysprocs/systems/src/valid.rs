//! The rules that tables keep so that a board can boot from them.
//!
//! Invariant: tables that pass make no boot panic, except for want of memory. The placement tool's tables pass; here
//! the rules are checked for bytes from anywhere. Not here: capacity (`capacity.rs`), circles of waits
//! (`tools/placement`).

use crate::capacity;
use crate::facts::{FACTS, Place};
use crate::kinds::Kind;
use crate::rule::{RuleText, require};
use crate::shared::{SHARED, Shared, needs_home};
use crate::tables::{Board, PeerSlots, Permit, Placed, Proxies, System};
use renga_rt::BOARDS_MAX;
use renga_rt::signature::Edge;

/// Processes that one board may have, computed ones included.
pub const PROCESSES_MAX: usize = 16_384;
/// Copies of asynchronous calls that may be under way from one board to another.
pub const POOL_SLOTS_MAX: u16 = 256;

/// Cores that a board may have.
pub const CORES_MAX: u8 = 4;

/// Pages of a proxy: a slice given and a slice taken.
const PROXY_PAGES_MAX: u8 = 2;

/// The first rule that `system` breaks.
///
/// # Errors
/// That rule.
pub fn check(system: &System<'_>) -> Result<(), RuleText> {
    require((1..=BOARDS_MAX).contains(&system.boards.len()), "a system has 1 to 8 boards")?;
    require(system.boards.iter().filter(|board| board.owns_disk).count() == 1, "one board owns the disk")?;
    let file_board = usize::from(system.file_board());
    require(system.boards[file_board].leases, "the file system's board keeps its pages")?;
    for (number, board) in system.boards.iter().enumerate() {
        require((1..=CORES_MAX).contains(&board.cores), "a board has 1 to 4 cores")?;
        let those = board.program_cores >> board.cores == 0 && board.program_cores != 0;
        require(those, "programs run on cores that their board has")?;
        require(board.memory_mib > 0, "a board has memory")?;
        check_indices(system, board, number)?;
        check_cores(board)?;
        check_kinds(system, board, number == file_board)?;
        check_links(system, board, number)?;
    }
    for board in system.boards {
        board.proxies.iter().try_for_each(|row| check_callers(system, row))?;
        board.elsewhere.iter().try_for_each(|row| check_elsewhere(system, row))?;
        board.permits.iter().try_for_each(|row| check_permit(system, board, row))?;
    }
    (0..system.boards.len()).try_for_each(|number| capacity::check(system, number))?;
    system.async_edges.iter().try_for_each(|edge| {
        let releases = edge.server.facts().serves().map_or(0, |protocol| protocol.releases);
        require(edge.entries & !releases == 0, "an asynchronous entry returns nothing")
    })
}

/// Placed processes, proxies and asynchronous proxies are numbered in this order, without gaps.
fn check_indices(system: &System<'_>, board: &Board<'_>, number: usize) -> Result<(), RuleText> {
    let mut next = 0usize;
    for Placed { first, count, core, .. } in board.rows() {
        require(usize::from(first) == next && count > 0, "processes are numbered without gaps")?;
        require(core < board.cores, "a process runs on a core that its board has")?;
        next += usize::from(count);
    }
    require(next == usize::from(board.processes) && next <= PROCESSES_MAX, "a board has as many processes as it says")?;
    let kinds = board.placed.iter().map(|row| row.kind as u8);
    require(kinds.is_sorted(), "processes are numbered in the order of their kinds")?;
    let own = board.placed.iter().all(|row| usize::from(row.board) == number);
    require(own && system.boards.len() > number, "a board's processes are its own")
}

/// Processes that share cells share a core, and those that need the home core are on it: several cores rest on this.
fn check_cores(board: &Board<'_>) -> Result<(), RuleText> {
    let home = board.home();
    let there = |row: Placed| row.core == home || needs_home(row.kind.facts()).is_none();
    require(board.rows().all(there), "a kind that needs the programs' core is on it")?;
    let together = |shared: &Shared| {
        let mut cores = board.rows().filter(|row| shared.is_of(row.kind.facts())).map(|row| row.core);
        let first = cores.next();
        cores.all(|core| Some(core) == first)
    };
    require(board.cores == 1 || SHARED.iter().all(together), "kinds that share cells share a core")
}

/// Each kind is where it may be, and finds whom it calls.
fn check_kinds(system: &System<'_>, board: &Board<'_>, has_files: bool) -> Result<(), RuleText> {
    let linked = system.boards.len() > 1;
    for facts in FACTS {
        let count = board.placed.iter().filter(|row| row.kind == facts.kind).map(|row| usize::from(row.count));
        let (count, many) = (count.sum::<usize>(), usize::from(facts.count_max));
        let fits = match facts.place {
            Place::Any | Place::Optional => count <= many,
            Place::DiskBoard => count <= many && (count > 0) == board.owns_disk,
            Place::FileBoard => count <= many && (count > 0) == has_files,
            Place::Every => (1..=many).contains(&count),
            Place::EveryLinked => count <= many && (count > 0) == linked,
            Place::PerRemoteCaller | Place::PerAsyncBoard => count == 0,
        };
        require(fits, "a kind is where it may be, and not too often")?;
        let edges = facts.signature.edges.iter().copied().flatten().filter(|_| count > 0);
        for edge in edges {
            let (Edge::Uses(used) | Edge::Forwards(used)) = edge else { continue };
            let serving = Kind::serving(used.id);
            let mut rows = board.placed.iter().chain(board.elsewhere);
            require(rows.any(|row| Some(row.kind) == serving), "a kind that calls a server has one")?;
        }
    }
    Ok(())
}

/// Rows about other boards name existing boards, once and in order.
fn check_links(system: &System<'_>, board: &Board<'_>, number: usize) -> Result<(), RuleText> {
    let other = |found: u8| usize::from(found) != number && usize::from(found) < system.boards.len();
    let callers = |row: &Proxies| (row.caller_board, row.caller_first);
    let called = |row: &Placed| (row.board, row.first);
    let peers = |row: &PeerSlots| row.board;
    let ordered = board.proxies.windows(2).all(|rows| callers(&rows[0]) < callers(&rows[1]))
        && board.elsewhere.windows(2).all(|rows| called(&rows[0]) < called(&rows[1]))
        && board.peers.windows(2).all(|rows| peers(&rows[0]) < peers(&rows[1]));
    require(ordered, "other boards' processes are named once and in order")?;
    let others = board.proxies.iter().map(|row| row.caller_board);
    let others = others.chain(board.elsewhere.iter().map(|row| row.board)).chain(board.peers.iter().map(peers));
    let others = others.chain(board.permits.iter().map(|row| row.caller_board));
    let slots = board.peers.iter().all(|peer| peer.slots_in.max(peer.slots_out) <= POOL_SLOTS_MAX);
    require(others.into_iter().all(other) && slots, "other boards are boards of the system")
}

fn check_callers(system: &System<'_>, row: &Proxies) -> Result<(), RuleText> {
    let range = system.boards[usize::from(row.caller_board)].range(row.caller_kind);
    require(
        range.start == row.caller_first && range.len() == usize::from(row.callers),
        "proxies stand for all processes of a kind",
    )?;
    require(row.own == 0 || row.own == row.callers, "each caller has a proxy of its own, or none")?;
    require(row.shared <= row.callers, "callers do not share more proxies than they are")?;
    require(row.shared_pages.max(row.own_pages) <= PROXY_PAGES_MAX, "a call lends two slices at most")
}

/// No more is let in than the callers' signature says that they call, nor than there is to be called.
fn check_permit(system: &System<'_>, board: &Board<'_>, row: &Permit) -> Result<(), RuleText> {
    let Some(served) = row.server.facts().serves().filter(|_| board.has(row.server)) else {
        return Err("permits are for servers that are placed");
    };
    let edges = row.caller_kind.facts().signature.edges.iter().copied().flatten();
    // A caller with a server on its own board calls that one, if it calls one only.
    let leaves = !system.boards[usize::from(row.caller_board)].has(row.server);
    let called = edges.fold(0, |called, edge| match edge {
        Edge::UsesAll(used) if used.id == served.id => called | used.entries,
        Edge::Uses(used) if used.id == served.id && leaves => called | used.entries,
        _ => called,
    });
    require(row.entries & !called == 0, "a kind may call what its signature says, and no more")
}

fn check_elsewhere(system: &System<'_>, row: &Placed) -> Result<(), RuleText> {
    let there = system.boards[usize::from(row.board)].placed;
    require(there.contains(row), "a called remote process is placed there")
}
