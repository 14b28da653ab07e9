//! The file descriptors of one program, as a table without calls.
//!
//! Invariant: a program has exactly one reference to each object that any of its descriptors names,
//! however many do; so `dup` costs no rendezvous, and a fork one per object. Not here: what objects do
//! (`objects.rs`).

use crate::user::files::open::O_ACCMODE;
use renga_proto::pipe::PipeEnd;
use renga_rt::Errno;

/// Descriptors of one program.
pub const DESCRIPTORS_MAX: usize = 64;

/// What a descriptor stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// An open file: a file process of `board`.
    File {
        /// The board of its opener.
        board: u8,
        /// Its number there.
        number: u16,
        /// Which of its lives.
        life: u32,
    },
    /// An end of a pipe of `board`.
    Pipe {
        /// The board of its maker.
        board: u8,
        /// Its number there.
        number: u16,
        /// Which of its lives.
        life: u32,
        /// Which end.
        end: PipeEnd,
    },
    /// What was on a board that has died since.
    Lost {
        /// An end of a pipe; else a file.
        pipe: bool,
    },
    /// The terminal.
    Console,
    /// `/dev/null`.
    Null,
    /// `/dev/zero`.
    Zero,
    /// `/dev/full`.
    Full,
    /// `/dev/random` and `/dev/urandom`.
    Random,
}

/// A descriptor's meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// What it stands for.
    pub object: Object,
    /// Of a file: its inode's number, from where relative paths start if it is a directory.
    pub ino: u32,
    /// Of a file: type and permission bits.
    pub mode: u16,
    /// Linux's open flags: access mode, O_APPEND, O_NONBLOCK.
    pub flags: u32,
    /// Closed by exec.
    pub close_on_exec: bool,
}

/// The table.
#[derive(Clone)]
pub struct Descriptors([Option<Descriptor>; DESCRIPTORS_MAX]);

impl Default for Descriptors {
    fn default() -> Self {
        Descriptors([None; DESCRIPTORS_MAX])
    }
}

impl Descriptors {
    /// What `number` means.
    pub fn get(&self, number: u64) -> Result<&Descriptor, Errno> {
        let place = usize::try_from(number as u32).ok().and_then(|index| self.0.get(index));
        place.and_then(Option::as_ref).ok_or(Errno::EBADF)
    }

    /// As `get`, to change it.
    pub fn get_mut(&mut self, number: u64) -> Result<&mut Descriptor, Errno> {
        let place = usize::try_from(number as u32).ok().and_then(|index| self.0.get_mut(index));
        place.and_then(Option::as_mut).ok_or(Errno::EBADF)
    }

    /// Puts `descriptor` at the first free number from `least` on.
    pub fn add(&mut self, descriptor: Descriptor, least: u64) -> Result<u64, Errno> {
        if least >= DESCRIPTORS_MAX as u64 {
            return Err(Errno::EINVAL);
        }
        let free = (least as usize..DESCRIPTORS_MAX).find(|&number| self.0[number].is_none());
        let number = free.ok_or(Errno::EMFILE)?;
        self.0[number] = Some(descriptor);
        Ok(number as u64)
    }

    /// How many more descriptors have room.
    pub fn free(&self) -> usize {
        self.0.iter().filter(|place| place.is_none()).count()
    }

    /// Puts `descriptor` at `number`; an object that is named no more is the caller's to let go.
    pub fn replace(&mut self, number: u64, descriptor: Descriptor) -> Result<Option<Object>, Errno> {
        let place = self.0.get_mut(number as u32 as usize).ok_or(Errno::EBADF)?;
        let old = place.replace(descriptor);
        Ok(old.map(|old| old.object).filter(|&object| !self.names(object)))
    }

    /// Takes `number` out; an object that is named no more is the caller's to let go.
    pub fn remove(&mut self, number: u64) -> Result<Option<Object>, Errno> {
        let place = self.0.get_mut(number as u32 as usize).ok_or(Errno::EBADF)?;
        let old = place.take().ok_or(Errno::EBADF)?;
        Ok(Some(old.object).filter(|&object| !self.names(object)))
    }

    fn names(&self, object: Object) -> bool {
        self.iter().any(|(_, descriptor)| descriptor.object == object)
    }

    /// All descriptors with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Descriptor)> {
        self.0.iter().enumerate().filter_map(|(number, place)| Some((number, place.as_ref()?)))
    }

    /// The objects from descriptor `from` on that no smaller descriptor names: each object once.
    pub fn next_object(&self, from: usize) -> Option<(usize, Object)> {
        let first_of = |object| self.iter().find(|(_, d)| d.object == object).map(|(number, _)| number);
        let mut rest = self.iter().filter(|&(number, _)| number >= from);
        rest.find(|&(number, d)| first_of(d.object) == Some(number)).map(|(number, d)| (number, d.object))
    }

    /// Sets the flags of all descriptors that name `object`. Each keeps its access mode: a device is one
    /// object however it was opened.
    pub fn set_flags(&mut self, object: Object, flags: u32) {
        let named = self.0.iter_mut().flatten().filter(|descriptor| descriptor.object == object);
        named.for_each(|descriptor| descriptor.flags = descriptor.flags & O_ACCMODE | flags & !O_ACCMODE);
    }

    /// The first descriptor that exec closes.
    pub fn next_close_on_exec(&self) -> Option<u64> {
        self.iter().find(|(_, descriptor)| descriptor.close_on_exec).map(|(number, _)| number as u64)
    }

    /// What `object` stood for is lost: its descriptors fail from now on.
    pub fn lose(&mut self, object: Object) {
        let lost = Object::Lost { pipe: matches!(object, Object::Pipe { .. }) };
        self.0.iter_mut().flatten().filter(|d| d.object == object).for_each(|d| d.object = lost);
    }

    /// Board `board` has died, and everything on it is lost.
    pub fn lose_board(&mut self, board: u8) {
        for descriptor in self.0.iter_mut().flatten() {
            descriptor.object = match descriptor.object {
                Object::Pipe { board: at, .. } if at == board => Object::Lost { pipe: true },
                Object::File { board: at, .. } if at == board => Object::Lost { pipe: false },
                other => other,
            };
        }
    }

    /// Any descriptor.
    pub fn any(&self) -> Option<u64> {
        self.iter().next().map(|(number, _)| number as u64)
    }
}
