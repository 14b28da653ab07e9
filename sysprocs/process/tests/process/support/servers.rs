//! The processes of a board for sockets, event files and words that programs wait for.

use super::{EVENTS, Headers, SLOTS, SOCKETS, WATCHES, family, leak, members};
use renga_core::Process;
use renga_proto::pipe::PIPE_BYTES;
use renga_proto::socket_table::{Errand, FLIGHTS};
use renga_rt::host::HostBoard;
use renga_rt::{Local, Members, Port};

pub fn start(board: HostBoard, number: usize, all: &[Headers]) {
    let here = &all[number];
    board.start(here.socket_table, |me| {
        let places = vec![renga_socket::SocketName::NONE; SOCKETS * all.len()].leak();
        let errands = vec![Errand::NONE; 2 * SOCKETS * all.len()].leak();
        let flights = vec![renga_socket::Flight::NONE; FLIGHTS].leak();
        let port = Port::new(&me).0;
        renga_socket::socket_table(me, port, vec![0; SOCKETS].leak(), places, errands, flights, 1)
    });
    for (index, socket) in here.sockets.iter().enumerate() {
        board.start(socket, |me| {
            let (port, bytes) = (Port::new(&me).0, Box::leak(Box::new([[0; PIPE_BYTES]; 2])));
            let table = Local::new(&me, leak(members(&[here.socket_table]))).narrowed();
            renga_socket::socket(me, port, table, bytes, index as u16, 1, watch(), here.wakes)
        });
    }
    board.start(here.terminals, |me| {
        let pairs =
            (0..2).map(|_| renga_console::TerminalPair::new(Box::leak(Box::default()))).collect::<Vec<_>>().leak();
        let (port, _) = Port::new(&me);
        renga_console::terminals(me, port, pairs, 1, here.wakes, watch())
    });
    board.start(here.socket_closer, |me| {
        let table = Local::new(&me, leak(members(&[here.socket_table]))).narrowed();
        let sockets = family(&me, all.iter().map(|headers| members(&headers.sockets)).collect());
        let tables = family(&me, all.iter().map(|headers| members(&[headers.socket_table])).collect());
        let pipes = family(&me, all.iter().map(|headers| members(&headers.pipes)).collect());
        let files = family(&me, all.iter().map(|headers| members(&headers.files)).collect());
        let events = family(&me, all.iter().map(|headers| members(&[headers.events])).collect());
        let terminals = family(&me, all.iter().map(|headers| members(&[headers.terminals])).collect());
        renga_socket::socket_closer(table, tables, sockets, pipes, files, events, terminals, 0)
    });
}

pub fn start_events(board: HostBoard, here: &Headers) {
    board.start(here.events, |me| {
        let port = Port::new(&me).0;
        let places = Vec::leak((0..EVENTS).map(|_| renga_clock::EventPlace::FREE).collect());
        let due = Vec::leak(vec![renga_clock::DuePlace::EMPTY; EVENTS]);
        let watches = Vec::leak(vec![renga_clock::WatchPlace::FREE; WATCHES]);
        let notices = Box::leak(Box::new(renga_clock::NoticeMemory { notices: &mut [], watches: &mut [] }));
        let epoch_ns = 1_000_000_000_000;
        renga_clock::events(me, port, places, due, epoch_ns, 1, here.wakes, watches, notices, here.watched, 0)
    });
    board.start(here.futexes, |me| {
        let places = Vec::leak(vec![renga_futex::FutexWait::EMPTY; 2 * SLOTS]);
        renga_futex::futexes(Port::new(&me).0, places, here.wakes)
    });
}

/// A family with one member, on the first board.
pub fn only_family(boards: usize, process: &'static Process) -> Vec<Members> {
    (0..boards).map(|board| if board == 0 { members(&[process]) } else { Members::NONE }).collect()
}

/// Unused: there is no link.
pub fn watch() -> &'static renga_rt::Watch {
    Box::leak(Box::new(renga_rt::Watch::new(None)))
}
