//! Brings every board of the cluster another kernel: writes it to each board's own card beside the one that runs, has
//! all boards try it, and keeps it when a program could be run on each (docs/decisions/0079-two-kernels.md).
//!
//! As the first program of a cluster that tries a kernel it has the kernel kept, and continues as `init`.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_boot_card::{BootSlot, NoUpdate, PARTITIONS, Record, UpdateSource, other, write_update};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};
use renga_userland::process::{execute_by_name, exit_code, fork};
use renga_userland::setting::{SpacedWords, put};
use renga_userland::syscall::{close, exit, open, plain, read, read_at, sleep, wait, write, write_at};
use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{Errno, ProgramArguments, cluster, program};

program!(main);

const USAGE: &[u8] = b"usage: renga-update FILE
       renga-update [--own] (--write FILE | --try | --keep | --status)

Brings all boards the kernel in FILE (./renga image --update makes one): each
writes it to its own card, beside the kernel that it runs; then all are reset
and try it. When it runs on all of them, it is kept; otherwise each board goes
back to the kernel that it had, by itself within a minute, or when its power is
switched off and on. Never done on a real board.

A board whose disk is on another core than its programs (disk and user in the
system file) cannot be written to: its card has to be flashed.

  --write FILE  only write it
  --try         be reset, and try what was written
  --keep        keep the kernel that is being tried, if all boards run it
  --status      from where each board has started, and what its card holds
  --own         this board only, not all of them
  --help        this text
";
const USAGE_STATUS: i32 = 2;
const FAILED: i32 = 1;
const EHOSTDOWN: Errno = Errno(112);
const ENODEV: Errno = Errno(19);
const GETPID: usize = 172;
const SYNC: usize = 81;

const START: &CStr = c"/proc/renga/start";
const CARD: &CStr = c"/proc/renga/card";
const INIT: &CStr = c"/sbin/init";
const READ_ONLY: i32 = 0;
const READ_WRITE: i32 = 2;

/// A board that is being reset is back after so many tries to reach it, and so long between them, ns.
const TRIES_MAX: u32 = 40;
const PAUSE_NS: u64 = 1_000_000_000;

/// What is done on a board.
#[derive(Clone, Copy)]
enum UpdateDeed<'a> {
    Write(&'a CStr),
    Try,
    /// If this is the kernel that runs, where one is named.
    Keep(Option<Record>),
    Status,
}

fn main(arguments: ProgramArguments) -> i32 {
    if plain(GETPID, [0; 3]) == Ok(1) {
        become_init(&arguments);
    }
    let own = arguments.get(1).is_some_and(|word| word.to_bytes() == b"--own");
    let at = if own { 2 } else { 1 };
    let word = arguments.get(at);
    let file = arguments.get(at + 1);
    let (deed, words) = match word.map(CStr::to_bytes) {
        Some(b"--help") => {
            let _ = write(1, USAGE);
            return 0;
        }
        Some(b"--write") => (file.map(UpdateDeed::Write), 2),
        Some(b"--try") => (Some(UpdateDeed::Try), 1),
        Some(b"--keep") => (Some(UpdateDeed::Keep(None)), 1),
        Some(b"--status") => (Some(UpdateDeed::Status), 1),
        Some(name) if !name.starts_with(b"-") && !own => (None, 1),
        _ => return misused(),
    };
    if arguments.count() != at + words {
        return misused();
    }
    match (deed, word) {
        (Some(deed), _) if own => done(do_here(deed)),
        (Some(UpdateDeed::Keep(_)), _) => keep_on_all(),
        (Some(deed), _) => on_all(deed),
        (None, Some(file)) => match on_all(UpdateDeed::Write(file)) {
            0 => on_all(UpdateDeed::Try),
            status => status,
        },
        (None, None) => misused(),
    }
}

fn misused() -> i32 {
    complain(&[USAGE]);
    USAGE_STATUS
}

/// The kernel that is tried is kept by a child; the first program is `init`, as always.
fn become_init(arguments: &ProgramArguments) -> ! {
    if fork() == Ok(0) {
        exit(keep_on_all())
    }
    execute_by_name(INIT, &[INIT.as_ptr().cast(), core::ptr::null()], arguments);
    exit(FAILED)
}

/// Keeps this board's kernel on all boards: none may have returned to its old one meanwhile, or have been left out.
fn keep_on_all() -> i32 {
    match OpenCard::open().and_then(|mut card| running(&mut card)) {
        Ok(record) => on_all(UpdateDeed::Keep(Some(record))),
        Err(why) => done(Err(why)),
    }
}

/// Does it on all boards, this one last; the status of the first on which it fails, and then nothing more.
fn on_all(deed: UpdateDeed<'_>) -> i32 {
    let (count, own) = cluster::boards();
    for board in (0..count).filter(|board| *board != own) {
        let status = on_other(board, deed);
        if status != 0 {
            complain(&[b"renga-update: board ", &[b'a' + board as u8], b": failed\n"]);
            return status;
        }
    }
    done(do_here(deed))
}

fn on_other(board: u32, deed: UpdateDeed<'_>) -> i32 {
    let patient = matches!(deed, UpdateDeed::Keep(_));
    for _ in 0..TRIES_MAX {
        match cluster::fork_on(board) {
            Ok(0) => exit(done(do_here(deed))),
            Ok(pid) => {
                let status = wait(pid as i32, 0).map_or(FAILED, |(_, status)| exit_code(status));
                // A board that is reset takes its programs with it.
                return if matches!(deed, UpdateDeed::Try) && status > 128 { 0 } else { status };
            }
            Err(EHOSTDOWN) if patient => sleep(PAUSE_NS),
            Err(_) => return FAILED,
        }
    }
    FAILED
}

/// The exit status for it, with a word about what went wrong.
fn done(result: Result<(), &'static [u8]>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(why) => {
            complain(&[b"renga-update: ", why, b"\n"]);
            FAILED
        }
    }
}

fn do_here(deed: UpdateDeed<'_>) -> Result<(), &'static [u8]> {
    match deed {
        UpdateDeed::Write(file) => write_here(file),
        UpdateDeed::Try => {
            let mut card = OpenCard::open()?;
            let slot = BootSlot::open(&mut card, other(number(b"usual ")?))
                .map_err(|_| &b"the card has no second kernel"[..])?;
            slot.check(&mut card).map_err(|_| &b"the second kernel is not whole"[..])?;
            let _ = plain(SYNC, [0; 3]);
            put(START, b"try").map_err(|_| &b"this board cannot be reset"[..])
        }
        UpdateDeed::Keep(tried) => keep_here(tried),
        UpdateDeed::Status => show_here(),
    }
}

fn write_here(file: &CStr) -> Result<(), &'static [u8]> {
    let mut source = KernelFile(open(file, READ_ONLY).map_err(|_| &b"there is no such file"[..])?);
    let mut card = OpenCard::open()?;
    let slot = write_update(&mut card, &mut source, number(b"runs ")?).map_err(why)?;
    say(&[b"written to partition", Decimal::new(slot.partition.into()).digits()]);
    close(source.0).map_err(|_| &b"the file cannot be read"[..])
}

fn keep_here(tried: Option<Record>) -> Result<(), &'static [u8]> {
    if let Some(tried) = tried
        && running(&mut OpenCard::open()?)? != tried
    {
        return Err(b"this board runs another kernel than the one that is tried");
    }
    put(START, b"keep").map_err(|_| &b"the card cannot be written"[..])
}

/// What is recorded of the kernel that runs.
fn running(card: &mut OpenCard) -> Result<Record, &'static [u8]> {
    let slot = BootSlot::open(card, number(b"runs ")?);
    slot.and_then(|slot| slot.record(card)).map_err(|_| &b"the kernel that runs is not recorded on the card"[..])
}

fn show_here() -> Result<(), &'static [u8]> {
    let mut card = OpenCard::open()?;
    let (runs, usual) = (number(b"runs ")?, number(b"usual ")?);
    let starts = Decimal::new(number(b"starts ")?.into());
    for partition in PARTITIONS {
        let whole = BootSlot::open(&mut card, partition).and_then(|slot| slot.check(&mut card)).is_ok();
        say(&[
            b"start",
            starts.digits(),
            b"partition",
            Decimal::new(partition.into()).digits(),
            if whole { b"whole" } else { b"broken" },
            if partition == runs { b"runs" } else { b"-" },
            if partition == usual { b"usual" } else { b"-" },
        ]);
    }
    Ok(())
}

/// A line on standard output, with this board's name before it.
fn say(words: &[&[u8]]) {
    let mut line = SpacedWords::default();
    line.add(&[b'a' + cluster::boards().1 as u8]);
    words.iter().for_each(|word| _ = line.add(word));
    let _ = write(1, line.text().trim_ascii_end());
    let _ = write(1, b"\n");
}

/// The number behind `word` in what the board says of its start.
fn number(word: &[u8]) -> Result<u8, &'static [u8]> {
    const WHY: &[u8] = b"this board did not start from a card of its own";
    let descriptor = open(START, READ_ONLY).map_err(|_| WHY)?;
    let mut text = [0; 128];
    let bytes = read(descriptor, &mut text);
    let _ = close(descriptor);
    let text = &text[..bytes.map_err(|_| WHY)?];
    let found = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(word));
    // The count of starts may be longer than a byte; its last bits distinguish starts.
    found.and_then(parse).map(|number| number as u8).ok_or(WHY)
}

fn why(why: NoUpdate) -> &'static [u8] {
    match why {
        NoUpdate::Source => b"the file cannot be read",
        NoUpdate::NotUpdate => b"the file is no kernel for an update, or damaged",
        NoUpdate::Room => b"this card's files have another length: it needs to be flashed",
        NoUpdate::Slot(_) => b"this card has no second kernel: it needs to be flashed",
        NoUpdate::Unwritable => b"the card cannot be written",
        NoUpdate::Trial => b"the kernel that runs is being tried: keep it first",
    }
}

/// The file of the new kernel.
struct KernelFile(i32);

impl UpdateSource for KernelFile {
    fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<(), NoUpdate> {
        let mut done = 0;
        // Each iteration passes what one call reads.
        while done < out.len() {
            match read_at(self.0, &mut out[done..], offset + done as u64) {
                Ok(0) if done > 0 || offset == 0 => return Err(NoUpdate::NotUpdate),
                Ok(0) | Err(_) => return Err(NoUpdate::Source),
                Ok(bytes) => done += bytes,
            }
        }
        Ok(())
    }
}

/// Sectors of the card go through a page, so that each call moves whole ones.
#[repr(align(4096))]
struct SectorPage([u8; 4096]);

/// This board's card.
struct OpenCard {
    descriptor: i32,
    page: SectorPage,
}

impl OpenCard {
    fn open() -> Result<OpenCard, &'static [u8]> {
        let descriptor = open(CARD, READ_WRITE).map_err(|_| &b"this board did not start from a card of its own"[..])?;
        let mut card = OpenCard { descriptor, page: SectorPage([0; 4096]) };
        // The board has its card, and another user has it open.
        match read_at(descriptor, &mut card.page.0[..SECTOR_BYTES], 0) {
            Err(ENODEV) => Err(b"this board's disk is on another core than its programs, and has the card: see --help"),
            _ => Ok(card),
        }
    }
}

impl Block for OpenCard {
    fn blocks(&self) -> u64 {
        u64::MAX / SECTOR_BYTES as u64
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        let mut at = sector * SECTOR_BYTES as u64;
        for part in out.chunks_mut(self.page.0.len()) {
            let page = &mut self.page.0[..part.len()];
            let read = read_at(self.descriptor, page, at);
            if read != Ok(part.len()) {
                return Err(BlockError::Failed);
            }
            part.copy_from_slice(page);
            at += part.len() as u64;
        }
        Ok(())
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        let mut at = sector * SECTOR_BYTES as u64;
        for part in data.chunks(self.page.0.len()) {
            let page = &mut self.page.0[..part.len()];
            page.copy_from_slice(part);
            if write_at(self.descriptor, page, at) != Ok(part.len()) {
                return Err(BlockError::Failed);
            }
            at += part.len() as u64;
        }
        Ok(())
    }
}
