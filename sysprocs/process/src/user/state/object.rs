//! What a descriptor can be: the kinds of objects, the facts that are fixed for each kind, and its form as bytes.
//!
//! Owns: [`Object`]. Invariant: other files ask an object for a fact; they match only their own kind, so that a new
//! kind is a variant here and a line in `servers/object_calls.rs`.
//! Called by: descriptors and system calls. Calls: nothing. Not here: calls to servers (`servers/object_calls.rs`).

use crate::signals::UNSTOPPABLE;
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::open_flags::{S_IFCHR, S_IFIFO, S_IFSOCK};
use renga_proto::pipe::PipeEnd;
use renga_proto::socket::{SocketFamily, SocketSide, SocketSort};
use renga_proto::terminals::TerminalSide;
use renga_rt::{Errno, Word};

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
    /// A side of a socket.
    Socket {
        at: Handle,
        side: SocketSide,
        sort: SocketSort,
        family: SocketFamily,
    },
    Events {
        at: Handle,
        /// What it is to a program.
        sort: EventSort,
    },
    /// An object whose board has failed since.
    Lost {
        /// An end of a pipe or a socket; else a file.
        pipe: bool,
    },
    Console,
    /// A side of a pseudo-terminal.
    Terminal {
        at: Handle,
        side: TerminalSide,
    },
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
    /// Notices of changed files (inotify).
    Notices,
    /// A process (pidfd).
    Process,
}

/// What is fixed of each kind of object.
#[derive(Clone, Copy)]
pub struct ObjectFacts {
    /// The kind as a byte; 0 ends a list of objects.
    code: u8,
    /// Whether a program can wait for it; files and devices are always ready, which Linux refuses.
    pub can_be_polled: bool,
    /// What `lseek` answers where no file process has an offset: objects without positions stay at 0, as on Linux.
    pub seek: Result<u64, Errno>,
    /// Mode and device number in `struct stat` where no file process answers, as Linux has them.
    pub mode: u16,
    pub device: u64,
    /// Where `/proc/self/fd` says that it leads, if that is the same for all objects of the kind.
    pub link_text: Option<&'static str>,
}

impl ObjectFacts {
    /// Of a kind with a server of files, which `stat` takes for a pipe where that is lost or only named.
    const fn file(code: u8, can_be_polled: bool, seek: Errno) -> ObjectFacts {
        ObjectFacts { code, can_be_polled, seek: Err(seek), mode: S_IFIFO | 0o600, device: 0, link_text: None }
    }
    /// Of a device that every program may read and write, and never waits.
    const fn memory(code: u8, minor: u64, link_text: &'static str) -> ObjectFacts {
        let (mode, device) = (S_IFCHR | 0o666, 1 << 8 | minor);
        ObjectFacts { code, can_be_polled: false, seek: Ok(0), mode, device, link_text: Some(link_text) }
    }
    /// Of an object without a name that a program can wait for.
    const fn anonymous(code: u8, link_text: &'static str) -> ObjectFacts {
        ObjectFacts { code, can_be_polled: true, seek: Ok(0), mode: 0o600, device: 0, link_text: Some(link_text) }
    }
    const CONSOLE: ObjectFacts = ObjectFacts {
        code: 4,
        can_be_polled: true,
        seek: Err(Errno::ESPIPE),
        mode: S_IFCHR | 0o600,
        device: 5 << 8 | 1,
        link_text: Some("/dev/console"),
    };
    /// Of a master, or of a slave that was opened as `/dev/tty`; by its own name it is as its node says.
    const fn pair(side: TerminalSide) -> ObjectFacts {
        let (code, minor, link_text) = match side {
            TerminalSide::Master => (MASTER_CODE, 2, "/dev/ptmx"),
            TerminalSide::Slave => (SLAVE_CODE, 0, "/dev/tty"),
        };
        let (mode, device) = (S_IFCHR | 0o666, 5 << 8 | minor);
        ObjectFacts { code, mode, device, link_text: Some(link_text), ..ObjectFacts::CONSOLE }
    }
}

impl Object {
    /// The facts of its kind: the one table of them, whose codes `get_object` reads.
    pub const fn facts(self) -> ObjectFacts {
        match self {
            Object::File(_) => ObjectFacts::file(1, false, Errno::EIO),
            Object::Pipe { end: PipeEnd::Reader, .. } => ObjectFacts::file(2, true, Errno::ESPIPE),
            Object::Pipe { end: PipeEnd::Writer, .. } => ObjectFacts::file(3, true, Errno::ESPIPE),
            Object::Console => ObjectFacts::CONSOLE,
            Object::Terminal { side, .. } => ObjectFacts::pair(side),
            Object::Null => ObjectFacts::memory(5, 3, "/dev/null"),
            Object::Zero => ObjectFacts::memory(6, 5, "/dev/zero"),
            Object::Full => ObjectFacts::memory(7, 7, "/dev/full"),
            Object::Random => ObjectFacts::memory(8, 9, "/dev/urandom"),
            Object::Lost { pipe: true } => ObjectFacts::file(9, true, Errno::ESPIPE),
            Object::Lost { pipe: false } => ObjectFacts::file(10, true, Errno::EIO),
            Object::Signals { .. } => ObjectFacts::anonymous(11, "anon_inode:[signalfd]"),
            Object::Fifo(_) => ObjectFacts::file(12, true, Errno::ESPIPE),
            Object::Events { sort: EventSort::Count, .. } => ObjectFacts::anonymous(13, "anon_inode:[eventfd]"),
            Object::Events { sort: EventSort::Timer, .. } => ObjectFacts::anonymous(14, "anon_inode:[timerfd]"),
            Object::Named { .. } => ObjectFacts::file(15, false, Errno::EBADF),
            Object::Events { sort: EventSort::Watches, .. } => ObjectFacts::anonymous(16, "anon_inode:[eventpoll]"),
            Object::Events { sort: EventSort::Notices, .. } => {
                ObjectFacts::anonymous(NOTICES_CODE, "anon_inode:inotify")
            }
            Object::Events { sort: EventSort::Process, .. } => {
                ObjectFacts::anonymous(PROCESS_CODE, "anon_inode:[pidfd]")
            }
            Object::Socket { side, sort, family, .. } => ObjectFacts {
                mode: S_IFSOCK | 0o777,
                ..ObjectFacts::file(first_code(family) + 2 * sort as u8 + side as u8, true, Errno::ESPIPE)
            },
        }
    }
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
    /// The socket, its side and its sort; `ENOTSOCK` of other kinds.
    pub fn socket(self) -> Result<(Handle, SocketSide, SocketSort), Errno> {
        match self {
            Object::Socket { at, side, sort, .. } => Ok((at, side, sort)),
            _ => Err(Errno::ENOTSOCK),
        }
    }
    /// The family of a socket.
    pub fn family(self) -> SocketFamily {
        if let Object::Socket { family, .. } = self { family } else { SocketFamily::Unix }
    }
    /// Whether it is a socket of records.
    pub fn has_socket_records(self) -> bool {
        matches!(self, Object::Socket { sort: SocketSort::Datagram | SocketSort::Sequence, .. })
    }
    /// Whether bytes pass through it: a pipe or a socket.
    pub fn is_stream(self) -> bool {
        self.pipe().is_some() || self.socket().is_ok()
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
            Object::File(at)
            | Object::Pipe { at, .. }
            | Object::Fifo(at)
            | Object::Socket { at, .. }
            | Object::Terminal { at, .. }
            | Object::Events { at, .. } => Some(at),
            _ => None,
        }
    }
    /// What is left of it when its board fails.
    pub fn lost(self) -> Object {
        Object::Lost { pipe: self.is_stream() }
    }
    /// Whether programs read and write it in whole records by way of their own process.
    pub fn has_records(self) -> bool {
        matches!(self, Object::Events { .. } | Object::Signals { .. })
    }
    /// Whether the server of the object checks the generation with each call. Then a second call after `ESTALE` is
    /// safe; a file process would answer as whatever has its number now.
    pub fn names_generation(self) -> bool {
        !matches!(self, Object::File(_))
    }
    /// The number that a pipe without a name, or a socket, has for an inode, which no inode of the disk is: both ends
    /// of a pipe are one object, the sides of a socket are two.
    pub fn pipe_ino(self) -> Option<u64> {
        let (at, kind) = match self {
            Object::Socket { at, side, .. } => (at, 2 + side as u64),
            _ => (self.pipe()?, 1),
        };
        Some(kind << 40 | u64::from(at.board) << 16 | u64::from(at.number))
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

/// The codes of the sides of a pseudo-terminal.
const MASTER_CODE: u8 = 40;
const SLAVE_CODE: u8 = 41;
/// Those of further event files.
const NOTICES_CODE: u8 = 42;
const PROCESS_CODE: u8 = 43;
/// The first code of sockets of a family: there is one for each sort and side.
const fn first_code(family: SocketFamily) -> u8 {
    match family {
        SocketFamily::Unix => 17,
        SocketFamily::Inet4 => 64,
        SocketFamily::Inet6 => 72,
        SocketFamily::Netlink => 80,
    }
}
/// Sockets of a family have fewer codes.
const FAMILY_CODES: u8 = 6;

/// The end of a list of objects.
pub const END: [u8; 4] = [0; 4];
/// Bytes of an object, at most.
pub const OBJECT_BYTES_MAX: usize = 12;

/// Writes an object in 4 to 12 bytes: kind, board, number, generation, and of a pipe its partners; of signals kind, id
/// (three bytes), set.
pub fn put_object(writer: &mut ImageWriter, object: Object) -> Result<(), Errno> {
    let code = object.facts().code;
    if let Object::Signals { mask, id } = object {
        let [first, second, third, _] = id.to_le_bytes();
        writer.put(&[code, first, second, third])?;
        return writer.word(mask);
    }
    let (board, [low, high]) = object.server().map_or((0, [0; 2]), |at| (at.board, at.number.to_le_bytes()));
    writer.put(&[code, board, low, high])?;
    if let Some(Handle { generation, .. }) = object.server() {
        writer.put(&generation.to_le_bytes())?;
    }
    match object {
        Object::Named { generation: number } | Object::Pipe { partners: number, .. } => {
            writer.put(&number.to_le_bytes())
        }
        _ => Ok(()),
    }
}

/// Reads an object; `None`: the end of them.
pub fn get_object(reader: &mut ImageReader) -> Result<Option<Object>, Errno> {
    let [code, board, low, high] = reader.take()?;
    let mut word = || reader.take().map(u32::from_le_bytes);
    let mut at = || Ok(Handle { board, number: u16::from_le_bytes([low, high]), generation: word()? });
    Ok(Some(match code {
        0 => return Ok(None),
        1 => Object::File(at()?),
        2 => Object::Pipe { at: at()?, end: PipeEnd::Reader, partners: word()? },
        3 => Object::Pipe { at: at()?, end: PipeEnd::Writer, partners: word()? },
        4 => Object::Console,
        5 => Object::Null,
        6 => Object::Zero,
        7 => Object::Full,
        8 => Object::Random,
        9 => Object::Lost { pipe: true },
        10 => Object::Lost { pipe: false },
        11 => {
            let id = u32::from_le_bytes([board, low, high, 0]);
            Object::Signals { mask: reader.word()? & !UNSTOPPABLE, id }
        }
        12 => Object::Fifo(at()?),
        13 => Object::Events { at: at()?, sort: EventSort::Count },
        14 => Object::Events { at: at()?, sort: EventSort::Timer },
        15 => Object::Named { generation: word()? },
        16 => Object::Events { at: at()?, sort: EventSort::Watches },
        NOTICES_CODE => Object::Events { at: at()?, sort: EventSort::Notices },
        PROCESS_CODE => Object::Events { at: at()?, sort: EventSort::Process },
        MASTER_CODE => Object::Terminal { at: at()?, side: TerminalSide::Master },
        SLAVE_CODE => Object::Terminal { at: at()?, side: TerminalSide::Slave },
        _ => {
            let has_code = |family: &SocketFamily| (0..FAMILY_CODES).contains(&code.wrapping_sub(first_code(*family)));
            let families = [SocketFamily::Unix, SocketFamily::Inet4, SocketFamily::Inet6, SocketFamily::Netlink];
            let family = families.into_iter().find(has_code).ok_or(Errno::EINVAL)?;
            let (sort, side) = ((code - first_code(family)) / 2, (code - first_code(family)) % 2);
            Object::Socket {
                at: at()?,
                side: SocketSide::from_word(side.into()),
                sort: SocketSort::from_word(sort.into()),
                family,
            }
        }
    }))
}
