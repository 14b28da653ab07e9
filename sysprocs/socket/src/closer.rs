//! Closes connections that nobody will accept, as their listener was closed, and frees names of closed sockets.
//!
//! Invariant: each errand is done once. Calls: the table of its board, which keeps it waiting, the one with the names,
//! and sockets of all boards. Called by: nobody, so that sockets and tables need not call across boards.

use renga_proto::socket::{CloseSide, Socket, SocketHandle, SocketSide};
use renga_proto::socket_table::{Errand, NextErrand, SocketTable, UnbindName};
use renga_rt::{Family, Local, Never, Retry};

/// Does the errands of its board's table; `names` is the board with the names.
pub async fn socket_closer(
    mut table: Local<SocketTable, { NextErrand::BIT }>,
    mut tables: Family<SocketTable, { UnbindName::BIT }>,
    mut sockets: Family<Socket, { CloseSide::BIT }>,
    names: u8,
) -> Never {
    loop {
        let Some(mut table) = table.at(0) else { core::future::pending().await };
        let Ok(Errand { at, unbinds }) = table.call(NextErrand {}, ()).await else { continue };
        let SocketHandle { board, number, generation } = at;
        // A board that is dead has no connection and no names either.
        if unbinds {
            if let Some(mut names) = tables.at(names, 0) {
                let _ = names.call_retrying(UnbindName { at }, ()).await;
            }
        } else if let Some(mut socket) = sockets.at(board, number.into()) {
            let _ = socket.call_retrying(CloseSide { generation, side: SocketSide::Second }, ()).await;
        }
    }
}
