//! The data writer: writes dirty pages of files to their places, in runs of neighbours.
//!
//! It is the only one that does, so a page is on its way to the medium at most once. It writes on request (of a
//! commit, or of a writer that must wait for room) and when the page cache says that much is dirty. It copies a run
//! before it writes it: pages can be used and changed meanwhile. Not here: what is dirty (`renga_pages`), when
//! commits come (`volume/committer.rs`).

use crate::medium::disk_runs::write_run;
use renga_abi::PAGE_BYTES;
use renga_proto::data::{DataWriteback, DataWritebackCall};
use renga_proto::disk::Disk;
use renga_proto::pages::{CountDirty, Dirty, Pages, RunWritten, TakeRun};
use renga_rt::{Client, Errno, Never, Port, Protocol};

struct WritebackState {
    pages: Client<Pages>,
    disk: Client<Disk>,
    room: &'static mut [[u8; PAGE_BYTES]],
}

/// Serves, with room for the longest run.
pub async fn data_writeback(
    mut port: Port<DataWriteback>,
    pages: Client<Pages>,
    disk: Client<Disk>,
    room: &'static mut [[u8; PAGE_BYTES]],
) -> Never {
    let mut state = WritebackState { pages, disk, room };
    loop {
        match port.accept_or_notified(DataWriteback::ENTRIES).await {
            Some(DataWritebackCall::WriteData(call)) => {
                let written = state.write_all().await;
                call.reply(written);
            }
            Some(DataWritebackCall::MakeRoom(call)) => {
                let made = state.make_room().await;
                call.reply(made);
            }
            // What the medium refuses is reported to the next sync.
            None => drop(state.make_room().await),
        }
    }
}

impl WritebackState {
    async fn write_all(&mut self) -> Result<(), Errno> {
        let Dirty { pages, .. } = self.pages.call(CountDirty {}, ()).await?;
        let mut reported = Ok(());
        // Each iteration begins with the page that is dirty for longest.
        for _ in 0..pages {
            match self.write_run(false).await {
                Err(Errno::ENOENT) => break,
                written => reported = reported.and(written),
            }
        }
        reported
    }

    /// Writes until so little is dirty that more may become so.
    async fn make_room(&mut self) -> Result<(), Errno> {
        let Dirty { pages, spare, .. } = self.pages.call(CountDirty {}, ()).await?;
        let mut reported = Ok(());
        for _ in spare..pages {
            match self.write_run(true).await {
                Err(Errno::ENOENT) => break,
                written => reported = reported.and(written),
            }
            if self.pages.call(CountDirty {}, ()).await?.pages <= spare {
                break;
            }
        }
        reported
    }

    /// Writes the oldest run; `ENOENT`: nothing is dirty.
    async fn write_run(&mut self, evicting: bool) -> Result<(), Errno> {
        let run = self.pages.call(TakeRun {}, self.room.as_flattened_mut()).await?;
        let data = &self.room[..run.count as usize];
        let done = write_run!(self.disk, run.block.into(), data.as_flattened());
        self.pages.call(RunWritten { done: done.is_ok(), evicting }, ()).await.and(done)
    }
}
