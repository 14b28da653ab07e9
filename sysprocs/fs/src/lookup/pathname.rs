//! The part of a path that is still to be walked.
//!
//! Invariant: it stands at the end of `bytes`, so that a symbolic link's target goes before it
//! without moving it. Not here: what names stand for (`path_resolution.rs`).

use heapless::Vec;
use renga_proto::inode::NAME_BYTES_MAX;
use renga_proto::path::PATH_BYTES_MAX;
use renga_rt::Errno;

/// Room for a path and the targets of the links in it.
const ROOM_BYTES: usize = 2 * PATH_BYTES_MAX;

pub(crate) type FileName = Vec<u8, NAME_BYTES_MAX>;

pub(crate) struct Component {
    pub(crate) name: FileName,
    pub(crate) slash: bool,
    /// Nothing but slashes follows it.
    pub(crate) last: bool,
}
impl Component {
    pub(crate) fn is_name(&self) -> bool {
        !matches!(&self.name[..], b"." | b"..")
    }
}

pub(crate) struct Rest {
    bytes: [u8; ROOM_BYTES],
    start: usize,
}

impl Rest {
    pub(crate) fn new() -> Self {
        Rest { bytes: [0; ROOM_BYTES], start: ROOM_BYTES }
    }

    pub(crate) fn set(&mut self, path: &[u8]) -> Result<(), Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        if path.len() > PATH_BYTES_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        self.start = ROOM_BYTES - path.len();
        self.bytes[self.start..].copy_from_slice(path);
        Ok(())
    }

    pub(crate) fn is_absolute(&self) -> bool {
        self.bytes[self.start..].first() == Some(&b'/')
    }

    /// All but the last `left` bytes, which begin with a name, have been walked.
    pub(crate) fn keep_last(&mut self, left: usize) {
        self.start = self.start.max(ROOM_BYTES.saturating_sub(left));
    }

    fn skip_slashes(&mut self) -> bool {
        let slashes = self.bytes[self.start..].iter().take_while(|byte| **byte == b'/').count();
        self.start += slashes;
        slashes > 0
    }

    /// The next name; `None` at the end. `EINVAL` if it has a zero byte.
    pub(crate) fn take(&mut self) -> Result<Option<Component>, Errno> {
        self.skip_slashes();
        let rest = &self.bytes[self.start..];
        let bytes = rest.iter().position(|byte| matches!(byte, b'/' | 0)).unwrap_or(rest.len());
        if rest.is_empty() {
            return Ok(None);
        }
        // Programs' paths end there; what another board or a damaged link says may go on.
        if rest.get(bytes) == Some(&0) {
            return Err(Errno::EINVAL);
        }
        let name = FileName::from_slice(&rest[..bytes]).map_err(|_| Errno::ENAMETOOLONG)?;
        self.start += bytes;
        let slash = self.skip_slashes();
        Ok(Some(Component { name, slash, last: self.start == ROOM_BYTES }))
    }

    /// Where a link's target may be put, from the first byte on, before `put_before`.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.start]
    }

    /// Puts the first `bytes` of the room before the rest; with a slash behind if `slash`, or if
    /// there is a rest.
    pub(crate) fn put_before(&mut self, bytes: usize, slash: bool) -> Result<(), Errno> {
        if bytes == 0 {
            return Err(Errno::ENOENT);
        }
        if bytes >= self.start {
            return Err(Errno::ENAMETOOLONG);
        }
        let slash = slash || self.start < ROOM_BYTES;
        let to = self.start - bytes - usize::from(slash);
        self.bytes.copy_within(..bytes, to);
        if slash {
            self.bytes[self.start - 1] = b'/';
        }
        self.start = to;
        Ok(())
    }

    /// Forgets the rest, so that the room is all there is.
    pub(crate) fn clear(&mut self) {
        self.start = ROOM_BYTES;
    }

    pub(crate) fn left(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::{Errno, PATH_BYTES_MAX, ROOM_BYTES, Rest};

    fn names(rest: &mut Rest) -> std::vec::Vec<(std::string::String, bool, bool)> {
        core::iter::from_fn(|| rest.take().unwrap())
            .map(|c| (std::string::String::from_utf8_lossy(&c.name).into_owned(), c.slash, c.last))
            .collect()
    }
    extern crate std;

    #[test]
    fn pathname_link_target_goes_before_rest() {
        let mut rest = Rest::new();
        rest.set(b"//a//b/").unwrap();
        assert!(rest.is_absolute());
        let a = rest.take().unwrap().unwrap();
        assert_eq!((&a.name[..], a.slash, a.last), (&b"a"[..], true, false));
        rest.room()[..3].copy_from_slice(b"x/y");
        rest.put_before(3, false).unwrap();
        assert_eq!(rest.left(), b"x/y/b/");
        let want = [("x", true, false), ("y", true, false), ("b", true, true)];
        assert_eq!(names(&mut rest), want.map(|(name, slash, last)| (name.into(), slash, last)));
        assert!(rest.take().unwrap().is_none());
    }

    #[test]
    fn pathname_too_long_or_empty_is_refused() {
        let mut rest = Rest::new();
        assert_eq!(rest.set(b""), Err(Errno::ENOENT));
        assert_eq!(rest.set(&[b'a'; PATH_BYTES_MAX + 1]), Err(Errno::ENAMETOOLONG));
        rest.set(&[b'a'; 256]).unwrap();
        assert!(matches!(rest.take(), Err(Errno::ENAMETOOLONG)));
        for zero in [&b"a\0b/c"[..], b"\0", b"a/\0", b"a/b\0"] {
            rest.set(zero).unwrap();
            assert!(core::iter::from_fn(|| rest.take().transpose()).take(3).any(|taken| taken.is_err()), "{zero:?}");
        }
        assert_eq!(rest.put_before(0, false), Err(Errno::ENOENT));
        assert_eq!(rest.put_before(ROOM_BYTES, false), Err(Errno::ENAMETOOLONG));
    }
}
