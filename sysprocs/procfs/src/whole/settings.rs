//! The settings of background jobs (the regulator's) and of reclaiming (the reclaimer's of the reader's board), as these
//! services show and read them.

use crate::server::ProcFilesState;
use crate::tree::ProcFile;
use crate::window::TextWindow;
use renga_hal::memory::UserMemory;
use renga_proto::reclaiming::{ReadReclaim, ReclaimSetting, WriteReclaim};
use renga_proto::regulation::{ReadSetting, RegulationSetting, WriteSetting};
use renga_proto::settings::TEXT_BYTES_MAX;
use renga_rt::{Errno, Retry};

/// A setting by its service's name for it.
pub(super) enum ServiceSetting {
    Regulation(RegulationSetting),
    Reclaiming(ReclaimSetting),
}

/// The setting that a file shows, if it shows one.
pub(super) fn setting(file: ProcFile) -> Option<ServiceSetting> {
    use ServiceSetting::{Reclaiming, Regulation};
    match file {
        ProcFile::Jobs => Some(Regulation(RegulationSetting::Jobs)),
        ProcFile::RegulationPolicy => Some(Regulation(RegulationSetting::Policy)),
        ProcFile::Thresholds => Some(Regulation(RegulationSetting::Thresholds)),
        ProcFile::Ignored => Some(Regulation(RegulationSetting::Ignored)),
        ProcFile::RegulationState => Some(Regulation(RegulationSetting::State)),
        ProcFile::RegulationTotals => Some(Regulation(RegulationSetting::Totals)),
        ProcFile::Batching => Some(Reclaiming(ReclaimSetting::Batching)),
        ProcFile::ReclaimThresholds => Some(Reclaiming(ReclaimSetting::Thresholds)),
        ProcFile::ReclaimState => Some(Reclaiming(ReclaimSetting::State)),
        _ => None,
    }
}

/// A regulator that cannot be reached is no fault of the file: it is not there.
fn gone(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::EIO } else { errno }
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) async fn show_setting(&mut self, of: ServiceSetting, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let text = &mut self.page[..TEXT_BYTES_MAX];
        let bytes = match of {
            ServiceSetting::Regulation(setting) => {
                let read = ReadSetting { setting: setting as u8 };
                self.clients.regulation.call_retrying(read, &mut *text).await.map_err(gone)?
            }
            ServiceSetting::Reclaiming(setting) => {
                self.clients.reclaiming.call(ReadReclaim { setting: setting as u8 }, &mut *text).await?
            }
        };
        out.push(&text[..(bytes as usize).min(text.len())]);
        Ok(())
    }

    pub(super) async fn change_setting(&mut self, of: ServiceSetting, text: &[u8]) -> Result<(), Errno> {
        match of {
            ServiceSetting::Regulation(setting) => {
                let write = WriteSetting { setting: setting as u8 };
                self.clients.regulation.call_retrying(write, text).await.map_err(gone)
            }
            ServiceSetting::Reclaiming(setting) => {
                self.clients.reclaiming.call(WriteReclaim { setting: setting as u8 }, text).await
            }
        }
    }
}
