//! The settings of background jobs (the regulator's) and of reclaiming (the reclaimer's of the reader's board), as
//! these services show and read them; and files whose text is fixed.

use crate::interface_fact::put_fact;
use crate::server::ProcFilesState;
use crate::tree::ContentSource;
use crate::window::TextWindow;
use renga_hal::memory::UserMemory;
use renga_proto::settings::{ReadSetting, TEXT_BYTES_MAX, WriteSetting};
use renga_rt::{Errno, Retry};

/// A regulator that cannot be reached is no fault of the file: it is not there.
fn gone(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::EIO } else { errno }
}

impl<M: UserMemory> ProcFilesState<M> {
    /// Puts what does not depend on the system, or what a service shows; `EIO`: the file is made otherwise.
    pub(crate) async fn show(&mut self, content: ContentSource, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        let text = &mut self.page[..TEXT_BYTES_MAX];
        let bytes = match content {
            ContentSource::Made => return Err(Errno::EIO),
            ContentSource::Text(text) => {
                out.push(text);
                return Ok(());
            }
            ContentSource::OfInterface(number, fact) => {
                put_fact(number, fact, self.board, out);
                return Ok(());
            }
            ContentSource::Regulation(setting) => {
                self.clients.regulation.call_retrying(ReadSetting { setting }, &mut *text).await.map_err(gone)?
            }
            ContentSource::Reclaiming(setting) => {
                self.clients.reclaiming.call(ReadSetting { setting }, &mut *text).await?
            }
        };
        out.push(&text[..(bytes as usize).min(text.len())]);
        Ok(())
    }

    pub(super) async fn change_setting(&mut self, content: ContentSource, text: &[u8]) -> Result<(), Errno> {
        match content {
            ContentSource::Regulation(setting) => {
                self.clients.regulation.call_retrying(WriteSetting { setting }, text).await.map_err(gone)
            }
            ContentSource::Reclaiming(setting) => self.clients.reclaiming.call(WriteSetting { setting }, text).await,
            ContentSource::Made | ContentSource::Text(_) | ContentSource::OfInterface(..) => Err(Errno::EACCES),
        }
    }
}
