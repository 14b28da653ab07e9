//! The table of a board's sockets, and the names of sockets.

use crate::socket::{SocketHandle, SocketSort};
use renga_abi::Errno;
use renga_core::{in_words, protocol};

in_words! {
    /// What is to be done for a socket.
    pub struct Errand {
        /// The socket.
        at: SocketHandle,
        /// Its name is to be freed; else nobody will accept the connection, and this board's reference to its second
        /// side is to be closed.
        unbinds: bool,
    }
}

impl Errand {
    /// Nothing.
    pub const NONE: Errand = Errand { at: SocketHandle::NONE, unbinds: false };
}

protocol! {
    /// Which of a board's sockets are free, and which have an internet address of the board; on the board of the files
    /// also which have another name, of all boards.
    pub SocketTable = 41, SocketTableCall {
        /// Reserves a free socket process; its number. `ENFILE` when all are taken.
        0 TakeSocket {} (()) -> Result<u16, Errno>;
        /// Gives back a socket without references, which has no name here any more.
        1 FreeSocket { socket: u16 } (()) -> Result<(), Errno> [releases];
        /// The slice is the name of the socket. `EADDRINUSE`: another one has it, and not both are `shared`.
        2 BindName { at: SocketHandle, sort: SocketSort, shared: bool } (&'a [u8]) -> Result<(), Errno>;
        /// The socket with that name, or `ECONNREFUSED`; `EPROTOTYPE` if it is of another sort.
        3 FindName { sort: SocketSort } (&'a [u8]) -> Result<SocketHandle, Errno>;
        /// The socket's name is free.
        4 UnbindName { at: SocketHandle } (()) -> Result<(), Errno>;
        /// Something is to be done for the socket, by and by.
        5 AddErrand { errand: Errand } (()) -> Result<(), Errno>;
        /// Waits for an errand.
        6 NextErrand {} (()) -> Result<Errand, Errno> [defers];
        /// A board is dead: its sockets have no names.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
