//! Clients of random runs: each makes the calls of its script, and in the end one to every board.
//!
//! Invariant: a client that boots again goes on behind the step at which its board died. Not here: what
//! results are right (`oracle`).

use super::board_processes::CallsServers;
use super::oracle::{CallOutcome, Oracle};
use super::plan::{ClientDeed, ClientStep};
use super::protocol::{Note, Wait, Work, fill, filled};
use renga_rt::{Errno, Me, PAGE_BYTES};
use std::cell::Cell;
use std::rc::Rc;

/// How long a client whose call failed waits before the next, ns.
const REST_NS: u64 = 3_000_000;
/// Retries of a call that was never executed.
const STALE_MAX: u32 = 20;
/// Times that every board is tried in the end, and the time between two, ns.
const LAST_TRIES_MAX: u32 = 100;
const LAST_REST_NS: u64 = 20_000_000;

/// How far a script has come: shared by all boots of its client.
pub type CallsMade = Rc<Cell<usize>>;

/// What a client works with.
pub struct SimClient {
    /// Its process.
    pub me: Me,
    /// The servers that it can call.
    pub servers: CallsServers,
    /// The oracle that it reports to.
    pub oracle: Oracle,
}

impl SimClient {
    /// Does what is left of `script`.
    pub async fn follow(&mut self, script: Rc<Vec<ClientStep>>, progress: CallsMade) {
        while let Some(step) = script.get(progress.get()) {
            // The step counts as done when its board dies meanwhile.
            if step.pause_ns > 0 {
                self.rest(step.pause_ns).await;
            }
            let mut tries = 0;
            progress.set(progress.get() + 1);
            while self.make(step).await == Err(Errno::ESTALE) && tries < STALE_MAX {
                tries += 1;
            }
        }
        progress.set(usize::MAX);
    }

    async fn rest(&mut self, time_ns: u64) {
        let until_ns = self.me.now_ns() + time_ns;
        self.me.sleep_until(until_ns).await;
    }

    async fn make(&mut self, step: &ClientStep) -> CallOutcome {
        let (board, number) = step.server;
        let mut far = self.servers.at(&self.me, board, number);
        let releases = matches!(step.deed, ClientDeed::Note { .. });
        let id = self.oracle.begin(self.me.now_ns(), self.me.id(), far.server(), releases);
        let (mut given, mut taken) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
        let outcome = match step.deed {
            ClientDeed::Work { busy_ns, route, given: give, taken: take } => {
                fill(&mut given[..give], id);
                let outcome = far.call(Work { id, busy_ns, route }, (&given[..give], &mut taken[..take])).await;
                if outcome.is_ok() && !filled(&taken[..take], id) {
                    self.oracle.break_rule(format!("the slice of the reply to call {id} came damaged"));
                }
                outcome
            }
            ClientDeed::Wait { time_ns } => far.call(Wait { id, time_ns }, ()).await,
            ClientDeed::Note { fail, given: give } => {
                fill(&mut given[..give], id);
                far.call(Note { id, fail }, &given[..give]).await.map(|()| 0)
            }
        };
        self.oracle.end(self.me.now_ns(), id, outcome);
        self.me.clear_cancellation();
        if outcome == Err(Errno::EHOSTDOWN) {
            self.rest(REST_NS).await;
        }
        outcome
    }

    /// Calls a server of every board until it answers, another than the neighbours call; how many never did.
    pub async fn call_all(&mut self, boards: u8, servers: u8) -> usize {
        let mut silent = 0;
        let number = self.me.id().board.0 % servers;
        for board in 0..boards {
            let deed = ClientDeed::Work { busy_ns: 0, route: 0, given: 8, taken: 8 };
            let step = ClientStep { pause_ns: 0, server: (board, number), deed };
            let mut tries = 0;
            while self.make(&step).await.is_err() && tries < LAST_TRIES_MAX {
                self.rest(LAST_REST_NS).await;
                tries += 1;
            }
            silent += usize::from(tries == LAST_TRIES_MAX);
        }
        silent
    }
}
