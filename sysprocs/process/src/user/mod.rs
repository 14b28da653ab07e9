//! The process of one user-process slot: it runs a program and carries out its system calls.
//!
//! Invariant: the program's registers, memory and descriptors are touched by this process only; what
//! others know of it is in the table of its board (`procs`). Every pointer from the program is checked
//! by its address space. A failed system call is an errno, a failed program a signal; neither is a
//! fault of the board.
//!
//! A program moves as a *descriptor* (`process_image.rs`): fork makes one and a free slot of this or
//! another board takes it up.

mod call;
mod escape;
mod facts;
mod files;
mod governed;
mod lifecycle;
mod mapping;
mod names;
#[cfg(feature = "host")]
pub mod notes;
mod process;
mod program;
mod rights;
mod services;
mod signals;
#[cfg(test)]
mod tests;

pub use call::IMPLEMENTED;
pub use files::descriptors::{DESCRIPTORS_MAX, DescriptorPlace};
pub use lifecycle::slot_loop::user;
pub use services::UserClients;

use escape::Escape;
use program::Program;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_hal::power::Power;
use renga_memory::{FrameCounts, Pager, Space, SpaceTables};
use renga_proto::path::PATH_BYTES_MAX;
use renga_proto::sessions::Sessions;
use renga_rt::proc_info::ProcInfo;
use renga_rt::user::UserContext;
use renga_rt::{Errno, Me};
use services::Services;

/// What a slot is told at boot.
#[derive(Clone, Copy)]
pub struct UserFacts {
    /// Its number on its board.
    pub slot: u16,
    /// The path of the program that it starts with, as init; empty: it waits for work.
    pub boot_program: &'static str,
    /// Starts the random numbers of its programs.
    pub seed: u64,
    /// Shows its programs to others.
    pub info: &'static ProcInfo,
    /// Its board's tables of areas.
    pub tables: &'static SpaceTables,
    /// How many references its board's page frames have.
    pub counts: &'static FrameCounts,
    /// Which session with each board it is.
    pub sessions: &'static Sessions,
}

/// The processor's part in a program's floating-point state.
pub trait Processor {
    /// Puts that state into `context.fp`, to be read, changed or copied.
    fn flush(&self, context: &mut UserContext);
}

/// Bytes of an instruction.
const INSTRUCTION_BYTES: u64 = 4;
/// Words of the set of unknown calls that were logged: numbers below 512.
const LOGGED_WORDS: usize = 8;
/// Room for paths: two with a zero byte between them. Boot provides it.
pub const PATHS_BYTES: usize = 2 * PATH_BYTES_MAX + 1;

/// The process of a slot.
pub(crate) struct User<M: UserMemory + ?Sized + 'static> {
    me: Me,
    services: Services,
    machine: &'static M,
    power: &'static dyn Power,
    processor: &'static dyn Processor,
    facts: UserFacts,
    context: &'static mut UserContext,
    space: Option<Space>,
    program: Program,
    /// Something may have come for the program though nobody interrupted it.
    look_at_signals: bool,
    /// The call that a signal interrupted and that is made again, unless a handler decides otherwise.
    interrupted_call: Option<Escape>,
    /// Pages that the present call has moved, or tried to.
    pages_moved: u32,
    /// Unknown calls that were logged.
    logged: [u64; LOGGED_WORDS],
    /// Paths on their way to a path lookup.
    paths: &'static mut [u8; PATHS_BYTES],
    /// Bytes that pass through.
    scratch: [u8; PAGE_BYTES],
}

impl<M: UserMemory + ?Sized> User<M> {
    /// Argument `index` of the present system call.
    fn argument(&self, index: usize) -> u64 {
        self.context.x[index]
    }

    /// As `argument`, of C's 32-bit types, whose upper half programs leave undefined.
    fn int(&self, index: usize) -> u32 {
        self.context.x[index] as u32
    }

    /// The program's memory, and what it takes to use it.
    fn memory(&mut self) -> (&mut Space, Pager<'_, M>) {
        let Some(space) = &mut self.space else { unreachable!("a program has a space while it runs") };
        (space, pager(self.machine, &mut self.services))
    }

    /// Copies `bytes` to the program's memory.
    async fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        let (space, mut pager) = self.memory();
        space.copy_out(&mut pager, address, bytes).await
    }

    /// Copies from the program's memory.
    async fn get(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        let (space, mut pager) = self.memory();
        space.copy_in(&mut pager, address, bytes).await
    }

    /// The word at `address`.
    async fn get_word(&mut self, address: u64) -> Result<u64, Errno> {
        let (space, mut pager) = self.memory();
        space.copy_in_word(&mut pager, address).await
    }
}

/// A pager of `services`' clients.
fn pager<'a, M: UserMemory + ?Sized>(machine: &'static M, services: &'a mut Services) -> Pager<'a, M> {
    let clients = &mut services.clients;
    Pager {
        machine,
        tables: services.tables,
        memory: &mut clients.memory,
        counts: services.counts,
        stock: &mut services.stock,
        pages: &mut clients.pages,
        references: &mut clients.references,
        inodes: &mut clients.inodes,
    }
}
