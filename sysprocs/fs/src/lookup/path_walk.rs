//! Walking along a path as far as its names are known.
//!
//! Invariant: the answer is that of a walk with the lock of names owned, as all of it is one step of the directory of
//! inodes. Symbolic links end it, where they were to be followed.
//! Not here: the rest of the walk (`names/path_resolution.rs`).

use crate::format::inode_record::{KIND_DIRECTORY, KIND_SYMBOLIC_LINK};
use crate::format::superblock::ROOT_INO;
use crate::lookup::name_cache::{Dentry, NameCache};
use renga_proto::mounts::{ROOT, begins_at};
use renga_proto::pages::{ANY_GENERATION, FileId};
use renga_proto::path::{NO_FOLLOW, OPEN_CREATE, OPEN_DIRECTORY, OPEN_TRUNCATE, OPEN_WRITE, PATH_BYTES_MAX};
use renga_rt::Errno;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WalkEnd<'a> {
    pub(crate) ino: u32,
    /// The directory in which its name is; 0: it was not found by a name.
    pub(crate) directory: u32,
    pub(crate) kind: u8,
    /// Still to be walked; begins with a name.
    pub(crate) rest: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// Its last name, which is not looked up.
    LastName,
    /// Its end; `flags` may cache `NO_FOLLOW`.
    End { flags: u32 },
}

fn skip_slashes(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|byte| **byte == b'/').count();
    &path[slashes..]
}

/// Whether the known names in the directory of that number are of that directory. `ENOENT`: it is another one. The
/// root never goes. The entry of `.` carries the generation.
pub(crate) fn begins_in(names: &mut NameCache, at: FileId) -> Result<bool, Errno> {
    if at.ino == ROOT_INO || at.generation == ANY_GENERATION {
        return Ok(true);
    }
    let generation = match names.find(at.ino, b".") {
        None => return Ok(false),
        Some(Dentry::Negative) => 0,
        Some(Dentry::Positive { ino: generation, .. }) => generation,
    };
    if at.is_of(generation) { Ok(true) } else { Err(Errno::ENOENT) }
}

/// Walks along `path`, from directory `at` if it is relative.
pub(crate) fn walk<'a>(names: &mut NameCache, at: FileId, path: &'a [u8], until: Until) -> Result<WalkEnd<'a>, Errno> {
    match path.first() {
        None => return Err(Errno::ENOENT),
        Some(_) if path.len() > PATH_BYTES_MAX => return Err(Errno::ENAMETOOLONG),
        _ => {}
    }
    let follows = !matches!(until, Until::End { flags } if flags & NO_FOLLOW != 0);
    let at = if path[0] == b'/' { ROOT } else { at };
    if !begins_in(names, at)? {
        return Err(Errno::EAGAIN);
    }
    let (mut ino, mut directory) = (at.ino, 0);
    let (mut kind, mut rest) = (KIND_DIRECTORY, skip_slashes(path));
    // Bounded by the names in the path.
    while !rest.is_empty() {
        let bytes = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(bytes);
        let (slash, after) = (!behind.is_empty(), skip_slashes(behind));
        if after.is_empty() && until == Until::LastName {
            break;
        }
        if begins_at(ino, name) {
            break; // a lookup worker says where the path goes on
        }
        if name != b"." {
            match names.find(ino, name) {
                None => break,
                Some(Dentry::Negative) => return Err(Errno::ENOENT),
                Some(Dentry::Positive { kind: KIND_SYMBOLIC_LINK, .. }) if slash || follows => break,
                Some(Dentry::Positive { kind, .. }) if slash && kind != KIND_DIRECTORY => return Err(Errno::ENOTDIR),
                Some(Dentry::Positive { ino: found, kind: found_kind }) => {
                    directory = if name == b".." { 0 } else { ino };
                    (ino, kind) = (found, found_kind);
                }
            }
        }
        rest = after;
    }
    Ok(WalkEnd { ino, directory, kind, rest })
}

/// Whether what is of `kind` may be opened with `flags`.
pub(crate) fn may_open(kind: u8, flags: u32) -> Result<(), Errno> {
    match kind {
        KIND_SYMBOLIC_LINK if flags & OPEN_DIRECTORY == 0 => Err(Errno::ELOOP),
        KIND_DIRECTORY if flags & (OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE) != 0 => Err(Errno::EISDIR),
        kind if kind != KIND_DIRECTORY && flags & OPEN_DIRECTORY != 0 => Err(Errno::ENOTDIR),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::{Errno, PATH_BYTES_MAX, Until, walk};
    use crate::lookup::name_cache::{Dentry, NameCache, NameSlot};
    use renga_proto::path::NO_FOLLOW;
    use std::boxed::Box;

    const DIRECTORY: u8 = 2;
    const LINK: u8 = 7;

    fn tree() -> NameCache {
        let mut names = NameCache::new(Box::leak(Box::new([NameSlot::EMPTY; 16])));
        for (directory, name, ino, kind) in [
            (2, &b"etc"[..], 11, DIRECTORY),
            (2, b"..", 2, DIRECTORY),
            (11, b"..", 2, DIRECTORY),
            (11, b"passwd", 12, 1),
            (11, b"link", 13, LINK),
        ] {
            names.learn(directory, name, Dentry::Positive { ino, kind });
        }
        names.learn(11, b"shadow", Dentry::Negative);
        names
    }

    #[test]
    fn path_walk_stops_at_first_unknown_name() {
        let end = Until::End { flags: 0 };
        let reached = |ino: u32, kind: u8, rest: &'static [u8]| Ok((ino, kind, rest));
        type Case<'a> = (&'a [u8], Until, Result<(u32, u8, &'a [u8]), Errno>);
        let cases: [Case; 19] = [
            (b"", end, Err(Errno::ENOENT)),
            (&[b'a'; PATH_BYTES_MAX + 1], end, Err(Errno::ENAMETOOLONG)),
            (b"/", end, reached(2, DIRECTORY, b"")),
            (b"//etc//passwd", end, reached(12, 1, b"")),
            (b"passwd", end, reached(12, 1, b"")),
            (b"./../etc/./passwd", end, reached(12, 1, b"")),
            (b"/etc/passwd/", end, Err(Errno::ENOTDIR)),
            (b"/etc/passwd/x", end, Err(Errno::ENOTDIR)),
            (b"/etc/shadow", end, Err(Errno::ENOENT)),
            (b"/etc/shadow/x", Until::LastName, Err(Errno::ENOENT)),
            (b"/etc/shadow", Until::LastName, reached(11, DIRECTORY, b"shadow")),
            (b"/etc/new/", Until::LastName, reached(11, DIRECTORY, b"new/")),
            (b"/etc/.", Until::LastName, reached(11, DIRECTORY, b".")),
            (b"/etc/new", end, reached(11, DIRECTORY, b"new")),
            (b"/etc/link", end, reached(11, DIRECTORY, b"link")),
            (b"/etc/link", Until::End { flags: NO_FOLLOW }, reached(13, LINK, b"")),
            (b"/etc/link/", Until::End { flags: NO_FOLLOW }, reached(11, DIRECTORY, b"link/")),
            (b"link/x", Until::LastName, reached(11, DIRECTORY, b"link/x")),
            (b"../proc/stat", end, reached(2, DIRECTORY, b"proc/stat")),
        ];
        let mut names = tree();
        for (path, until, wanted) in cases {
            let found = walk(&mut names, 11.into(), path, until);
            assert_eq!(found.map(|end| (end.ino, end.kind, end.rest)), wanted, "{}", path.escape_ascii());
        }
    }

    #[test]
    fn path_walk_says_in_which_directory_it_ended() {
        let mut names = tree();
        let cases: [(&[u8], u32); 6] =
            [(b"/", 0), (b"passwd", 11), (b"/etc", 2), (b"/etc/.", 2), (b"/etc/..", 0), (b"../etc/passwd", 11)];
        for (path, directory) in cases {
            let end = walk(&mut names, 11.into(), path, Until::End { flags: 0 }).unwrap();
            assert_eq!(end.directory, directory, "{}", path.escape_ascii());
        }
    }
}
