//! Closes connections that nobody will accept: those that waited at a listener which was closed.
//!
//! Invariant: each orphan is closed once, for the board of its listener. Calls: the table of its board, which keeps
//! it waiting, and sockets of all boards. Called by: nobody.

use renga_proto::socket::{CloseSide, Socket, SocketHandle, SocketSide};
use renga_proto::socket_table::{NextOrphan, SocketTable};
use renga_rt::{Family, Local, Never, Retry};

/// Closes the orphans of its board's table.
pub async fn socket_closer(
    mut table: Local<SocketTable, { NextOrphan::BIT }>,
    mut sockets: Family<Socket, { CloseSide::BIT }>,
) -> Never {
    loop {
        let Some(mut table) = table.at(0) else { core::future::pending().await };
        let Ok(SocketHandle { board, number, generation }) = table.call(NextOrphan {}, ()).await else { continue };
        if let Some(mut socket) = sockets.at(board, number.into()) {
            // A board that is dead has no connection either.
            let _ = socket.call_retrying(CloseSide { generation, side: SocketSide::Second }, ()).await;
        }
    }
}
