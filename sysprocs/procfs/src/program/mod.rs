//! Files of one program, made on its own board.

mod limits;
mod maps;
mod memory;
mod stat;
mod status;

use crate::server::ProcFilesState;
use crate::tree::{ProcFile, ProcPlace};
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::listed::Listed;
use renga_rt::Errno;
use renga_rt::account::{AccountNumber, Count};

/// Bytes of a block of the medium, and of a page frame.
const BLOCK_BYTES: u64 = 4096;

impl<M: UserMemory> ProcFilesState<M> {
    /// Makes the content of a program's file. `ESRCH` if the program is not there, or is another board's.
    pub(crate) async fn make_of_program(&mut self, place: ProcPlace, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        if self.board_of(place.pid) != self.board {
            return Err(Errno::ESRCH);
        }
        let mut listed = match place.file.is_of_thread() {
            true => self.clients.thread(place.pid, self.init_board).await?,
            false => self.clients.process(place.pid, self.init_board).await?,
        };
        if listed.process != listed.pid && !place.file.is_of_thread() && place.file != ProcFile::Comm {
            listed = self.clients.process(listed.process, self.init_board).await?;
        }
        if AccountNumber::of_slot(self.board, listed.slot) == self.me.account() {
            listed.state = b'R'; // it waits for this only
        }
        match place.file {
            ProcFile::ProgramStat | ProcFile::TaskStat => {
                let terminal = self.terminal_of(&listed).await;
                self.stat(&listed, terminal, out);
            }
            ProcFile::Status | ProcFile::TaskStatus => self.program_status(&listed, out),
            ProcFile::StatM => self.memory_size(&listed, out),
            ProcFile::Arguments => self.strings(listed.process, 0, out),
            ProcFile::Environment => self.strings(listed.process, 1, out),
            ProcFile::Comm | ProcFile::TaskComm => {
                out.name(&listed.name);
                out.push(b"\n");
            }
            ProcFile::Maps => self.maps(listed.process, out).await,
            ProcFile::Io => io(&listed, out),
            ProcFile::Limits => limits::put(&self.info(listed.process)?.limits.get(), out),
            _ => self.show(place.file.entry().content, out).await?,
        }
        Ok(())
    }

    fn memory_size(&self, listed: &Listed, out: &mut TextWindow<'_>) {
        let resident = listed.count(Count::FramesResident);
        let size = self.pages_of(listed);
        put!(out, "{size} {resident} 0 1 0 {resident} 0\n");
    }
}

/// The program's transfers with the medium, as Renga does not count the bytes of reads and writes; and, unlike Linux,
/// the frames that its board sent for it.
fn io(listed: &Listed, out: &mut TextWindow<'_>) {
    let [read, written] = [Count::BlocksRead, Count::BlocksWritten].map(|count| listed.count(count) * BLOCK_BYTES);
    put!(out, "rchar: {read}\nwchar: {written}\nsyscr: 0\nsyscw: 0\n");
    put!(out, "read_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n");
    put!(out, "link_bytes: {}\nlink_frames: {}\n", listed.count(Count::LinkBytes), listed.count(Count::LinkFrames));
}
