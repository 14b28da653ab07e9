//! Reports the failure of another board to this board's servers, once for each end of a session.
//!
//! Invariant: the router opens a new session with a board only after the servers here know that the last one has ended
//! ([`SessionEnds`]), so no server sees calls of two incarnations mixed.
//! Calls: servers of its own board. Called by: nobody, so no circle of waits passes through it.

use core::cell::Cell;
use renga_core::Notifier;
use renga_proto::clock::{self, Clock};
use renga_proto::console::{self, Console};
use renga_proto::events::{self, Events};
use renga_proto::file::{self, File};
use renga_proto::inode::{self, InodeDirectory};
use renga_proto::locks::{self, Locks};
use renga_proto::memory::{self, Memory};
use renga_proto::names::{self, Names};
use renga_proto::pages::{self, Pages};
use renga_proto::pipe::{self, Pipe};
use renga_proto::procs::{self, Procs};
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

clients! {
    /// The servers that `membership` reports to, on its own board.
    pub struct MembershipClients {
        /// User processes: children there count as killed.
        procs: Local<Procs>,
        /// Pipes: that board's ends are closed.
        pipes: Local<Pipe>,
        /// Open files: that board's references are dropped.
        files: Local<File>,
        /// Active inodes: likewise.
        inode_directory: Local<InodeDirectory>,
        /// The terminal.
        console: Local<Console>,
        /// Event files: that board's references are dropped.
        events: Local<Events>,
        /// Programs that wait for something there, when all others know.
        clock: Local<Clock>,
        /// Locks of that board's programs.
        locks: Local<Locks>,
        /// Page frames stored from there.
        memory: Local<Memory>,
        /// Cached pages of files, if that board has the inodes.
        pages: Local<Pages>,
        /// Cached names and inodes, likewise.
        names: Local<Names>,
    }
}

impl MembershipClients {
    /// Of a board whose servers keep nothing for others.
    pub fn none(me: &Me) -> MembershipClients {
        MembershipClients {
            procs: Local::new(me, &Members::NONE),
            pipes: Local::new(me, &Members::NONE),
            files: Local::new(me, &Members::NONE),
            locks: Local::new(me, &Members::NONE),
            inode_directory: Local::new(me, &Members::NONE),
            console: Local::new(me, &Members::NONE),
            clock: Local::new(me, &Members::NONE),
            events: Local::new(me, &Members::NONE),
            memory: Local::new(me, &Members::NONE),
            pages: Local::new(me, &Members::NONE),
            names: Local::new(me, &Members::NONE),
        }
    }
}

/// Tells the servers of this board of each end of a session that the router notes in `ends`.
pub async fn membership(mut me: Me, mut clients: MembershipClients, ends: &'static SessionEnds) -> Never {
    loop {
        me.notified().await;
        while let Some(board) = ends.first() {
            // Parents of children there and readers of pipes from there come first.
            tell(&me, &mut clients.procs, || procs::BoardDied { board }).await;
            tell(&me, &mut clients.pipes, || pipe::BoardDied { board }).await;
            tell(&me, &mut clients.console, || console::BoardDied { board }).await;
            tell(&me, &mut clients.files, || file::BoardDied { board }).await;
            tell(&me, &mut clients.locks, || locks::BoardDied { board }).await;
            tell(&me, &mut clients.inode_directory, || inode::BoardDied { board }).await;
            tell(&me, &mut clients.events, || events::BoardDied { board }).await;
            tell(&me, &mut clients.memory, || memory::BoardDied { board }).await;
            tell(&me, &mut clients.pages, || pages::BoardDied { board }).await;
            tell(&me, &mut clients.names, || names::BoardDied { board }).await;
            tell(&me, &mut clients.clock, || clock::BoardDied { board }).await;
            ends.finish(board);
        }
    }
}

/// Tells each server of one protocol.
async fn tell<P, E>(me: &Me, servers: &mut Local<P>, entry: impl Fn() -> E)
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
