//! What only this system has: its boards, the programs and background jobs of all, its link; and who it is.
//!
//! Lines of fields between blanks under a line of headings, to be read by people and `awk`.

use crate::server::ProcFilesState;
use crate::tree::ProcFile;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::listed::Listed;
use renga_proto::procs::Describe;
use renga_proto::router::ReadCounters;
use renga_random::Random;
use renga_rt::Retry;
use renga_rt::account::Count;
use renga_rt::policy::Policy;

const NS_PER_MS: u64 = 1_000_000;
/// Bytes of a router's counters, at most.
const COUNTER_BYTES: usize = 256;

fn letter(board: u8) -> char {
    char::from(b'a' + board)
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) async fn boards(&mut self, out: &mut TextWindow<'_>) {
        put!(out, "board state up_ms user_ms system_ms programs running free_slots frames free_frames\n");
        for board in 0..self.clients.boards() {
            let (counts, memory) = (self.clients.counts(board).await, self.clients.memory_of(board).await);
            let (Some(counts), Some(memory)) = (counts, memory) else {
                put!(out, "{} down - - - - - - - -\n", letter(board));
                continue;
            };
            let [up, user, system] = [counts.now_ns, counts.user_ns, counts.system_ns].map(|ns| ns / NS_PER_MS);
            put!(out, "{} up {up} {user} {system} ", letter(board));
            put!(out, "{} {} {} ", counts.programs, counts.running, counts.free_slots);
            put!(out, "{} {}\n", memory.total, memory.free);
        }
    }

    pub(super) async fn processes(&mut self, out: &mut TextWindow<'_>) {
        put!(out, "board pid parent group session state user_us system_us frames name\n");
        self.each_program(out, |board, listed, out| {
            let [user, system] = [Count::UserNs, Count::SystemNs].map(|count| listed.count(count) / 1000);
            put!(out, "{board} {} {} ", listed.pid, listed.parent);
            put!(out, "{} {} {} ", listed.group, listed.session, char::from(listed.state).escape_default());
            put!(out, "{user} {system} {} ", listed.count(Count::FramesResident));
            out.end_with_name(&listed.name);
        })
        .await;
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
            out.end_with_name(&listed.name);
        })
        .await;
    }

    /// Has `say` write what is to be said of each program, board by board, named by its letter.
    pub(super) async fn each_program(
        &mut self,
        out: &mut TextWindow<'_>,
        say: impl Fn(char, Listed, &mut TextWindow<'_>),
    ) {
        for board in 0..self.clients.boards() {
            let mut line = 0;
            // Each pass passes lines of the board's table.
            while line < u16::MAX {
                let mut any = false;
                for listed in self.clients.processes(board, Describe { index: line, pid: 0 }, &mut self.page[..]).await
                {
                    (any, line) = (true, listed.index.saturating_add(1));
                    say(letter(board), listed, out);
                }
                if !any || out.is_full() {
                    break;
                }
            }
        }
    }

    /// The counters of each board's link, in the order in which the router keeps them.
    pub(super) async fn link(&mut self, out: &mut TextWindow<'_>) {
        for board in 0..self.clients.boards() {
            let Some(mut link) = self.clients.links.at(board, 0) else { continue };
            let mut bytes = [0; COUNTER_BYTES];
            let Ok(count) = link.call_retrying(ReadCounters {}, &mut bytes[..]).await else { continue };
            put!(out, "{}", letter(board));
            let (words, _) = bytes.as_chunks::<8>();
            for word in words.iter().take(count as usize) {
                put!(out, " {}", u64::from_le_bytes(*word));
            }
            out.push(b"\n");
        }
    }

    /// The names of this board and of this run.
    pub(super) fn identity(&self, file: ProcFile, out: &mut TextWindow<'_>) {
        if file == ProcFile::HostName {
            return put!(out, "{}\n", letter(self.board));
        }
        // A version 4 UUID of numbers that repeat with the run.
        let mut random = Random::new(self.seed);
        let (high, low) = (random.draw(), random.draw());
        put!(out, "{:08x}-{:04x}-4{:03x}-", high >> 32, high >> 16 & 0xffff, high & 0xfff);
        put!(out, "{:04x}-{:012x}\n", low >> 48 & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    }
}
