//! Every process may read the counters, without a call to the router.

use renga_proto::router::ReadCounters;
use renga_router::{LinkStats, link_status};
use renga_rt::Client;
use renga_rt::host::HostBoard;

/// Holds: counters.
#[test]
fn link_status_read_returns_counters_in_order() {
    let board = HostBoard::new(0, 1 << 16);
    let stats: &'static LinkStats = board.arena.put(LinkStats::default);
    stats.calls_sync.set(7);
    stats.calls_async.set(1 << 40);
    let server = board.server(|_, port| link_status(port, stats));
    board.client(|me| async move {
        let mut bytes = [0xff; 4096];
        let count = Client::new(&me, server).call(ReadCounters {}, &mut bytes).await;
        assert_eq!(count, Ok(LinkStats::NAMES.len() as u32));
        let read: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(read[..LinkStats::NAMES.len()], stats.values());
        assert_eq!(read[1], 1 << 40);
    });
    board.run();
}
