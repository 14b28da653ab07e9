//! Fifos: which pipe is the one that a named pipe stands for while it is open.

use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

word_enum! {
    /// What of a fifo is opened, and of a pipe polled.
    pub enum FifoEnds {
        /// Where bytes come out.
        Reader,
        /// Where bytes go in.
        Writer,
        /// Both, by one opener.
        Both,
    }
}

in_words! {
    /// An opened fifo: a pipe of the board that keeps them.
    pub struct OpenedFifo {
        /// The pipe's number.
        number: u16,
        /// Which of its generations.
        generation: u32,
        /// How often the other end had been opened before.
        partners: u32,
        /// No process has the other end.
        alone: bool,
    }
}

protocol! {
    /// The fifos that are open, on any board.
    pub Fifos = 26, FifosCall {
        /// Opens the inode's fifo for the caller's board, which closes it by the pipe's `CloseEnd`. A program that
        /// waits for a partner waits at the pipe (`AwaitPartner`). `ENXIO`: no reader, and a writer that does not
        /// wait. `ENFILE`: no pipe is free.
        0 OpenFifo { ino: u32, generation: u32, ends: FifoEnds, nonblocking: bool } (()) -> Result<OpenedFifo, Errno>;
    }
}
