//! The server of pseudo-terminals: the pairs of its board.
//!
//! One process keeps all pairs of a board, as one keeps its event files: a pair that nobody has costs its memory only,
//! and no table has to know which are free. Invariant: no entry makes others wait. Calls: no server. Called by:
//! programs of all boards, and who lists terminals. Not here: a pair (`pair.rs`), signals (who gets a reply that says
//! one sends it).

use crate::pair::{NOBODY, TerminalPair};
use crate::termios::Termios;
use renga_proto::console::{JobControl, KeyboardSignal, WindowSize};
use renga_proto::pipe::{NO_PROGRAM, Polled};
use renga_proto::terminals::{
    BoardDied, ChangeAttributes, ChangeJobs, ChangeWindow, ControlPair, DescribePair, DropSide, HoldSide, MakePair,
    NextPair, OpenSlave, OwnPair, PairAttributes, PairFacts, PairJobs, PairRequest, PairWindow, PollSide, ReadSide,
    TerminalHandle, TerminalSide, Terminals, TerminalsServer, WriteSide,
};
use renga_rt::{Call, Errno, Me, Never, Port, Protocol, Wakes, Watch};

const SIGWINCH: u8 = 28;
const NO_SIGNAL: KeyboardSignal = KeyboardSignal { signal: 0, group: 0 };
/// As mode, user or group of a pair: it stays as it is.
const UNCHANGED: u32 = u32::MAX;
/// The characters that stop and start what the other side shows.
/// One in so many pairs is kept for root.
const KEPT_ONE_IN: usize = 8;
const STOP_KEY: u8 = 19;
const START_KEY: u8 = 17;

struct PairsState {
    pairs: &'static mut [TerminalPair],
    boot: u8,
    wakes: &'static Wakes,
    watch: &'static Watch,
    /// The pair that the present call is about.
    touched: usize,
}

/// Serves as many pairs as there are; `boot` counts the board's boots, so that no generation repeats.
pub async fn terminals(
    mut me: Me,
    mut port: Port<Terminals>,
    pairs: &'static mut [TerminalPair],
    boot: u8,
    wakes: &'static Wakes,
    watch: &'static Watch,
) -> Never {
    let mut state = PairsState { pairs, boot, wakes, watch, touched: 0 };
    loop {
        match port.accept_or_notified(Terminals::ENTRIES).await {
            Some(call) => {
                call.serve(&mut state).await;
                state.settle(state.touched, me.now_ns());
            }
            None => (0..state.pairs.len()).for_each(|number| state.settle(number, me.now_ns())),
        }
        me.notify_at(state.pairs.iter().filter_map(TerminalPair::due_ns).min());
    }
}

impl TerminalsServer for PairsState {
    async fn make_pair(&mut self, call: &mut Call<MakePair>) -> Result<TerminalHandle, Errno> {
        let user = call.entry().user;
        let mut free = (0..self.pairs.len()).filter(|&number| self.pairs[number].is_free());
        let number = free.next().ok_or(Errno::ENOSPC)?;
        if user != 0 && free.count() < self.pairs.len() / KEPT_ONE_IN {
            return Err(Errno::ENOSPC);
        }
        self.touched = number;
        let generation = self.pairs[number].begin(self.boot, call.board(), user);
        self.note_closed(number, [false; 2]);
        Ok(TerminalHandle { number: number as u16, side: TerminalSide::Master, generation })
    }
    async fn open_slave(&mut self, call: &mut Call<OpenSlave>) -> Result<TerminalHandle, Errno> {
        let OpenSlave { number, generation } = call.entry();
        let pair = self.named(number, generation)?;
        if pair.locked {
            return Err(Errno::EIO);
        }
        if !pair.references[TerminalSide::Slave as usize].add(call.board()) {
            return Err(Errno::ENFILE);
        }
        pair.opened = true;
        self.note_closed(number.into(), [false; 2]);
        Ok(TerminalHandle { number, side: TerminalSide::Slave, generation })
    }
    async fn hold_side(&mut self, call: &mut Call<HoldSide>) -> Result<(), Errno> {
        let (at, board) = (call.entry().at, call.board());
        let pair = self.pair(at)?;
        let references = &mut pair.references[at.side as usize];
        if references.is_empty() {
            return Err(Errno::ESTALE);
        }
        if !references.add(board) {
            return Err(Errno::ENFILE);
        }
        self.note_closed(at.number.into(), [false; 2]);
        Ok(())
    }
    async fn drop_side(&mut self, call: &mut Call<DropSide>) -> Result<KeyboardSignal, Errno> {
        let at = call.entry().at;
        let pair = self.pair_of(at, call.board())?;
        let were = pair.references.each_ref().map(|side| !side.is_empty());
        pair.references[at.side as usize].remove(call.board());
        Ok(self.note_closed(at.number.into(), were))
    }
    async fn read_side(&mut self, call: Call<ReadSide>) {
        match self.pair_of(call.entry().at, call.board()) {
            Ok(pair) => pair.accept_read(call),
            Err(errno) => call.reply(Err(errno)),
        }
    }
    async fn write_side(&mut self, call: Call<WriteSide>) {
        match self.pair_of(call.entry().at, call.board()) {
            Ok(pair) => pair.accept_write(call),
            Err(errno) => call.reply(Err(errno)),
        }
    }
    async fn pair_attributes(&mut self, call: &mut Call<PairAttributes>) -> Result<(), Errno> {
        let bytes = self.alive(call.entry().at, call.board())?.line.termios.to_bytes();
        call.lent().get_mut(..bytes.len()).ok_or(Errno::EINVAL)?.copy_from_slice(&bytes);
        Ok(())
    }
    async fn change_attributes(&mut self, call: &mut Call<ChangeAttributes>) -> Result<(), Errno> {
        let (ChangeAttributes { at, flush }, board, wakes) = (call.entry(), call.board(), self.wakes);
        let termios = Termios::from_bytes(call.lent()).ok_or(Errno::EINVAL)?;
        self.alive(at, board)?.set(termios, flush, wakes);
        Ok(())
    }
    async fn pair_jobs(&mut self, call: &mut Call<PairJobs>) -> Result<JobControl, Errno> {
        let at = call.entry().at;
        let pair = self.pair(at)?;
        Ok(if pair.is_hung_up() && at.side == TerminalSide::Slave { NOBODY } else { pair.jobs })
    }
    async fn change_jobs(&mut self, call: &mut Call<ChangeJobs>) -> Result<(), Errno> {
        let ChangeJobs { at, group, session } = call.entry();
        let pair = self.pair(at)?;
        (pair.jobs.group, pair.jobs.session, pair.jobs_from) = (group, session, call.board());
        Ok(())
    }
    async fn pair_window(&mut self, call: &mut Call<PairWindow>) -> Result<WindowSize, Errno> {
        Ok(self.alive(call.entry().at, call.board())?.window)
    }
    async fn change_window(&mut self, call: &mut Call<ChangeWindow>) -> Result<KeyboardSignal, Errno> {
        let ChangeWindow { at, rows, columns } = call.entry();
        let (pair, size) = (self.alive(at, call.board())?, WindowSize { rows, columns });
        let changed = core::mem::replace(&mut pair.window, size) != size;
        let group = pair.jobs.group;
        Ok(if changed && group != 0 { KeyboardSignal { signal: SIGWINCH, group } } else { NO_SIGNAL })
    }
    async fn poll_side(&mut self, call: &mut Call<PollSide>) -> Result<Polled, Errno> {
        let (poll, board) = (call.entry(), call.board());
        let pair = self.pair(poll.at)?;
        let side = &pair.references[poll.at.side as usize];
        if !side.contains(board) {
            return Err(if side.is_empty() { Errno::ESTALE } else { Errno::EPERM });
        }
        Ok(pair.poll(poll, board, poll.slot != NO_PROGRAM))
    }
    async fn control_pair(&mut self, call: &mut Call<ControlPair>) -> Result<u32, Errno> {
        let (ControlPair { at, request, value }, wakes) = (call.entry(), self.wakes);
        let pair = self.alive(at, call.board())?;
        match request {
            PairRequest::AskLock => return Ok(pair.locked.into()),
            PairRequest::Lock => pair.locked = value != 0,
            PairRequest::AskPackets => return Ok(pair.output.packets.into()),
            PairRequest::Packets => pair.output.packets = value != 0,
            PairRequest::Bytes => return Ok(pair.bytes(at.side) as u32),
            PairRequest::Flush if value <= 2 => pair.flush(value, wakes),
            PairRequest::Flow if value <= 1 => pair.stop(value == 0, wakes),
            // Keys for the other side's reader: the slave's go to the master's queue.
            PairRequest::Flow if value <= 3 => {
                pair.send_flow(at.side, if value == 2 { STOP_KEY } else { START_KEY }, wakes)
            }
            _ => return Err(Errno::EINVAL),
        }
        Ok(0)
    }
    async fn next_pair(&mut self, call: &mut Call<NextPair>) -> Result<u16, Errno> {
        let from = call.entry().from;
        let mut rest = (0..).zip(self.pairs.iter()).skip(from.into());
        rest.find(|(_, pair)| !pair.is_hung_up()).map(|(number, _)| number).ok_or(Errno::ENOENT)
    }
    async fn describe_pair(&mut self, call: &mut Call<DescribePair>) -> Result<PairFacts, Errno> {
        let pair = self.pairs.get(usize::from(call.entry().number)).filter(|pair| !pair.is_hung_up());
        pair.map(|pair| pair.facts).ok_or(Errno::ENOENT)
    }
    async fn own_pair(&mut self, call: &mut Call<OwnPair>) -> Result<(), Errno> {
        let OwnPair { number, generation, mode, user, group } = call.entry();
        let facts = &mut self.named(number, generation)?.facts;
        facts.mode = if mode == u16::MAX { facts.mode } else { mode & 0o7777 };
        facts.user = if user == UNCHANGED { facts.user } else { user };
        facts.group = if group == UNCHANGED { facts.group } else { group };
        Ok(())
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        let board = call.entry().board;
        for number in 0..self.pairs.len() {
            let pair = &mut self.pairs[number];
            let were = pair.references.each_ref().map(|side| !side.is_empty());
            let _ = pair.references.each_mut().map(|side| side.drop_board(board));
            if pair.jobs_from == board {
                pair.jobs = NOBODY; // their processes are gone
            }
            // The leader learns of it when it reads.
            self.note_closed(number, were);
            let now_ns = 0; // no time is over by that
            self.settle(number, now_ns);
        }
        Ok(())
    }
}

impl PairsState {
    /// The pair that `at` is of.
    fn pair(&mut self, at: TerminalHandle) -> Result<&mut TerminalPair, Errno> {
        self.touched = at.number.into();
        let pair = self.pairs.get_mut(self.touched).filter(|pair| pair.facts.generation == at.generation);
        pair.filter(|_| at.generation != 0).ok_or(Errno::ESTALE)
    }
    /// The same if `board` has the side.
    fn pair_of(&mut self, at: TerminalHandle, board: u8) -> Result<&mut TerminalPair, Errno> {
        let pair = self.pair(at)?;
        if pair.references[at.side as usize].contains(board) { Ok(pair) } else { Err(Errno::ESTALE) }
    }
    /// The same if it is not hung up.
    fn alive(&mut self, at: TerminalHandle, board: u8) -> Result<&mut TerminalPair, Errno> {
        let pair = self.pair_of(at, board)?;
        if pair.is_hung_up() { Err(Errno::EIO) } else { Ok(pair) }
    }
    /// The pair of that generation, if it has a master.
    fn named(&mut self, number: u16, generation: u32) -> Result<&mut TerminalPair, Errno> {
        let pair = self.pair(TerminalHandle { number, side: TerminalSide::Slave, generation });
        pair.ok().filter(|pair| !pair.is_hung_up()).ok_or(Errno::ENOENT)
    }

    fn note_closed(&mut self, number: usize, were: [bool; 2]) -> KeyboardSignal {
        self.pairs[number].note_closed(were, self.wakes, self.watch)
    }

    fn settle(&mut self, number: usize, now_ns: u64) {
        if let Some(pair) = self.pairs.get_mut(number) {
            pair.settle(now_ns, self.wakes);
            // Also after a call: its caller may have been interrupted before it was kept.
            pair.answer_interrupted();
        }
    }
}
