//! A program as bytes, on its way to another slot of this or another board.
//!
//! Invariant: what was written is read back equal, or refused; nothing in it is trusted to be more than
//! a program's own state. References to files and pipes are the reader's to add (`take_up`), or were
//! added by a sender on the same board and pass with the bytes. Numbers are little-endian. Not here: the address space's own format (`renga-memory`).

use crate::signals::{SIGNALS, UNSTOPPABLE};
use crate::user::facts::limits::{LIMITS, Limit, NOFILE};
use crate::user::files::descriptors::{DESCRIPTORS_MAX, Descriptor, Descriptors, EventSort, Object};
use crate::user::program::{AlternateStack, Program};
use crate::user::signals::actions::{Action, Actions};
use renga_proto::pages::FileId;
use renga_proto::pipe::PipeEnd;
use renga_rt::proc_info::Origin;
use renga_rt::user::{FpPlace, PSTATE_USER, UserContext};
use renga_rt::{Errno, Word};

/// Fields being written.
pub struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    /// At the start of `out`.
    pub fn new(out: &'a mut [u8]) -> Self {
        Writer { out, at: 0 }
    }
    /// Appends; `E2BIG` when there is no room.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        let place = self.out.get_mut(self.at..self.at + bytes.len()).ok_or(Errno::E2BIG)?;
        place.copy_from_slice(bytes);
        self.at += bytes.len();
        Ok(())
    }
    /// Appends a word.
    pub fn word(&mut self, word: u64) -> Result<(), Errno> {
        self.put(&word.to_le_bytes())
    }
    /// Appends words of which most are `usual`: which are not (a bit each), and these.
    fn sparse<const N: usize>(&mut self, usual: u64, words: [u64; N]) -> Result<(), Errno> {
        const { assert!(N <= u64::BITS as usize) };
        let unusual = words.iter().rev().fold(0, |set, &word| set << 1 | u64::from(word != usual));
        self.word(unusual)?;
        words.into_iter().filter(|&word| word != usual).try_for_each(|word| self.word(word))
    }
    /// What is left to write to.
    pub fn rest(&mut self) -> &mut [u8] {
        &mut self.out[self.at..]
    }
    /// How much there is, bytes.
    pub fn bytes(&self) -> usize {
        self.at
    }
}

/// Fields being read.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// From the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }
    /// The next `N` bytes.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Errno::EINVAL)?;
        self.0 = rest;
        Ok(*head)
    }
    /// The next word.
    pub fn word(&mut self) -> Result<u64, Errno> {
        Ok(u64::from_le_bytes(self.take()?))
    }
    /// Words of which most are `usual`.
    fn sparse<const N: usize>(&mut self, usual: u64) -> Result<[u64; N], Errno> {
        let (unusual, mut words) = (self.word()?, [usual; N]);
        for (_, word) in words.iter_mut().enumerate().filter(|(place, _)| unusual >> place & 1 != 0) {
            *word = self.word()?;
        }
        Ok(words)
    }
    /// All the rest.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }
}

const VECTORS: usize = 32;

/// Writes registers whose floating-point state is in `context`.
pub fn put_registers(writer: &mut Writer, context: &UserContext) -> Result<(), Errno> {
    writer.sparse(0, context.x)?;
    let UserContext { sp, pc, pstate, tpidr, fp, .. } = context;
    writer.sparse(0, [*sp, *pc, pstate & PSTATE_USER, *tpidr, fp.fpcr, fp.fpsr])?;
    writer.sparse(0, fp.v.map(|vector| vector as u64))?;
    writer.sparse(0, fp.v.map(|vector| (vector >> u64::BITS) as u64))
}

/// Reads registers for the program of `slot`.
pub fn get_registers(reader: &mut Reader, slot: u16, context: &mut UserContext) -> Result<(), Errno> {
    *context = UserContext::new(slot, 0, 0);
    context.x = reader.sparse(0)?;
    let pstate;
    [context.sp, context.pc, pstate, context.tpidr, context.fp.fpcr, context.fp.fpsr] = reader.sparse(0)?;
    context.pstate = pstate & PSTATE_USER;
    let (low, high): ([u64; VECTORS], [u64; VECTORS]) = (reader.sparse(0)?, reader.sparse(0)?);
    context.fp.v = core::array::from_fn(|i| u128::from(high[i]) << u64::BITS | u128::from(low[i]));
    context.fp_place = FpPlace::Context;
    Ok(())
}

/// Most descriptors that travel with the rest of a program; of one with more, all travel in pages.
const INLINE_MAX: usize = 32;
/// Most pages of descriptors.
pub const FILE_PAGES_MAX: usize = 16;
/// Frames with the descriptors of a program.
pub type FilePages = heapless::Vec<u32, FILE_PAGES_MAX>;

/// Whether the descriptors of `files` travel in pages.
pub fn in_pages(files: &Descriptors) -> bool {
    files.iter().nth(INLINE_MAX).is_some()
}

/// Writes the state of `program`, which is to be the parent of its reader; `pages` have its descriptors, if there are
/// any pages.
pub fn put_program(writer: &mut Writer, program: &Program, pages: &[u32]) -> Result<(), Errno> {
    writer.word(u64::from(program.pid))?;
    let (directory, root) = (program.directory.to_word(), program.root.to_word());
    let AlternateStack { address, bytes } = program.alternate_stack;
    for word in [directory, root, program.umask.into(), program.dumpable.into(), program.blocked, address, bytes] {
        writer.word(word)?;
    }
    writer.put(&program.name)?;
    let Origin { ino, directory, path, strings: [arguments, environment, behind] } = program.origin;
    for word in [u64::from(ino), directory.into(), path, arguments, environment, behind] {
        writer.word(word)?;
    }
    writer.sparse(u64::MAX, program.limits.0.map(|limit| limit.soft))?;
    writer.sparse(u64::MAX, program.limits.0.map(|limit| limit.hard))?;
    put_actions(writer, &program.actions)?;
    writer.put(&[pages.len() as u8])?;
    for page in pages {
        writer.put(&page.to_le_bytes())?;
    }
    if pages.is_empty() {
        put_files(writer, &program.files, 0).and_then(|rest| rest.map_or(Ok(()), |_| Err(Errno::E2BIG)))
    } else {
        Ok(())
    }
}

/// Reads what is to be `pid` into `program`; the pages that have its descriptors.
pub fn get_program(reader: &mut Reader, pid: u32, program: &mut Program) -> Result<FilePages, Errno> {
    let parent = reader.word()? as u32;
    program.renew(pid, parent);
    program.directory = FileId::from_word(reader.word()?);
    program.root = FileId::from_word(reader.word()?);
    program.umask = reader.word()? as u16;
    program.dumpable = reader.word()? != 0;
    program.blocked = reader.word()?;
    program.alternate_stack = AlternateStack { address: reader.word()?, bytes: reader.word()? };
    program.name = reader.take()?;
    let (ino, directory, path) = (reader.word()? as u32, reader.word()? as u32, reader.word()?);
    let strings = [reader.word()?, reader.word()?, reader.word()?];
    program.origin = Origin { ino, directory, path, strings };
    let (soft, hard): ([u64; LIMITS], [u64; LIMITS]) = (reader.sparse(u64::MAX)?, reader.sparse(u64::MAX)?);
    program.limits.0 = core::array::from_fn(|which| Limit { soft: soft[which], hard: hard[which] });
    get_actions(reader, &mut program.actions)?;
    let [count] = reader.take()?;
    let mut pages = FilePages::new();
    for _ in 0..count {
        pages.push(u32::from_le_bytes(reader.take()?)).map_err(|_| Errno::EINVAL)?;
    }
    if pages.is_empty() {
        get_files(reader, &mut program.files)?;
    }
    program.files.allow(program.limits.soft(NOFILE).min(DESCRIPTORS_MAX as u64) as usize);
    Ok(pages)
}

/// Only actions other than the default, which are few.
fn put_actions(writer: &mut Writer, actions: &Actions) -> Result<(), Errno> {
    for signal in actions.given() {
        writer.put(&[signal])?;
        writer.put(&actions.get(signal).to_bytes())?;
    }
    writer.put(&[0])
}

fn get_actions(reader: &mut Reader, actions: &mut Actions) -> Result<(), Errno> {
    for _ in 0..=SIGNALS {
        match reader.take::<1>()? {
            [0] => return Ok(()),
            [signal] if signal <= SIGNALS => actions.set(signal, Action::from_bytes(&reader.take()?)),
            _ => break,
        }
    }
    Err(Errno::EINVAL)
}

/// Kinds of objects.
mod kind {
    pub const END: u8 = 0;
    pub const FILE: u8 = 1;
    pub const READER: u8 = 2;
    pub const WRITER: u8 = 3;
    pub const CONSOLE: u8 = 4;
    pub const NULL: u8 = 5;
    pub const ZERO: u8 = 6;
    pub const FULL: u8 = 7;
    pub const RANDOM: u8 = 8;
    pub const LOST_PIPE: u8 = 9;
    pub const LOST_FILE: u8 = 10;
    pub const SIGNALS: u8 = 11;
    pub const FIFO: u8 = 12;
    pub const COUNT: u8 = 13;
    pub const TIMER: u8 = 14;
    pub const NAMED: u8 = 15;
    pub const WATCHES: u8 = 16;
}

/// An object, in 4 to 12 bytes: kind, board, number; of a file and a pipe also its generation, of a pipe its partners; of signals kind, which
/// (three bytes), their set.
pub(in crate::user) fn put_object(writer: &mut Writer, object: Object) -> Result<(), Errno> {
    let (kind, board, number, generation) = match object {
        Object::File { board, number, generation } => (kind::FILE, board, number, Some(generation)),
        Object::Pipe { board, number, generation, end: PipeEnd::Reader, .. } => {
            (kind::READER, board, number, Some(generation))
        }
        Object::Pipe { board, number, generation, end: PipeEnd::Writer, .. } => {
            (kind::WRITER, board, number, Some(generation))
        }
        Object::Events { board, number, generation, sort: EventSort::Count } => {
            (kind::COUNT, board, number, Some(generation))
        }
        Object::Events { board, number, generation, sort: EventSort::Timer } => {
            (kind::TIMER, board, number, Some(generation))
        }
        Object::Events { board, number, generation, sort: EventSort::Watches } => {
            (kind::WATCHES, board, number, Some(generation))
        }
        Object::Fifo { board, number, generation } => (kind::FIFO, board, number, Some(generation)),
        Object::Console => (kind::CONSOLE, 0, 0, None),
        Object::Named { generation } => (kind::NAMED, 0, 0, Some(generation)),
        Object::Null => (kind::NULL, 0, 0, None),
        Object::Zero => (kind::ZERO, 0, 0, None),
        Object::Full => (kind::FULL, 0, 0, None),
        Object::Random => (kind::RANDOM, 0, 0, None),
        Object::Signals { mask, id } => {
            let [first, second, third, _] = id.to_le_bytes();
            writer.put(&[kind::SIGNALS, first, second, third])?;
            return writer.word(mask);
        }
        Object::Lost { pipe: true } => (kind::LOST_PIPE, 0, 0, None),
        Object::Lost { pipe: false } => (kind::LOST_FILE, 0, 0, None),
    };
    let [low, high] = number.to_le_bytes();
    writer.put(&[kind, board, low, high])?;
    generation.map_or(Ok(()), |generation| writer.put(&generation.to_le_bytes()))?;
    if let Object::Pipe { partners, .. } = object { writer.put(&partners.to_le_bytes()) } else { Ok(()) }
}

/// The object that was put so; `None`: the end of them.
pub(in crate::user) fn get_object(reader: &mut Reader) -> Result<Option<Object>, Errno> {
    let [kind, board, low, high] = reader.take()?;
    let number = u16::from_le_bytes([low, high]);
    let mut generation = || reader.take().map(u32::from_le_bytes);
    let (reads, writes) = (PipeEnd::Reader, PipeEnd::Writer);
    Ok(Some(match kind {
        kind::END => return Ok(None),
        kind::FILE => Object::File { board, number, generation: generation()? },
        kind::READER => Object::Pipe { board, number, generation: generation()?, end: reads, partners: generation()? },
        kind::WRITER => Object::Pipe { board, number, generation: generation()?, end: writes, partners: generation()? },
        kind::COUNT => Object::Events { board, number, generation: generation()?, sort: EventSort::Count },
        kind::TIMER => Object::Events { board, number, generation: generation()?, sort: EventSort::Timer },
        kind::WATCHES => Object::Events { board, number, generation: generation()?, sort: EventSort::Watches },
        kind::FIFO => Object::Fifo { board, number, generation: generation()? },
        kind::CONSOLE => Object::Console,
        kind::NAMED => Object::Named { generation: generation()? },
        kind::NULL => Object::Null,
        kind::ZERO => Object::Zero,
        kind::FULL => Object::Full,
        kind::RANDOM => Object::Random,
        kind::SIGNALS => {
            let id = u32::from_le_bytes([board, low, high, 0]);
            Object::Signals { mask: reader.word()? & !UNSTOPPABLE, id }
        }
        kind::LOST_PIPE => Object::Lost { pipe: true },
        kind::LOST_FILE => Object::Lost { pipe: false },
        _ => return Err(Errno::EINVAL),
    }))
}

/// Bytes of a descriptor, at most, and of the end.
const DESCRIPTOR_BYTES_MAX: usize = 12 + 15;
const END_BYTES: usize = 4;

/// Writes the descriptors from number `from` on; where to go on, if there is no room for all.
pub fn put_files(writer: &mut Writer, files: &Descriptors, from: usize) -> Result<Option<usize>, Errno> {
    let mut rest = None;
    for (number, descriptor) in files.iter_from(from) {
        if writer.rest().len() < DESCRIPTOR_BYTES_MAX + END_BYTES {
            rest = Some(number);
            break;
        }
        put_object(writer, descriptor.object)?;
        for word in [number as u16, files.first_of(number) as u16, descriptor.mode] {
            writer.put(&word.to_le_bytes())?;
        }
        writer.put(&[u8::from(descriptor.close_on_exec)])?;
        writer.put(&descriptor.ino.to_le_bytes())?;
        writer.put(&descriptor.flags.to_le_bytes())?;
    }
    writer.put(&[kind::END; END_BYTES])?;
    Ok(rest)
}

/// Reads descriptors up to the end.
pub fn get_files(reader: &mut Reader, files: &mut Descriptors) -> Result<(), Errno> {
    for _ in 0..=DESCRIPTORS_MAX {
        let Some(object) = get_object(reader)? else { return Ok(()) };
        let (number, first) = (u16::from_le_bytes(reader.take()?), u16::from_le_bytes(reader.take()?));
        let mode = u16::from_le_bytes(reader.take()?);
        let [close_on_exec] = reader.take()?;
        let descriptor = Descriptor {
            object,
            close_on_exec: close_on_exec != 0,
            mode,
            ino: u32::from_le_bytes(reader.take()?),
            flags: u32::from_le_bytes(reader.take()?),
        };
        files.restore(number, first, descriptor)?;
    }
    Err(Errno::EINVAL)
}
