//! The process of one user-process slot: its state, its servers, and the memory of its program.
//!
//! Owns: [`User`]. Invariant: only this process touches the program's registers, memory and descriptors; the table of
//! its board (`procs`) has the facts that others need. The address space checks each pointer of the program.
//! Called by: the system calls, which are methods of [`User`] in the folders beside. Not here: the loop
//! (`dispatch/slot_loop.rs`).

use crate::user::servers::services::Services;
use crate::user::state::{Object, ProgramState, SyscallEscape, ThreadGroup, ThreadState, UserFacts};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_hal::power::Power;
use renga_memory::{Pager, Space};
use renga_proto::path::PATH_BYTES_MAX;
use renga_rt::user::{FpPlace, UserContext};
use renga_rt::{Errno, Me};

/// The processor's part in a program's floating-point state.
pub trait Processor {
    /// Puts that state into `context.fp`, to be read, changed or copied.
    fn flush(&self, context: &mut UserContext);
}

/// A processor whose floating-point registers no program uses, as on a host.
pub struct IntegerProcessor;

impl Processor for IntegerProcessor {
    fn flush(&self, context: &mut UserContext) {
        context.fp_place = FpPlace::Context;
    }
}

pub(crate) const INSTRUCTION_BYTES: u64 = 4;
/// Words of the set of unknown calls that were logged: numbers below 512.
pub(crate) const LOGGED_WORDS: usize = 8;
/// Room for paths: two with a zero byte between them. Boot provides it.
pub const PATHS_BYTES: usize = 2 * PATH_BYTES_MAX + 1;

/// As [`User::memory`]. Not a method: what it does not name can be used meanwhile.
macro_rules! memory {
    ($user:expr) => {{
        let Some(space) = &mut $user.program.space else { unreachable!("a program has a space while it runs") };
        (space, $crate::user::slot::pager($user.machine, &mut $user.services))
    }};
}
pub(crate) use memory;

/// Awaits what another thread of the program may have to do first: they have the program meanwhile. What is awaited
/// names nothing of the program.
macro_rules! leaving {
    ($user:expr, $wait:expr) => {{
        $user.leave_program();
        let waited = $wait.await;
        $user.enter_program().await;
        waited
    }};
}
pub(crate) use leaving;

/// The process of a slot.
pub(crate) struct User<M: UserMemory + 'static> {
    pub(crate) me: Me,
    pub(crate) services: Services,
    pub(crate) machine: &'static M,
    pub(crate) power: &'static dyn Power,
    pub(crate) processor: &'static dyn Processor,
    pub(crate) facts: UserFacts,
    pub(crate) context: &'static mut UserContext,
    /// The program that it runs, or has a thread of: of a program with threads, only while the others do without.
    pub(crate) program: &'static mut ProgramState,
    pub(crate) thread: ThreadState,
    /// The threads of the program, if it has more than one.
    pub(crate) group: Option<ThreadGroup>,
    /// The number of the program's space, by which it runs.
    pub(crate) space_number: u32,
    /// A signal may have come though no interruption reports it.
    pub(crate) check_signals: bool,
    /// The call that a signal interrupted and that is made again, unless a handler decides otherwise.
    pub(crate) interrupted_call: Option<SyscallEscape>,
    /// Pages that the present call has moved, or tried to.
    pub(crate) pages_moved: u32,
    /// Unknown calls that were logged.
    pub(crate) logged: [u64; LOGGED_WORDS],
    /// Paths on their way to a path lookup.
    pub(crate) paths: &'static mut [u8; PATHS_BYTES],
    /// Bytes that pass through.
    pub(crate) scratch: [u8; PAGE_BYTES],
}

impl<M: UserMemory> User<M> {
    /// Leaves the program to its other threads, until `enter_program`.
    #[inline]
    pub(crate) fn leave_program(&mut self) {
        if let Some(group) = self.group {
            self.facts.groups.leave((group, self.facts.slot), &mut self.program);
        }
    }

    /// Takes it up again.
    #[inline]
    pub(crate) async fn enter_program(&mut self) {
        if let Some(group) = self.group {
            self.facts.groups.enter(&mut self.me, (group, self.facts.slot), &mut self.program).await;
        }
    }

    /// `EBADF` if another thread has closed all descriptors of `object` since the call began.
    pub(crate) fn check_open(&self, object: Object) -> Result<(), Errno> {
        let open = self.group.is_none() || self.program.files.iter().any(|(_, file)| file.object == object);
        if open { Ok(()) } else { Err(Errno::EBADF) }
    }

    /// Argument `index` of the present system call.
    pub(crate) fn argument(&self, index: usize) -> u64 {
        self.context.x[index]
    }

    /// As `argument`, of C's 32-bit types, whose upper half programs leave undefined.
    pub(crate) fn int(&self, index: usize) -> u32 {
        self.context.x[index] as u32
    }

    /// The program's memory, and what it takes to use it.
    pub(crate) fn memory(&mut self) -> (&mut Space, Pager<'_, M>) {
        memory!(self)
    }

    /// Copies `bytes` to the program's memory.
    pub(crate) async fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        let (space, mut pager) = self.memory();
        pager.copy_out(space, address, bytes).await
    }

    /// As `put`, unless the address is 0.
    pub(crate) async fn put_unless_null(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        if address != 0 { self.put(address, bytes).await } else { Ok(()) }
    }

    /// Copies words to the program's memory.
    pub(crate) async fn put_words<const N: usize>(&mut self, address: u64, words: [u64; N]) -> Result<(), Errno> {
        let (space, mut pager) = self.memory();
        pager.copy_out(space, address, words.map(u64::to_le_bytes).as_flattened()).await
    }

    /// Copies from the program's memory.
    pub(crate) async fn get(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        let (space, mut pager) = self.memory();
        pager.copy_in(space, address, bytes).await
    }

    pub(crate) async fn get_int(&mut self, address: u64) -> Result<u32, Errno> {
        let mut bytes = [0; 4];
        self.get(address, &mut bytes).await?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub(crate) async fn get_word(&mut self, address: u64) -> Result<u64, Errno> {
        let (space, mut pager) = self.memory();
        pager.copy_in_word(space, address).await
    }
}

/// A pager of `services`' clients.
pub(crate) fn pager<'a, M: UserMemory>(machine: &'static M, services: &'a mut Services) -> Pager<'a, M> {
    let clients = &mut services.clients;
    Pager {
        machine,
        tables: services.facts.tables,
        memory: &mut clients.memory,
        counts: services.facts.counts,
        frame_cache: &mut services.frame_cache,
        pages: &mut clients.pages,
        prefetchers: &mut clients.prefetchers,
        references: &mut clients.references,
        inodes: &mut clients.inodes,
    }
}
