//! A table of numbered servers of one kind on one board (open files, pipes): which are free.

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// Table of open-file processes.
    pub FileTable = 1, FileTableCall {
        /// Reserves a free file process; its number. `ENFILE` when all are taken.
        0 TakeFile {} (()) -> Result<u16, Errno>;
        /// Frees a file process without references.
        1 FreeFile { file: u16 } (()) -> Result<(), Errno> [releases];
    }
}
protocol! {
    /// Table of pipe processes.
    pub PipeTable = 2, PipeTableCall {
        /// Reserves a free pipe process; its number. `ENFILE` when all are taken.
        0 TakePipe {} (()) -> Result<u16, Errno>;
        /// Gives back a pipe both of whose ends are closed.
        1 FreePipe { pipe: u16 } (()) -> Result<(), Errno> [releases];
        /// As `TakePipe`, for a fifo; `ENFILE` also when half of the pipes are fifos: other boards open those.
        2 TakeFifo {} (()) -> Result<u16, Errno>;
    }
}
