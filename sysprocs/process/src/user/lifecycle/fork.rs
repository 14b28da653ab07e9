//! Making processes: fork on this board, and onto another one.
//!
//! Invariant: until the new process has its descriptor, everything done for it can be undone, and is if
//! a later step fails; afterwards the references, the space and the pages are its own.

use crate::probes::{self, program_operands};
use crate::user::servers::object_calls::is_loss;
use crate::user::slot::{User, pager};
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::process_image::{FilePages, get_program, get_registers, put_program, put_registers};
use crate::user::state::{ProgramState, SyscallEscape, SyscallResult, ThreadState, restartable_as};
use core::ops::Range;
use renga_hal::memory::UserMemory;
use renga_memory::{Space, SpaceCopy};
use renga_proto::procs::{AddChild, BeginFork, PassOn, Rename, Schedule, Spawn, board_of};
use renga_proto::references::NoteProgram;
use renga_rt::pace::Pace;
use renga_rt::policy::Policy;
use renga_rt::user::UserContext;
use renga_rt::{Errno, apart};

/// How the address space travels; the first byte of what describes the child.
const SPACE_HERE: u8 = 0;
const SPACE_FROM_ELSEWHERE: u8 = 1;
/// It does not: the new one is a thread.
pub(super) const SPACE_OF_THREAD: u8 = 2;

/// What the new process does before it runs.
#[derive(Clone, Copy, Default)]
pub(super) struct Wishes {
    /// Where to write its pid; 0: nowhere.
    pub(super) set_tid: u64,
    /// Where to write 0 when it ends; 0: nowhere.
    pub(super) clear_tid: u64,
    /// Its stack pointer; 0: the parent's.
    pub(super) sp: u64,
    pub(super) tpidr: u64,
    /// How it shares the core: as its parent, in a word.
    pub(super) schedule: u64,
    /// Its signals have no handlers.
    pub(super) clears_handlers: bool,
}

impl Wishes {
    /// Does something with `context` while it is the child's, for which a system call returns 0.
    pub(super) fn with_registers<T>(
        self,
        context: &mut UserContext,
        put: impl FnOnce(&UserContext) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        let (result, sp, tpidr) = (context.x[0], context.sp, context.tpidr);
        context.x[0] = 0;
        context.sp = if self.sp != 0 { self.sp } else { sp };
        context.tpidr = self.tpidr;
        let put = put(context);
        (context.x[0], context.sp, context.tpidr) = (result, sp, tpidr);
        put
    }
}

/// How its address space travels.
#[derive(Clone, Copy)]
enum SpaceWay<'a> {
    /// As a copy on this board.
    Here(&'a SpaceCopy),
    /// In pages that are stored on the other board, whose first list is in this frame there.
    There { first_list: u32 },
}

impl<M: UserMemory> User<M> {
    /// A process on this board, in a copy of the space or, if it `borrows`, in the space itself.
    pub(super) async fn fork_here(&mut self, wishes: Wishes, borrows: bool) -> Result<u32, Errno> {
        let (space, mut pager) = self.memory();
        let copy = if borrows { pager.lend(space)? } else { pager.fork(space).await? };
        let refused = match self.add_references(false).await {
            Ok(()) => {
                let made = self.spawn_on(self.services.board, wishes, SpaceWay::Here(&copy), (0, 0)).await;
                let Err(errno) = made else { return made };
                self.release_objects(usize::MAX).await;
                errno
            }
            Err(errno) => errno,
        };
        let (space, mut pager) = self.memory();
        pager.discard_copy(space, copy).await;
        Err(refused)
    }

    /// The process, on board `target`: with its space `way`, and of that group and session (0: the parent's).
    async fn spawn_on(
        &mut self,
        target: u8,
        wishes: Wishes,
        way: SpaceWay<'_>,
        (group, session): (u32, u32),
    ) -> Result<u32, Errno> {
        let pages = self.store_files(target).await?;
        let spawned = match self.describe_child((wishes, &pages), way) {
            Ok(bytes) => {
                let (parent, blocked) = (self.program.pid, self.thread.blocked);
                let (most, ignored) = (self.program.limits.processes(), self.ignored());
                let spawn = Spawn { parent, group, session, blocked, most, ignored };
                match self.services.clients.all_procs.at(target, 0) {
                    Some(mut procs) => procs.call(spawn, &self.scratch[..bytes]).await,
                    None => Err(Errno::EINVAL),
                }
            }
            Err(errno) => Err(errno),
        };
        if spawned.is_err_and(|errno| !is_loss(errno)) {
            self.discard_files(target, &pages).await;
        }
        spawned
    }

    /// Writes the descriptor of a child to the scratch page; its bytes.
    fn describe_child(&mut self, (wishes, pages): (Wishes, &FilePages), way: SpaceWay<'_>) -> Result<usize, Errno> {
        let Some(space) = &self.program.space else { unreachable!("a program has a space while it runs") };
        self.processor.flush(self.context);
        let mut writer = ImageWriter::new(&mut self.scratch);
        writer.put(&[match way {
            SpaceWay::Here(_) => SPACE_HERE,
            SpaceWay::There { .. } => SPACE_FROM_ELSEWHERE,
        }])?;
        put_state(&mut writer, self.context, (&*self.program, &self.thread), (wishes, pages))?;
        let space_bytes = match way {
            SpaceWay::Here(copy) => space.encode_copy(copy, writer.rest())?,
            SpaceWay::There { first_list } => {
                writer.word(u64::from(first_list))?;
                space.encode_areas(writer.rest())?
            }
        };
        Ok(writer.bytes() + space_bytes)
    }

    /// Adds a reference of this board to each object of a descriptor; to all of them or none. An object of a failed
    /// board is lost, which does not fail the fork. The same goes for any refused reference of a program that comes
    /// `from_elsewhere`: there its own references keep the objects alive until `TakenUp`.
    async fn add_references(&mut self, from_elsewhere: bool) -> Result<(), Errno> {
        let mut from = 0;
        // Bounded by the descriptors.
        while let Some((number, object)) = self.program.files.next_object(from) {
            match self.services.add_reference(object).await {
                Ok(()) => {}
                Err(errno) if from_elsewhere || is_loss(errno) => self.program.files.lose(object),
                Err(errno) => {
                    self.release_objects(number).await;
                    return Err(errno);
                }
            }
            from = number + 1;
        }
        Ok(())
    }

    /// Takes back what `add_references` added for descriptors below `end`.
    async fn release_objects(&mut self, end: usize) {
        let mut from = 0;
        // Bounded by the descriptors.
        while let Some((number, object)) = self.program.files.next_object(from).filter(|&(number, _)| number < end) {
            let _ = self.services.release(Some(object)).await; // the program still has its own reference
            from = number + 1;
        }
    }

    /// How this program is scheduled, and its children will be.
    pub(super) fn schedule(&self) -> Schedule {
        let policy = self.me.policy_of(self.me.account());
        Schedule { policy, cores: self.me.cores(), all_cores: self.me.program_cores() }
    }

    /// Begins to share the board's cores as its maker does, which is of this board or not.
    pub(super) fn begin_schedule(&mut self, policy: Policy, cores: u8, is_here: bool) {
        self.me.begin_account(policy, is_here);
        if cores & self.me.program_cores() != 0 {
            self.me.set_cores(cores); // on a board without any of them it may use all
        }
        self.check_signals |= policy.pace != Pace::Free; // before it runs
    }

    /// System call 1000: as fork, but the child is on another board.
    pub(crate) async fn fork_to_board(&mut self) -> SyscallResult {
        let target = u8::try_from(self.int(0)).map_err(|_| Errno::EINVAL)?;
        if target >= self.services.clients.all_procs.boards() {
            return Err(Errno::EINVAL.into());
        }
        let wishes = Wishes { tpidr: self.context.tpidr, schedule: self.schedule().to_word(), ..Wishes::default() };
        let child = match target == self.services.board {
            true => self.fork_here(wishes, false).await,
            false => self.send_to(target, wishes).await,
        };
        Ok(restartable_as(SyscallEscape::RestartAlways, child)?.into())
    }

    async fn send_to(&mut self, target: u8, wishes: Wishes) -> Result<u32, Errno> {
        let mut there = self.services.clients.all_memory.at(target, 0).ok_or(Errno::EINVAL)?;
        let (space, mut pager) = self.memory();
        let export = pager.export_pages(space, &mut there).await?;
        let sent = self.send_descriptor(target, wishes, export.first_list()).await;
        let (_, mut pager) = self.memory();
        match sent {
            Err(errno) if !is_loss(errno) => export.cancel(&mut pager, &mut there).await,
            // What was stored there is the child's, or gone with the board.
            _ => export.finish(&mut pager).await,
        }
        sent
    }

    /// Makes the child from a record that is kept for it, or gives that back.
    async fn send_descriptor(&mut self, target: u8, wishes: Wishes, first_list: u32) -> Result<u32, Errno> {
        let (pid, blocked) = (self.program.pid, self.thread.blocked);
        let relations = self.services.clients.procs.call(BeginFork { pid, blocked }, ()).await?;
        let kin = (relations.group, relations.session);
        let spawned = self.spawn_on(target, wishes, SpaceWay::There { first_list }, kin).await;
        let Ok(child) = spawned else {
            let none = AddChild { parent: pid, child: 0, group: 0, deaths: 0 };
            let _ = self.services.clients.procs.call(none, ()).await; // it knows this program
            return spawned;
        };
        let record = AddChild { parent: pid, child, group: relations.group, deaths: relations.further.deaths };
        match self.services.clients.procs.call(record, ()).await {
            Ok(0) => {}
            // The child gets what this program's group got while it was made.
            Ok(signals) => {
                if let Some(mut procs) = self.services.clients.all_procs.at(target, 0) {
                    let _ = procs.call(PassOn { pid: child, signals }, ()).await; // a dead board has no child either
                }
            }
            // The child runs; only waiting for it is lost.
            Err(errno) => self.me.log("a child elsewhere has no record here", [u64::from(child), u64::from(errno.0)]),
        }
        Ok(child)
    }

    /// Takes descriptors and memory that board `from` has stored here; `rest` of the scratch page describes the memory.
    async fn take_from(&mut self, from: u8, pages: &FilePages, rest: Range<usize>) -> Result<(), Errno> {
        let first_list = ImageReader::new(&self.scratch[rest.clone()]).word()? as u32;
        let taken = self.take_files(pages).await;
        let added = self.add_references(true).await; // also of some only: all that are here are let go at the end
        let mut pager = pager(self.machine, &mut self.services);
        let described = &self.scratch[rest.start + size_of::<u64>()..rest.end];
        let space = match taken.and(added) {
            Ok(()) => pager.decode_areas(described).await,
            Err(errno) => Err(errno),
        };
        match space {
            Ok(space) => pager.import_pages(self.program.space.insert(space), from, first_list).await,
            Err(errno) => {
                pager.discard_pages(from, first_list).await;
                Err(errno)
            }
        }
    }

    /// Becomes the program that the first `bytes` of the scratch page describe, which a process of board `maker` has
    /// written. `EINVAL` if that is another board and says what only this one can.
    pub(crate) async fn take_up(&mut self, pid: u32, bytes: usize, maker: u8) -> Result<(), Errno> {
        let mut reader = ImageReader::new(&self.scratch[..bytes]);
        let [way] = reader.take()?;
        if way == SPACE_OF_THREAD {
            // Who makes one is of this board, or its table would have refused.
            return apart!(self.take_up_thread(pid, bytes));
        }
        get_registers(&mut reader, self.facts.slot, self.context)?;
        let pages = get_program(&mut reader, pid, (&mut *self.program, &mut self.thread))?;
        let [set_tid, clear_tid, schedule, clears_handlers] = reader.words()?;
        if clears_handlers != 0 {
            self.program.actions.reset_handlers();
        }
        self.thread.clear_child_tid = clear_tid;
        let at = bytes - reader.rest().len();
        let Schedule { policy, cores, .. } = Schedule::from_word(schedule).ok_or(Errno::EINVAL)?;
        self.begin_schedule(policy, cores, maker == self.services.board);
        self.me.probe(probes::Program, program_operands(pid, &self.thread.name));
        let from = board_of(self.program.parent, self.services.file_board);
        if from != maker || (way == SPACE_HERE) != (maker == self.services.board) {
            return Err(Errno::EINVAL);
        }
        if way == SPACE_HERE {
            // First: from now on it is this program's to give back, whatever fails.
            self.program.space = Some(Space::decode_local(self.facts.tables, &self.scratch[at..bytes])?);
            self.take_files(&pages).await?;
        } else {
            self.take_from(from, &pages, at..bytes).await?;
            // Known there: here it is only mapped so far.
            let _ = self.services.clients.references.call(NoteProgram { ino: self.program.origin.ino }, ()).await;
        }
        if set_tid != 0 {
            // As on Linux, a bad address is not worth a signal.
            let _ = self.put(set_tid, &pid.to_le_bytes()).await;
        }
        self.publish_info();
        // That is known from who made it (`Spawn`).
        self.thread.reported_ignored = self.ignored();
        if way == SPACE_HERE {
            self.thread.reported_children = self.program.actions.children();
            self.thread.reported_queued = self.program.limits.signals();
            self.thread.reported_users = self.program.credentials.users;
        }
        self.report_ignored(0).await;
        if from != self.services.board {
            self.services.clients.procs.call(Rename { pid, executes: false }, &self.thread.name[..]).await?;
        }
        Ok(())
    }
}

/// Writes registers, state and wishes of a child.
fn put_state(
    writer: &mut ImageWriter,
    context: &mut UserContext,
    state: (&ProgramState, &ThreadState),
    (wishes, pages): (Wishes, &[u32]),
) -> Result<(), Errno> {
    wishes.with_registers(context, |context| put_registers(writer, context))?;
    put_program(writer, state, pages)?;
    writer.words([wishes.set_tid, wishes.clear_tid, wishes.schedule, wishes.clears_handlers.into()])
}
