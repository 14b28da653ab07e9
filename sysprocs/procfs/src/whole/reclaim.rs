//! How page frames are reclaimed on the reader's board: what its reclaimer says.

use crate::server::State;
use crate::tree::File;
use crate::window::Window;
use renga_hal::memory::UserMemory;
use renga_proto::reclaiming::{ReadReclaim, Setting, TEXT_BYTES_MAX, WriteReclaim};
use renga_rt::Errno;

/// What the reclaimer calls it.
fn setting(file: File) -> Result<u8, Errno> {
    match file {
        File::Batching => Ok(Setting::Batching as u8),
        File::ReclaimThresholds => Ok(Setting::Thresholds as u8),
        File::ReclaimState => Ok(Setting::State as u8),
        _ => Err(Errno::EINVAL),
    }
}

impl<M: UserMemory + ?Sized> State<M> {
    pub(super) async fn reclaiming(&mut self, file: File, out: &mut Window<'_>) -> Result<(), Errno> {
        let text = &mut self.page[..TEXT_BYTES_MAX];
        let read = self.clients.reclaiming.call(ReadReclaim { setting: setting(file)? }, &mut *text).await?;
        let bytes = (read as usize).min(text.len());
        out.push(&text[..bytes]);
        Ok(())
    }

    pub(super) async fn change_reclaiming(&mut self, file: File, text: &[u8]) -> Result<(), Errno> {
        self.clients.reclaiming.call(WriteReclaim { setting: setting(file)? }, text).await
    }
}
