//! The shared counter as a file: its value when it is read, an addition when it is written.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::counter::{Add, Counter, ReadCounter};
use renga_rt::{Client, Errno, Retry};

impl<M: UserMemory> ProcFilesState<M> {
    /// The counter, on whichever board the system file places it; `ENODEV`: on none.
    fn shared_counter(&mut self) -> Result<Client<Counter>, Errno> {
        let counters = &mut self.clients.counters;
        (0..counters.boards()).find_map(|board| counters.at(board, 0)).ok_or(Errno::ENODEV)
    }

    pub(super) async fn counter(&mut self, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let mut counter = self.shared_counter()?;
        let value = counter.call_retrying(ReadCounter {}, ()).await?;
        put!(out, "{value}\n");
        Ok(())
    }

    pub(super) async fn add_to_counter(&mut self, text: &[u8]) -> Result<(), Errno> {
        let text = core::str::from_utf8(text).map_err(|_| Errno::EINVAL)?;
        let amount = text.trim_ascii().parse().map_err(|_| Errno::EINVAL)?;
        let mut counter = self.shared_counter()?;
        counter.call_retrying(Add { amount }, ()).await.map(|_| ())
    }
}
