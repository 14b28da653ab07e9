//! The player: what the processor is on a board, this is for programs that are closures.
//!
//! Invariant: between two slices a program consists of its registers and memory, and of the future that its register
//! names. Only the system's changes to these (fork, exec, handlers, restarted calls) affect it. Not here: time beyond
//! the length of a slice.

use super::elf::{self, CALL, CodePlace, FORK, INSTRUCTION_BYTES, MEMORY, PROGRAMS_MAX, THINK};
use super::exchange::{Child, ProgramBody, ProgramCall, ProgramReply, ProgramRequest, ProgramRun, SimProgram, result};
use super::numbers::{EXIT, SIGRETURN};
use crate::system::image::FileContents;
use renga_abi::Errno;
use renga_core::Core;
use renga_core::remote_run_queue::RemoteTask;
use renga_hal::memory::{Frame, PAGE_BYTES, USER_END, UserMemory};
use renga_hal_host::HostMemory;
use renga_memory::layout::TRAMPOLINE;
use renga_rt::host::HostBoard;
use renga_rt::user::{AccessKind, Exit, Trap, UserContext};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use std::task::{Context, Waker};

/// The register that names the program's future, and that which names its child's until it begins.
const RUNNING: usize = 28;
const CHILD: usize = 27;
/// The register of a system call's number.
const NUMBER: usize = 8;
/// The time of a slice, ns, and of a byte that it moves, in 1/1024 ns.
const SLICE_NS: u64 = 2_000;
const BYTE_NS_1024: u64 = 256;
/// Requests of one slice without a trap: a program with more never calls the system.
const STEPS_MAX: u32 = 100_000;

/// A program under way.
struct RunningProgram {
    program: SimProgram,
    run: Option<ProgramRun>,
    handlers: BTreeMap<u8, ProgramBody>,
    memory: Option<ProgramRequest>,
    /// 0; more of a handler.
    depth: u64,
}

#[derive(Default)]
struct ProgramTable {
    programs: Vec<(String, ProgramBody)>,
    running: BTreeMap<u64, RunningProgram>,
    children: BTreeMap<u64, Child>,
    /// By board and slot: the futures of the program there.
    owned: BTreeMap<(u8, u64), Vec<u64>>,
    next: u64,
    /// Slices until now.
    slices: usize,
}

impl ProgramTable {
    /// The core at which the search for the next slice's program starts.
    fn next_core(&mut self) -> usize {
        self.slices += 1;
        self.slices
    }
}

/// All programs of a system, on whichever board. Clones are the same ones.
#[derive(Clone, Default)]
pub struct SimPrograms(Rc<RefCell<ProgramTable>>);

/// What a step of a program led to.
enum PlayedStep {
    /// It goes on.
    On,
    /// It cannot go on by itself.
    Trap(Trap),
}

impl SimPrograms {
    /// Adds the program whose file is at `path`.
    ///
    /// # Panics
    /// If there are too many.
    pub fn add<F: Future<Output = u8> + 'static>(&self, path: &str, body: impl Fn(SimProgram) -> F + 'static) {
        let mut table = self.0.borrow_mut();
        assert!((table.programs.len() as u64) < PROGRAMS_MAX, "more programs than there are entries");
        table.programs.push((path.into(), Rc::new(move |program| Box::pin(body(program)))));
    }

    /// Their files.
    pub fn files(&self) -> FileContents {
        let table = self.0.borrow();
        table.programs.iter().enumerate().map(|(number, (path, _))| (path.clone(), elf::file(number))).collect()
    }

    /// Runs a slice of the next user program of board `number`, on whichever of its `cores`; returns its length, ns.
    pub fn run_slice(&self, number: u8, cores: &[HostBoard], memory: &HostMemory) -> u64 {
        let first = self.0.borrow_mut().next_core();
        let in_turn = || (0..cores.len()).map(|at| cores[(first + at) % cores.len()]);
        let remote_task = in_turn().find_map(|board| Some((board.core, board.core.remote_task()?)));
        match (remote_task, in_turn().find(|board| board.core.has_users())) {
            // Programs at home run alternately with remote ones.
            (Some((core, remote_task)), home) if home.is_none() || first.is_multiple_of(2) => {
                self.visit(number, core, remote_task, memory)
            }
            (_, Some(home)) => self.home_slice(number, home, memory),
            _ => SLICE_NS,
        }
    }

    fn home_slice(&self, number: u8, board: HostBoard, memory: &HostMemory) -> u64 {
        let Some(mut slice) = board.core.next_user() else { return SLICE_NS };
        if slice.wait_cancelled() {
            slice.end(Trap::Preempted);
            return SLICE_NS;
        }
        let space = Frame(slice.space());
        let (taken_ns, trap) = self.run(number, SimSpace { memory, space }, slice.context());
        slice.charge(taken_ns);
        slice.end(trap);
        taken_ns
    }

    /// The slice of a program on another core than its process's.
    fn visit(&self, number: u8, core: &'static Core, mut remote_task: RemoteTask, memory: &HostMemory) -> u64 {
        let space = Frame(remote_task.space() as u32);
        let (taken_ns, trap) = self.run(number, SimSpace { memory, space }, remote_task.context());
        remote_task.ran(core, taken_ns, Exit::Trap(trap));
        taken_ns
    }

    /// Runs a program until its trap; how long it took, ns.
    fn run(&self, board: u8, memory: SimSpace<'_>, context: &mut UserContext) -> (u64, Trap) {
        let mut player = ProgramPlayer { table: &self.0, board, memory, moved_bytes: 0 };
        for _ in 0..STEPS_MAX {
            if let PlayedStep::Trap(trap) = player.step(context) {
                return (SLICE_NS + player.moved_bytes * BYTE_NS_1024 / 1024, trap);
            }
        }
        panic!("a program on board {board} thinks for ever");
    }
}

struct ProgramPlayer<'a> {
    table: &'a RefCell<ProgramTable>,
    board: u8,
    memory: SimSpace<'a>,
    moved_bytes: u64,
}

impl ProgramPlayer<'_> {
    fn step(&mut self, context: &mut UserContext) -> PlayedStep {
        if let Err(trap) = self.memory.frame(context.pc, AccessKind::Execute) {
            return PlayedStep::Trap(trap);
        }
        match elf::place(context.pc) {
            CodePlace::Entry(number) => self.enter(context, number),
            CodePlace::Handler(signal) => return self.handle(context, signal),
            CodePlace::Call | CodePlace::Fork => {
                context.pc += INSTRUCTION_BYTES;
                return PlayedStep::Trap(Trap::Syscall);
            }
            CodePlace::Called => self.answer(context, ProgramReply::Result(context.x[0])),
            CodePlace::Forked if context.x[0] == 0 => self.begin_child(context),
            CodePlace::Forked => {
                // Of a board that does not answer any more it is unknown whether it has created the child.
                if result(context.x[0]).is_err_and(|errno| errno != Errno::EHOSTDOWN) {
                    self.table.borrow_mut().children.remove(&context.x[CHILD]);
                }
                self.answer(context, ProgramReply::Result(context.x[0]));
            }
            CodePlace::Memory => return self.use_memory(context),
            CodePlace::Think => return self.think(context),
            CodePlace::Nowhere => return PlayedStep::Trap(Trap::Undefined),
        }
        PlayedStep::On
    }

    /// Starts `run` as what the registers are now doing.
    fn start(&mut self, context: &mut UserContext, program: SimProgram, run: ProgramRun, old: Option<(u64, bool)>) {
        let mut table = self.table.borrow_mut();
        table.next += 1;
        let token = table.next;
        let handlers = old.and_then(|(old, _)| table.running.get(&old)).map(|old| old.handlers.clone());
        let owned = table.owned.entry((self.board, context.slot)).or_default();
        let over = if old.is_some_and(|(_, interrupted)| interrupted) { Vec::new() } else { std::mem::take(owned) };
        let depth = owned.len() as u64;
        owned.push(token);
        for old in over {
            table.running.remove(&old);
        }
        let handlers = handlers.unwrap_or_default();
        table.running.insert(token, RunningProgram { program, run: Some(run), handlers, memory: None, depth });
        context.x[RUNNING] = token;
        context.pc = THINK;
    }

    fn enter(&mut self, context: &mut UserContext, number: usize) {
        let body = self.table.borrow().programs.get(number).map(|(_, body)| body.clone());
        let Some(body) = body else { panic!("there is no program {number}") };
        let program = SimProgram::new(0, context.sp);
        let run = body(program.clone());
        self.start(context, program, run, None);
    }

    fn begin_child(&mut self, context: &mut UserContext) {
        let parent = context.x[RUNNING];
        let (child, program) = {
            let mut table = self.table.borrow_mut();
            let child = table.children.remove(&context.x[CHILD]);
            // The parent may be gone already; the memory is the child's own.
            (child, SimProgram::new(0, context.sp))
        };
        let Some(child) = child else { panic!("a child begins twice") };
        let run = child(program.clone());
        self.start(context, program, run, Some((parent, false)));
    }

    fn handle(&mut self, context: &mut UserContext, signal: u8) -> PlayedStep {
        let interrupted = context.x[RUNNING];
        let (body, depth) = match self.table.borrow().running.get(&interrupted) {
            Some(running) => (running.handlers.get(&signal).cloned(), running.depth + 1),
            None => (None, 0),
        };
        let Some(body) = body else { return PlayedStep::Trap(Trap::Undefined) };
        let program = SimProgram::new(depth, context.sp);
        let run = body(program.clone());
        self.start(context, program, run, Some((interrupted, true)));
        PlayedStep::On
    }

    fn answer(&mut self, context: &mut UserContext, answer: ProgramReply) {
        let table = self.table.borrow();
        let Some(running) = table.running.get(&context.x[RUNNING]) else { panic!("a program without a future") };
        *running.program.exchange.answer.borrow_mut() = Some(answer);
        context.pc = THINK;
    }

    fn use_memory(&mut self, context: &mut UserContext) -> PlayedStep {
        let request = {
            let mut table = self.table.borrow_mut();
            table.running.get_mut(&context.x[RUNNING]).and_then(|running| running.memory.take())
        };
        let done = match &request {
            Some(ProgramRequest::Load(address, bytes)) => self.memory.load(*address, *bytes).map(ProgramReply::Bytes),
            Some(ProgramRequest::Store(address, bytes)) => {
                self.memory.store(*address, bytes).map(|()| ProgramReply::Done)
            }
            _ => panic!("a program wants nothing of its memory"),
        };
        match done {
            Ok(answer) => {
                self.moved_bytes += match request {
                    Some(ProgramRequest::Load(_, bytes)) => bytes as u64,
                    Some(ProgramRequest::Store(_, bytes)) => bytes.len() as u64,
                    _ => 0,
                };
                self.answer(context, answer);
                PlayedStep::On
            }
            Err(trap) => {
                if let Some(running) = self.table.borrow_mut().running.get_mut(&context.x[RUNNING]) {
                    running.memory = request;
                }
                PlayedStep::Trap(trap)
            }
        }
    }

    fn think(&mut self, context: &mut UserContext) -> PlayedStep {
        let token = context.x[RUNNING];
        let (mut run, program) = {
            let mut table = self.table.borrow_mut();
            let running = table.running.get_mut(&token);
            match running.and_then(|running| Some((running.run.take()?, running.program.clone()))) {
                Some(both) => both,
                None => panic!("a program without a future"),
            }
        };
        let polled = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let std::task::Poll::Ready(status) = polled {
            return self.end(context, status);
        }
        let mut table = self.table.borrow_mut();
        let Some(running) = table.running.get_mut(&token) else { unreachable!("looked up above") };
        running.run = Some(run);
        match program.exchange.request.take() {
            Some(ProgramRequest::Call(call)) => put_call(context, call, CALL),
            Some(ProgramRequest::Fork(call, child)) => {
                table.next += 1;
                let number = table.next;
                table.children.insert(number, child);
                context.x[CHILD] = number;
                put_call(context, call, FORK);
            }
            Some(ProgramRequest::Handle(signal, body)) => {
                running.handlers.insert(signal, body);
                *program.exchange.answer.borrow_mut() = Some(ProgramReply::Done);
            }
            Some(ProgramRequest::Jump(address)) => context.pc = address,
            memory @ Some(ProgramRequest::Load(..) | ProgramRequest::Store(..)) => {
                running.memory = memory;
                context.pc = MEMORY;
            }
            None => panic!("a program waits for something that is not of this system"),
        }
        PlayedStep::On
    }

    /// A program exits; a handler returns.
    fn end(&mut self, context: &mut UserContext, status: u8) -> PlayedStep {
        let mut table = self.table.borrow_mut();
        let token = context.x[RUNNING];
        let handler = table.running.remove(&token).is_some_and(|running| running.depth > 0);
        if let Some(owned) = table.owned.get_mut(&(self.board, context.slot)) {
            owned.retain(|owned| *owned != token);
        }
        if handler {
            put_call(context, (SIGRETURN, [0; 6]), TRAMPOLINE);
        } else {
            put_call(context, (EXIT, [u64::from(status), 0, 0, 0, 0, 0]), CALL);
        }
        context.pc += INSTRUCTION_BYTES;
        PlayedStep::Trap(Trap::Syscall)
    }
}

fn put_call(context: &mut UserContext, (number, arguments): ProgramCall, pc: u64) {
    context.x[..arguments.len()].copy_from_slice(&arguments);
    context.x[NUMBER] = number;
    context.pc = pc;
}

/// An address space as its program sees it.
struct SimSpace<'a> {
    memory: &'a HostMemory,
    space: Frame,
}

impl SimSpace<'_> {
    fn frame(&self, address: u64, kind: AccessKind) -> Result<Frame, Trap> {
        let fault = |present| Trap::PageFault { address, kind, present };
        if address >= USER_END {
            return Err(fault(false));
        }
        let (frame, access) = self.memory.lookup(self.space, address).ok_or(fault(false))?;
        let allowed = match kind {
            AccessKind::Read => access.readable(),
            AccessKind::Write => access.writable(),
            AccessKind::Execute => access.executable(),
        };
        if allowed { Ok(frame) } else { Err(fault(true)) }
    }

    fn load(&self, address: u64, count: usize) -> Result<Vec<u8>, Trap> {
        let mut bytes = Vec::with_capacity(count);
        while bytes.len() < count {
            let at = address.wrapping_add(bytes.len() as u64);
            let page = self.memory.shared_page(self.frame(at, AccessKind::Read)?);
            let from = at as usize % PAGE_BYTES;
            let part = (count - bytes.len()).min(PAGE_BYTES - from);
            bytes.extend_from_slice(&page[from..from + part]);
        }
        Ok(bytes)
    }

    /// From the start again after a fault: what is written twice is the same.
    fn store(&self, address: u64, bytes: &[u8]) -> Result<(), Trap> {
        let mut done = 0;
        while done < bytes.len() {
            let at = address.wrapping_add(done as u64);
            let mut page = self.memory.page(self.frame(at, AccessKind::Write)?);
            let from = at as usize % PAGE_BYTES;
            let part = (bytes.len() - done).min(PAGE_BYTES - from);
            page[from..from + part].copy_from_slice(&bytes[done..done + part]);
            done += part;
        }
        Ok(())
    }
}
