//! Sockets: one process each, on the board where the socket was made, with both sides of its connection.
//!
//! A connection is the process of the socket that connected (or of a pair): its accepter has its second side. So
//! a program's handle never changes, and no socket calls another one.

use crate::pipe::Polled;
use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

word_enum! {
    /// A side of a connection.
    pub enum SocketSide {
        /// Of who made the socket.
        First,
        /// Of who accepted the connection, or the second of a pair.
        Second,
    }
}
word_enum! {
    /// What a socket carries.
    pub enum SocketSort {
        /// Bytes.
        Stream,
        /// Records, each with its sender, without a connection.
        Datagram,
        /// Records of a connection.
        Sequence,
    }
}
word_enum! {
    /// What a socket is at present.
    pub enum SocketState {
        /// Neither.
        Fresh,
        /// It takes connections.
        Listening,
        /// It is offered to a listener.
        Connecting,
        /// It has two sides; or, of datagrams, one partner.
        Connected,
    }
}

word_enum! {
    /// What addresses a socket has.
    pub enum SocketFamily {
        /// Paths and abstract names.
        Unix,
        /// Internet addresses of version 4.
        Inet4,
        /// Of both versions.
        Inet6,
        /// Ports of the kernel, which tells of interfaces.
        Netlink,
    }
}

impl SocketSide {
    /// The partner.
    pub const fn other(self) -> SocketSide {
        match self {
            SocketSide::First => SocketSide::Second,
            SocketSide::Second => SocketSide::First,
        }
    }
}

/// Bytes of a `struct sockaddr_un`, the longest address.
pub const NAME_BYTES: usize = 110;
/// Bytes of a record, at most: what crosses in one call.
pub const RECORD_BYTES_MAX: usize = 4096;
/// Options of a side that are kept, at most.
pub const OPTIONS_MAX: usize = 12;
/// As an option: how long a receiver or who accepts waits, ns; 0: for ever. Others of the level have its bits, too.
pub const RECEIVE_TIME: u32 = 1 << 16 | 20;
/// As an option: how long a sender waits.
pub const SEND_TIME: u32 = 1 << 16 | 21;
/// The call was interrupted, and is not made again: it waits for a limited time. Programs see `EINTR`.
pub const INTERRUPTED_FOR_GOOD: Errno = Errno(514);
/// Connections that wait at a listener, at most.
pub const BACKLOG_MAX: usize = 64;

/// Of `Receive`: the bytes stay.
pub const RECEIVE_PEEK: u32 = 1;
/// Of `Receive`: `EAGAIN` rather than waiting.
pub const RECEIVE_NOW: u32 = 2;
/// Of `Receive`: the caller takes what is in flight with the bytes; else nobody receives it.
pub const RECEIVE_FLIGHT: u32 = 4;
/// Messages with descriptors that wait at a side, at most.
pub const FLIGHTS_MAX: usize = 8;
/// Poll: the partner sends no more (`POLLRDHUP`).
pub const PEER_SHUT: u32 = 0x2000;
/// Of `Shutdown`: this side receives no more.
pub const SHUT_RECEIVE: u32 = 1;
/// Of `Shutdown`: this side sends no more.
pub const SHUT_SEND: u32 = 2;

in_words! {
    /// A socket, wherever it is.
    pub struct SocketHandle {
        /// Its board.
        board: u8,
        /// Its number there.
        number: u16,
        /// Which of its generations; 0: no socket.
        generation: u32,
    }
    /// What was received.
    pub struct Received {
        /// How many bytes came.
        bytes: u32,
        /// How long the record is, or as `bytes`.
        length: u32,
        /// Of a datagram: its sender, or none. Else the flight that came with the bytes, or none.
        from: SocketHandle,
    }
    /// Facts of a socket's side.
    pub struct SocketFacts {
        /// What the socket is.
        state: SocketState,
        /// The process of the other side, 0 if there is none.
        peer_pid: u32,
        /// Bytes that can be received; of records, those of the first.
        bytes: u32,
        /// Calls of this side fail rather than wait.
        nonblocking: bool,
    }
    /// Whom datagrams are for.
    pub struct PeerFacts {
        /// The partner, or none.
        peer: SocketHandle,
        /// Calls of this side fail rather than wait.
        nonblocking: bool,
        /// Of an internet socket: its port, 0 if it has none.
        port: u16,
    }
}

impl SocketHandle {
    /// No socket.
    pub const NONE: SocketHandle = SocketHandle { board: 0, number: 0, generation: 0 };
}

protocol! {
    /// One socket. `generation` is from the reply to `OpenSocket`: `ESTALE` if the socket is in another generation by
    /// now, or the caller's board has no reference to the side.
    pub Socket = 40, SocketCall {
        /// Becomes a socket of process `pid`, with one reference of the caller's board; as a `pair` connected, with one
        /// to each side. Returns its generation, never 0.
        0 OpenSocket { sort: SocketSort, internet: bool, pair: bool, pid: u32 } (()) -> Result<u32, Errno>;
        /// Waits for bytes or a record. 0 bytes of a stream: the partner sends no more.
        1 Receive { generation: u32, side: SocketSide, flags: u32 } (&'a mut [u8]) -> Result<Received, Errno> [defers];
        /// Sends all of the slice, waiting for room; how many bytes. `EPIPE`: the partner receives no more.
        2 Send { generation: u32, side: SocketSide, nonblocking: bool } (&'a [u8]) -> Result<u32, Errno> [defers];
        /// One reference more to a side, for the caller's board.
        3 AddSide { generation: u32, side: SocketSide } (()) -> Result<(), Errno>;
        /// One reference less; the last of both sides frees the socket.
        4 CloseSide { generation: u32, side: SocketSide } (()) -> Result<(), Errno> [releases];
        /// As a pipe's `PollPipe`.
        5 PollSocket { generation: u32, side: SocketSide, events: u32, slot: u16, seen: u32 } (())
            -> Result<Polled, Errno>;
        /// What it is now.
        6 DescribeSocket { generation: u32, side: SocketSide } (()) -> Result<SocketFacts, Errno>;
        /// A board is dead: its processes' references are dropped.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Ends directions of a connection. `ENOTCONN`: there is none.
        8 Shutdown { generation: u32, side: SocketSide, how: u32 } (()) -> Result<(), Errno>;
        /// The address of the first side is the slice, or (empty) it has none any more. `EINVAL`: it has one, and this
        /// one does not replace it.
        9 SetAddress { generation: u32, replaces: bool } (&'a [u8]) -> Result<(), Errno>;
        /// The address of the side, or (`peer`) of its partner; how many bytes. `ENOTCONN`: it has none.
        10 GetAddress { generation: u32, side: SocketSide, peer: bool } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Takes connections from now on, of which so many may wait, for process `pid`.
        11 Listen { generation: u32, backlog: u32, pid: u32 } (()) -> Result<(), Errno>;
        /// Process `pid` is about to offer it to a listener of `board`, whose address is the slice behind the first
        /// `own_bytes`, which if any are its own from now on; that board has a reference to the second side.
        12 BeginConnect { generation: u32, board: u8, pid: u32, own_bytes: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// The listener of process `pid` has it, or (0) has refused it.
        13 EndConnect { generation: u32, pid: u32 } (()) -> Result<(), Errno>;
        /// To a listener: a connection waits for it; the listener's process. `ECONNREFUSED`: it is none;
        /// `EPROTOTYPE`: one of another sort; `EAGAIN`: too many wait.
        14 Offer { generation: u32, offered: SocketHandle, sort: SocketSort, nonblocking: bool } (())
            -> Result<u32, Errno> [defers];
        /// Of a listener: the next connection.
        15 Accept { generation: u32, nonblocking: bool } (()) -> Result<SocketHandle, Errno> [defers];
        /// The second side's reference of a listener's `board` is the caller's board's.
        16 TakeSide { generation: u32, board: u8 } (()) -> Result<(), Errno>;
        /// From now on who calls at the side waits, or (`nonblocking`) fails as if its call said so.
        17 SetSideBlocking { generation: u32, side: SocketSide, nonblocking: bool } (()) -> Result<(), Errno>;
        /// A datagram of socket `from` for this one. `ECONNREFUSED`: nobody has it any more.
        18 Deliver { generation: u32, from: SocketHandle, nonblocking: bool } (&'a [u8]) -> Result<u32, Errno> [defers];
        /// Of datagrams: whom those without an address are for; the slice is the address.
        19 SetPeer { generation: u32, peer: SocketHandle } (&'a [u8]) -> Result<(), Errno>;
        /// Whom they are for; no socket if it is one of a pair, or has no partner. Of an internet socket the handle is
        /// a board, a port and an interface (`internet::of_datagram`), and an error that waits is returned.
        20 GetPeer { generation: u32, side: SocketSide } (()) -> Result<PeerFacts, Errno>;
        /// The error that waits for a call (0: none), once.
        21 TakeError { generation: u32, side: SocketSide } (()) -> Result<u32, Errno>;
        /// The error waits for a call.
        22 SetError { generation: u32, side: SocketSide, error: u32 } (()) -> Result<(), Errno>;
        /// Keeps what a program gives an option; `ENOPROTOOPT`: there are too many.
        23 SetOption { generation: u32, side: SocketSide, option: u32, value: u64 } (()) -> Result<(), Errno>;
        /// What was kept of the option. `ENOPROTOOPT`: nothing.
        24 GetOption { generation: u32, side: SocketSide, option: u32 } (()) -> Result<u64, Errno>;
        /// As `Send`, with a flight of the caller's board, but what has no room of a stream is not sent.
        25 SendWith { generation: u32, side: SocketSide, nonblocking: bool, flight: SocketHandle } (&'a [u8])
            -> Result<u32, Errno> [defers];
    }
}
