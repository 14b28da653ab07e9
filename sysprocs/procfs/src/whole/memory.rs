//! Memory of the cluster: the page frames of all boards that are up.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::{PAGE_BYTES, UserMemory};

const KIB_PER_FRAME: u64 = PAGE_BYTES as u64 / 1024;

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) async fn memory_info(&mut self, out: &mut TextWindow<'_>) {
        let (mut total, mut free) = (0, 0);
        for board in 0..self.clients.boards() {
            if let Some(memory) = self.clients.memory_of(board).await {
                total += u64::from(memory.total) * KIB_PER_FRAME;
                free += u64::from(memory.free) * KIB_PER_FRAME;
            }
        }
        // Another board's word: it may be anything.
        let used = total.saturating_sub(free);
        let rows = [
            ("MemTotal", total),
            ("MemFree", free),
            ("MemAvailable", free),
            ("Buffers", 0),
            ("Cached", 0),
            ("SwapCached", 0),
            ("Active", used),
            ("Inactive", 0),
            ("SwapTotal", 0),
            ("SwapFree", 0),
            ("Dirty", 0),
            ("Writeback", 0),
            ("AnonPages", used),
            ("Mapped", 0),
            ("Shmem", 0),
            ("Slab", 0),
            ("SReclaimable", 0),
            ("SUnreclaim", 0),
            ("CommitLimit", total),
            ("Committed_AS", used),
        ];
        for (name, kib) in rows {
            // Linux aligns the numbers: name and colon take 16 places.
            let pad = 16 - name.len() - 1 + 8;
            put!(out, "{name}:{kib:>pad$} kB\n");
        }
    }
}
