//! Files of one program, made on its own board.

mod limits;
mod maps;
mod memory;
mod stat;
mod status;

use crate::server::State;
use crate::tree::{File, Place};
use crate::whole::constants::MOUNTS;
use crate::window::{Window, put};
use renga_hal::memory::UserMemory;
use renga_proto::listed::Listed;
use renga_rt::Errno;
use renga_rt::account::{AccountNumber, Count};

/// Bytes of a block of the medium, and of a page frame.
const BLOCK_BYTES: u64 = 4096;

impl<M: UserMemory + ?Sized> State<M> {
    /// Makes the content of a program's file. `ESRCH` if the program is not there, or is another board's.
    pub(crate) async fn make_of_program(&mut self, place: Place, out: &mut Window<'_>) -> Result<(), Errno> {
        if self.board_of(place.pid) != self.board {
            return Err(Errno::ESRCH);
        }
        let mut listed = self.clients.process(place.pid, self.init_board).await?;
        if AccountNumber::of_slot(self.board, listed.slot) == self.me.account() {
            listed.state = b'R'; // it waits for this only
        }
        match place.file {
            File::ProgramStat => self.stat(&listed, out),
            File::Status => self.program_status(&listed, out),
            File::StatM => self.memory_size(&listed, out),
            File::Arguments => self.strings(place.pid, 0, out),
            File::Environment => self.strings(place.pid, 1, out),
            File::Comm => {
                out.name(&listed.name);
                out.push(b"\n");
            }
            File::Maps => self.maps(place.pid, out).await,
            File::Io => io(&listed, out),
            File::Limits => limits::put(&self.info(place.pid)?.limits.get(), out),
            File::ProgramMounts => out.push(MOUNTS),
            _ => return Err(Errno::EIO),
        }
        Ok(())
    }

    fn memory_size(&self, listed: &Listed, out: &mut Window<'_>) {
        let resident = listed.count(Count::FramesHeld);
        let size = self.pages_of(listed);
        put!(out, "{size} {resident} 0 1 0 {resident} 0\n");
    }
}

/// What a program moved: of the medium, as nobody counts the bytes of reads and writes; and, which Linux does not have, what its board
/// has sent over the link for it.
fn io(listed: &Listed, out: &mut Window<'_>) {
    let [read, written] = [Count::BlocksRead, Count::BlocksWritten].map(|count| listed.count(count) * BLOCK_BYTES);
    put!(out, "rchar: {read}\nwchar: {written}\nsyscr: 0\nsyscw: 0\n");
    put!(out, "read_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n");
    put!(out, "link_bytes: {}\nlink_frames: {}\n", listed.count(Count::LinkBytes), listed.count(Count::LinkFrames));
}
