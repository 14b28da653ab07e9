//! Files of no program: what is made of the whole cluster, whichever board is asked.

mod background;
mod boards;
pub(crate) mod constants;
mod counter;
mod disk;
mod iospeed;
mod log;
mod memory;
pub(crate) mod plan;
mod reclaim;
mod start;
mod time;

pub(crate) use time::NS_PER_TICK;

use crate::server::State;
use crate::tree::{File, Place};
use crate::window::Window;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> State<M> {
    /// Makes the content of `file`.
    pub(crate) async fn make_whole(&mut self, file: File, out: &mut Window<'_>) -> Result<(), Errno> {
        match file {
            File::Uptime => self.uptime(out).await,
            File::LoadAverage => self.load_average(out).await,
            File::Stat => self.statistics(out).await,
            File::MemoryInfo => self.memory_info(out).await,
            File::ProcessorInfo => self.processor_info(out).await,
            File::Boards => self.boards(out).await,
            File::Processes => self.processes(out).await,
            File::Link => self.link(out).await,
            File::Partitions => self.partitions(out).await?,
            File::Log => self.log(out),
            File::System => self.system(out),
            File::Edges => self.edges(out),
            File::Jobs => self.jobs(out).await,
            File::RegulationPolicy
            | File::Thresholds
            | File::Ignored
            | File::RegulationState
            | File::RegulationTotals => {
                self.regulation(file, out).await?;
            }
            File::Paces => self.paces(out).await,
            File::Counter => self.counter(out).await?,
            File::Start => self.start(out)?,
            File::Batching | File::ReclaimThresholds | File::ReclaimState => self.reclaiming(file, out).await?,
            File::HostName | File::BootId => self.identity(file, out),
            file => constants::put(file, out)?,
        }
        Ok(())
    }

    /// Changes what a file shows; an offset means something to the card only.
    pub(crate) async fn write(&mut self, number: u32, offset: u64, text: &[u8]) -> Result<(), Errno> {
        let place = Place::of(number).ok_or(Errno::ENOENT)?;
        match place.file {
            _ if !place.is_writable() => Err(Errno::EACCES),
            File::Paces => self.change_pace(text).await,
            File::Counter => self.add_to_counter(text).await,
            File::Start => self.change_start(text).await,
            File::StartCard => self.write_start_card(offset, text).await,
            File::Batching | File::ReclaimThresholds => self.change_reclaiming(place.file, text).await,
            file => self.change_regulation(file, text).await,
        }
    }
}
