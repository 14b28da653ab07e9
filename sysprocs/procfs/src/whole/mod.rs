//! Files of no program, about the whole cluster, the same on every board.

mod boards;
mod counter;
mod disk;
mod interfaces;
mod iospeed;
mod mark;
mod memory;
mod plan;
mod settings;
mod start;
mod time;

pub(crate) use time::NS_PER_TICK;

use crate::server::ProcFilesState;
use crate::tree::{ProcFile, ProcPlace};
use crate::window::TextWindow;
use renga_hal::memory::UserMemory;
use renga_proto::proc_files::WriteSynthetic;
use renga_rt::Errno;

impl<M: UserMemory> ProcFilesState<M> {
    /// Makes the content of `file`.
    pub(crate) async fn make_whole(&mut self, file: ProcFile, out: &mut TextWindow<'_>) -> Result<(), Errno> {
        match file {
            ProcFile::Uptime => self.uptime(out).await,
            ProcFile::LoadAverage => self.load_average(out).await,
            ProcFile::Stat => self.statistics(out).await,
            ProcFile::MemoryInfo => self.memory_info(out).await,
            ProcFile::ProcessorInfo => self.processor_info(out).await,
            ProcFile::Boards => self.boards(out).await,
            ProcFile::Processes => self.processes(out).await,
            ProcFile::Link => self.link(out).await,
            ProcFile::Partitions => self.partitions(out).await?,
            ProcFile::Log => self.log(out),
            ProcFile::System => self.system(out),
            ProcFile::Edges => self.edges(out),
            ProcFile::Jobs => self.jobs(out).await,
            ProcFile::Paces => self.paces(out).await,
            ProcFile::Counter => self.counter(out).await?,
            ProcFile::Start => self.start(out)?,
            ProcFile::Addresses6 => self.addresses_6(out),
            ProcFile::HostName | ProcFile::BootId => self.identity(file, out),
            file => self.show(file.entry().content, out).await?,
        }
        Ok(())
    }

    /// Changes what a file shows; an offset means something to the card only.
    pub(crate) async fn write(
        &mut self,
        WriteSynthetic { number, offset }: WriteSynthetic,
        text: &[u8],
    ) -> Result<(), Errno> {
        let place = ProcPlace::of(number).ok_or(Errno::ENOENT)?;
        match place.file {
            _ if !place.is_writable() => Err(Errno::EACCES),
            ProcFile::Paces => self.change_pace(text).await,
            ProcFile::Counter => self.add_to_counter(text).await,
            ProcFile::Mark => self.mark(text),
            ProcFile::Start => self.change_start(text).await,
            ProcFile::StartCard => self.write_start_card(offset, text).await,
            _ => self.change_setting(place.file.entry().content, text).await,
        }
    }
}
