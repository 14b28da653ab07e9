//! The steps of a path lookup: each name on the way that may be cached, and the end.
//!
//! Invariant: the end is the last step, and always exists; names before it may be missing, for want of room. An
//! unreadable step ends the list. Not here: the cache (`sysprocs/fs/src/lease_cache`).

use crate::inode::{Birth, DISK_DEVICE, InodeFacts, Lease, NAME_BYTES_MAX, STAT_BYTES};
use crate::packed::{NUMBER_BYTES, STATUS_BYTES, Unpack, put_number, put_status};
use crate::pages::FileId;
use crate::sessions::ReferenceOrigin;
use crate::stat::{BLOCK_AT, CHANGE_AT, INO_AT, MODE_AT, put_word, time_ns, word};
use renga_abi::Errno;

/// Room for the steps of a walk.
pub const STEPS_BYTES: usize = 1024;
/// Bytes of the longest symbolic link's target that is notified: that of one which lies in its inode.
pub const TARGET_BYTES_MAX: usize = 60;

const NAME: u64 = 1;
const TARGET: u64 = 2;
/// An end that may be cached, and one that may not.
const INODE: u64 = 3;
const PASSING: u64 = 4;
const REFUSED: u64 = 5;
const FOLDER: u64 = 6;
const LEASE: u64 = 7;
const GONE: u64 = 8;
/// Bytes before a name's or a target's own, at most.
const HEAD_BYTES: usize = 14;
/// Bytes of the longest end, and of a directory.
const END_BYTES: usize = 29 + STATUS_BYTES;
/// Bytes of the longest lease.
const LEASE_BYTES: usize = 1 + 3 * NUMBER_BYTES;

/// One step.
#[derive(Debug, PartialEq, Eq)]
pub enum WalkStep<'a> {
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
    /// The directory in which something was made, as it is by then; the board may cache it.
    Folder {
        /// What an opener learns of it.
        facts: InodeFacts,
        /// Its `struct stat`.
        status: [u8; STAT_BYTES],
    },
    /// The board has the write lease of the end; `below` is 0 if it had that before.
    Lease {
        /// Which.
        lease: Lease,
    },
    /// A file is no more, and nobody refers to it: the board drops its data.
    Gone {
        /// Which.
        file: FileId,
    },
    /// The end: an inode.
    Inode {
        /// What an opener learns of it.
        facts: InodeFacts,
        /// It may be cached.
        cacheable: bool,
        /// Its `struct stat`.
        status: [u8; STAT_BYTES],
    },
    /// The end: there is none.
    Refused {
        /// Why.
        errno: Errno,
    },
}

/// WalkSteps being reported, in room for [`STEPS_BYTES`].
pub struct WalkSteps {
    bytes: [u8; STEPS_BYTES],
    used: usize,
}
impl Default for WalkSteps {
    fn default() -> Self {
        WalkSteps { bytes: [0; STEPS_BYTES], used: 0 }
    }
}

impl WalkSteps {
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
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }

    fn put_numbers(&mut self, numbers: &[u64]) {
        for &number in numbers {
            self.used += put_number(number, &mut self.bytes[self.used..]);
        }
    }

    /// Whether there is room for a further name.
    pub fn has_room_for(&self, name: &[u8]) -> bool {
        name.len() <= NAME_BYTES_MAX && self.has_room(HEAD_BYTES + name.len())
    }

    /// Adds a name, for which there is room.
    pub fn put_name(&mut self, directory: u32, name: &[u8], ino: u32, kind: u8) {
        if self.has_room_for(name) {
            self.put_numbers(&[NAME, directory.into(), ino.into(), kind.into(), name.len() as u64]);
            self.put(name);
        }
    }

    /// Adds a link's target, if there is room for it.
    pub fn put_target(&mut self, ino: u32, target: &[u8]) {
        if target.len() <= TARGET_BYTES_MAX && self.has_room(HEAD_BYTES + target.len()) {
            self.put_numbers(&[TARGET, ino.into(), target.len() as u64]);
            self.put(target);
        }
    }

    /// Adds a directory that the board may cache, if there is room for it.
    pub fn put_folder(&mut self, facts: &InodeFacts, status: &[u8; STAT_BYTES]) {
        if self.has_room(END_BYTES) {
            self.put_inode(FOLDER, facts, status);
        }
    }

    /// Adds a write lease of the end, if there is room for it.
    pub fn put_lease(&mut self, lease: Lease) {
        if self.has_room(LEASE_BYTES) {
            let Lease { size, below, id, .. } = lease;
            self.put_numbers(&[LEASE, size, below.into(), id]);
        }
    }

    /// Adds that a file is no more, for which there is room.
    pub fn put_gone(&mut self, FileId { ino, generation }: FileId) {
        if self.has_room(HEAD_BYTES) {
            self.put_numbers(&[GONE, ino.into(), generation.into()]);
        }
    }

    /// Ends with an inode; `cacheable`: its status may be cached.
    pub fn end_at(&mut self, facts: &InodeFacts, cacheable: bool, status: &[u8; STAT_BYTES]) {
        self.put_inode(if cacheable { INODE } else { PASSING }, facts, status);
    }

    fn put_inode(&mut self, tag: u64, facts: &InodeFacts, status: &[u8; STAT_BYTES]) {
        let InodeFacts { slot, ino, mode, birth: Birth { generation, device }, origin } = *facts;
        let session = origin.session.into();
        self.put_numbers(&[tag, slot.into(), ino.into(), mode.into(), generation.into(), device.into(), session]);
        // It is mostly as expected, so that the differences are short.
        let differences = if tag == PASSING { *status } else { differences(facts, *status) };
        self.used += put_status(&differences, &mut self.bytes[self.used..]);
    }

    /// Ends with an error.
    pub fn refuse(&mut self, errno: Errno) {
        self.put_numbers(&[REFUSED, errno.0.into()]);
    }
}

/// What `status` has otherwise than the inode with `facts` would if it had just been made; of those the status.
fn differences(facts: &InodeFacts, mut status: [u8; STAT_BYTES]) -> [u8; STAT_BYTES] {
    let made =
        [(0, DISK_DEVICE), (INO_AT, facts.ino.into()), (MODE_AT, 1 << 32 | u64::from(facts.mode)), (BLOCK_AT, 4096)];
    for (at, expected) in made {
        let found = word(&status, at);
        put_word(&mut status, at, found ^ expected);
    }
    status
}

fn inode(tag: u64, bytes: &mut Unpack<'_>) -> Option<(InodeFacts, [u8; STAT_BYTES])> {
    let (slot, ino, mode) = (bytes.number()?, bytes.number()?, bytes.number()?);
    let birth = Birth { generation: bytes.number()?, device: bytes.number()? };
    // Of the owner's session.
    let origin = ReferenceOrigin { session: bytes.number()?, kept: false };
    let (facts, status) = (InodeFacts { slot, ino, mode, birth, origin }, bytes.status()?);
    Some((facts, if tag == PASSING { status } else { differences(&facts, status) }))
}

/// The first of `steps`, and what follows it.
pub fn first(steps: &[u8]) -> Option<(WalkStep<'_>, &[u8])> {
    let mut bytes = Unpack(steps);
    let step = match bytes.number()? {
        NAME => {
            let (directory, ino, kind) = (bytes.number()?, bytes.number()?, bytes.number()?);
            WalkStep::Name { directory, name: bytes.text()?, ino, kind }
        }
        TARGET => WalkStep::Target { ino: bytes.number()?, target: bytes.text()? },
        tag @ (INODE | PASSING) => {
            let (facts, status) = inode(tag, &mut bytes)?;
            WalkStep::Inode { facts, cacheable: tag == INODE, status }
        }
        tag @ FOLDER => {
            let (facts, status) = inode(tag, &mut bytes)?;
            WalkStep::Folder { facts, status }
        }
        LEASE => {
            let lease = Lease { size: bytes.number()?, below: bytes.number()?, id: bytes.number()?, ..Lease::NONE };
            WalkStep::Lease { lease }
        }
        GONE => WalkStep::Gone { file: FileId { ino: bytes.number()?, generation: bytes.number()? } },
        REFUSED => WalkStep::Refused { errno: Errno(bytes.number()?) },
        _ => return None,
    };
    Some((step, bytes.0))
}

/// Each of `steps`.
pub fn each(mut steps: &[u8]) -> impl Iterator<Item = WalkStep<'_>> {
    core::iter::from_fn(move || {
        let (step, rest) = first(steps)?;
        steps = rest;
        Some(step)
    })
}

/// What stood at the end of the walk, whether it may be cached, and its status.
///
/// # Errors
/// The walk's. `EIO`: it has no end.
pub fn end(steps: &[u8]) -> Result<(InodeFacts, bool, [u8; STAT_BYTES]), Errno> {
    let ended = each(steps).find_map(|step| match step {
        WalkStep::Inode { facts, cacheable, status } => Some(Ok((facts, cacheable, status))),
        WalkStep::Refused { errno } if errno != Errno(0) => Some(Err(errno)),
        _ => None,
    });
    ended.unwrap_or(Err(Errno::EIO))
}

/// The write lease that came with the end, which was just made: at its time of change.
pub fn lease(steps: &[u8]) -> Option<Lease> {
    let now_ns = end(steps).map_or(0, |(_, _, status)| time_ns(&status, CHANGE_AT));
    each(steps).find_map(|step| match step {
        WalkStep::Lease { lease } => Some(Lease { now_ns, ..lease }),
        _ => None,
    })
}

/// The file that is no more.
pub fn gone(steps: &[u8]) -> Option<FileId> {
    each(steps).find_map(|step| if let WalkStep::Gone { file } = step { Some(file) } else { None })
}

#[cfg(test)]
mod tests {
    use super::{STEPS_BYTES, TARGET_BYTES_MAX, WalkStep, WalkSteps, end, first, gone, lease};
    use crate::inode::{Birth, InodeFacts, Lease, STAT_BYTES};
    use crate::pages::FileId;
    use crate::sessions::ReferenceOrigin;
    use crate::stat::{CHANGE_AT, time_ns};
    use renga_abi::Errno;

    const FACTS: InodeFacts = InodeFacts {
        slot: 9,
        ino: 77,
        mode: 0o100_644,
        birth: Birth { generation: 5, device: 6 },
        origin: ReferenceOrigin::NONE,
    };

    #[test]
    fn walk_steps_put_are_read_back() {
        let mut steps = WalkSteps::default();
        let status = core::array::from_fn(|at| at as u8);
        steps.put_name(2, b"bin", 12, 2);
        steps.put_name(12, b"cat", 13, 7);
        steps.put_target(13, b"busybox");
        steps.put_name(12, b"none", 0, 0);
        let folder = InodeFacts { ino: 12, ..FACTS };
        steps.put_folder(&folder, &[3; STAT_BYTES]);
        assert_eq!(lease(steps.bytes()), None);
        let given = Lease { size: 1 << 40, below: 8, id: 1 << 60, ..Lease::NONE };
        steps.put_lease(given);
        let file = FileId { ino: 15, generation: 4_000_000_000 };
        assert_eq!(gone(steps.bytes()), None);
        steps.put_gone(file);
        steps.end_at(&FACTS, true, &status);
        let mut rest = steps.bytes();
        for wanted in [
            WalkStep::Name { directory: 2, name: b"bin", ino: 12, kind: 2 },
            WalkStep::Name { directory: 12, name: b"cat", ino: 13, kind: 7 },
            WalkStep::Target { ino: 13, target: b"busybox" },
            WalkStep::Name { directory: 12, name: b"none", ino: 0, kind: 0 },
            WalkStep::Folder { facts: folder, status: [3; STAT_BYTES] },
            WalkStep::Lease { lease: given },
            WalkStep::Gone { file },
            WalkStep::Inode { facts: FACTS, cacheable: true, status },
        ] {
            let (step, left) = first(rest).unwrap();
            assert_eq!(step, wanted);
            rest = left;
        }
        assert!(rest.is_empty());
        assert_eq!(end(steps.bytes()), Ok((FACTS, true, status)));
        assert_eq!(gone(steps.bytes()), Some(file));
        let now_ns = time_ns(&status, CHANGE_AT);
        assert_eq!(lease(steps.bytes()), Some(Lease { now_ns, ..given }));
    }

    #[test]
    fn walk_steps_when_full_keep_room_for_end() {
        let mut steps = WalkSteps::default();
        let name = [b'n'; 200];
        let mut count = 0;
        while steps.has_room_for(&name) {
            steps.put_name(2, &name, 3, 1);
            count += 1;
        }
        assert!((3..10).contains(&count));
        steps.put_name(2, &name, 3, 1);
        steps.put_target(3, &[b't'; TARGET_BYTES_MAX + 1]);
        steps.end_at(&FACTS, false, &[7; STAT_BYTES]);
        assert!(steps.bytes().len() <= STEPS_BYTES);
        assert_eq!(end(steps.bytes()), Ok((FACTS, false, [7; STAT_BYTES])));
    }

    #[test]
    fn walk_steps_cut_off_have_no_end() {
        let mut steps = WalkSteps::default();
        steps.put_name(2, b"bin", 12, 2);
        steps.refuse(Errno::ENOENT);
        assert_eq!(end(steps.bytes()), Err(Errno::ENOENT));
        for length in 0..steps.bytes().len() {
            assert_eq!(end(&steps.bytes()[..length]), Err(Errno::EIO), "{length}");
        }
        assert_eq!(end(&[9, 1, 2]), Err(Errno::EIO));
    }
}
