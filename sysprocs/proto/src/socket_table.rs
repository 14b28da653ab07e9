//! The table of a board's sockets, and the names of sockets.

use crate::socket::SocketHandle;
use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// Which of a board's sockets are free; on the board of the files also which have a name, of all boards.
    pub SocketTable = 41, SocketTableCall {
        /// Reserves a free socket process; its number. `ENFILE` when all are taken.
        0 TakeSocket {} (()) -> Result<u16, Errno>;
        /// Gives back a socket without references.
        1 FreeSocket { socket: u16 } (()) -> Result<(), Errno> [releases];
        /// The slice is the name of the socket. `EADDRINUSE`: another one has it.
        2 BindName { at: SocketHandle } (&'a [u8]) -> Result<(), Errno>;
        /// The socket with that name, or `ECONNREFUSED`.
        3 FindName {} (&'a [u8]) -> Result<SocketHandle, Errno>;
        /// The socket's name is free.
        4 UnbindName { at: SocketHandle } (()) -> Result<(), Errno>;
        /// Nobody will accept the connection: this board's reference to its second side is to be closed.
        5 Orphan { at: SocketHandle } (()) -> Result<(), Errno>;
        /// Waits for an orphan.
        6 NextOrphan {} (()) -> Result<SocketHandle, Errno> [defers];
        /// A board is dead: its sockets have no names.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
