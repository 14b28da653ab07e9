//! The loop: does what the machine says, until there is nothing to do.
//!
//! Invariant: ready system processes run between two steps. Calls wait for one step or batch at most.
//! Not here: what is decided (`machine.rs`).

use crate::machine::{MemorySample, PAGES_PER_STEP_MAX, ReclaimMachine, ReclaimStep, ReclaimWork};
use crate::settings::ReclaimSettings;
use crate::text::{changed, format_setting};
use renga_proto::memory::{Memory, MemoryFacts, MemoryStatus};
use renga_proto::pages::{Pages, Shrink, Shrunk};
use renga_proto::settings::{ReadSetting, Reclaiming, SettingsServer, WriteSetting, show};
use renga_rt::{Call, Client, Errno, Me, Never, Port, Protocol, clients};

/// Pages that a step examines, at most: the page cache serves no other process meanwhile.
const SCANS_PER_STEP: u32 = 2 * PAGES_PER_STEP_MAX;

clients! {
    /// What the reclaimer calls.
    pub struct ReclaimerClients {
        /// How many frames are free.
        memory: Client<Memory, { MemoryStatus::BIT }>,
        /// The cache that gives pages up.
        pages: Client<Pages, { Shrink::BIT }>,
    }
}

struct ReclaimerState {
    me: Me,
    clients: ReclaimerClients,
    settings: ReclaimSettings,
    machine: ReclaimMachine,
}

/// Reclaims the frames of a board that has so many; the memory process wakes it.
pub async fn reclaimer(me: Me, mut port: Port<Reclaiming>, clients: ReclaimerClients, frames: usize) -> Never {
    let mut state = ReclaimerState {
        me,
        clients,
        settings: ReclaimSettings::of(frames as u32),
        machine: ReclaimMachine::default(),
    };
    loop {
        match port.accept_or_notified(Reclaiming::ENTRIES).await {
            Some(call) => call.serve(&mut state).await,
            None => state.machine.woken(&state.settings, state.me.now_ns()),
        }
        state.work().await;
    }
}

impl SettingsServer for ReclaimerState {
    async fn read_setting(&mut self, call: &mut Call<ReadSetting>) -> Result<u32, Errno> {
        let memory = self.clients.memory.call(MemoryStatus {}, ()).await?;
        Ok(show(call, &format_setting(call.entry().setting, &self.settings, &self.machine, memory)))
    }
    async fn write_setting(&mut self, call: &mut Call<WriteSetting>) -> Result<(), Errno> {
        self.settings = changed(call.entry().setting, &self.settings, call.lent()).ok_or(Errno::EINVAL)?;
        // The batcher may have to begin, or to end.
        self.machine.woken(&self.settings, self.me.now_ns());
        Ok(())
    }
}

impl ReclaimerState {
    /// All there is to do until something is to be waited for.
    async fn work(&mut self) {
        loop {
            let (now_ns, programs_wait) = (self.me.now_ns(), self.me.programs_wait());
            match self.machine.next(&self.settings, now_ns, programs_wait) {
                ReclaimStep::Wait(until_ns) => return self.me.notify_at(until_ns),
                ReclaimStep::Sample => self.sample().await,
                ReclaimStep::Free { frames, wanted } => {
                    self.free(frames, wanted).await;
                    self.me.yield_now().await;
                }
            }
        }
    }

    async fn sample(&mut self) {
        let memory = self.clients.memory.call(MemoryStatus {}, ()).await;
        let memory = memory.unwrap_or(MemoryFacts { total: 0, free: 0 });
        let arrived = match self.settings.batching {
            true => self.reclaim(0, 0).await.arrived,
            false => 0,
        };
        let now_ns = self.me.now_ns();
        self.machine.sampled(&self.settings, MemorySample { now_ns, memory, arrived });
    }

    async fn free(&mut self, frames: u32, wanted: u32) {
        let (began_ns, work) = (self.me.now_ns(), self.machine.work().unwrap_or(ReclaimWork::Ordinary));
        let Shrunk { freed, more, .. } = self.reclaim(frames, wanted).await;
        let now_ns = self.me.now_ns();
        self.machine.freed(now_ns, frames, freed, more);
        self.machine.spent(work, now_ns - began_ns);
    }

    async fn reclaim(&mut self, frames: u32, wanted: u32) -> Shrunk {
        let shrunk = self.clients.pages.call(Shrink { frames, scans: SCANS_PER_STEP, wanted }, ()).await;
        shrunk.unwrap_or(Shrunk { freed: 0, more: false, arrived: 0 })
    }
}
