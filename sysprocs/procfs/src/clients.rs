//! The servers that a server of synthetic files calls, and calls to all boards.

use renga_proto::buffer::directory::{BufferDirectory, ReadBytes};
use renga_proto::clock::{CalendarTime, Clock};
use renga_proto::console::JobControl;
use renga_proto::counter::Counter;
use renga_proto::listed::{LISTED_BYTES, Listed};
use renga_proto::memory::{Memory, MemoryFacts, MemoryStatus};
use renga_proto::path::{AbsolutePath, Path, PathStart, drop_unreachable};
use renga_proto::procs::{
    AS_THREAD, BoardCounts, Describe, LIST_THREADS, PolicyOf, Procs, UsageOf, WHOLE_BOARD, board_of,
};
use renga_proto::router::RouterStatus;
use renga_proto::settings::{Reclaiming, Regulation};
use renga_proto::terminals::{
    DescribePair, NextPair, PAIRS, PairFacts, PairJobs, TerminalHandle, TerminalSide, Terminals, pair_name, pair_of,
};
use renga_rt::{Client, Errno, Family, Retry, clients};

/// Of the tables of processes.
const PROCS: u32 = Describe::BIT | UsageOf::BIT | PolicyOf::BIT;
/// Of the memory processes.
const MEMORY: u32 = MemoryStatus::BIT;
/// Of path lookup workers.
const PATHS: u32 = AbsolutePath::BIT;
/// Of the directory of buffers.
const BUFFERS: u32 = ReadBytes::BIT;
/// Of the pseudo-terminals.
const TERMINALS: u32 = NextPair::BIT | DescribePair::BIT | PairJobs::BIT;
const CLOCK: u32 = CalendarTime::BIT;

clients! {
    /// What a server of synthetic files calls.
    pub struct ProcFilesClients {
        /// The user processes of every board.
        procs: Family<Procs, PROCS>,
        /// Page frames of every board.
        memory: Family<Memory, MEMORY>,
        /// What the boards' links have carried.
        links: Family<RouterStatus>,
        /// Path lookup workers, for names of directories.
        paths: Family<Path, PATHS>,
        /// The buffers, for the disk as a file.
        buffers: Family<BufferDirectory, BUFFERS>,
        /// Pseudo-terminals.
        terminals: Family<Terminals, TERMINALS>,
        /// The clock of this board.
        clock: Client<Clock, CLOCK>,
        /// The regulator of background jobs.
        regulation: Client<Regulation>,
        /// The reclaimer of this board.
        reclaiming: Client<Reclaiming>,
        /// The shared counter, if the system has one.
        counters: Family<Counter>,
    }
}

impl ProcFilesClients {
    /// How many boards there are, alive or not.
    pub(crate) fn boards(&self) -> u8 {
        self.procs.boards()
    }

    /// Process `pid`. `ESRCH`: there is none, or its board is down.
    pub(crate) async fn process(&mut self, pid: u32, init_board: u8) -> Result<Listed, Errno> {
        self.described(Describe { index: 0, pid }, init_board).await
    }

    /// Thread `pid`. `ESRCH`: there is none, or its board is down.
    pub(crate) async fn thread(&mut self, pid: u32, init_board: u8) -> Result<Listed, Errno> {
        self.described(Describe { index: AS_THREAD, pid }, init_board).await
    }

    async fn described(&mut self, wanted: Describe, init_board: u8) -> Result<Listed, Errno> {
        let pid = wanted.pid;
        let mut procs = self.procs.at(board_of(pid, init_board), 0).ok_or(Errno::ESRCH)?;
        let mut bytes = [0; LISTED_BYTES];
        let described = procs.call_retrying(wanted, &mut bytes[..]).await;
        if described.map_err(|_| Errno::ESRCH)? as usize != LISTED_BYTES {
            return Err(Errno::ESRCH);
        }
        Ok(Listed::from_bytes(&bytes))
    }

    /// Processes of `board` from a line of its table on, or threads of one; none: there are no more, or it is down.
    /// What another board says of lines before is dropped, so that a listing from behind the last one ends.
    pub(crate) async fn processes<'a>(
        &mut self,
        board: u8,
        wanted: Describe,
        room: &'a mut [u8],
    ) -> impl Iterator<Item = Listed> + use<'a> {
        let bytes = match self.procs.at(board, 0) {
            Some(mut procs) => procs.call_retrying(wanted, &mut *room).await.unwrap_or(0) as usize,
            None => 0,
        };
        let (records, _) = room[..bytes.min(room.len())].as_chunks::<LISTED_BYTES>();
        let first = wanted.index & !LIST_THREADS;
        records.iter().map(Listed::from_bytes).filter(move |listed| listed.index >= first)
    }

    /// The slave of the pair called `name` as a file. `ENOENT`: there is none, or its board is down.
    pub(crate) async fn terminal(&mut self, name: u32) -> Result<PairFacts, Errno> {
        let (board, number) = pair_of(name);
        let mut terminals = self.terminals.at(board, 0).ok_or(Errno::ENOENT)?;
        terminals.call_retrying(DescribePair { number }, ()).await.map_err(|_| Errno::ENOENT)
    }

    /// The sessions and groups that may use the slave of the pair called `name`. `ENOENT`: it is not there any more.
    pub(crate) async fn terminal_jobs(&mut self, name: u32, generation: u32) -> Result<JobControl, Errno> {
        let (board, number) = pair_of(name);
        let mut terminals = self.terminals.at(board, 0).ok_or(Errno::ENOENT)?;
        let at = TerminalHandle { number, side: TerminalSide::Slave, generation };
        terminals.call_retrying(PairJobs { at }, ()).await.map_err(|_| Errno::ENOENT)
    }

    /// The first pair from that called `name` on.
    pub(crate) async fn next_terminal(&mut self, name: u32) -> Option<u32> {
        let (first, mut from) = pair_of(name);
        for board in first..self.boards() {
            if let Some(mut terminals) = self.terminals.at(board, 0)
                && let Ok(number) = terminals.call_retrying(NextPair { from }, ()).await
                && (from..PAIRS).contains(&number)
            {
                return Some(pair_name(board, number));
            }
            from = 0;
        }
        None
    }

    /// What is counted of `board`, if it is up.
    pub(crate) async fn counts(&mut self, board: u8) -> Option<BoardCounts> {
        let mut procs = self.procs.at(board, 0)?;
        let mut bytes = [0; BoardCounts::BYTES];
        let filled = procs.call_retrying(UsageOf { pid: WHOLE_BOARD }, &mut bytes[..]).await.ok()?;
        (filled as usize == bytes.len()).then(|| BoardCounts::from_bytes(&bytes))
    }

    /// How much memory `board` has, if it is up.
    pub(crate) async fn memory_of(&mut self, board: u8) -> Option<MemoryFacts> {
        let mut memory = self.memory.at(board, 0)?;
        memory.call_retrying(MemoryStatus {}, ()).await.ok()
    }

    /// Calendar time, ns since 1970.
    pub(crate) async fn calendar_ns(&mut self) -> u64 {
        self.clock.call(CalendarTime {}, ()).await.unwrap_or(0)
    }

    /// The path of directory `at` of the disk, from its root if it lies below; how many bytes.
    pub(crate) async fn directory_path(
        &mut self,
        at: PathStart,
        init_board: u8,
        out: &mut [u8],
    ) -> Result<usize, Errno> {
        let mut path_lookup = self.paths.at(init_board, 0).ok_or(Errno::EIO)?;
        let bytes = path_lookup.call_retrying(AbsolutePath { at }, &mut *out).await?;
        Ok(drop_unreachable(out, bytes as usize))
    }
}
