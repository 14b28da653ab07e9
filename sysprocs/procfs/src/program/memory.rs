//! What a program's memory says of it: its arguments, environment and the path that it was started by.
//!
//! Invariant: a page is readable only if the info still names its space when the page is borrowed, and nothing is
//! awaited meanwhile: so it is the program's, which may end on another core. A page that is being filled reads as
//! empty.

use crate::server::ProcFilesState;
use crate::window::TextWindow;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::mounts::ROOT_INO;
use renga_proto::path::{PATH_BYTES_MAX, PathStart};
use renga_rt::Errno;
use renga_rt::proc_info::ProcInfo;

const PAGE: u64 = PAGE_BYTES as u64;
/// Most pages of strings in a file: what exec takes.
const PAGES_MAX: u64 = 2048;

impl<M: UserMemory> ProcFilesState<M> {
    /// The bytes of the program's memory from `start` to `end`, as far as they are there, in pieces.
    fn each_piece(&self, info: &ProcInfo, space: u32, [start, end]: [u64; 2], mut take: impl FnMut(&[u8]) -> bool) {
        let mut at = start;
        for _ in 0..PAGES_MAX {
            if at >= end {
                break;
            }
            let Some(page) = self.machine.peek_mapped(Frame(space), at) else { break };
            if info.space.get() != Some(space) {
                break;
            }
            let from = (at % PAGE) as usize;
            let bytes = (end - at).min(PAGE - at % PAGE) as usize;
            if !take(&page[from..from + bytes]) {
                break;
            }
            at += bytes as u64;
        }
    }

    /// Puts the strings of kind `which` (0 arguments, 1 environment) of process `pid` of this board.
    pub(super) fn strings(&self, pid: u32, which: usize, out: &mut TextWindow<'_>) {
        // One that ends has none, as on Linux.
        let Ok(info) = self.info(pid) else { return };
        let Some(space) = info.space.get() else { return };
        let strings = info.origin.get().strings;
        self.each_piece(info, space, [strings[which], strings[which + 1]], |piece| {
            out.push(piece);
            !out.is_full()
        });
    }

    /// The path of the program file: as it was given to exec, from where that was if it is relative. Links on the way
    /// are not followed.
    pub(crate) async fn program_path(&mut self, pid: u32, out: &mut [u8]) -> Result<u32, Errno> {
        let origin = self.info(pid)?.origin.get();
        let (mut begin, mut length) = ([0; 2], 0);
        self.put_path(pid, origin.path, &mut begin)?;
        if begin[0] != b'/' {
            let at = PathStart { directory: origin.directory.into(), root: ROOT_INO.into() };
            length = self.clients.directory_path(at, self.init_board, out).await?;
            length += usize::from(length > 1);
            *out.get_mut(length - 1).ok_or(Errno::ENAMETOOLONG)? = b'/';
        }
        let skip = if begin == *b"./" { begin.len() as u64 } else { 0 };
        let path = self.put_path(pid, origin.path + skip, &mut out[length..])?;
        Ok(length as u32 + path)
    }

    /// Puts the string at `start` in the program's memory, or as much as there is room for.
    fn put_path(&self, pid: u32, start: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let info = self.info(pid)?;
        let space = info.space.get().ok_or(Errno::ENOENT)?;
        let (mut text, mut ended) = (TextWindow::new(out, 0), false);
        self.each_piece(info, space, [start, start.saturating_add(PATH_BYTES_MAX as u64)], |piece| {
            text.name(piece);
            ended = piece.contains(&0);
            !ended
        });
        if ended { Ok(text.bytes() as u32) } else { Err(Errno::ENOENT) }
    }
}
