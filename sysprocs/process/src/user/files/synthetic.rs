//! Paths that lead into the synthetic files of `/proc`, and from there to the disk again.
//!
//! Invariant: the path lookup on the disk reports when a path leaves it (`ECROSSED`, which no program sees). Then the
//! walk goes on here, until it ends at a synthetic file or is back on the disk; a bounded number of times.
//! Not here: what synthetic files are (`renga_procfs`).

use crate::user::servers::rights::PROC_FILES;
use crate::user::servers::services::Services;
use crate::user::slot::User;
use crate::user::state::credentials::{FileAccess, wanted_by};
use crate::user::state::open_flags::{O_ACCMODE, S_IFCHR, S_IFDIR, S_IFLNK, S_IFMT, is_path_only};
use crate::user::state::{FileDescriptor, Object, SyscallResult};
use core::ops::Range;
use renga_hal::memory::UserMemory;
use renga_proto::inode::{Birth, InodeFacts, STAT_BYTES};
use renga_proto::mounts::{SYNTHETIC, beyond};
use renga_proto::path::{Cross, NO_FOLLOW, OPEN_CREATE, OPEN_DIRECTORY, OPEN_EXCLUSIVE, PathStart, drop_unreachable};
use renga_proto::proc_files::{
    DESCRIPTORS, Led, ProcFiles, SyntheticPath, SyntheticStatus, TOP, WalkSynthetic, file_of, pair_file, pid_of,
};
use renga_proto::procs::board_of;
use renga_proto::sessions::ReferenceOrigin;
use renga_rt::{Client, Errno, apart};

/// Times that a path may leave the disk, or seem to.
pub(crate) const CROSSINGS_MAX: u32 = 8;

/// The permission bit of the owner to write.
const OWNER_WRITES: u16 = 0o200;

/// Most bytes of what a descriptor of a file without a name leads to: a word, and a number in brackets.
const NUMBERED_BYTES: usize = 32;

/// A path, where it lies.
#[derive(Clone, Debug)]
pub(crate) enum PathPiece {
    /// In `self.paths`.
    Paths(Range<usize>),
    /// In `self.scratch`.
    Scratch(Range<usize>),
}

/// Where a path led that left the disk. `Disk`: to the disk again, with the path to walk on along, from there if it is
/// relative.
type PathCrossing = PathTarget<(PathStart, PathPiece)>;

/// What was found where a path led.
pub(crate) enum PathTarget<T> {
    Disk(T),
    /// A synthetic file, of this mode.
    Synthetic {
        number: u32,
        mode: u16,
    },
    /// What this descriptor of the program itself stands for, which is not on the disk.
    Own {
        descriptor: u64,
    },
}

/// The bytes of a piece. Not a method: what it does not name can be used meanwhile.
macro_rules! bytes_of {
    ($user:expr, $piece:expr) => {
        match &$piece {
            $crate::user::files::synthetic::PathPiece::Paths(range) => &$user.paths[range.clone()],
            $crate::user::files::synthetic::PathPiece::Scratch(range) => &$user.scratch[range.clone()],
        }
    };
}
pub(crate) use bytes_of;

/// What `$call` finds at the path `$piece`, from `$at` if it is relative, wherever that leads; `$flags` are a path
/// lookup's.
macro_rules! found_at {
    ($user:expr, ($at:expr, $piece:expr, $flags:expr), |$from:ident, $path:ident| $call:expr) => {{
        let (mut from, mut piece): (renga_proto::path::PathStart, $crate::user::files::synthetic::PathPiece) =
            ($at, $piece);
        let mut crossings = 0;
        loop {
            let found = {
                let ($from, $path) = (from, bytes_of!($user, piece));
                $call
            };
            match found {
                Err(Errno::ECROSSED) if crossings == $crate::user::files::synthetic::CROSSINGS_MAX => {
                    break Err(Errno::ELOOP);
                }
                Err(Errno::ECROSSED) => {}
                found => break found.map(PathTarget::Disk),
            }
            crossings += 1;
            match renga_rt::apart!($user.cross(from, piece, $flags)) {
                // The permitted way of others is that without such turns.
                Ok(PathTarget::Disk(_)) if !$user.program.credentials.rules_files() => break Err(Errno::EACCES),
                Ok(PathTarget::Disk(rest)) => (from, piece) = rest,
                Ok(PathTarget::Own { descriptor }) => break Ok(PathTarget::Own { descriptor }),
                Ok(PathTarget::Synthetic { number, mode }) => break Ok(PathTarget::Synthetic { number, mode }),
                Err(errno) => break Err(errno),
            }
        }
    }};
}
pub(crate) use found_at;

impl Services {
    /// The server of the synthetic file `number`.
    pub(crate) fn proc_files(&mut self, number: u32) -> Result<Client<ProcFiles, PROC_FILES>, Errno> {
        self.clients.proc_files.at(self.proc_files_board(number), 0).ok_or(Errno::ENOENT)
    }

    fn proc_files_board(&self, number: u32) -> u8 {
        match pid_of(number) {
            0 => self.board,
            pid => board_of(pid, self.file_board),
        }
    }
}

impl<M: UserMemory> User<M> {
    /// Goes on from where the path `piece` leaves the disk.
    pub(crate) async fn cross(&mut self, at: PathStart, piece: PathPiece, flags: u32) -> Result<PathCrossing, Errno> {
        let path = bytes_of!(self, piece);
        let relative = path.first() != Some(&b'/');
        let (mut number, mut piece) = match beyond(path) {
            _ if relative && at.directory.ino >= SYNTHETIC => (at.directory.ino, piece),
            Some(rest) if !at.is_confined() => (TOP, piece.clone().last(rest.len())),
            _ => match self.leave_disk(at, piece.clone(), flags).await {
                // What led out of the disk has been changed since: once more.
                Err(Errno::EAGAIN) => return Ok(PathTarget::Disk((at, piece))),
                left => (TOP, left?),
            },
        };
        // Again at most once, on the board of the program that the path names.
        for _ in 0..=1 {
            let (reader, user) = (self.program.pid, self.program.credentials.users.files);
            let walk = WalkSynthetic { at: number, reader, user, flags: flags & NO_FOLLOW };
            let mut maker = self.services.proc_files(number)?;
            let led = maker.call(walk, bytes_of!(self, piece)).await.map_err(gone)?;
            let Led { number: reached, mode, left } = led;
            let rest = piece.clone().last(left as usize);
            let follows = left > 0 || flags & NO_FOLLOW == 0;
            match mode & S_IFMT {
                0 => {
                    let at = self.program.start_at(reached.into());
                    return Ok(PathTarget::Disk((at, self.or_dot(rest))));
                }
                S_IFLNK if follows && file_of(reached) >= DESCRIPTORS => return self.follow_descriptor(reached, rest),
                _ if left > 0 => (number, piece) = (reached, rest),
                _ => return Ok(PathTarget::Synthetic { number: reached, mode }),
            }
        }
        Err(Errno::ENOENT)
    }

    /// Where a descriptor leads, with `rest` behind it: the synthetic file `number` is the descriptor.
    fn follow_descriptor(&mut self, number: u32, rest: PathPiece) -> Result<PathCrossing, Errno> {
        if pid_of(number) != self.program.pid {
            return Err(Errno::EACCES); // what another's descriptor stands for is that program's business
        }
        let descriptor = u64::from(file_of(number) - DESCRIPTORS);
        let FileDescriptor { object, ino, mode, .. } =
            *self.program.files.get(descriptor).map_err(|_| Errno::ENOENT)?;
        let is_file = object.file().is_some();
        match (is_file && mode & S_IFMT == S_IFDIR, bytes_of!(self, rest).is_empty()) {
            (_, true) if is_file && ino >= SYNTHETIC => Ok(PathTarget::Synthetic { number: ino, mode }),
            (true, _) => Ok(PathTarget::Disk((self.program.start_at(ino.into()), self.or_dot(rest)))),
            (false, true) => Ok(PathTarget::Own { descriptor }),
            (false, false) => Err(Errno::ENOTDIR),
        }
    }

    /// What is left of a path on the disk where that ends.
    async fn leave_disk(&mut self, at: PathStart, piece: PathPiece, flags: u32) -> Result<PathPiece, Errno> {
        let mut path_lookup = self.services.path_lookup()?;
        let PathPiece::Paths(range) = piece else { return Err(Errno::ELOOP) }; // the scratch page is taken
        let cross = Cross { at, flags: flags & NO_FOLLOW };
        let bytes = path_lookup.call(cross, (&self.paths[range], &mut self.scratch[..])).await? as usize;
        Ok(PathPiece::Scratch(0..bytes.min(self.scratch.len())))
    }

    /// A path that is empty means the inode itself.
    fn or_dot(&mut self, piece: PathPiece) -> PathPiece {
        if !bytes_of!(self, piece).is_empty() {
            return piece;
        }
        self.scratch[0] = b'.';
        PathPiece::Scratch(0..1)
    }

    /// Opens a synthetic file: an open file process whose content the server of synthetic files makes.
    pub(crate) async fn open_synthetic(&mut self, number: u32, mode: u16, flags: u32, walk: u32) -> Result<u64, Errno> {
        let kind = mode & S_IFMT;
        if kind == S_IFLNK {
            return Err(Errno::ELOOP);
        }
        if walk & OPEN_CREATE != 0 && walk & OPEN_EXCLUSIVE != 0 {
            return Err(Errno::EEXIST);
        }
        match kind {
            S_IFCHR if walk & OPEN_DIRECTORY == 0 => return apart!(self.open_node(number, flags)),
            S_IFDIR if flags & O_ACCMODE != 0 || walk & OPEN_CREATE != 0 => return Err(Errno::EISDIR),
            S_IFDIR if self.program.credentials.rules_files() => {}
            S_IFDIR => apart!(self.allow_synthetic(number, wanted_by(flags)))?,
            _ if walk & OPEN_DIRECTORY != 0 => return Err(Errno::ENOTDIR),
            _ if flags & O_ACCMODE != 0 && mode & OWNER_WRITES == 0 => return Err(Errno::EACCES),
            _ if self.program.credentials.rules_files() => {}
            _ => apart!(self.allow_synthetic(number, wanted_by(flags)))?,
        }
        let facts = unreferenced(self.services.proc_files_board(number).into(), number, mode, 0);
        let object = self.open_file(&facts, flags).await?;
        self.add_descriptor(FileDescriptor::opened(object, number, mode, flags)).await
    }

    /// Whether the program, which is not root's, may use a synthetic file, which a program's user owns, or root.
    async fn allow_synthetic(&mut self, number: u32, wanted: u32) -> Result<(), Errno> {
        let mut status = [0; STAT_BYTES];
        self.services.proc_files(number)?.call(SyntheticStatus { number }, &mut status[..]).await?;
        self.program.credentials.allow(FileAccess::of_status(&status), wanted)
    }

    /// Opens what a descriptor of the program stands for once more: a copy of it, with other flags.
    pub(crate) async fn open_own(&mut self, descriptor: u64, flags: u32, walk: u32) -> SyscallResult {
        let old = *self.program.files.get(descriptor)?;
        let copy = FileDescriptor::opened(old.object, old.ino, old.mode, flags);
        if walk & OPEN_DIRECTORY != 0 {
            return Err(Errno::ENOTDIR.into());
        }
        if old.object.socket().is_ok() {
            return Err(Errno::ENXIO.into());
        }
        if let Object::Named { generation } = old.object {
            if old.mode & S_IFMT == S_IFLNK && !is_path_only(flags) {
                return Err(Errno::ELOOP.into());
            }
            return self.open_fifo(&unreferenced(0, old.ino, old.mode, generation), flags).await;
        }
        if old.object.terminal().is_some() && pair_file(old.ino).is_some() {
            return Ok(apart!(self.open_node(old.ino, flags))?);
        }
        let end = FileDescriptor { flags: old.flags, ..copy };
        let is_console = old.object.terminal().is_some() && is_path_only(old.flags);
        if (is_console || old.object.pipe().is_some() || old.object.file().is_some())
            && (copy.reads() && !end.reads() || copy.writes() && !end.writes())
        {
            return Err(Errno::EACCES.into()); // the object itself is open for less, or the other end is another
        }
        match self.program.files.add_copy(descriptor, copy, 0) {
            Err(Errno::EINVAL) => Err(Errno::EMFILE.into()), // none at all is allowed
            added => Ok(added?),
        }
    }

    /// As text, what a descriptor of the program stands for; how many bytes of `out`.
    pub(crate) async fn own_link(&mut self, descriptor: u64, out: &mut [u8]) -> Result<usize, Errno> {
        let FileDescriptor { object, ino, mode, .. } =
            *self.program.files.get(descriptor).map_err(|_| Errno::ENOENT)?;
        let numbered: Result<heapless::String<NUMBERED_BYTES>, _>;
        let text = match (object.file(), object.facts().link_text) {
            (Some(_), _) if ino >= SYNTHETIC && mode & S_IFMT == S_IFDIR => {
                return Ok(self.services.proc_files(ino)?.call(SyntheticPath { number: ino }, out).await? as usize);
            }
            (Some(_), _) if ino < SYNTHETIC && mode & S_IFMT == S_IFDIR => {
                let at = self.program.start_at(ino.into());
                let bytes = apart!(self.services.absolute_path(at, &mut *out))? as usize;
                return Ok(drop_unreachable(out, bytes));
            }
            (_, Some(_)) if let Some(name) = pair_file(ino) => {
                numbered = heapless::format!("/dev/pts/{name}");
                numbered.as_ref().map_err(|_| Errno::ENAMETOOLONG)?.as_bytes()
            }
            (_, Some(text)) => text.as_bytes(),
            _ if matches!(object, Object::Lost { .. }) => return Err(Errno::EIO),
            // A fifo has a name, and with it an inode.
            _ => {
                numbered = match object.pipe_ino().filter(|_| ino == 0) {
                    Some(number) if object.socket().is_ok() => heapless::format!("socket:[{number}]"),
                    Some(number) => heapless::format!("pipe:[{number}]"),
                    None => heapless::format!("file:[{ino}]"),
                };
                numbered.as_ref().map_err(|_| Errno::ENAMETOOLONG)?.as_bytes()
            }
        };
        let bytes = text.len().min(out.len());
        out[..bytes].copy_from_slice(&text[..bytes]);
        Ok(bytes)
    }
}

/// The facts of a file that has no reference count.
pub(crate) fn unreferenced(slot: u16, ino: u32, mode: u16, generation: u32) -> InodeFacts {
    InodeFacts { slot, ino, mode, birth: Birth { generation, device: 0 }, origin: ReferenceOrigin::NONE }
}

impl PathPiece {
    /// Its last `bytes`.
    fn last(self, bytes: usize) -> PathPiece {
        let cut = |range: Range<usize>| range.end.saturating_sub(bytes).max(range.start)..range.end;
        match self {
            PathPiece::Paths(range) => PathPiece::Paths(cut(range)),
            PathPiece::Scratch(range) => PathPiece::Scratch(cut(range)),
        }
    }
}

/// A process of a failed board is gone.
fn gone(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::ENOENT } else { errno }
}
