//! One proxy, one page or one slot less than the placement tool has computed, anywhere, and tables are refused: by
//! boards, and by the tool that has made them. So is a header too few. What it computes is enough, and not too much.

use renga_placement::{Checked, OnBehalfOf};
use renga_rt::host::HostBoard;
use renga_systems::blob::{self, BadTables};
use renga_systems::tables::{self, PeerSlots, Placed, Proxies, System};

const BOOT_BYTES: usize = 8 << 20;
const SYSTEMS: [&str; 5] = ["pair", "quad", "octet", "pair4", "quad4"];

fn checked(name: &str) -> Checked {
    let text = std::fs::read_to_string(format!("{}/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let system = renga_placement::parse(&text.replace("mode = \"sync\" ", "mode = \"async\" ")).unwrap();
    renga_placement::check(&system, &renga_placement::code_kinds()).unwrap()
}

fn tables(name: &str) -> System<'static> {
    *blob::read(HostBoard::new(0, BOOT_BYTES).arena, &checked(name).to_blob()).unwrap()
}

/// The boards' verdict on `system` with a changed board.
fn verdict(system: &System<'_>, number: usize, changed: tables::Board<'_>) -> Result<(), BadTables> {
    let mut boards = system.boards.to_vec();
    boards[number] = changed;
    let (mut body, mut memory) = (Vec::new(), vec![0u128; 64 << 10]);
    blob::write(&System { boards: &boards, ..*system }, &mut |bytes| body.extend(bytes));
    let bytes = [&blob::head(&body)[..], &body].concat();
    HostBoard::within(0, &mut memory, |board| blob::read(board.arena, &bytes).map(drop))
}

/// `board` with other proxies, renumbered.
fn renumbered(board: &tables::Board<'static>, mut proxies: Vec<Proxies>) -> tables::Board<'static> {
    let mut next = board.placed.iter().map(|row| row.count).sum();
    for row in &mut proxies {
        (row.first, next) = (next, next + row.count());
    }
    let mut peers = board.peers.to_vec();
    for peer in peers.iter_mut().filter(|peer| peer.async_proxies > 0) {
        (peer.async_first, next) = (next, next + peer.async_proxies);
    }
    tables::Board { proxies: proxies.leak(), peers: peers.leak(), processes: next, ..*board }
}

/// Makes `change` of each row of proxies of each board of each system, if it says that there is something to change;
/// what the boards said to each, and how many there were.
fn each_row(change: impl Fn(&mut Proxies) -> bool, mut expect: impl FnMut(Result<(), BadTables>)) {
    let mut count = 0;
    for name in SYSTEMS {
        let system = tables(name);
        for (number, board) in system.boards.iter().enumerate() {
            for at in 0..board.proxies.len() {
                let mut proxies = board.proxies.to_vec();
                if change(&mut proxies[at]) {
                    count += 1;
                    expect(verdict(&system, number, renumbered(board, proxies)));
                }
            }
        }
    }
    assert!(count >= 2 + 4 * 3 + 8 * 7, "only {count} changes");
}

fn refused(rule: &'static str) -> impl FnMut(Result<(), BadTables>) {
    move |verdict| assert_eq!(verdict, Err(BadTables::RuleBroken(rule)))
}

#[test]
fn capacity_missing_header_is_refused() {
    let one_less = |row: &mut Proxies| row.own > 1 && (row.own -= 1, true).1;
    each_row(one_less, refused("each caller has a proxy of its own, or none"));
    let none = |row: &mut Proxies| row.own > 0 && row.shared > 0 && (row.own = 0, true).1;
    each_row(none, refused("each caller that may wait has a proxy of its own"));
}

#[test]
fn capacity_missing_shared_proxy_is_refused() {
    let none = |row: &mut Proxies| row.shared > 0 && row.own > 0 && (row.shared = 0, true).1;
    each_row(none, refused("callers that do not wait share a proxy at least"));
    // How many share is the system file's to say.
    let one_less = |row: &mut Proxies| row.shared > 1 && (row.shared -= 1, true).1;
    each_row(one_less, |verdict| assert_eq!(verdict, Ok(())));
}

#[test]
fn capacity_missing_page_is_refused() {
    let own = |row: &mut Proxies| row.own_pages > 0 && (row.own_pages -= 1, true).1;
    each_row(own, refused("a proxy has pages for all slices of its calls"));
    let shared = |row: &mut Proxies| row.shared_pages > 0 && (row.shared_pages -= 1, true).1;
    each_row(shared, refused("a proxy has pages for all slices of its calls"));
}

#[test]
fn capacity_missing_slot_is_refused() {
    let pair = tables("pair");
    let with = |change: fn(&mut PeerSlots)| {
        let mut peers = pair.boards[0].peers.to_vec();
        peers.iter_mut().for_each(change);
        verdict(&pair, 0, tables::Board { peers: &peers, ..pair.boards[0] }).unwrap_err()
    };
    let [sends, has_none] =
        ["a board sends no more copies than the other has slots for", "asynchronous calls have slots and a proxy"];
    assert_eq!(with(|peer| peer.slots_in -= 1), BadTables::RuleBroken(sends), "said of board b");
    assert_eq!(with(|peer| peer.slots_in = 0), BadTables::RuleBroken(has_none));
}

#[test]
fn capacity_deferring_entry_needs_waiting_proxy() {
    let pair = tables("pair");
    let without = |rows: &[Placed]| {
        let is_pipe_of_a = |row: &&mut Placed| (row.board, row.kind) == (0, renga_systems::Kind::Pipe);
        let mut rows = rows.to_vec();
        rows.iter_mut().filter(is_pipe_of_a).for_each(|row| row.may_wait = 0);
        rows.leak()
    };
    // The other board's table changes alike.
    let boards = [pair.boards[0], tables::Board { elsewhere: without(pair.boards[1].elsewhere), ..pair.boards[1] }];
    let pair = System { boards: &boards, ..pair };
    let said = verdict(&pair, 0, tables::Board { placed: without(pair.boards[0].placed), ..pair.boards[0] });
    assert_eq!(said, Err(BadTables::RuleBroken("a caller of an entry that defers may wait")));
}

/// The tool checks its result against the same rules.
#[test]
fn placement_missing_proxy_is_refused() {
    let mut octet = checked("octet");
    assert_eq!(octet.validate(), Ok(()));
    let is_own = |group: &renga_placement::Group| matches!(group.on_behalf_of, OnBehalfOf::Group(_));
    let own = octet.groups.iter().position(is_own).unwrap();
    let (board, first) = (octet.groups[own].board, octet.groups[own].first);
    octet.groups[own].parts[0].count -= 1;
    let behind = octet.groups.iter_mut().filter(|group| group.board == board && group.first > first);
    behind.for_each(|group| group.first -= 1);
    assert_eq!(octet.validate(), Err("each caller has a proxy of its own, or none"));
}
