//! The loop: does what the machine says, until there is nothing to do.
//!
//! Invariant: between two steps whoever is ready of the system runs. Others' settings wait for a piece or a batch at most.
//! Not here: what is decided (`machine.rs`).

use crate::machine::{Machine, PAGES_PER_STEP_MAX, Seen, Step, Work};
use crate::settings::Settings;
use crate::text::{changed, shown};
use renga_proto::memory::{Memory, MemoryFacts, MemoryStatus};
use renga_proto::pages::{Pages, Shrink, Shrunk};
use renga_proto::reclaiming::{Reclaiming, ReclaimingCall, Setting};
use renga_rt::{Client, Errno, Me, Never, Port, Protocol, clients};

/// Pages that a step looks at, at most: the page cache serves nobody else meanwhile.
const LOOKS_PER_STEP: u32 = 2 * PAGES_PER_STEP_MAX;

/// Of the memory process.
const MEMORY: u32 = MemoryStatus::BIT;
/// Of the page cache.
const PAGES: u32 = Shrink::BIT;

clients! {
    /// What the reclaimer calls.
    pub struct ReclaimerClients {
        /// How many frames are free.
        memory: Client<Memory, MEMORY>,
        /// Who gives pages up.
        pages: Client<Pages, PAGES>,
    }
}

struct State {
    me: Me,
    clients: ReclaimerClients,
    settings: Settings,
    machine: Machine,
}

/// Reclaims the frames of a board that has so many; the memory process wakes it.
pub async fn reclaimer(me: Me, mut port: Port<Reclaiming>, clients: ReclaimerClients, frames: usize) -> Never {
    let mut state = State { me, clients, settings: Settings::of(frames as u32), machine: Machine::default() };
    loop {
        match port.accept_or_notified(Reclaiming::ENTRIES).await {
            Some(ReclaimingCall::ReadReclaim(mut call)) => {
                let bytes = state.read(call.entry().setting, call.lent()).await;
                call.set_taken_used(bytes.map_or(0, |bytes| bytes as usize));
                call.reply(bytes);
            }
            Some(ReclaimingCall::WriteReclaim(mut call)) => {
                let written = state.write(call.entry().setting, call.lent());
                call.reply(written);
            }
            None => state.machine.woken(&state.settings, state.me.now_ns()),
        }
        state.work().await;
    }
}

impl State {
    async fn read(&mut self, setting: u8, out: &mut [u8]) -> Result<u32, Errno> {
        let setting = Setting::from_number(setting).ok_or(Errno::EINVAL)?;
        let memory = self.clients.memory.call(MemoryStatus {}, ()).await?;
        let text = shown(setting, &self.settings, &self.machine, memory);
        let bytes = text.len().min(out.len());
        out[..bytes].copy_from_slice(&text.as_bytes()[..bytes]);
        Ok(bytes as u32)
    }

    fn write(&mut self, setting: u8, text: &[u8]) -> Result<(), Errno> {
        let setting = Setting::from_number(setting).ok_or(Errno::EINVAL)?;
        self.settings = changed(setting, &self.settings, text).ok_or(Errno::EINVAL)?;
        // The batcher may have to begin, or to end.
        self.machine.woken(&self.settings, self.me.now_ns());
        Ok(())
    }

    /// All there is to do until something is to be waited for.
    async fn work(&mut self) {
        loop {
            let (now_ns, programs_wait) = (self.me.now_ns(), self.me.programs_wait());
            match self.machine.next(&self.settings, now_ns, programs_wait) {
                Step::Wait(until_ns) => return self.me.notify_at(until_ns),
                Step::Look => self.look().await,
                Step::Free { frames, wanted } => {
                    self.free(frames, wanted).await;
                    self.me.yield_now().await;
                }
            }
        }
    }

    async fn look(&mut self) {
        let memory = self.clients.memory.call(MemoryStatus {}, ()).await;
        let memory = memory.unwrap_or(MemoryFacts { total: 0, free: 0 });
        let arrived = match self.settings.batching {
            true => self.reclaim(0, 0).await.arrived,
            false => 0,
        };
        let now_ns = self.me.now_ns();
        self.machine.looked(&self.settings, Seen { now_ns, memory, arrived });
    }

    async fn free(&mut self, frames: u32, wanted: u32) {
        let (began_ns, work) = (self.me.now_ns(), self.machine.work().unwrap_or(Work::Ordinary));
        let Shrunk { freed, more, .. } = self.reclaim(frames, wanted).await;
        let now_ns = self.me.now_ns();
        self.machine.freed(now_ns, frames, freed, more);
        self.machine.spent(work, now_ns - began_ns);
    }

    async fn reclaim(&mut self, frames: u32, wanted: u32) -> Shrunk {
        let shrunk = self.clients.pages.call(Shrink { frames, looks: LOOKS_PER_STEP, wanted }, ()).await;
        shrunk.unwrap_or(Shrunk { freed: 0, more: false, arrived: 0 })
    }
}
