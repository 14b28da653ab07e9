//! Changes of a file's mode, owner and times that a board makes under a lease, merged into one.
//!
//! Invariant: made at the owner in one step they give what they would have given one by one, whatever the file was
//! before: nothing of that is known here. Only of regular files. Not here: who makes them, and when they are flushed
//! (`renga_pages`, `renga_fs`).

use crate::inode::{KEEP_MODE, TIME_KEEP, TIME_NOW};
use crate::packed::{NUMBER_BYTES, Unpack, put_number};

/// `u32::MAX`: the owner, or the group, stays.
pub const KEEP_OWNER: u32 = u32::MAX;
/// Room for them as bytes.
pub const ATTRIBUTES_BYTES: usize = 7 * NUMBER_BYTES;

const SET_USER: u16 = 0o4000;
const SET_GROUP: u16 = 0o2000;
const GROUP_MAY_EXECUTE: u16 = 0o010;
const TYPE_MASK: u16 = 0xf000;

/// The permission bits that a file of `mode` has for its next owner: a program that runs as its owner or group does not
/// do so for the new one.
pub const fn for_next_owner(mode: u16) -> u16 {
    let group = if mode & GROUP_MAY_EXECUTE != 0 { SET_GROUP } else { 0 };
    mode & !(SET_USER | group)
}

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeChange {
    /// Permission bits, or `KEEP_MODE`.
    pub mode: u16,
    /// Owner and group, or `KEEP_OWNER`.
    pub owner: (u32, u32),
    /// The owner was set, and after that no mode: the mode is to be [`for_next_owner`].
    pub strips: bool,
    /// Times, ns since 1970, or `TIME_KEEP`.
    pub access_ns: u64,
    /// Likewise.
    pub modify_ns: u64,
}

impl AttributeChange {
    /// Nothing.
    pub const NONE: AttributeChange = AttributeChange {
        mode: KEEP_MODE,
        owner: (KEEP_OWNER, KEEP_OWNER),
        strips: false,
        access_ns: TIME_KEEP,
        modify_ns: TIME_KEEP,
    };

    /// Sets permission bits.
    pub const fn mode(mode: u16) -> AttributeChange {
        AttributeChange { mode, ..AttributeChange::NONE }
    }

    /// Sets owner and group.
    pub const fn owner(uid: u32, gid: u32) -> AttributeChange {
        AttributeChange { owner: (uid, gid), strips: true, ..AttributeChange::NONE }
    }

    /// Sets times; `None`: none of them.
    pub fn times(access_ns: u64, modify_ns: u64) -> Option<AttributeChange> {
        let sets = (access_ns, modify_ns) != (TIME_KEEP, TIME_KEEP);
        sets.then_some(AttributeChange { access_ns, modify_ns, ..AttributeChange::NONE })
    }

    /// The same when it is `now_ns`.
    #[must_use]
    pub fn made_at(self, now_ns: u64) -> AttributeChange {
        let time = |ns: u64| if ns == TIME_NOW { now_ns } else { ns };
        AttributeChange { access_ns: time(self.access_ns), modify_ns: time(self.modify_ns), ..self }
    }

    /// The mode of a regular file of `mode` after it.
    pub const fn mode_after(self, mode: u16) -> u16 {
        match self.mode {
            KEEP_MODE if self.strips => for_next_owner(mode),
            KEEP_MODE => mode,
            bits => mode & TYPE_MASK | bits & !TYPE_MASK,
        }
    }

    /// Owner and group after it.
    pub const fn owner_after(self, owner: (u32, u32)) -> (u32, u32) {
        (
            if self.owner.0 == KEEP_OWNER { owner.0 } else { self.owner.0 },
            if self.owner.1 == KEEP_OWNER { owner.1 } else { self.owner.1 },
        )
    }

    /// These, and then `later`.
    #[must_use]
    pub fn then(self, later: AttributeChange) -> AttributeChange {
        let owner = |new: u32, old: u32| if new == KEEP_OWNER { old } else { new };
        let time = |new: u64, old: u64| if new == TIME_KEEP { old } else { new };
        let (mode, strips) = match (later.mode, self.mode) {
            (KEEP_MODE, KEEP_MODE) => (KEEP_MODE, self.strips || later.strips),
            (KEEP_MODE, mode) if later.strips => (for_next_owner(mode), false),
            (KEEP_MODE, mode) => (mode, false),
            (mode, _) => (mode, later.strips),
        };
        AttributeChange {
            mode,
            strips,
            owner: (owner(later.owner.0, self.owner.0), owner(later.owner.1, self.owner.1)),
            access_ns: time(later.access_ns, self.access_ns),
            modify_ns: time(later.modify_ns, self.modify_ns),
        }
    }

    /// As bytes, with when the last of them was made, ns since 1970; how many.
    pub fn put(self, at_ns: u64, out: &mut [u8; ATTRIBUTES_BYTES]) -> usize {
        let AttributeChange { mode, owner, strips, access_ns, modify_ns } = self;
        let numbers = [mode.into(), owner.0.into(), owner.1.into(), strips.into(), access_ns, modify_ns, at_ns];
        let mut bytes = 0;
        for number in numbers {
            bytes += put_number(number, &mut out[bytes..]);
        }
        bytes
    }

    /// From bytes, with when the last of them was made.
    pub fn get(bytes: &[u8]) -> Option<(AttributeChange, u64)> {
        let mut bytes = Unpack(bytes);
        let change = AttributeChange {
            mode: bytes.number()?,
            owner: (bytes.number()?, bytes.number()?),
            strips: bytes.number::<u64>()? != 0,
            access_ns: bytes.number()?,
            modify_ns: bytes.number()?,
        };
        Some((change, bytes.number()?))
    }
}

#[cfg(test)]
mod tests {
    use super::{ATTRIBUTES_BYTES, AttributeChange, KEEP_OWNER, for_next_owner};
    use crate::inode::{KEEP_MODE, TIME_KEEP, TIME_NOW};

    /// A file, as the board of the inodes knows it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct File {
        mode: u16,
        owner: (u32, u32),
        times: (u64, u64),
    }

    fn made(file: File, change: AttributeChange) -> File {
        let choose = |new: u32, old: u32| if new == KEEP_OWNER { old } else { new };
        let time = |new: u64, old: u64| if new == TIME_KEEP { old } else { new };
        let mode = match change.mode {
            KEEP_MODE if change.strips => for_next_owner(file.mode),
            KEEP_MODE => file.mode,
            mode => mode,
        };
        let owner = (choose(change.owner.0, file.owner.0), choose(change.owner.1, file.owner.1));
        File { mode, owner, times: (time(change.access_ns, file.times.0), time(change.modify_ns, file.times.1)) }
    }

    #[test]
    fn changes_made_together_are_as_those_made_one_by_one() {
        let changes = [
            AttributeChange::NONE,
            AttributeChange::mode(0o6755),
            AttributeChange::mode(0o2644),
            AttributeChange::owner(7, KEEP_OWNER),
            AttributeChange::owner(KEEP_OWNER, 8),
            AttributeChange::times(11, TIME_KEEP).unwrap(),
            AttributeChange::times(TIME_KEEP, 12).unwrap(),
            AttributeChange::times(13, 14).unwrap(),
        ];
        for before in [0o644, 0o6755, 0o2644, 0o4711] {
            let file = File { mode: before, owner: (1, 2), times: (3, 4) };
            // All ways to make three of them.
            for which in 0..changes.len().pow(3) {
                let three = [which, which / changes.len(), which / changes.len().pow(2)];
                let three = three.map(|number| changes[number % changes.len()]);
                let together = three.into_iter().fold(AttributeChange::NONE, AttributeChange::then);
                let one_by_one = three.into_iter().fold(file, made);
                assert_eq!(made(file, together), one_by_one, "{three:?}");
            }
        }
    }

    #[test]
    fn attribute_change_put_is_read_back() {
        let longest = AttributeChange {
            mode: u16::MAX - 1,
            owner: (1, KEEP_OWNER),
            strips: true,
            access_ns: u64::MAX,
            modify_ns: 0,
        };
        for wanted in [AttributeChange::NONE, AttributeChange::mode(0o755), longest] {
            let mut bytes = [0; ATTRIBUTES_BYTES];
            let used = wanted.put(u64::MAX, &mut bytes);
            assert_eq!(AttributeChange::get(&bytes[..used]), Some((wanted, u64::MAX)));
            assert_eq!(AttributeChange::get(&bytes[..used - 1]), None, "cut off");
        }
    }

    #[test]
    fn attribute_change_times_of_now_are_those_of_change() {
        for (access_ns, modify_ns) in [(TIME_NOW, 5), (5, TIME_NOW), (TIME_NOW, TIME_KEEP)] {
            let made = AttributeChange::times(access_ns, modify_ns).map(|change| change.made_at(7));
            let now = |ns| if ns == TIME_NOW { 7 } else { ns };
            assert_eq!(made, AttributeChange::times(now(access_ns), now(modify_ns)));
        }
        assert_eq!(AttributeChange::times(TIME_KEEP, TIME_KEEP), None);
    }
}
