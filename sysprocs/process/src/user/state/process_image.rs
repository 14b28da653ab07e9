//! A program as bytes, on its way to another slot of this or another board.
//!
//! Invariant: what was written is read back equal, or refused; nothing in it is trusted to be more than
//! a program's own state. References to files and pipes are the reader's to add (`take_up`), or were
//! added by a sender on the same board and pass with the bytes. Numbers are little-endian. Not here: the address
//! space's own format (`renga-memory`).

use crate::signals::SIGNALS;
use crate::user::state::actions::{SignalAction, SignalActions};
use crate::user::state::descriptors::{DESCRIPTORS_MAX, DescriptorTable, FileDescriptor};
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::limits::{LIMITS, NOFILE, ResourceLimit};
use crate::user::state::object::{END, OBJECT_BYTES_MAX, get_object, put_object};
use crate::user::state::program::ProgramState;
use crate::user::state::thread::{AlternateStack, ThreadState};
use renga_proto::pages::FileId;
use renga_rt::proc_info::ProgramOrigin;
use renga_rt::user::{FpPlace, PSTATE_USER, UserContext};
use renga_rt::{Errno, Word};

const VECTORS: usize = 32;

/// Writes registers whose floating-point state is in `context`.
pub fn put_registers(writer: &mut ImageWriter, context: &UserContext) -> Result<(), Errno> {
    writer.sparse(0, context.x)?;
    let UserContext { sp, pc, pstate, tpidr, fp, .. } = context;
    writer.sparse(0, [*sp, *pc, pstate & PSTATE_USER, *tpidr, fp.fpcr, fp.fpsr])?;
    writer.sparse(0, fp.v.map(|vector| vector as u64))?;
    writer.sparse(0, fp.v.map(|vector| (vector >> u64::BITS) as u64))
}

/// Reads registers for the program of `slot`.
pub fn get_registers(reader: &mut ImageReader, slot: u16, context: &mut UserContext) -> Result<(), Errno> {
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
pub fn in_pages(files: &DescriptorTable) -> bool {
    files.iter().nth(INLINE_MAX).is_some()
}

/// Writes the state of `program`, which is to be the parent of its reader, and of its `thread`; `pages` have its
/// descriptors, if there are any pages.
pub fn put_program(
    writer: &mut ImageWriter,
    (program, thread): (&ProgramState, &ThreadState),
    pages: &[u32],
) -> Result<(), Errno> {
    let (directory, root) = (program.directory.to_word(), program.root.to_word());
    let AlternateStack { address, bytes } = thread.alternate_stack;
    let (pid, umask, dumpable) = (program.pid.into(), program.umask.into(), program.dumpable.into());
    writer.words([pid, directory, root, umask, dumpable, thread.blocked, address, bytes])?;
    program.credentials.put(writer)?;
    writer.words([program.terminal.to_word()])?;
    writer.put(&thread.name)?;
    let ProgramOrigin { ino, directory, path, strings: [arguments, environment, behind] } = program.origin;
    writer.words([ino.into(), directory.into(), path, arguments, environment, behind])?;
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

/// Reads what is to be `pid` into `program` and its only `thread`; the pages that have its descriptors.
pub fn get_program(
    reader: &mut ImageReader,
    pid: u32,
    (program, thread): (&mut ProgramState, &mut ThreadState),
) -> Result<FilePages, Errno> {
    let [parent, directory, root, umask, dumpable, blocked, address, bytes] = reader.words()?;
    program.renew(pid, parent as u32);
    (program.directory, program.root) = (FileId::from_word(directory), FileId::from_word(root));
    (program.umask, program.dumpable) = (umask as u16, dumpable != 0);
    *thread = ThreadState { blocked, alternate_stack: AlternateStack { address, bytes }, ..ThreadState::new(pid) };
    program.credentials.take(reader)?;
    program.terminal = super::OwnTerminal::from_word(reader.word()?);
    thread.name = reader.take()?;
    let [ino, directory, path, strings @ ..]: [u64; 6] = reader.words()?;
    program.origin = ProgramOrigin { ino: ino as u32, directory: directory as u32, path, strings };
    let (soft, hard): ([u64; LIMITS], [u64; LIMITS]) = (reader.sparse(u64::MAX)?, reader.sparse(u64::MAX)?);
    program.limits.0 = core::array::from_fn(|which| ResourceLimit { soft: soft[which], hard: hard[which] });
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
fn put_actions(writer: &mut ImageWriter, actions: &SignalActions) -> Result<(), Errno> {
    for signal in actions.given() {
        writer.put(&[signal])?;
        writer.put(&actions.get(signal).to_bytes())?;
    }
    writer.put(&[0])
}

fn get_actions(reader: &mut ImageReader, actions: &mut SignalActions) -> Result<(), Errno> {
    for _ in 0..=SIGNALS {
        match reader.take::<1>()? {
            [0] => return Ok(()),
            [signal] if signal <= SIGNALS => actions.set(signal, SignalAction::from_bytes(&reader.take()?)),
            _ => break,
        }
    }
    Err(Errno::EINVAL)
}

/// Bytes of a descriptor, at most.
const DESCRIPTOR_BYTES_MAX: usize = OBJECT_BYTES_MAX + 15;

/// Writes the descriptors from number `from` on; where to go on, if there is no room for all.
pub fn put_files(writer: &mut ImageWriter, files: &DescriptorTable, from: usize) -> Result<Option<usize>, Errno> {
    let mut rest = None;
    for (number, descriptor) in files.iter_from(from) {
        if writer.rest().len() < DESCRIPTOR_BYTES_MAX + END.len() {
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
    writer.put(&END)?;
    Ok(rest)
}

/// Reads descriptors up to the end.
pub fn get_files(reader: &mut ImageReader, files: &mut DescriptorTable) -> Result<(), Errno> {
    for _ in 0..=DESCRIPTORS_MAX {
        let Some(object) = get_object(reader)? else { return Ok(()) };
        let (number, first) = (u16::from_le_bytes(reader.take()?), u16::from_le_bytes(reader.take()?));
        let mode = u16::from_le_bytes(reader.take()?);
        let [close_on_exec] = reader.take()?;
        let descriptor = FileDescriptor {
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
