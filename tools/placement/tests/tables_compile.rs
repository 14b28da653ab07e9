//! What the tool writes for the image compiles against the types of `renga_systems::tables` and means what was checked.

use renga_systems::Kind;
use renga_systems::tables::{AsyncEdge, Board, Peer, Placed, Proxies, System};

mod pair {
    use super::*;
    include!("golden/pair.rs");
}
mod solo {
    use super::*;
    include!("golden/solo.rs");
}
mod pair_async {
    use super::*;
    include!("golden/pair-async.rs");
}

#[test]
fn rows_cover_all_processes() {
    for system in [pair::SYSTEM, solo::SYSTEM, pair_async::SYSTEM] {
        for board in system.boards {
            let placed: u16 = board.placed.iter().map(|row| row.count).sum();
            let proxies: u16 = board.proxies.iter().map(|row| row.count).sum();
            let async_proxies: u16 = board.peers.iter().map(|peer| peer.async_proxies).sum();
            assert_eq!(placed + proxies + async_proxies, board.processes);
        }
    }
}

#[test]
fn every_stub_stands_for_processes_of_its_board() {
    for board in pair::SYSTEM.boards {
        for stub in board.stubs {
            let there = pair::SYSTEM.boards[usize::from(stub.board)].placed;
            assert!(there.iter().any(|row| (row.kind, row.first, row.count) == (stub.kind, stub.first, stub.count)));
        }
    }
    assert!(pair::SYSTEM.boards[1].stubs.iter().any(|stub| stub.kind == Kind::Inode));
    assert!(pair_async::SYSTEM.async_edges.iter().any(|edge| edge.server == Kind::File));
}
