//! Closes connections that nobody will accept, as their listener was closed, frees names of closed sockets, and
//! releases descriptors that nobody received.
//!
//! Invariant: each errand is done once. Calls: the table of its board, which keeps it waiting, those of other boards,
//! and servers of objects of all boards. Called by: nobody, so that sockets and tables need not call across boards.

use renga_proto::events::{DropEvents, Events};
use renga_proto::file::{Close, File};
use renga_proto::pipe::{CloseEnd, Pipe, PipeEnd};
use renga_proto::socket::{CloseSide, Socket, SocketHandle, SocketSide};
use renga_proto::socket_table::{
    EndFlight, Errand, ErrandKind, FLIGHT_BYTES, FLIGHT_REFERENCE_BYTES, FlightKind, FlightReference, NextErrand,
    SocketTable, TakeFlight, UnbindName,
};
use renga_proto::terminals::{DropSide, TerminalHandle, TerminalSide, Terminals};
use renga_rt::{Family, Local, Never, Retry};

/// Does the errands of its board's table; `names` is the board with the names. Whatever cannot be called is of a board
/// that is dead, and has no connections, names and objects either.
#[allow(clippy::too_many_arguments, reason = "a process's parameters are all that it may touch")]
pub async fn socket_closer(
    mut table: Local<SocketTable, { NextErrand::BIT | TakeFlight::BIT }>,
    mut tables: Family<SocketTable, { EndFlight::BIT | UnbindName::BIT }>,
    mut sockets: Family<Socket, { CloseSide::BIT }>,
    mut pipes: Family<Pipe, { CloseEnd::BIT }>,
    mut files: Family<File, { Close::BIT }>,
    mut events: Family<Events, { DropEvents::BIT }>,
    mut terminals: Family<Terminals, { DropSide::BIT }>,
    names: u8,
) -> Never {
    let mut bytes = [0; FLIGHT_BYTES];
    loop {
        let Some(mut table) = table.at(0) else { core::future::pending().await };
        let Ok(Errand { at, kind }) = table.call(NextErrand {}, ()).await else { continue };
        let SocketHandle { board, number, generation } = at;
        let mut count = 0;
        match kind {
            ErrandKind::Unbind => {
                if let Some(mut names) = tables.at(names, 0) {
                    let _ = names.call_retrying(UnbindName { at }, ()).await;
                }
            }
            ErrandKind::Close => {
                if let Some(mut socket) = sockets.at(board, number.into()) {
                    let _ = socket.call_retrying(CloseSide { generation, side: SocketSide::Second }, ()).await;
                }
            }
            ErrandKind::EndFlight => {
                if let Some(mut owner) = tables.at(board, 0) {
                    let _ = owner.call_retrying(EndFlight { number, generation }, ()).await;
                }
            }
            ErrandKind::Release => {
                let take = TakeFlight { number, generation };
                count = table.call(take, &mut bytes[..]).await.unwrap_or(0) as usize;
            }
        }
        for reference in bytes[..count].as_chunks::<FLIGHT_REFERENCE_BYTES>().0 {
            let FlightReference { kind, at, .. } = FlightReference::of_bytes(reference);
            let SocketHandle { board, number, generation } = at;
            let index = usize::from(number);
            let ends = [FlightKind::Reader, FlightKind::Writer].into_iter().zip([PipeEnd::Reader, PipeEnd::Writer]);
            for (_, end) in ends.filter(|(of, _)| kind == *of || kind == FlightKind::Fifo) {
                if let Some(mut pipe) = pipes.at(board, index) {
                    let _ = pipe.call_retrying(CloseEnd { generation, end }, ()).await;
                }
            }
            match kind {
                FlightKind::File => {
                    if let Some(mut file) = files.at(board, index) {
                        let _ = file.call_retrying(Close { generation }, ()).await;
                    }
                }
                FlightKind::First | FlightKind::Second => {
                    let side = if kind == FlightKind::First { SocketSide::First } else { SocketSide::Second };
                    if let Some(mut socket) = sockets.at(board, index) {
                        let _ = socket.call_retrying(CloseSide { generation, side }, ()).await;
                    }
                }
                FlightKind::Events => {
                    if let Some(mut events) = events.at(board, 0) {
                        let _ = events.call_retrying(DropEvents { number, generation }, ()).await;
                    }
                }
                FlightKind::Master | FlightKind::Slave => {
                    let side = if kind == FlightKind::Master { TerminalSide::Master } else { TerminalSide::Slave };
                    let at = TerminalHandle { number, side, generation };
                    if let Some(mut terminals) = terminals.at(board, 0) {
                        // The leader of its session gets no SIGHUP, which a program sends: its next read fails.
                        let _ = terminals.call_retrying(DropSide { at }, ()).await;
                    }
                }
                FlightKind::Nothing | FlightKind::Reader | FlightKind::Writer | FlightKind::Fifo => {}
            }
        }
    }
}
