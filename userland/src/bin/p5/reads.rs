//! P5, figure 5: random reads of AP1, which is timed, beside those of AP2 and a load process that computes and pauses.

use crate::children::BarrierWords;
use crate::computation::compute;
use crate::line::OutputLine;
use crate::{EINVAL, Outcome};
use core::ffi::CStr;
use core::sync::atomic::Ordering;
use renga_userland::schedule::{pin, set_scheduler};
use renga_userland::signals;
use renga_userland::syscall::{close, now_ns, open, read_at, sleep, wait, write};
use renga_userland::text::parse;
use renga_userland::{Errno, ProgramArguments};

const BLOCK_BYTES: usize = 4096;
/// AP1 starts so long after the others, ns; and so much later each time, so that the load is in another phase.
const SETTLE_NS: u64 = 20_000_000;
const PHASE_NS: u64 = 1_700_000;
/// SCHED_FIFO, and a priority in it: above the APs, which have the ordinary class.
const FIFO: (u32, u32) = (1, 50);
/// Where the process that starts the others is, if there is such a core.
const ASIDE: u32 = 3;
const SIGKILL: u32 = 9;
/// Reads of AP2 in a round, at most: another round reads other blocks.
const READS_2: u32 = 1024;
/// From a block to the next to be read, modulo a power of two: by Hull and Dobell's theorem each comes once.
const FACTOR: u32 = 1_664_525;
const STEP: u32 = 1_013_904_223;
/// Words that are shared: AP1's time, low and high.
const TAKEN: [usize; 2] = [0, 1];

/// What is done.
pub struct ReadsExperiment {
    label: &'static CStr,
    /// AP1's, and AP2's.
    files: [&'static CStr; 2],
    blocks: [u32; 2],
    round: u32,
    reads: u32,
    computed: u32,
    load: u32,
    pause_ns: u32,
    core: u32,
    core_2: Option<u32>,
    repeats: u32,
}

/// Reads blocks, each once, in no order.
struct BlockReader {
    file: i32,
    blocks: u32,
    block: u32,
    page: [u8; BLOCK_BYTES],
}

impl ReadsExperiment {
    /// From `p5`'s arguments.
    pub fn read(arguments: &ProgramArguments) -> Option<ReadsExperiment> {
        let number = |index: usize| arguments.get(index).and_then(|word| parse(word.to_bytes()));
        let blocks = |index: usize| number(index).filter(|blocks| blocks.is_power_of_two());
        Some(ReadsExperiment {
            label: arguments.get(2)?,
            files: [arguments.get(3)?, arguments.get(5)?],
            blocks: [blocks(4)?, blocks(6)?],
            round: number(7)?,
            reads: number(8)?,
            computed: number(9)?,
            load: number(10)?,
            pause_ns: number(11)?,
            core: number(12)?,
            core_2: number(13),
            repeats: number(14)?,
        })
    }

    /// Says `reads LABEL NS...`, a time for each repetition.
    pub fn run(&self) -> Outcome {
        // A board with fewer cores has it on any.
        let _ = pin(ASIDE);
        let mut line = OutputLine::new(b"reads");
        line.word(self.label.to_bytes());
        for repeat in 0..self.repeats {
            line.number(self.once(repeat)?);
        }
        line.say();
        Ok(())
    }

    fn once(&self, repeat: u32) -> Result<u64, (&'static str, Errno)> {
        forget_pages();
        let shared = BarrierWords::make()?;
        let (mut others, mut count) = ([0; 2], 0);
        if self.load > 0 {
            others[count] = shared.start(self.core, || self.load(&shared))?;
            count += 1;
        }
        if let Some(core) = self.core_2 {
            others[count] = shared.start(core, || self.read_on(&shared, (self.round + repeat) * READS_2))?;
            count += 1;
        }
        let ap1 = shared.start(self.core, || self.read_timed(&shared, repeat, count as u32))?;
        let ended = wait(ap1 as i32, 0);
        for pid in &others[..count] {
            signals::send(*pid, SIGKILL).map_err(|errno| ("kill", errno))?;
            let _ = wait(*pid as i32, 0);
        }
        match ended {
            Ok((_, 0)) => {}
            Ok(_) => return Err(("AP1", EINVAL)),
            Err(errno) => return Err(("wait", errno)),
        }
        let [low, high] = TAKEN.map(|place| u64::from(shared.word(place).load(Ordering::SeqCst)));
        Ok(high << 32 | low)
    }

    fn load(&self, shared: &BarrierWords) -> Outcome {
        let (class, priority) = FIFO;
        set_scheduler(0, class, priority).map_err(|errno| ("sched_setscheduler", errno))?;
        shared.arrive();
        loop {
            compute(self.load);
            sleep(self.pause_ns.into());
        }
    }

    /// AP2.
    fn read_on(&self, shared: &BarrierWords, first: u32) -> Outcome {
        let mut reader = BlockReader::open(self.files[1], self.blocks[1], first)?;
        shared.arrive();
        shared.pass();
        loop {
            reader.step(self)?;
        }
    }

    /// AP1.
    fn read_timed(&self, shared: &BarrierWords, repeat: u32, others: u32) -> Outcome {
        let first = (self.round + repeat) * self.reads;
        let mut reader = BlockReader::open(self.files[0], self.blocks[0], first)?;
        shared.await_all(others);
        sleep(SETTLE_NS + u64::from(repeat) * PHASE_NS);
        shared.open();
        let begin_ns = now_ns();
        for _ in 0..self.reads {
            reader.step(self)?;
        }
        let taken_ns = now_ns() - begin_ns;
        shared.word(TAKEN[0]).store(taken_ns as u32, Ordering::SeqCst);
        shared.word(TAKEN[1]).store((taken_ns >> 32) as u32, Ordering::SeqCst);
        Ok(())
    }
}

impl BlockReader {
    /// A reader whose first read has number `first` of all.
    fn open(path: &CStr, blocks: u32, first: u32) -> Result<BlockReader, (&'static str, Errno)> {
        let file = open(path, 0).map_err(|errno| ("open", errno))?;
        random_access(file);
        let block = (0..first).fold(0, |block, _| next(block, blocks));
        Ok(BlockReader { file, blocks, block, page: [0; BLOCK_BYTES] })
    }

    /// Computes, and reads a block.
    fn step(&mut self, experiment: &ReadsExperiment) -> Outcome {
        compute(experiment.computed);
        self.block = next(self.block, self.blocks);
        match read_at(self.file, &mut self.page, u64::from(self.block) * BLOCK_BYTES as u64) {
            Ok(BLOCK_BYTES) => Ok(()),
            Ok(_) => Err(("reading a block", EINVAL)),
            Err(errno) => Err(("read", errno)),
        }
    }
}

/// What is read behind `block`, of so many.
fn next(block: u32, blocks: u32) -> u32 {
    block.wrapping_mul(FACTOR).wrapping_add(STEP) % blocks
}

/// Nothing is read ahead.
fn random_access(file: i32) {
    const POSIX_FADV_RANDOM: isize = 1;
    // Advice; a system without it reads ahead or does not.
    let _ = renga_userland::syscall::advise(file, POSIX_FADV_RANDOM);
}

/// Drops the cache; on a system that cannot drop it no block is read twice.
fn forget_pages() {
    const WRITE_ONLY: i32 = 1;
    if let Ok(file) = open(c"/proc/sys/vm/drop_caches", WRITE_ONLY) {
        let _ = write(file, b"1");
        let _ = close(file);
    }
}
