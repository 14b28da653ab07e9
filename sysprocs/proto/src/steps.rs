//! What a path walker tells of a walk: each name that it came by and may be held, and what stood at the end.
//!
//! Invariant: the end is the last step, and there always is one; names before it may be missing, for want of room.
//! What cannot be read ends the steps. Not here: who holds them (`sysprocs/fs/src/held`).

use crate::inode::{Birth, InodeFacts, NAME_BYTES_MAX, STAT_BYTES};
use crate::sessions::Stamp;
use renga_abi::Errno;

/// Room for the steps of a walk.
pub const STEPS_BYTES: usize = 1024;
/// Bytes of the longest symbolic link's target that is told: that of one which lies in its inode.
pub const TARGET_BYTES_MAX: usize = 60;

const NAME: u8 = 1;
const TARGET: u8 = 2;
const INODE: u8 = 3;
const REFUSED: u8 = 4;
/// Bytes before a name's own.
const NAME_HEAD: usize = 11;
/// Bytes before a target's own.
const TARGET_HEAD: usize = 6;
/// Bytes of the longest end.
const END_BYTES: usize = 18 + STAT_BYTES;

/// One step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// What a name stands for.
    Name {
        /// In this inode.
        directory: u32,
        /// The name.
        name: &'a [u8],
        /// What it stands for; 0: nothing.
        ino: u32,
        /// Of what type (ext2's directory-entry type).
        kind: u8,
    },
    /// Where a symbolic link leads.
    Target {
        /// The link.
        ino: u32,
        /// Its target.
        target: &'a [u8],
    },
    /// The end: an inode.
    Inode {
        /// What an opener learns of it.
        facts: InodeFacts,
        /// It may be held.
        held: bool,
        /// Its `struct stat`.
        status: &'a [u8],
    },
    /// The end: there is none.
    Refused {
        /// Why.
        errno: Errno,
    },
}

/// Steps being told, in room for [`STEPS_BYTES`].
pub struct Steps {
    bytes: [u8; STEPS_BYTES],
    used: usize,
}
impl Default for Steps {
    fn default() -> Self {
        Steps { bytes: [0; STEPS_BYTES], used: 0 }
    }
}

impl Steps {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.used = 0;
    }
    /// As bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.used + bytes + END_BYTES <= STEPS_BYTES
    }

    /// Puts what there is room for.
    fn put(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.bytes[self.used..self.used + part.len()].copy_from_slice(part);
            self.used += part.len();
        }
    }

    /// Whether there is room for a further name.
    pub fn has_room_for(&self, name: &[u8]) -> bool {
        name.len() <= NAME_BYTES_MAX && self.has_room(NAME_HEAD + name.len())
    }

    /// Adds a name, for which there is room.
    pub fn put_name(&mut self, directory: u32, name: &[u8], ino: u32, kind: u8) {
        if self.has_room_for(name) {
            let (directory, ino) = (directory.to_le_bytes(), ino.to_le_bytes());
            self.put(&[&[NAME], &directory, &ino, &[kind, name.len() as u8], name]);
        }
    }

    /// Adds a link's target, if there is room for it.
    pub fn put_target(&mut self, ino: u32, target: &[u8]) {
        if target.len() <= TARGET_BYTES_MAX && self.has_room(TARGET_HEAD + target.len()) {
            self.put(&[&[TARGET], &ino.to_le_bytes(), &[target.len() as u8], target]);
        }
    }

    /// Ends with an inode.
    pub fn end_at(&mut self, facts: &InodeFacts, held: bool, status: &[u8; STAT_BYTES]) {
        let InodeFacts { slot, ino, mode, birth, .. } = *facts;
        let (slot, ino, mode) = (slot.to_le_bytes(), ino.to_le_bytes(), mode.to_le_bytes());
        let (generation, device) = (birth.generation.to_le_bytes(), birth.device.to_le_bytes());
        self.put(&[&[INODE, held.into()], &slot, &ino, &mode, &generation, &device, status]);
    }

    /// Ends with an error.
    pub fn refuse(&mut self, errno: Errno) {
        self.put(&[&[REFUSED], &errno.0.to_le_bytes()]);
    }
}

fn half(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u16::from_le_bytes(*word), rest))
}
fn word(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*word), rest))
}
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    rest.split_at_checked((*length).into())
}

/// The first of `steps`, and what follows it.
pub fn first(steps: &[u8]) -> Option<(Step<'_>, &[u8])> {
    let (tag, rest) = steps.split_first()?;
    match *tag {
        NAME => {
            let (directory, rest) = word(rest)?;
            let (ino, rest) = word(rest)?;
            let (&kind, rest) = rest.split_first()?;
            let (name, rest) = text(rest)?;
            Some((Step::Name { directory, name, ino, kind }, rest))
        }
        TARGET => {
            let (ino, rest) = word(rest)?;
            let (target, rest) = text(rest)?;
            Some((Step::Target { ino, target }, rest))
        }
        INODE => {
            let (&held, rest) = rest.split_first()?;
            let (slot, rest) = half(rest)?;
            let (ino, rest) = word(rest)?;
            let (mode, rest) = half(rest)?;
            let (generation, rest) = word(rest)?;
            let (device, rest) = word(rest)?;
            let (status, rest) = rest.split_at_checked(STAT_BYTES)?;
            let facts = InodeFacts { slot, ino, mode, birth: Birth { generation, device }, stamp: Stamp::NONE };
            Some((Step::Inode { facts, held: held != 0, status }, rest))
        }
        REFUSED => half(rest).map(|(errno, rest)| (Step::Refused { errno: Errno(errno) }, rest)),
        _ => None,
    }
}

/// What stood at the end of the walk, whether it may be held, and its status.
///
/// # Errors
/// The walk's. `EIO`: it has no end.
pub fn end(mut steps: &[u8]) -> Result<(InodeFacts, bool, &[u8]), Errno> {
    // Each turn passes a step.
    while let Some((step, rest)) = first(steps) {
        match step {
            Step::Inode { facts, held, status } => return Ok((facts, held, status)),
            Step::Refused { errno } if errno != Errno(0) => return Err(errno),
            _ => steps = rest,
        }
    }
    Err(Errno::EIO)
}

#[cfg(test)]
mod tests {
    use super::{STEPS_BYTES, Step, Steps, TARGET_BYTES_MAX, end, first};
    use crate::inode::{Birth, InodeFacts, STAT_BYTES};
    use crate::sessions::Stamp;
    use renga_abi::Errno;

    const FACTS: InodeFacts =
        InodeFacts { slot: 9, ino: 77, mode: 0o100_644, birth: Birth { generation: 5, device: 6 }, stamp: Stamp::NONE };

    #[test]
    fn what_was_told_is_read() {
        let mut steps = Steps::default();
        let status = core::array::from_fn(|at| at as u8);
        steps.put_name(2, b"bin", 12, 2);
        steps.put_name(12, b"cat", 13, 7);
        steps.put_target(13, b"busybox");
        steps.put_name(12, b"none", 0, 0);
        steps.end_at(&FACTS, true, &status);
        let mut rest = steps.bytes();
        for wanted in [
            Step::Name { directory: 2, name: b"bin", ino: 12, kind: 2 },
            Step::Name { directory: 12, name: b"cat", ino: 13, kind: 7 },
            Step::Target { ino: 13, target: b"busybox" },
            Step::Name { directory: 12, name: b"none", ino: 0, kind: 0 },
            Step::Inode { facts: FACTS, held: true, status: &status },
        ] {
            let (step, left) = first(rest).unwrap();
            assert_eq!(step, wanted);
            rest = left;
        }
        assert!(rest.is_empty());
        assert_eq!(end(steps.bytes()), Ok((FACTS, true, &status[..])));
    }

    #[test]
    fn the_end_has_room_always() {
        let mut steps = Steps::default();
        let name = [b'n'; 200];
        let mut told = 0;
        while steps.has_room_for(&name) {
            steps.put_name(2, &name, 3, 1);
            told += 1;
        }
        assert!((3..10).contains(&told));
        steps.put_name(2, &name, 3, 1);
        steps.put_target(3, &[b't'; TARGET_BYTES_MAX + 1]);
        steps.end_at(&FACTS, false, &[7; STAT_BYTES]);
        assert!(steps.bytes().len() <= STEPS_BYTES);
        assert_eq!(end(steps.bytes()), Ok((FACTS, false, &[7; STAT_BYTES][..])));
    }

    #[test]
    fn what_is_cut_off_has_no_end() {
        let mut steps = Steps::default();
        steps.put_name(2, b"bin", 12, 2);
        steps.refuse(Errno::ENOENT);
        assert_eq!(end(steps.bytes()), Err(Errno::ENOENT));
        for length in 0..steps.bytes().len() {
            assert_eq!(end(&steps.bytes()[..length]), Err(Errno::EIO), "{length}");
        }
        assert_eq!(end(&[9, 1, 2]), Err(Errno::EIO));
    }
}
