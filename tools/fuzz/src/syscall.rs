//! A hostile program: whatever it puts into its registers and calls, its board goes on and another program
//! on it keeps what it has.
//!
//! The bytes are calls: a number, what the six arguments are, bytes for them; or bytes for the program's
//! memory. Files are the image's. Init is the victim: it lives on a page with known bytes, which nobody
//! may change; its child, and that one's children, are hostile.

use crate::fs::board::{self, Servers, one};
use crate::fs::image::Medium512;
use renga_hal::host::HostMemory;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_hal::power::Power;
use renga_hal::uart::Uart;
use renga_memory::TextEntry;
use renga_process::host::Flushed;
use renga_process::user::IMPLEMENTED;
use renga_process::{UserClients, UserFacts};
use renga_proto::pipe::PIPE_BYTES;
use renga_rt::host::Board;
use renga_rt::user::{AccessKind, Trap, UserContext};
use renga_rt::{Client, Family, Interruptor, Watch};
use std::cell::RefCell;

/// Boot memory of the board, 16-byte words.
const BOOT_WORDS: usize = 160 << 10;
const FRAMES: u32 = 128;
const CACHED: usize = 16;
const USERS: usize = 3;
const PIPES: usize = 2;
/// Most calls of an input.
const CALLS_MAX: usize = 32;
/// Turns and dispatches after which everything must be at rest.
const TURNS_MAX: u32 = 2_000;
/// The program: code, and a page of zeros behind its first page of data.
const CODE: u64 = 0x40_0000;
const DATA: u64 = 0x41_0000;
const DATA_BYTES: u64 = 3 * PAGE_BYTES as u64;
const CLONE: u64 = 220;
const EXIT: u64 = 94;
const SIGCHLD: u64 = 17;
/// What the victim has on its page.
const KNOWN: [u8; 64] = [0x5c; 64];

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
    static MEDIUM: &'static Medium512 = Box::leak(Box::default());
    static MACHINE: &'static HostMemory = Box::leak(Box::new(HostMemory::new(FRAMES)));
}

/// A line that nobody types on.
struct Silence;

impl Uart for Silence {
    fn try_write(&mut self, _: u8) -> bool {
        true
    }
    fn try_read(&mut self) -> Option<u8> {
        None
    }
    fn enable_receive_interrupt(&mut self, _: bool) {}
    fn enable_transmit_interrupt(&mut self, _: bool) {}
}

struct Switch;

impl Power for Switch {
    fn stop(&self, _: u8) {}
}

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let (medium, machine) = (MEDIUM.with(|medium| *medium), MACHINE.with(|machine| *machine));
    medium.reset();
    medium.patch(PROGRAM_BLOCK, 0, &program());
    medium.patch(MODE_PLACE.0, MODE_PLACE.1, &0o100_755u16.to_le_bytes());
    machine.reset();
    BOOT.with_borrow_mut(|memory| {
        Board::lent(0, memory, |board| {
            start(board, medium, machine);
            let mut attack = Attack { board, machine, rest: bytes, calls: 0, victim: None };
            attack.go();
            assert!(attack.victim.is_some(), "init was not started");
        });
    });
}

/// Block of the image with the beginning of `d/f`, which is the program.
const PROGRAM_BLOCK: usize = 9;
/// Where the mode of its inode, 13, is.
const MODE_PLACE: (usize, usize) = (4, 12 * 256);

/// An ELF file with one segment to execute and one to write.
fn program() -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([2, 0, 183, 0, 1, 0, 0, 0]);
    for word in [CODE + 0x200, 64, 0] {
        file.extend(u64::to_le_bytes(word));
    }
    file.extend([0; 4]);
    for half in [64u16, 56, 2, 64, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for (flags, address, file_bytes, memory_bytes) in [(5u32, CODE, 0x400, 0x400), (6, DATA, 0x400, DATA_BYTES)] {
        file.extend(1u32.to_le_bytes());
        file.extend(flags.to_le_bytes());
        for word in [0, address, address, file_bytes, memory_bytes, PAGE_BYTES as u64] {
            file.extend(u64::to_le_bytes(word));
        }
    }
    file
}

fn start(board: Board, medium: &'static Medium512, machine: &'static HostMemory) {
    let arena = board.arena;
    let files = board::processes(board, medium);
    let users: &'static [_] = arena.put_slice(USERS, |_| board.declare(2));
    let watch: &'static Watch = arena.put(|| Watch::new(None));
    let interruptors: &'static [Interruptor] = arena.put_slice(USERS, |slot| Interruptor::new(users[slot]));
    let procs = board.server(|me, port| renga_process::procs(me, port, interruptors, 0, 1, watch));
    let counts = arena.put_slice(FRAMES as usize, |_| 0u16);
    let memory = board.server(|me, port| renga_memory::memory(me, port, counts, machine));
    let entries = arena.put_slice(CACHED, |_| TextEntry::EMPTY);
    let text = board.server(|me, port| {
        let (memory, directory) = (Client::new(&me, memory), Client::new(&me, files.directory));
        renga_memory::text(me, port, memory, directory, entries)
    });
    let clock = board.server(|me, port| renga_clock::clock(me, port, 1_000_000_000));
    let pipe_table = board.server(|_, port| renga_pipe::pipe_table(port, PIPES));
    let pipes: &'static [_] = arena.put_slice(PIPES, |number| {
        let bytes = arena.put(|| [0; PIPE_BYTES]);
        board.server(|me, port| renga_pipe::pipe(port, Client::new(&me, pipe_table), bytes, number as u16, 1, watch))
    });
    let uart = arena.put(|| Silence);
    let console = board.server(|me, port| renga_console::console(me, port, uart));
    let power: &'static Switch = arena.put(|| Switch);
    let processor: &'static Flushed = arena.put(|| Flushed);
    for (slot, process) in users.iter().enumerate() {
        let boot_program = if slot == 0 { "/d/f" } else { "" };
        let facts = arena.put(|| UserFacts { slot: slot as u16, boot_program, seed: 42 });
        let context = arena.put(|| UserContext::new(slot as u16, 0, 0));
        let Servers { path, directory, inodes, table, files } = files;
        board.start(process, |me| {
            let clients = UserClients {
                procs: Client::new(&me, procs),
                all_procs: Family::new(&me, one(board, arena.put_slice(1, |_| procs))),
                memory: Client::new(&me, memory),
                all_memory: Family::new(&me, one(board, arena.put_slice(1, |_| memory))),
                text: Client::new(&me, text),
                inodes: Family::new(&me, inodes),
                inode_directory: Family::new(&me, one(board, arena.put_slice(1, |_| directory))),
                paths: Family::new(&me, one(board, arena.put_slice(1, |_| path))),
                files: Family::new(&me, files),
                file_table: Client::new(&me, table),
                pipes: Family::new(&me, one(board, pipes)),
                pipe_table: Client::new(&me, pipe_table),
                console: Family::new(&me, one(board, arena.put_slice(1, |_| console))),
                clock: Client::new(&me, clock),
                links: Family::new(&me, one(board, &[])),
            };
            renga_process::user(me, clients, machine, power, processor, context, facts)
        });
    }
}

struct Attack<'a> {
    board: Board,
    machine: &'static HostMemory,
    rest: &'a [u8],
    calls: usize,
    /// The victim's address space, once it has its page.
    victim: Option<Frame>,
}

impl Attack<'_> {
    /// Every program has its turns, the hostile ones with calls of the input, until it is used up; then they
    /// exit.
    fn go(&mut self) {
        for _ in 0..TURNS_MAX {
            while self.board.core.dispatch() {}
            if !self.turn() {
                let Some(at_ns) = self.board.core.next_alarm_ns() else { break };
                self.board.core.set_now_ns(at_ns.max(self.board.core.now_ns()));
                self.board.core.expire_alarms(self.board.core.now_ns());
            }
            self.check_victim();
        }
    }

    fn check_victim(&self) {
        let Some(space) = self.victim else { return };
        let Some((frame, _)) = self.machine.lookup(space, DATA) else { panic!("the victim's page is gone") };
        assert_eq!(self.machine.shared_page(frame)[..KNOWN.len()], KNOWN, "the victim's page was changed");
    }

    /// The next program's turn; false: none is ready.
    fn turn(&mut self) -> bool {
        let Some(mut turn) = self.board.core.next_user() else { return false };
        if turn.interrupted() {
            turn.end(Trap::Preempted);
            return true;
        }
        let space = Frame(turn.space());
        let first = self.victim.is_none();
        if first && self.machine.lookup(space, DATA).is_none_or(|(_, access)| !access.writable()) {
            turn.end(Trap::PageFault { address: DATA, kind: AccessKind::Write, present: false });
            return true;
        }
        if first {
            let Some((frame, _)) = self.machine.lookup(space, DATA) else { unreachable!("it is there") };
            self.machine.page(frame)[..KNOWN.len()].copy_from_slice(&KNOWN);
            self.victim = Some(space);
            call(turn.context(), CLONE, [SIGCHLD, 0, 0, 0, 0, 0]);
        } else if self.victim == Some(space) {
            // It waits for a signal, for ever.
            call(turn.context(), 133, [0; 6]);
        } else {
            self.hostile(space, turn.context());
        }
        turn.end(Trap::Syscall);
        true
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let fits = self.rest.len().min(N);
        bytes[..fits].copy_from_slice(&self.rest[..fits]);
        self.rest = &self.rest[fits..];
        bytes
    }

    /// Writes what the input says into the program's memory, and makes its next call.
    fn hostile(&mut self, space: Frame, context: &mut UserContext) {
        self.calls += 1;
        if self.rest.is_empty() || self.calls > CALLS_MAX {
            return call(context, EXIT, [0; 6]);
        }
        let [number, high] = self.take();
        if high & 0x80 != 0 {
            let [offset, bytes] = self.take();
            let written: [u8; 32] = self.take();
            let written = &written[..usize::from(bytes % 32)];
            if let Some((frame, access)) = self.machine.lookup(space, DATA)
                && access.writable()
            {
                self.machine.page(frame)[usize::from(offset)..][..written.len()].copy_from_slice(written);
            }
        }
        let number = match high & 0x7f {
            0 => IMPLEMENTED[usize::from(number) % IMPLEMENTED.len()].0,
            high => u64::from(high - 1) << 8 | u64::from(number),
        };
        let kinds: [u8; 3] = self.take();
        let arguments = std::array::from_fn(|place| {
            let kind = kinds[place / 2] >> (4 * (place % 2)) & 0xf;
            self.argument(kind)
        });
        call(context, number, arguments);
    }

    fn argument(&mut self, kind: u8) -> u64 {
        let mut byte = || u64::from(self.take::<1>()[0]);
        match kind {
            0 => 0,
            1 => byte(),
            2 => DATA + byte(),
            3 => DATA + 8 * byte(),
            4 => DATA + DATA_BYTES - byte(),
            5 => CODE + 16 * byte(),
            6 => byte() << 12,
            7 => u64::MAX - byte(),
            8 => 0xffff_0000_0000_0000 | byte() << 12,
            9 => 1 << (byte() % 64),
            10 => (1 << 39) - byte(),
            11 => u64::from(u32::MAX) - byte(),
            12 => -100i64 as u64, // AT_FDCWD
            13 => byte() << 8 | byte(),
            14 => 3 + byte() % 8,
            _ => u64::from_le_bytes(self.take()),
        }
    }
}

fn call(context: &mut UserContext, number: u64, arguments: [u64; 6]) {
    context.x[8] = number;
    context.x[..6].copy_from_slice(&arguments);
}
