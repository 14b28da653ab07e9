//! The references of a board's programs to the inodes that they map: however many programs of a board map a file,
//! the inode directory knows of one reference, so that a fork does not cross the link.

use crate::pages::FileId;
use crate::sessions::ReferenceOrigin;
use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// References to mapped files.
    pub References = 18, ReferencesCall {
        /// One program more maps the inode, active in process `slot`, which another reference keeps active now.
        0 KeepFile { file: FileId, slot: u16 } (()) -> Result<(), Errno>;
        /// One program less maps it.
        1 ReleaseFile { file: FileId } (()) -> Result<(), Errno> [releases];
        /// The process of an inode that a program here maps, when the one that it knew is not: a session has ended. An
        /// error: the inode is gone.
        2 ReopenFile { file: FileId } (()) -> Result<u16, Errno>;
        /// Memory that programs share without a file, which one program maps: its number, for which inode 0 stands in
        /// the other entries. Without programs that map it, it is gone.
        3 MakeObject {} (()) -> Result<u32, Errno>;
        /// As `KeepFile` by who has a reference of its own to the inode, which it gives up: it has a use of the file
        /// instead, without a call to the directory if no program here used it. On an error it still has the reference.
        /// The file is a program's: `ETXTBSY` while it is open for writing. A program `runs` it until none maps it.
        4 TakeOverFile { file: FileId, slot: u16, origin: ReferenceOrigin, runs: bool } (()) -> Result<(), Errno>;
        /// A program from another board runs file `ino`, which it maps.
        5 NoteProgram { ino: u32 } (()) -> Result<(), Errno>;
        /// A program's file is opened for writing on the caller's board: none may be started from it here until
        /// `EndWriting`. `ETXTBSY`: one runs.
        6 BeginWriting { file: FileId } (()) -> Result<(), Errno>;
        /// It is closed.
        7 EndWriting { file: FileId } (()) -> Result<(), Errno>;
        /// A board is dead: what it had open for writing is closed.
        8 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
