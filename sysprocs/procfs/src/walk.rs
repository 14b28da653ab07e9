//! Walking along a path among synthetic files, and out of them to the disk.
//!
//! Invariant: each pass takes a name of the path, or ends the walk. Links among synthetic files lead to a number, not
//! to a text, so that none can lead round in a circle. Not here: paths on the disk (`renga_fs`).

use crate::server::ProcFilesState;
use crate::tree::{ProcFile, ProcPlace};
use renga_hal::memory::UserMemory;
use renga_proto::mounts::ROOT_INO;
use renga_proto::path::NO_FOLLOW;
use renga_proto::proc_files::{Led, WalkSynthetic};
use renga_rt::Errno;
use renga_rt::proc_info::{DESCRIPTOR_WORDS, DUMPABLE_BIT, ProcInfo};

/// Most descriptors that a program has.
const DESCRIPTORS_MAX: u32 = 64 * DESCRIPTOR_WORDS as u32;

pub(crate) enum LinkTarget {
    FileEntry(ProcPlace),
    /// An inode of the disk.
    Disk(u32),
}

fn skip_slashes(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|byte| **byte == b'/').count();
    &path[slashes..]
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(crate) async fn walk(&mut self, walk: WalkSynthetic, path: &[u8]) -> Result<Led, Errno> {
        let mut at = ProcPlace::of(walk.at).ok_or(Errno::ENOENT)?;
        self.check(at).await?;
        let mut rest = skip_slashes(path);
        while !rest.is_empty() {
            if at.pid != 0 && self.board_of(at.pid) != self.board {
                return Ok(Led { number: at.number(), mode: at.mode(), left: rest.len() as u32 });
            }
            if !at.is_directory() {
                return Err(Errno::ENOTDIR);
            }
            let bytes = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            let (name, behind) = rest.split_at(bytes);
            rest = skip_slashes(behind);
            let found = match name {
                b"." => at,
                b".." if at == ProcPlace::TOP => return Ok(disk(ROOT_INO, rest)),
                b".." => at.beside(at.file.entry().within),
                name => self.child(at, name).await?,
            };
            let follows = walk.flags & NO_FOLLOW == 0 || !behind.is_empty();
            if !(found.is_link() && follows) {
                at = found;
                continue;
            }
            if found.file == ProcFile::Descriptor {
                return Ok(Led { number: found.number(), mode: found.mode(), left: rest.len() as u32 });
            }
            self.check_reader(found, walk.reader, walk.user)?;
            match self.target(found, walk.reader).await? {
                LinkTarget::FileEntry(place) => at = place,
                LinkTarget::Disk(ino) => return Ok(disk(ino, rest)),
            }
        }
        let ends_in_slash = path.last() == Some(&b'/');
        if ends_in_slash && !at.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        Ok(Led { number: at.number(), mode: at.mode(), left: 0 })
    }

    /// What `name` stands for in directory `at`.
    async fn child(&mut self, at: ProcPlace, name: &[u8]) -> Result<ProcPlace, Errno> {
        if let Some(file) = at.file.child(name) {
            return Ok(at.beside(file));
        }
        let number = decimal(name).ok_or(Errno::ENOENT)?;
        let place = match at.file {
            ProcFile::Top if number > 0 => ProcPlace::new(number, ProcFile::Program),
            ProcFile::Descriptors if number < DESCRIPTORS_MAX => {
                ProcPlace { descriptor: number as u16, ..at.beside(ProcFile::Descriptor) }
            }
            ProcFile::Terminals if number <= u16::MAX.into() => {
                ProcPlace { descriptor: number as u16, ..ProcPlace::new(0, ProcFile::Terminal) }
            }
            ProcFile::Tasks if number > 0 && self.are_siblings(number, at.pid).await => {
                ProcPlace::new(number, ProcFile::Task)
            }
            _ => return Err(Errno::ENOENT),
        };
        self.check(place).await?;
        Ok(place)
    }

    /// Whether both are threads of one program.
    async fn are_siblings(&mut self, one: u32, other: u32) -> bool {
        let one = self.clients.thread(one, self.init_board).await.map(|listed| listed.process);
        one.is_ok() && one == self.clients.thread(other, self.init_board).await.map(|listed| listed.process)
    }

    /// `ENOENT` if it is of a program that is not there.
    pub(crate) async fn check(&mut self, place: ProcPlace) -> Result<(), Errno> {
        if place.file == ProcFile::Terminal {
            return self.clients.terminal(place.descriptor.into()).await.map(|_| ());
        }
        if place.pid == 0 {
            return Ok(());
        }
        if place.file == ProcFile::Descriptor && !self.has_descriptor(place) {
            return Err(Errno::ENOENT);
        }
        self.clients.process(place.pid, self.init_board).await.map(|_| ()).map_err(|_| Errno::ENOENT)
    }

    /// Whether the program of a descriptor's place, of this board, has it.
    fn has_descriptor(&self, place: ProcPlace) -> bool {
        let word = |info: &'static ProcInfo| info.descriptors.get(usize::from(place.descriptor) / 64);
        let taken = |info| word(info).is_some_and(|word| word.get() >> (place.descriptor % 64) & 1 != 0);
        self.info(place.pid).is_ok_and(taken)
    }

    /// `EACCES` if process `reader` of that user may not learn where a link of another process leads, as on Linux.
    pub(crate) fn check_reader(&self, link: ProcPlace, reader: u32, user: u32) -> Result<(), Errno> {
        if user == 0 || link.pid == 0 || link.pid == reader {
            return Ok(());
        }
        let [first, second, .., more] = self.info(link.pid)?.credentials.get();
        let ids = [first as u32, (first >> 32) as u32, second as u32];
        let own = ids.iter().all(|&id| id == user) && more >> DUMPABLE_BIT & 1 != 0;
        if own { Ok(()) } else { Err(Errno::EACCES) }
    }

    /// Where the link at `link` leads, for `reader`.
    pub(crate) async fn target(&mut self, link: ProcPlace, reader: u32) -> Result<LinkTarget, Errno> {
        let own = |file| Ok(LinkTarget::FileEntry(ProcPlace::new(reader, file)));
        match link.file {
            ProcFile::Own | ProcFile::OwnThread => own(ProcFile::Program),
            ProcFile::Mounts => own(ProcFile::ProgramMounts),
            ProcFile::Root => Ok(LinkTarget::Disk(self.info(link.pid)?.root.get())),
            ProcFile::Cwd => Ok(LinkTarget::Disk(self.info(link.pid)?.directory.get())),
            // A walk on the disk begins at a directory, which a program file is not.
            ProcFile::Exe => Err(Errno::ENOENT),
            _ => Err(Errno::EINVAL),
        }
    }
}

fn disk(ino: u32, rest: &[u8]) -> Led {
    Led { number: ino, mode: 0, left: rest.len() as u32 }
}

/// The number that `name` is in decimal, as Linux writes it.
fn decimal(name: &[u8]) -> Option<u32> {
    let fits = name == b"0" || (1..=9).contains(&name.len()) && name[0] != b'0';
    let digits = fits && name.iter().all(u8::is_ascii_digit);
    digits.then(|| name.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn pid_names_have_no_leading_zero() {
        assert_eq!((decimal(b"131071"), decimal(b"0")), (Some(131_071), Some(0)));
        for name in [&b""[..], b"00", b"01", b"1x", b"-1", b"1234567890"] {
            assert_eq!(decimal(name), None, "{}", name.escape_ascii());
        }
    }
}
