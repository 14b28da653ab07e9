//! Reports the failure of another board to this board's servers, once for each end of a session.
//!
//! Invariant: the router opens a new session with a board only after the local servers know that the last one has
//! ended ([`SessionEnds`]), so no server sees calls of two incarnations mixed. Calls: servers of its own board.
//! Called by: no process, so no circle of waits passes through it.

use core::cell::Cell;
use renga_core::Notifier;
use renga_rt::{BOARDS_MAX, Entry, Errno, Local, Me, Members, Never, Protocol, clients};

/// A set of boards, one bit each.
type BoardSet = u8;
const _: () = assert!(BOARDS_MAX <= BoardSet::BITS as usize);

/// SessionEnds of sessions, on their way from the router to `membership` and back.
pub struct SessionEnds {
    router: Notifier,
    membership: Option<Notifier>,
    /// Boards whose end of session the servers here do not know yet.
    pending: Cell<BoardSet>,
}

impl SessionEnds {
    /// None yet; without a process that reports them the router waits for nothing.
    pub const fn new(router: Notifier, membership: Option<Notifier>) -> SessionEnds {
        SessionEnds { router, membership, pending: Cell::new(0) }
    }
    /// The session with `board` has ended.
    pub(crate) fn begin(&self, board: u8) {
        if let Some(membership) = self.membership {
            self.pending.set(self.pending.get() | 1 << board);
            membership.notify();
        }
    }
    /// Whether the servers here do not all know yet that the last session with `board` has ended.
    pub(crate) fn is_pending(&self, board: u8) -> bool {
        self.pending.get() >> board & 1 != 0
    }
    fn first(&self) -> Option<u8> {
        let first = self.pending.get().trailing_zeros();
        (first < BoardSet::BITS).then_some(first as u8)
    }
    fn finish(&self, board: u8) {
        self.pending.set(self.pending.get() & !(1 << board));
        self.router.notify();
    }
}

/// One line for each kind of servers that learn of the failure of a board, in the order in which they do.
macro_rules! members { ($($(#[$doc:meta])* $servers:ident: $module:ident::$Protocol:ident;)+) => {
    clients! {
        /// The servers that `membership` reports to, on its own board.
        pub struct MembershipClients { $($(#[$doc])* $servers: Local<renga_proto::$module::$Protocol>),+ }
    }
    impl MembershipClients {
        /// Of a board whose servers keep nothing for others.
        pub fn none(me: &Me) -> MembershipClients {
            MembershipClients { $($servers: Local::new(me, &Members::NONE)),+ }
        }
        async fn report(&mut self, me: &Me, board: u8) {
            $(report_to(me, &mut self.$servers, || renga_proto::$module::BoardDied { board }).await;)+
        }
    }
} }
members! {
    /// User processes: children there count as killed, before readers of pipes from there go on.
    procs: procs::Procs;
    /// Pipes: that board's ends are closed.
    pipes: pipe::Pipe;
    /// Sockets: that board's sides are closed.
    sockets: socket::Socket;
    /// Sockets that have names: that board's have none.
    socket_names: socket_table::SocketTable;
    /// The terminal.
    console: console::Console;
    /// Pseudo-terminals: that board's sides are closed.
    terminals: terminals::Terminals;
    /// Open files: that board's references are dropped.
    files: file::File;
    /// Locks of that board's programs.
    locks: locks::Locks;
    /// Active inodes: as open files.
    inode_directory: inode::InodeDirectory;
    /// Event files: likewise.
    events: events::Events;
    /// Programs there that wait for a word of memory.
    futexes: futex::Futexes;
    /// Page frames stored from there.
    memory: memory::Memory;
    /// Program files that were open for writing there.
    references: references::References;
    /// Cached pages of files, if that board has the inodes.
    pages: pages::Pages;
    /// Cached names and inodes, likewise.
    names: names::Names;
    /// Programs that wait for something there, when all others know.
    clock: clock::Clock;
}

/// Reports each end of a session that the router notes in `ends` to the servers of this board.
pub async fn membership(mut me: Me, mut clients: MembershipClients, ends: &'static SessionEnds) -> Never {
    loop {
        me.notified().await;
        while let Some(board) = ends.first() {
            clients.report(&me, board).await;
            ends.finish(board);
        }
    }
}

/// Reports it to each server of one protocol.
async fn report_to<P, E>(me: &Me, servers: &mut Local<P>, entry: impl Fn() -> E)
where
    P: Protocol,
    E: for<'a> Entry<Protocol = P, Lends<'a> = (), Reply = Result<(), Errno>>,
{
    for number in 0..servers.count() {
        let Some(mut server) = servers.at(number) else { break };
        if let Err(errno) = server.call(entry(), ()).await {
            me.log("a server does not take the end of a board", [server.server().to_word().into(), errno.0.into()]);
        }
    }
}
