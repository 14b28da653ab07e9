//! The table of a board's sockets, and the names of sockets.

use crate::socket::{SocketHandle, SocketSort};
use renga_abi::Errno;
use renga_core::{Word, in_words, protocol, word_enum};

/// Messages of a board's programs whose descriptors are in flight, at most.
pub const FLIGHTS: usize = 32;
/// How many of them only root's programs may have.
pub const FLIGHTS_OF_ROOT: usize = 4;
/// Descriptors of a message, at most.
pub const FLIGHT_DESCRIPTORS: usize = 16;
/// Of `BindName`: the socket shares its name with none.
pub const NOBODY: u32 = u32::MAX;
/// The socket shares it with those of all users.
pub const ANYBODY: u32 = u32::MAX - 1;
/// Bytes of one: its reference, and what the sender's process writes.
pub const FLIGHT_REFERENCE_BYTES: usize = 32;
/// Bytes of those of a message.
pub const FLIGHT_BYTES: usize = FLIGHT_DESCRIPTORS * FLIGHT_REFERENCE_BYTES;

word_enum! {
    /// Which server has a reference in flight.
    pub enum FlightKind {
        /// None.
        Nothing,
        /// A file process.
        File,
        /// A pipe, which has it for a reader.
        Reader,
        /// A pipe, which has it for a writer.
        Writer,
        /// A pipe, which has one for a reader and one for a writer.
        Fifo,
        /// A socket, which has it for its first side.
        First,
        /// A socket, which has it for its second side.
        Second,
        /// A board's event files.
        Events,
        /// A board's pseudo-terminals, which have it for a master.
        Master,
        /// A board's pseudo-terminals, which have it for a slave.
        Slave,
    }
}
word_enum! {
    /// What is to be done.
    pub enum ErrandKind {
        /// Nobody will accept the connection: this board's reference to its second side is to be closed.
        Close,
        /// Its name is to be freed.
        Unbind,
        /// A message with descriptors was not received: the table of its sender's board is to release them.
        EndFlight,
        /// Descriptors of this board's programs are to be released.
        Release,
    }
}

/// A reference in flight, and what its sender's process says of the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlightReference {
    /// Which server has it.
    pub kind: FlightKind,
    /// The object there.
    pub at: SocketHandle,
    /// For the process that receives it.
    pub descriptor: [u8; FLIGHT_REFERENCE_BYTES - 8],
}

impl FlightReference {
    /// As it travels.
    pub fn bytes(&self) -> [u8; FLIGHT_REFERENCE_BYTES] {
        let mut bytes = [0; FLIGHT_REFERENCE_BYTES];
        (bytes[0], bytes[1]) = (self.kind as u8, self.at.board);
        bytes[2..4].copy_from_slice(&self.at.number.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.at.generation.to_le_bytes());
        bytes[8..].copy_from_slice(&self.descriptor);
        bytes
    }
    /// What [`FlightReference::bytes`] made.
    pub fn of_bytes(bytes: &[u8; FLIGHT_REFERENCE_BYTES]) -> FlightReference {
        let [kind, board, low, high, a, b, c, d, descriptor @ ..] = *bytes;
        let (number, generation) = (u16::from_le_bytes([low, high]), u32::from_le_bytes([a, b, c, d]));
        FlightReference {
            kind: FlightKind::from_word(kind.into()),
            at: SocketHandle { board, number, generation },
            descriptor,
        }
    }
}

in_words! {
    /// What is to be done for a socket.
    pub struct Errand {
        /// The socket, or the flight.
        at: SocketHandle,
        /// What.
        kind: ErrandKind,
    }
}

impl Errand {
    /// Nothing.
    pub const NONE: Errand = Errand { at: SocketHandle::NONE, kind: ErrandKind::Close };
}

protocol! {
    /// Which of a board's sockets are free, and which have an internet address of the board; on the board of the files
    /// also which have another name, of all boards.
    pub SocketTable = 41, SocketTableCall {
        /// Reserves a free socket process; its number. `ENFILE` when all are taken.
        0 TakeSocket {} (()) -> Result<u16, Errno>;
        /// Gives back a socket without references, which has no name here any more.
        1 FreeSocket { socket: u16 } (()) -> Result<(), Errno> [releases];
        /// The slice is the name of the socket; empty: it listens. `EADDRINUSE`: another one has it, and not both have
        /// the same `sharer`, a user or [`ANYBODY`].
        2 BindName { at: SocketHandle, sort: SocketSort, sharer: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// The socket with that name, or `ECONNREFUSED`; `EPROTOTYPE` if it is of another sort.
        3 FindName { sort: SocketSort } (&'a [u8]) -> Result<SocketHandle, Errno>;
        /// The socket's name is free.
        4 UnbindName { at: SocketHandle } (()) -> Result<(), Errno>;
        /// Something is to be done for the socket, by and by.
        5 AddErrand { errand: Errand } (()) -> Result<(), Errno>;
        /// Waits for an errand.
        6 NextErrand {} (()) -> Result<Errand, Errno> [defers];
        /// A board is dead: its sockets have no names, and what it receives or carries is not received.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// The slice is descriptors whose references a socket of board `via` will carry; the flight.
        /// `ETOOMANYREFS`: there are too many, of which root's programs may have some more.
        8 AddFlight { via: u8, root: bool } (&'a [u8]) -> Result<SocketHandle, Errno>;
        /// The descriptors of a flight; how many bytes. To its own board it is over: the references are the caller's.
        /// Another board has to end it when it has references of its own. `ESTALE`: there is none, or it was taken.
        9 TakeFlight { number: u16, generation: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// The references of a flight are released, by and by. `EPERM`: the caller's board neither sent it, nor
        /// carries it, nor has taken it.
        10 EndFlight { number: u16, generation: u32 } (()) -> Result<(), Errno>;
    }
}
