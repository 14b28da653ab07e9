//! The mount table: names in the disk's root directory at which another file system begins.
//!
//! Invariant: a path lookup on the disk stops at such a name (`ECROSSED`), so that nothing below it is ever the
//! disk's; its caller continues in the other file system. There is one such name, fixed.

use crate::path::{PATH_BYTES_MAX, PathStart};
pub use crate::path::{ROOT, ROOT_INO};

/// Where the synthetic files begin.
const NAME: &[u8] = b"proc";

/// Inode numbers from here on are those of synthetic files, which no inode of the disk has.
pub const SYNTHETIC: u32 = 1 << 31;

/// Whether another file system begins at `name` of inode `directory`.
#[inline]
pub fn begins_at(directory: u32, name: &[u8]) -> bool {
    directory == ROOT_INO && name == NAME
}

/// What is left of `path` in the other file system, if one begins at its first name, which is the root directory's.
pub fn beyond(path: &[u8]) -> Option<&[u8]> {
    let first = path.iter().position(|&byte| byte != b'/').filter(|&slashes| slashes > 0)?;
    let rest = path[first..].strip_prefix(NAME)?;
    let names = rest.iter().position(|&byte| byte != b'/').unwrap_or(rest.len());
    (names > 0 || rest.is_empty()).then(|| &rest[names..]).filter(|_| path.len() <= PATH_BYTES_MAX)
}

/// Whether `path`, which starts at `at`, is another file system's from its beginning.
#[inline]
pub fn crosses(at: PathStart, path: &[u8]) -> bool {
    match path {
        // Decides nearly all paths early: each open and stat comes here.
        [b'/', next, ..] if *next != b'/' && *next != NAME[0] => false,
        [b'/', ..] => !at.is_confined() && beyond(path).is_some(),
        _ => at.directory.ino >= SYNTHETIC,
    }
}

#[cfg(test)]
mod tests {
    use super::{PathStart, SYNTHETIC, begins_at, beyond, crosses};

    #[test]
    fn mount_crossing_takes_whole_first_name_only() {
        for (path, rest) in [
            (&b"/proc"[..], Some(&b""[..])),
            (b"/proc/", Some(b"")),
            (b"//proc//self/fd", Some(b"self/fd")),
            (b"/process", None),
            (b"/proc.txt/x", None),
            (b"/usr/proc", None),
            (b"proc/self", None),
            (b"/", None),
            (b"", None),
        ] {
            assert_eq!(beyond(path), rest, "{}", path.escape_ascii());
            assert_eq!(crosses(2.into(), path), rest.is_some(), "{}", path.escape_ascii());
        }
        assert!(
            crosses(SYNTHETIC.into(), b"stat") && !crosses(SYNTHETIC.into(), b"/etc") && !crosses(2.into(), b"proc")
        );
        // In another root the disk's names stand for nothing.
        let confined = |directory: u32| PathStart { directory: directory.into(), root: 11.into() };
        assert!(!crosses(confined(11), b"/proc/stat") && crosses(confined(SYNTHETIC), b"stat"));
        assert!(begins_at(2, b"proc") && !begins_at(3, b"proc") && !begins_at(2, b"pro"));
    }
}
