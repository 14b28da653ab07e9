//! How page frames are reclaimed on the reader's board: what its reclaimer says.

use crate::server::ProcFilesState;
use crate::tree::ProcFile;
use crate::window::TextWindow;
use renga_hal::memory::UserMemory;
use renga_proto::reclaiming::{ReadReclaim, ReclaimSetting, WriteReclaim};
use renga_proto::settings::TEXT_BYTES_MAX;
use renga_rt::Errno;

/// What the reclaimer calls it.
fn setting(file: ProcFile) -> Result<u8, Errno> {
    match file {
        ProcFile::Batching => Ok(ReclaimSetting::Batching as u8),
        ProcFile::ReclaimThresholds => Ok(ReclaimSetting::Thresholds as u8),
        ProcFile::ReclaimState => Ok(ReclaimSetting::State as u8),
        _ => Err(Errno::EINVAL),
    }
}

impl<M: UserMemory + ?Sized> ProcFilesState<M> {
    pub(super) async fn reclaiming(&mut self, file: ProcFile, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let text = &mut self.page[..TEXT_BYTES_MAX];
        let read = self.clients.reclaiming.call(ReadReclaim { setting: setting(file)? }, &mut *text).await?;
        let bytes = (read as usize).min(text.len());
        out.push(&text[..bytes]);
        Ok(())
    }

    pub(super) async fn change_reclaiming(&mut self, file: ProcFile, text: &[u8]) -> Result<(), Errno> {
        self.clients.reclaiming.call(WriteReclaim { setting: setting(file)? }, text).await
    }
}
