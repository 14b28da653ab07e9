//! What a descriptor can be: the kinds of objects, the facts that are fixed for each kind, and its form as bytes.
//!
//! Owns: [`Object`]. Invariant: other files ask an object for a fact; they match only their own kind, so that a new kind
//! is a variant here and a line in `servers/object_calls.rs`.
//! Called by: descriptors and system calls. Calls: nothing. Not here: calls to servers (`servers/object_calls.rs`).

use crate::signals::UNSTOPPABLE;
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use renga_proto::pipe::PipeEnd;
use renga_rt::Errno;

/// An object of a server: the server's board, its number there, and which of its generations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle {
    pub board: u8,
    pub number: u16,
    pub generation: u32,
}

/// What a descriptor stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// An open file, directory or synthetic file: a file process.
    File(Handle),
    /// An end of a pipe or of a fifo.
    Pipe {
        at: Handle,
        end: PipeEnd,
        /// Of a fifo's reader that opened it without a writer: how many writers had opened it until then.
        partners: u32,
    },
    /// Both ends of a fifo, opened at once.
    Fifo(Handle),
    Events {
        at: Handle,
        /// What it is to a program.
        sort: EventSort,
    },
    /// An object whose board has failed since.
    Lost {
        /// An end of a pipe; else a file.
        pipe: bool,
    },
    Console,
    /// A fifo or a symbolic link of the disk that the descriptor only names.
    Named {
        /// The generation of its inode.
        generation: u32,
    },
    Null,
    Zero,
    Full,
    /// `/dev/random` and `/dev/urandom`.
    Random,
    /// The reader's own signals (signalfd).
    Signals {
        /// The set, a bit each.
        mask: u64,
        /// Which signal descriptor it is, whatever its set is by now: a random number.
        id: u32,
    },
}

/// What an event file is to a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventSort {
    /// A count (eventfd).
    Count,
    /// A timer that is read (timerfd).
    Timer,
    /// A set of watches (epoll).
    Watches,
}

/// Type bits of a mode.
const S_IFIFO: u32 = 0o010_000;
const S_IFCHR: u32 = 0o020_000;

impl Object {
    /// The file process of an open file; `refusal` of other kinds, `EIO` of a file that is lost.
    pub fn file_or(self, refusal: Errno) -> Result<Handle, Errno> {
        match self {
            Object::File(at) => Ok(at),
            Object::Lost { pipe: false } => Err(Errno::EIO),
            _ => Err(refusal),
        }
    }
    /// The file process of an open file.
    pub fn file(self) -> Option<Handle> {
        if let Object::File(at) = self { Some(at) } else { None }
    }
    /// The pipe of an end of a pipe, or of a fifo.
    pub fn pipe(self) -> Option<Handle> {
        match self {
            Object::Pipe { at, .. } | Object::Fifo(at) => Some(at),
            _ => None,
        }
    }
    /// The event file of the sort `wanted`; `EINVAL` of other kinds, `EIO` of one that is lost.
    pub fn events(self, wanted: EventSort) -> Result<Handle, Errno> {
        match self {
            Object::Events { at, sort } if sort == wanted => Ok(at),
            Object::Lost { pipe: false } => Err(Errno::EIO),
            _ => Err(Errno::EINVAL),
        }
    }
    pub fn is_watch_set(self) -> bool {
        matches!(self, Object::Events { sort: EventSort::Watches, .. })
    }
    /// The server of the object.
    pub fn server(self) -> Option<Handle> {
        match self {
            Object::File(at) | Object::Pipe { at, .. } | Object::Fifo(at) | Object::Events { at, .. } => Some(at),
            _ => None,
        }
    }
    /// What is left of it when its board fails.
    pub fn lost(self) -> Object {
        Object::Lost { pipe: self.pipe().is_some() }
    }
    /// Whether programs read and write it in whole records by way of their own process.
    pub fn has_records(self) -> bool {
        matches!(self, Object::Events { .. } | Object::Signals { .. })
    }
    /// Whether a program can wait for it; files and devices are always ready, which Linux refuses.
    pub fn can_be_polled(self) -> bool {
        match self {
            Object::Pipe { .. } | Object::Fifo(_) | Object::Events { .. } | Object::Lost { .. } => true,
            Object::Console | Object::Signals { .. } => true,
            Object::File(_) | Object::Named { .. } => false,
            Object::Null | Object::Zero | Object::Full | Object::Random => false,
        }
    }
    /// Whether the server of the object checks the generation with each call. Then a second call after `ESTALE` is safe;
    /// a file process would answer as whatever has its number now.
    pub fn names_generation(self) -> bool {
        !matches!(self, Object::File(_))
    }
    /// What `lseek` answers where no file process has an offset: objects without positions stay at 0, as on Linux.
    pub fn seek(self) -> Result<u64, Errno> {
        match self {
            Object::Pipe { .. } | Object::Fifo(_) | Object::Console | Object::Lost { pipe: true } => Err(Errno::ESPIPE),
            Object::Named { .. } => Err(Errno::EBADF),
            Object::File(_) | Object::Lost { pipe: false } => Err(Errno::EIO),
            Object::Null | Object::Zero | Object::Full | Object::Random => Ok(0),
            Object::Signals { .. } | Object::Events { .. } => Ok(0),
        }
    }
    /// Mode and device number in `struct stat` where no file process answers, as Linux has them.
    pub fn device_status(self) -> (u32, u64) {
        match self {
            Object::Console => (S_IFCHR | 0o600, 5 << 8 | 1),
            Object::Null => (S_IFCHR | 0o666, 1 << 8 | 3),
            Object::Zero => (S_IFCHR | 0o666, 1 << 8 | 5),
            Object::Full => (S_IFCHR | 0o666, 1 << 8 | 7),
            Object::Random => (S_IFCHR | 0o666, 1 << 8 | 9),
            Object::Signals { .. } | Object::Events { .. } => (0o600, 0),
            Object::File(_) | Object::Pipe { .. } | Object::Fifo(_) | Object::Named { .. } | Object::Lost { .. } => {
                (S_IFIFO | 0o600, 0)
            }
        }
    }
    /// The number that a pipe without a name has for an inode: both ends are one object, which no inode of the disk is.
    pub fn pipe_ino(self) -> Option<u64> {
        self.pipe().map(|at| 1 << 40 | u64::from(at.board) << 16 | u64::from(at.number))
    }
    /// Where `/proc/self/fd` says that it leads, if that is the same for all objects of the kind.
    pub fn link_text(self) -> Option<&'static str> {
        match self {
            Object::Console => Some("/dev/console"),
            Object::Null => Some("/dev/null"),
            Object::Zero => Some("/dev/zero"),
            Object::Full => Some("/dev/full"),
            Object::Random => Some("/dev/urandom"),
            Object::Signals { .. } => Some("anon_inode:[signalfd]"),
            Object::Events { sort: EventSort::Count, .. } => Some("anon_inode:[eventfd]"),
            Object::Events { sort: EventSort::Timer, .. } => Some("anon_inode:[timerfd]"),
            Object::Events { sort: EventSort::Watches, .. } => Some("anon_inode:[eventpoll]"),
            Object::File(_) | Object::Pipe { .. } | Object::Fifo(_) | Object::Named { .. } | Object::Lost { .. } => {
                None
            }
        }
    }
    /// What a character device is, by its major and minor number (Linux's `devices.txt`).
    pub fn of_device(number: u32) -> Option<Object> {
        match (number >> 8, number & 0xff) {
            (1, 3) => Some(Object::Null),
            (1, 5) => Some(Object::Zero),
            (1, 7) => Some(Object::Full),
            (1, 8 | 9) => Some(Object::Random),
            (4, 0..=63) | (5, 0 | 1) => Some(Object::Console),
            _ => None,
        }
    }
}

/// Kinds of objects as bytes. 0 ends a list of them.
mod kind {
    pub const FILE: u8 = 1;
    pub const READER: u8 = 2;
    pub const WRITER: u8 = 3;
    pub const CONSOLE: u8 = 4;
    pub const NULL: u8 = 5;
    pub const ZERO: u8 = 6;
    pub const FULL: u8 = 7;
    pub const RANDOM: u8 = 8;
    pub const LOST_PIPE: u8 = 9;
    pub const LOST_FILE: u8 = 10;
    pub const SIGNALS: u8 = 11;
    pub const FIFO: u8 = 12;
    pub const COUNT: u8 = 13;
    pub const TIMER: u8 = 14;
    pub const NAMED: u8 = 15;
    pub const WATCHES: u8 = 16;
}

/// The end of a list of objects.
pub const END: [u8; 4] = [0; 4];
/// Bytes of an object, at most.
pub const OBJECT_BYTES_MAX: usize = 12;

/// Writes an object in 4 to 12 bytes: kind, board, number, generation, and of a pipe its partners; of signals kind, id
/// (three bytes), set.
pub fn put_object(writer: &mut ImageWriter, object: Object) -> Result<(), Errno> {
    let (kind, generation) = match object {
        Object::File(_) => (kind::FILE, None),
        Object::Pipe { end: PipeEnd::Reader, .. } => (kind::READER, None),
        Object::Pipe { end: PipeEnd::Writer, .. } => (kind::WRITER, None),
        Object::Events { sort: EventSort::Count, .. } => (kind::COUNT, None),
        Object::Events { sort: EventSort::Timer, .. } => (kind::TIMER, None),
        Object::Events { sort: EventSort::Watches, .. } => (kind::WATCHES, None),
        Object::Fifo(_) => (kind::FIFO, None),
        Object::Console => (kind::CONSOLE, None),
        Object::Named { generation } => (kind::NAMED, Some(generation)),
        Object::Null => (kind::NULL, None),
        Object::Zero => (kind::ZERO, None),
        Object::Full => (kind::FULL, None),
        Object::Random => (kind::RANDOM, None),
        Object::Signals { mask, id } => {
            let [first, second, third, _] = id.to_le_bytes();
            writer.put(&[kind::SIGNALS, first, second, third])?;
            return writer.word(mask);
        }
        Object::Lost { pipe: true } => (kind::LOST_PIPE, None),
        Object::Lost { pipe: false } => (kind::LOST_FILE, None),
    };
    let [board, low, high] = object.server().map_or([0; 3], |at| {
        let [low, high] = at.number.to_le_bytes();
        [at.board, low, high]
    });
    writer.put(&[kind, board, low, high])?;
    if let Some(generation) = object.server().map(|at| at.generation).or(generation) {
        writer.put(&generation.to_le_bytes())?;
    }
    if let Object::Pipe { partners, .. } = object { writer.put(&partners.to_le_bytes()) } else { Ok(()) }
}

/// Reads an object; `None`: the end of them.
pub fn get_object(reader: &mut ImageReader) -> Result<Option<Object>, Errno> {
    let [kind, board, low, high] = reader.take()?;
    let mut word = || reader.take().map(u32::from_le_bytes);
    let mut at = || Ok(Handle { board, number: u16::from_le_bytes([low, high]), generation: word()? });
    Ok(Some(match kind {
        0 => return Ok(None),
        kind::FILE => Object::File(at()?),
        kind::READER => Object::Pipe { at: at()?, end: PipeEnd::Reader, partners: word()? },
        kind::WRITER => Object::Pipe { at: at()?, end: PipeEnd::Writer, partners: word()? },
        kind::COUNT => Object::Events { at: at()?, sort: EventSort::Count },
        kind::TIMER => Object::Events { at: at()?, sort: EventSort::Timer },
        kind::WATCHES => Object::Events { at: at()?, sort: EventSort::Watches },
        kind::FIFO => Object::Fifo(at()?),
        kind::CONSOLE => Object::Console,
        kind::NAMED => Object::Named { generation: word()? },
        kind::NULL => Object::Null,
        kind::ZERO => Object::Zero,
        kind::FULL => Object::Full,
        kind::RANDOM => Object::Random,
        kind::SIGNALS => {
            let id = u32::from_le_bytes([board, low, high, 0]);
            Object::Signals { mask: reader.word()? & !UNSTOPPABLE, id }
        }
        kind::LOST_PIPE => Object::Lost { pipe: true },
        kind::LOST_FILE => Object::Lost { pipe: false },
        _ => return Err(Errno::EINVAL),
    }))
}
