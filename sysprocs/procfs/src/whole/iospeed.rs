//! Programs whose I/O is paced: who they are on which board, and how their pace is changed.
//!
//! A pace is of a program's policy, so it is its board's table of processes that keeps and changes it.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_governor::{PaceChange, format_pace};
use renga_hal::memory::UserMemory;
use renga_proto::procs::{ASK_POLICY, INIT, PolicyOf, Schedule};
use renga_rt::account::Count;
use renga_rt::pace::Pace;
use renga_rt::policy::Policy;
use renga_rt::{Errno, Retry};

const NS_PER_MS: u64 = 1_000_000;

impl<M: UserMemory> ProcFilesState<M> {
    /// Gives a program the pace that `text` says. `EINVAL`: it says none that is allowed; `ESRCH`: there is no such
    /// program; `EPERM`: it is init, whose children all programs are.
    pub(super) async fn change_pace(&mut self, text: &[u8]) -> Result<(), Errno> {
        let PaceChange { pid, pace } = PaceChange::of(text).ok_or(Errno::EINVAL)?;
        if pid == INIT {
            return Err(Errno::EPERM);
        }
        // A process of a failed board is gone.
        let gone = |errno| if errno == Errno::EHOSTDOWN { Errno::ESRCH } else { errno };
        let mut procs = self.clients.procs.at(self.board_of(pid), 0).ok_or(Errno::ESRCH)?;
        let old = procs.call_retrying(PolicyOf { pid, change: ASK_POLICY }, ()).await.map_err(gone)?;
        let new = Policy { pace, ..Schedule::from_word(old).ok_or(Errno::EIO)?.policy };
        procs.call(PolicyOf { pid, change: new.to_word() }, ()).await.map_err(gone)?;
        Ok(())
    }

    pub(super) async fn paces(&mut self, out: &mut TextWindow<'_>) {
        put!(out, "board pid delayed_ms pace name\n");
        self.each_program(out, |board, listed, out| {
            let pace = Policy::from_word(listed.policy).map_or(Pace::Free, |policy| policy.pace);
            if pace == Pace::Free {
                return;
            }
            let delayed_ms = listed.count(Count::DelayedNs) / NS_PER_MS;
            put!(out, "{board} {} {delayed_ms} {} ", listed.pid, format_pace(pace));
            out.end_with_name(&listed.name);
        })
        .await;
    }
}
