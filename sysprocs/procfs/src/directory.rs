//! Directories of synthetic files: their entries, their paths, and where links lead as text.
//!
//! Invariant: an entry's cursor does not depend on what else is there, so that a listing neither repeats nor passes
//! over what stays there while it is made: files come in the order of their numbers, then programs by board and line.

use crate::server::ProcFilesState;
use crate::tree::{FILES, ProcFile, ProcPlace};
use crate::walk::LinkTarget;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::inode::DirectoryRead;
use renga_proto::mounts::ROOT_INO;
use renga_proto::path::PathStart;
use renga_proto::proc_files::{ListSynthetic, ReadSyntheticLink};
use renga_proto::procs::{AS_THREAD, Describe, LIST_THREADS};
use renga_rt::Errno;

/// The type of an entry of `struct linux_dirent64` is that of its mode without the bits below.
const TYPE_SHIFT: u32 = 12;
/// Bytes of an entry before its name.
const HEADER_BYTES: usize = 19;
/// The cursors of `.` and `..`, of files from there on, and of programs or descriptors.
const DOT: u64 = 0;
const DOT_DOT: u64 = 1;
const FIRST_FILE: u64 = 2;
const FIRST_PROGRAM: u64 = 1 << 16;
/// Lines of a board's table, at most.
const LINES: u64 = 1 << 16;

/// Entries on their way into a slice.
struct Entries<'a> {
    out: &'a mut [u8],
    bytes: usize,
    /// Behind the last entry.
    next: u64,
}

impl Entries<'_> {
    /// Appends an entry behind which a listing goes on at `next`; `false` if there is no room.
    fn push(&mut self, place: ProcPlace, next: u64, name: &[u8]) -> bool {
        let bytes = (HEADER_BYTES + name.len() + 1).next_multiple_of(8);
        let Some(entry) = self.out.get_mut(self.bytes..self.bytes + bytes) else { return false };
        entry.fill(0);
        entry[..8].copy_from_slice(&u64::from(place.number()).to_le_bytes());
        entry[8..16].copy_from_slice(&next.to_le_bytes());
        entry[16..18].copy_from_slice(&(bytes as u16).to_le_bytes());
        entry[18] = (place.mode() >> TYPE_SHIFT) as u8;
        entry[HEADER_BYTES..HEADER_BYTES + name.len()].copy_from_slice(name);
        self.bytes += bytes;
        self.next = next;
        true
    }

    /// As `push`, with a number for a name.
    fn push_number(&mut self, place: ProcPlace, next: u64, number: u32) -> bool {
        let mut name = [0; 10];
        let mut text = TextWindow::new(&mut name, 0);
        put!(text, "{number}");
        let bytes = text.bytes();
        self.push(place, next, &name[..bytes])
    }
}

impl<M: UserMemory> ProcFilesState<M> {
    /// Entries of a directory from a cursor on, as many as have room.
    pub(crate) async fn list(
        &mut self,
        ListSynthetic { number, cursor }: ListSynthetic,
        out: &mut [u8],
    ) -> Result<DirectoryRead, Errno> {
        let at = ProcPlace::of(number).filter(|place| place.is_directory()).ok_or(Errno::ENOENT)?;
        self.check(at).await?;
        let mut entries = Entries { out, bytes: 0, next: cursor };
        let room = list_files(at, &mut entries);
        match at.file {
            ProcFile::Top if room => self.list_programs(&mut entries).await,
            ProcFile::Tasks if room => self.list_threads(at, &mut entries).await,
            ProcFile::Descriptors if room => self.list_descriptors(at, &mut entries)?,
            ProcFile::Terminals if room => self.list_terminals(&mut entries).await,
            _ => {}
        }
        if entries.bytes == 0 && !room {
            return Err(Errno::EINVAL); // not even one has room
        }
        Ok(DirectoryRead { bytes: entries.bytes as u32, next: entries.next })
    }

    async fn list_programs(&mut self, entries: &mut Entries<'_>) {
        let mut cursor = entries.next.max(FIRST_PROGRAM);
        // Each pass passes lines of a board's table, or a board.
        while cursor - FIRST_PROGRAM < u64::from(self.clients.boards()) * LINES {
            let (board, line) = ((cursor - FIRST_PROGRAM) / LINES, (cursor - FIRST_PROGRAM) % LINES);
            let mut any = false;
            for listed in
                self.clients.processes(board as u8, Describe { index: line as u16, pid: 0 }, &mut self.page[..]).await
            {
                any = true;
                cursor = FIRST_PROGRAM + board * LINES + u64::from(listed.index) + 1;
                if !entries.push_number(ProcPlace::new(listed.pid, ProcFile::Program), cursor, listed.pid) {
                    return;
                }
            }
            if !any {
                cursor = FIRST_PROGRAM + (board + 1) * LINES;
            }
        }
        entries.next = cursor;
    }

    async fn list_terminals(&mut self, entries: &mut Entries<'_>) {
        let mut name = entries.next.saturating_sub(FIRST_PROGRAM) as u32;
        // Each pass passes a terminal.
        while let Some(next) = self.clients.next_terminal(name).await {
            let place = ProcPlace { descriptor: next as u16, ..ProcPlace::new(0, ProcFile::Terminal) };
            name = next + 1;
            if !entries.push_number(place, FIRST_PROGRAM + u64::from(name), next) {
                break;
            }
        }
    }

    async fn list_threads(&mut self, at: ProcPlace, entries: &mut Entries<'_>) {
        let board = self.board_of(at.pid);
        // Each pass passes lines of the board's table.
        loop {
            let line = entries.next.saturating_sub(FIRST_PROGRAM).min(u64::from(AS_THREAD)) as u16;
            let wanted = Describe { index: LIST_THREADS | line, pid: at.pid };
            let mut any = false;
            for listed in self.clients.processes(board, wanted, &mut self.page[..]).await {
                any = true;
                let next = FIRST_PROGRAM + u64::from(listed.index) + 1;
                if !entries.push_number(ProcPlace::new(listed.pid, ProcFile::Task), next, listed.pid) {
                    return;
                }
            }
            if !any {
                return;
            }
        }
    }

    fn list_descriptors(&self, at: ProcPlace, entries: &mut Entries<'_>) -> Result<(), Errno> {
        let info = self.info(at.pid)?;
        let first = entries.next.saturating_sub(FIRST_PROGRAM).min(u64::from(u16::MAX)) as u16;
        let words = (0u16..).zip(&info.descriptors);
        let taken = words.flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits.get() >> bit & 1 != 0).map(move |bit| word * 64 + bit)
        });
        for descriptor in taken.filter(|&descriptor| descriptor >= first) {
            let place = ProcPlace { descriptor, ..at.beside(ProcFile::Descriptor) };
            if !entries.push_number(place, FIRST_PROGRAM + u64::from(descriptor) + 1, descriptor.into()) {
                break;
            }
        }
        Ok(())
    }

    /// The path of directory `number`.
    pub(crate) fn path(&self, number: u32, out: &mut [u8]) -> Result<u32, Errno> {
        let at = ProcPlace::of(number).filter(|place| place.is_directory()).ok_or(Errno::ENOENT)?;
        let mut text = TextWindow::new(out, 0);
        text.push(b"/proc");
        put_names(at, &mut text);
        Ok(text.bytes() as u32)
    }

    /// Where a link leads, as text.
    pub(crate) async fn read_link(
        &mut self,
        ReadSyntheticLink { number, reader, user }: ReadSyntheticLink,
        out: &mut [u8],
    ) -> Result<u32, Errno> {
        let link = ProcPlace::of(number).filter(|place| place.is_link()).ok_or(Errno::EINVAL)?;
        self.check_reader(link, reader, user)?;
        let mut text = TextWindow::new(out, 0);
        match link.file {
            ProcFile::Own => put!(text, "{reader}"),
            ProcFile::OwnThread => put!(text, "{reader}/task/{reader}"),
            ProcFile::Mounts => text.push(b"self/mounts"),
            ProcFile::Descriptor => return Err(Errno::EACCES), // its program alone knows
            ProcFile::Exe => return self.program_path(link.pid, out).await,
            _ => {
                let LinkTarget::Disk(ino) = self.target(link, reader).await? else { return Err(Errno::EINVAL) };
                // Of a reader elsewhere it is not known: as seen from the disk's root.
                let root = self.info(reader).map_or(ROOT_INO, |info| info.root.get());
                let at = PathStart { directory: ino.into(), root: root.into() };
                return self.clients.directory_path(at, self.init_board, out).await.map(|bytes| bytes as u32);
            }
        }
        Ok(text.bytes() as u32)
    }
}

/// The names that lead from `/proc` to `at`, each after a slash. Bounded: a directory stands before what is in it.
fn put_names(at: ProcPlace, text: &mut TextWindow<'_>) {
    if at == ProcPlace::TOP {
        return;
    }
    put_names(at.beside(at.file.entry().within), text);
    match at.file {
        ProcFile::Program | ProcFile::Task => put!(text, "/{}", at.pid),
        file => put!(text, "/{}", file.entry().name),
    }
}

/// The entries with fixed names; whether all had room.
fn list_files(at: ProcPlace, entries: &mut Entries<'_>) -> bool {
    let above = at.beside(at.file.entry().within);
    for (cursor, place, name) in [(DOT, at, &b"."[..]), (DOT_DOT, above, b"..")] {
        if entries.next == cursor && !entries.push(place, cursor + 1, name) {
            return false;
        }
    }
    let first = entries.next.saturating_sub(FIRST_FILE).min(FILES.len() as u64) as usize;
    let files = FILES[first..].iter().filter(|entry| entry.within == at.file && !entry.name.is_empty());
    for entry in files {
        let next = FIRST_FILE + entry.file as u64 + 1;
        if !entries.push(at.beside(entry.file), next, entry.name.as_bytes()) {
            return false;
        }
    }
    true
}
