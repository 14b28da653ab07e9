//! Background jobs and how they are regulated: what the regulator says, and who is a job on which board.

use crate::server::ProcFilesState;
use crate::tree::ProcFile;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::regulation::{ReadSetting, RegulationSetting, WriteSetting};
use renga_proto::settings::TEXT_BYTES_MAX;
use renga_rt::policy::Policy;
use renga_rt::{Errno, Retry};

/// What the regulator calls it.
fn setting(file: ProcFile) -> Option<RegulationSetting> {
    match file {
        ProcFile::Jobs => Some(RegulationSetting::Jobs),
        ProcFile::RegulationPolicy => Some(RegulationSetting::Policy),
        ProcFile::Thresholds => Some(RegulationSetting::Thresholds),
        ProcFile::Ignored => Some(RegulationSetting::Ignored),
        ProcFile::RegulationState => Some(RegulationSetting::State),
        ProcFile::RegulationTotals => Some(RegulationSetting::Totals),
        _ => None,
    }
}

/// A regulator that cannot be reached is no fault of the file: it is not there.
fn gone(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::EIO } else { errno }
}

impl<M: UserMemory + ?Sized> ProcFilesState<M> {
    pub(super) async fn regulation(&mut self, file: ProcFile, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let setting = setting(file).ok_or(Errno::EINVAL)? as u8;
        let text = &mut self.page[..TEXT_BYTES_MAX];
        let read = self.clients.regulation.call_retrying(ReadSetting { setting }, &mut *text).await;
        let bytes = (read.map_err(gone)? as usize).min(text.len());
        out.push(&text[..bytes]);
        Ok(())
    }

    pub(super) async fn change_regulation(&mut self, file: ProcFile, text: &[u8]) -> Result<(), Errno> {
        let setting = setting(file).ok_or(Errno::EACCES)? as u8;
        self.clients.regulation.call_retrying(WriteSetting { setting }, text).await.map_err(gone)
    }

    pub(super) async fn jobs(&mut self, out: &mut TextWindow<'_>) {
        put!(out, "board pid state name\n");
        self.each_program(out, |board, listed, out| {
            if !Policy::from_word(listed.policy).is_some_and(|policy| policy.background) {
                return;
            }
            let state = match listed.state {
                b'H' => "held",
                b'T' => "stopped",
                b'R' => "runs",
                _ => "waits",
            };
            put!(out, "{board} {} {state} ", listed.pid);
            out.name_in_line(&listed.name);
            out.push(b"\n");
        })
        .await;
    }
}
