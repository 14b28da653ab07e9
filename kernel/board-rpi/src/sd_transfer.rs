//! Transfers of sectors, a stage at a time: each call works until the card makes it wait, and returns when to poll
//! again.
//!
//! SD Physical Layer Simplified Specification 3.01, section 4.3. A card may take 100 ms before a read and 250 ms after
//! a write (4.6.2), and some take longer: a board that waited for that would be taken for dead by the others.
//!
//! Invariant: no call waits longer than [`POLLS_NS`] at a stretch, whatever the card does; each stage ends by its
//! limit; a failed transfer is retried from its start. Not here: the card's start (`sd_card`), the caller of the polls
//! (the disk's process).

use crate::sd_card::SdCard;
use crate::sd_host::{
    COMMAND_DONE, COMMAND_TIMEOUT_NS, DATA_DONE, DATA_TIMEOUT_NS, READ_READY, RESET_TIMEOUT_NS, SdCommand, WRITE_READY,
};
use renga_hal::block::{Block, BlockError, Progress, SECTOR_BYTES, check_range};
use renga_hal::registers::Registers;
use renga_hal::timer::HardwareTimer;

const STOP: SdCommand = SdCommand::busy(12);
const SEND_STATUS: SdCommand = SdCommand::short(13);
const READ_ONE: SdCommand = SdCommand::read_one(17);
const READ_MANY: SdCommand = SdCommand::read_many(18);
const WRITE_ONE: SdCommand = SdCommand::write_one(24);
const WRITE_MANY: SdCommand = SdCommand::write_many(25);
/// Any error bit of a card's status.
const STATUS_ERRORS: u32 = 0xfdf9_8008;

/// A transfer that failed is tried so often in all.
const TRIES_MAX: u32 = 3;
/// Sectors that one transfer command moves at most: the host counts in 16 bits.
const SECTORS_PER_COMMAND_MAX: usize = 0xffff;

/// A call polls for so long before it yields the core, ns: as long as the answer to a command takes.
pub(crate) const POLLS_NS: u64 = 10_000;
/// Between two calls, ns: at first as long as a block takes on its lines (41 us at 25 MHz) without the time of moving
/// it, then a part of what it has waited.
const LATER_NS: (u64, u64) = (30_000, 1_000_000);
const LATER_PART: u64 = 4;

/// Where the data goes or comes from.
pub(crate) enum Data<'a> {
    Read(&'a mut [u8]),
    Write(&'a [u8]),
}

impl Data<'_> {
    fn bytes(&self) -> usize {
        match self {
            Data::Read(out) => out.len(),
            Data::Write(data) => data.len(),
        }
    }
    fn writes(&self) -> bool {
        matches!(self, Data::Write(_))
    }
}

/// What a transfer waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransferStage {
    /// Lines that are free for its command.
    Lines,
    /// The card's answer.
    Answer,
    /// A block in the host, or room for one.
    Block,
    /// The end of all blocks.
    End,
    /// A card that has programmed them.
    Programmed,
    /// What it says of that: errors of programming show afterwards.
    Status,
    /// After an error: lines that are still, the card's end of what it did, and still lines again.
    Still,
    StopLines,
    StopAnswer,
    Stopped,
    StillAgain,
}

impl TransferStage {
    const fn is_recovery(self) -> bool {
        self as u8 >= TransferStage::Still as u8
    }
    const fn limit_ns(self) -> u64 {
        match self {
            TransferStage::Answer | TransferStage::Status | TransferStage::StopAnswer => COMMAND_TIMEOUT_NS,
            TransferStage::Still | TransferStage::StillAgain => RESET_TIMEOUT_NS,
            _ => DATA_TIMEOUT_NS,
        }
    }
}

/// A transfer under way.
pub(crate) struct Transfer {
    sector: u64,
    bytes: usize,
    writes: bool,
    /// Where the data of its command start and end, in bytes.
    run: (usize, usize),
    done: usize,
    stage: TransferStage,
    /// When the wait in this stage started; `None`: the clock is not read yet.
    since_ns: Option<u64>,
    tries: u32,
    error: BlockError,
}

impl Transfer {
    fn new(sector: u64, data: &Data<'_>) -> Transfer {
        let (bytes, writes) = (data.bytes(), data.writes());
        let (stage, error) = (TransferStage::Lines, BlockError::Failed);
        let run = run_from(0, bytes);
        Transfer { sector, bytes, writes, run, done: 0, stage, since_ns: None, tries: 0, error }
    }
}

/// The bytes that the command at `start` moves.
fn run_from(start: usize, bytes: usize) -> (usize, usize) {
    (start, bytes.min(start + SECTORS_PER_COMMAND_MAX * SECTOR_BYTES))
}

/// The outcome of a poll.
enum PollOutcome {
    Nothing,
    Next(TransferStage),
    Done,
}

impl<R: Registers, T: HardwareTimer> SdCard<R, T> {
    /// Starts the transfer of `data`, from `sector` on, or continues it.
    pub(crate) fn go_on(&mut self, sector: u64, data: &mut Data<'_>) -> Result<Progress, BlockError> {
        let mut transfer = match self.transfer.take() {
            None => {
                check_range(self.blocks(), sector, data.bytes())?;
                Transfer::new(sector, data)
            }
            Some(transfer) => {
                let same = (transfer.sector, transfer.bytes, transfer.writes) == (sector, data.bytes(), data.writes());
                assert!(same, "a transfer was left half-way");
                transfer
            }
        };
        self.host.fence();
        let progress = self.pass(&mut transfer, data);
        self.host.fence();
        if matches!(progress, Ok(Progress::Later(_))) {
            self.transfer = Some(transfer);
        }
        progress
    }

    fn pass(&mut self, transfer: &mut Transfer, data: &mut Data<'_>) -> Result<Progress, BlockError> {
        // Bounded: each stage leads to a later one or to the next block, and those to an end or to one of few tries.
        loop {
            let outcome = match self.poll(transfer, data) {
                Ok(PollOutcome::Nothing) => match self.wait(transfer) {
                    Ok(None) => continue,
                    Ok(Some(wait_ns)) => return Ok(Progress::Later(wait_ns)),
                    Err(error) => Err(error),
                },
                outcome => outcome,
            };
            transfer.since_ns = None;
            match outcome {
                Ok(PollOutcome::Done) => return Ok(Progress::Done),
                Ok(PollOutcome::Next(stage)) => transfer.stage = stage,
                Ok(PollOutcome::Nothing) => {}
                Err(error) => self.fail(transfer, error)?,
            }
        }
    }

    /// How long to yield the core, if the transfer has polled long enough.
    fn wait(&self, transfer: &mut Transfer) -> Result<Option<u64>, BlockError> {
        let now_ns = self.host.now_ns();
        let waited_ns = now_ns - *transfer.since_ns.get_or_insert(now_ns);
        if waited_ns > transfer.stage.limit_ns() {
            return Err(BlockError::Timeout);
        }
        let (least_ns, most_ns) = LATER_NS;
        Ok((waited_ns >= POLLS_NS).then(|| (waited_ns / LATER_PART).clamp(least_ns, most_ns)))
    }

    fn poll(&mut self, transfer: &mut Transfer, data: &mut Data<'_>) -> Result<PollOutcome, BlockError> {
        let next = |happened: bool, stage| if happened { PollOutcome::Next(stage) } else { PollOutcome::Nothing };
        Ok(match transfer.stage {
            TransferStage::Lines => {
                let command = command_of(transfer);
                let free = self.host.is_free_for(command);
                if free {
                    self.begin(transfer, command);
                }
                next(free, TransferStage::Answer)
            }
            TransferStage::Answer => next(self.answered()?, TransferStage::Block),
            TransferStage::Block => self.block(transfer, data)?,
            TransferStage::End if !self.host.take(DATA_DONE)? => PollOutcome::Nothing,
            TransferStage::End if transfer.writes => PollOutcome::Next(TransferStage::Programmed),
            TransferStage::End => end_of_run(transfer),
            TransferStage::Programmed => {
                let free = self.host.is_programmed() && self.host.is_free_for(SEND_STATUS);
                if free {
                    self.host.send(SEND_STATUS, self.address);
                }
                next(free, TransferStage::Status)
            }
            TransferStage::Status if self.answered()? => end_of_run(transfer),
            TransferStage::Status => PollOutcome::Nothing,
            TransferStage::Still => next(self.host.lines_are_still(), TransferStage::StopLines),
            TransferStage::StopLines => {
                let free = self.host.is_free_for(STOP);
                if free {
                    self.host.send(STOP, 0);
                }
                next(free, TransferStage::StopAnswer)
            }
            TransferStage::StopAnswer => next(self.host.take(COMMAND_DONE)?, TransferStage::Stopped),
            TransferStage::Stopped => {
                let stopped = self.host.take(DATA_DONE)?;
                if stopped {
                    self.host.stop_lines();
                }
                next(stopped, TransferStage::StillAgain)
            }
            TransferStage::StillAgain if self.host.lines_are_still() => return Err(transfer.error),
            TransferStage::StillAgain => PollOutcome::Nothing,
        })
    }

    fn begin(&mut self, transfer: &mut Transfer, command: SdCommand) {
        let (start, end) = transfer.run;
        transfer.done = start;
        self.host.set_blocks(SECTOR_BYTES, (end - start) / SECTOR_BYTES);
        self.host.send(command, self.position(transfer.sector + (start / SECTOR_BYTES) as u64));
    }

    /// Whether the card has answered the last command, and well.
    fn answered(&mut self) -> Result<bool, BlockError> {
        let answered = self.host.take(COMMAND_DONE)?;
        if answered && self.host.answer() & STATUS_ERRORS != 0 { Err(BlockError::Failed) } else { Ok(answered) }
    }

    fn block(&mut self, transfer: &mut Transfer, data: &mut Data<'_>) -> Result<PollOutcome, BlockError> {
        let event = if transfer.writes { WRITE_READY } else { READ_READY };
        if !self.host.take(event)? {
            return Ok(PollOutcome::Nothing);
        }
        let range = transfer.done..transfer.done + SECTOR_BYTES;
        match data {
            Data::Read(out) => self.host.read_block(&mut out[range]),
            Data::Write(data) => self.host.write_block(&data[range]),
        }
        transfer.done += SECTOR_BYTES;
        Ok(PollOutcome::Next(if transfer.done == transfer.run.1 { TransferStage::End } else { TransferStage::Block }))
    }

    /// Leads the card and its host back to where they take commands; then the transfer is tried again, or has failed.
    fn fail(&mut self, transfer: &mut Transfer, error: BlockError) -> Result<(), BlockError> {
        transfer.stage = match transfer.stage {
            TransferStage::StillAgain => {
                transfer.tries += 1;
                if transfer.tries == TRIES_MAX {
                    return Err(transfer.error);
                }
                TransferStage::Lines
            }
            // The error that led here is the one to report, whatever these say.
            stage if stage.is_recovery() => {
                self.host.stop_lines();
                TransferStage::StillAgain
            }
            _ => {
                transfer.error = error;
                self.host.stop_lines();
                TransferStage::Still
            }
        };
        Ok(())
    }
}

fn command_of(transfer: &Transfer) -> SdCommand {
    let one = transfer.run.1 - transfer.run.0 == SECTOR_BYTES;
    match (transfer.writes, one) {
        (false, true) => READ_ONE,
        (false, false) => READ_MANY,
        (true, true) => WRITE_ONE,
        (true, false) => WRITE_MANY,
    }
}

/// The next command's run, if there is one; it has its own tries.
fn end_of_run(transfer: &mut Transfer) -> PollOutcome {
    if transfer.done == transfer.bytes {
        return PollOutcome::Done;
    }
    transfer.run = run_from(transfer.done, transfer.bytes);
    transfer.tries = 0;
    PollOutcome::Next(TransferStage::Lines)
}
