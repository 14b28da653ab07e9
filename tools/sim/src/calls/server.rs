//! Servers of random runs: each executes a call, and reports to the oracle.
//!
//! Invariant: a call's reply follows from its identity. Not here: whether it may be executed (`oracle`).

use super::board_processes::CallsServers;
use super::oracle::Oracle;
use super::protocol::{Note, Trial, TrialCall, Wait, Work, answer, fill, filled, is_of_link, split};
use renga_rt::{Call, Errno, Me, Never, Port, Protocol};

/// Calls that wait at one server; more are refused for a retry.
const WAITING_MAX: usize = 32;
/// Retries of a call that was never executed.
const STALE_MAX: u32 = 20;
/// Bytes each way of calls that servers make.
const HOP_BYTES: usize = 100;

struct SimServer {
    me: Me,
    servers: CallsServers,
    oracle: Oracle,
}

/// Serves for ever.
pub async fn server(me: Me, mut port: Port<Trial>, servers: CallsServers, oracle: Oracle) -> Never {
    let mut server = SimServer { me, servers, oracle };
    let mut waiting: Vec<(u64, Call<Wait>)> = Vec::with_capacity(WAITING_MAX);
    loop {
        match port.accept_or_notified(Trial::ENTRIES).await {
            None => {}
            Some(TrialCall::Work(call)) => server.work(call).await,
            Some(TrialCall::Note(call)) => server.note(call),
            Some(TrialCall::Wait(call)) => {
                let Wait { id, time_ns } = call.entry();
                server.oracle.execute(server.me.id(), call.caller(), id);
                if waiting.len() < WAITING_MAX {
                    waiting.push((server.me.now_ns() + time_ns, call));
                } else {
                    server.end_wait(call, Err(Errno::EAGAIN));
                }
            }
        }
        server.wake(&mut waiting);
    }
}

impl SimServer {
    async fn work(&mut self, mut call: Call<Work>) {
        let Work { id, busy_ns, route } = call.entry();
        self.oracle.execute(self.me.id(), call.caller(), id);
        if busy_ns > 0 {
            let until_ns = self.me.now_ns() + busy_ns;
            self.me.sleep_until(until_ns).await;
        }
        let mut outcome = Ok(answer(id));
        if let Some((hop, rest)) = split(route)
            && let Err(errno) = self.pass_on(hop, rest).await
        {
            outcome = Err(if is_of_link(errno) { Errno::EIO } else { errno });
        }
        let (given, taken) = call.lent();
        if !filled(given, id) {
            self.oracle.break_rule(format!("the slice of call {id} came damaged"));
        }
        fill(taken, id);
        self.oracle.answer(id, outcome);
        call.reply(outcome);
    }

    /// Calls another server on behalf of a caller.
    async fn pass_on(&mut self, (board, number): (u8, u8), route: u64) -> Result<u64, Errno> {
        let (mut given, mut taken) = ([0; HOP_BYTES], [0; HOP_BYTES]);
        for _ in 0..STALE_MAX {
            let mut far = self.servers.at(&self.me, board, number);
            let id = self.oracle.begin(self.me.now_ns(), self.me.id(), far.server(), false);
            fill(&mut given, id);
            let outcome = far.call(Work { id, busy_ns: 0, route }, (&given, &mut taken)).await;
            self.oracle.end(self.me.now_ns(), id, outcome);
            if outcome.is_ok() && !filled(&taken, id) {
                self.oracle.break_rule(format!("the slice of the reply to call {id} came damaged"));
            }
            if outcome != Err(Errno::ESTALE) {
                return outcome;
            }
        }
        Err(Errno::ESTALE)
    }

    fn note(&mut self, mut call: Call<Note>) {
        let Note { id, fail } = call.entry();
        self.oracle.execute(self.me.id(), call.caller(), id);
        if !filled(call.lent(), id) {
            self.oracle.break_rule(format!("the slice of note {id} came damaged"));
        }
        let outcome = if fail { Err(Errno::ENOSPC) } else { Ok(()) };
        self.oracle.answer(id, outcome.map(|()| 0));
        call.reply(outcome);
    }

    /// Replies to those whose time has come, and to cancelled ones.
    fn wake(&mut self, waiting: &mut Vec<(u64, Call<Wait>)>) {
        let now_ns = self.me.now_ns();
        let mut at = 0;
        while at < waiting.len() {
            let (until_ns, call) = &waiting[at];
            let outcome = match (*until_ns <= now_ns, call.wait_cancelled()) {
                (true, _) => Ok(answer(call.entry().id)),
                (false, true) => Err(Errno::EINTR),
                (false, false) => {
                    at += 1;
                    continue;
                }
            };
            let (_, call) = waiting.remove(at);
            self.end_wait(call, outcome);
        }
        self.me.notify_at(waiting.iter().map(|(until_ns, _)| *until_ns).min());
    }

    fn end_wait(&self, call: Call<Wait>, outcome: Result<u64, Errno>) {
        self.oracle.answer(call.entry().id, outcome);
        call.reply(outcome);
    }
}
