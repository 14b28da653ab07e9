//! The system processes of this board: each kind gets its ports, clients, devices and memory.
//!
//! Invariant: what a process may touch is what it is given here; every process of the placement is
//! started exactly once (counted). Not here: how many there are (placement).

mod link;

use crate::directory::{Directory, SYSTEM};
use crate::fault;
use crate::hardware::{self, Hardware};
use crate::programs::Programs;
use core::future::Future;
use renga_arch_aarch64::memory::FrameMemory;
use renga_arch_aarch64::timer::GenericTimer;
use renga_arch_aarch64::user_mode::UserMode;
use renga_board_rpi::emulator_link::EmulatorLink;
use renga_board_rpi::interrupts::Interrupts;
use renga_board_rpi::pl011::Pl011;
use renga_board_rpi::sd_card::SdCard;
use renga_core::notify::Notifier;
use renga_core::{Arena, Client, Me, Port, Process, Protocol};
use renga_fs::{CacheClients, FileClients, Medium, PathClients};
use renga_hal::memory::UserMemory;
use renga_hal::power::Power;
use renga_process::{Processor, UserClients, UserFacts};
use renga_proto::pipe::PIPE_BYTES;
use renga_rt::user::{FpState, UserContext};
use renga_rt::{Never, PAGE_BYTES, Watch};
use renga_systems::Kind;
use renga_systems::tables::Board;

/// Pages that the cache of executables holds.
const TEXT_PAGES: usize = 4096;
/// Where programs begin.
const INIT: &str = "/sbin/init";

/// What boot leaves to the executor.
pub struct Parts {
    /// Who interrupts.
    pub interrupts: Interrupts,
    /// Clock and alarm.
    pub timer: GenericTimer,
    /// Memory of programs.
    pub memory: &'static FrameMemory,
    /// The way into programs.
    pub programs: &'static Programs,
    /// Who serves the console's line.
    pub uart_owner: Option<&'static Process>,
    /// Who serves the link.
    pub link_owner: Option<&'static Process>,
}

/// Starts every process of this board.
pub fn start_all(
    arena: &'static Arena,
    directory: &'static Directory,
    board: &'static Board,
    hardware: Hardware,
) -> Parts {
    let Hardware { uart, interrupts, timer, memory, seed, medium, link_timing, link: wanted, .. } = hardware;
    let memory: &'static FrameMemory = arena.put(|| memory);
    let slots = directory.of_kind(Kind::User).len();
    let programs: &'static Programs =
        arena.put(|| Programs::new(UserMode::new(arena.put_slice(slots, |_| FpState::ZERO))));
    let link = hardware::emulator_link();
    let epoch_ns = link.as_ref().map_or(0, EmulatorLink::epoch_ns);
    // What programs see as random is new at each start.
    let starts = link.as_ref().map_or(1, EmulatorLink::starts);
    let seed = seed + (u64::from(starts - 1) << 32);
    let router = directory.of_kind(Kind::Router).first().copied().map(Notifier::new);
    let watch = arena.put(|| Watch::new(router));
    let mut boot = Boot { arena, directory, board, watch, boots: starts as u8, epoch_ns, seed, started: 0 };
    boot.start_clock_and_console(uart);
    if board.owns_disk {
        boot.start_disk(timer, medium.as_str());
    }
    boot.start_files();
    boot.start_open_files();
    boot.start_memory(memory);
    boot.start_programs(memory, programs);
    boot.start_link(link, wanted.as_str(), link_timing.as_str());
    assert!(boot.started == usize::from(board.processes), "{} processes of {} started", boot.started, board.processes);
    let first = |kind| directory.of_kind(kind).first().copied();
    Parts { interrupts, timer, memory, programs, uart_owner: first(Kind::Console), link_owner: first(Kind::Router) }
}

struct Boot {
    arena: &'static Arena,
    directory: &'static Directory,
    board: &'static Board,
    watch: &'static Watch,
    /// Starts of the board, modulo 256.
    boots: u8,
    epoch_ns: u64,
    seed: u64,
    started: usize,
}

impl Boot {
    /// Starts `process` with the future that `make` returns.
    fn start<F: Future<Output = Never> + 'static>(&mut self, process: &'static Process, make: impl FnOnce(Me) -> F) {
        // SAFETY: `Process::start` refuses a second time, so this is the process's only `Me`; each of
        // the functions below gives it, and what is made of it, to that process's future only.
        let me = unsafe { Me::new(process) };
        let future = make(me);
        process.start(self.arena.put(|| future));
        self.started += 1;
    }

    /// Starts every process of `kind` as a server of `P`; `make` gets its number.
    fn servers<P: Protocol, F: Future<Output = Never> + 'static>(
        &mut self,
        kind: Kind,
        mut make: impl FnMut(&Boot, Me, Port<P>, u16) -> F,
    ) {
        for (number, process) in self.directory.of_kind(kind).iter().enumerate() {
            // SAFETY: as in `start`.
            let me = unsafe { Me::new(process) };
            let (port, _) = Port::new(&me);
            let future = make(self, me, port, number as u16);
            process.start(self.arena.put(|| future));
            self.started += 1;
        }
    }

    fn client<P: Protocol>(&self, me: &Me, kind: Kind) -> Client<P> {
        Client::new(me, self.directory.server(kind))
    }
    fn family<P: Protocol>(&self, me: &Me, kind: Kind) -> renga_core::Family<P> {
        self.directory.family(self.arena, me, kind)
    }
    fn cache(&self, me: &Me) -> CacheClients {
        CacheClients { directory: self.client(me, Kind::BufferDirectory), buffers: self.family(me, Kind::Buffer) }
    }

    fn start_clock_and_console(&mut self, uart: Pl011) {
        self.servers(Kind::Clock, |boot, me, port, _| renga_clock::clock(me, port, boot.epoch_ns));
        let uart = self.arena.put(|| uart);
        if let Some(process) = self.directory.of_kind(Kind::Console).first() {
            self.start(process, |me| {
                let (port, _) = Port::new(&me);
                renga_console::console(me, port, uart)
            });
        }
        if let Some(process) = self.directory.of_kind(Kind::Keyboard).first() {
            let (console, procs) = (self.directory.server(Kind::Console), self.directory);
            let arena = self.arena;
            self.start(process, |me| {
                let procs = procs.family(arena, &me, Kind::Procs);
                let console = Client::new(&me, console);
                renga_process::keyboard(me, console, procs)
            });
        }
    }

    fn start_disk(&mut self, timer: GenericTimer, name: &str) {
        let Some(medium) = Medium::named(name) else { fault::refuse(format_args!("there is no medium `{name}`")) };
        let card = match hardware::start_card(timer) {
            Ok(card) => card,
            Err(error) => fault::refuse(format_args!("the card does not start: {error:?}")),
        };
        let card: &'static mut SdCard<GenericTimer> = self.arena.put(|| card);
        if let Err(why) = renga_fs::recognise(card) {
            fault::refuse(format_args!("the card cannot be used: {}", why.text()));
        }
        if let Some(process) = self.directory.of_kind(Kind::Disk).first() {
            self.start(process, |me| {
                let (port, _) = Port::new(&me);
                renga_fs::disk(me, port, card, medium)
            });
        }
    }

    /// Every kind that is not placed here has no process and starts nothing.
    fn start_files(&mut self) {
        let buffers = self.directory.of_kind(Kind::Buffer).len();
        self.servers(Kind::Buffer, |boot, me, port, _| {
            renga_fs::buffer(port, boot.client(&me, Kind::Disk), boot.arena.put(|| [0; PAGE_BYTES]))
        });
        self.servers(Kind::BufferDirectory, |boot, _me, port, _| {
            renga_fs::buffer_directory(port, boot.arena.put_slice(buffers, |_| renga_fs::BufferSlot::EMPTY))
        });
        let writer = self.directory.of_kind(Kind::WriteBack).first();
        let due: &'static renga_fs::Due = self.arena.put(|| renga_fs::Due::new(writer.copied().map(Notifier::new)));
        self.servers(Kind::Allocator, |boot, me, port, _| {
            let (cache, disk) = (boot.cache(&me), boot.client(&me, Kind::Disk));
            renga_fs::allocator(me, port, cache, disk, boot.arena.put(|| [[0; PAGE_BYTES]; 2]), due, boot.epoch_ns)
        });
        self.servers(Kind::Inode, |boot, me, port, number| {
            let (cache, allocator) = (boot.cache(&me), boot.client(&me, Kind::Allocator));
            renga_fs::inode(me, port, cache, allocator, number, boot.epoch_ns)
        });
        let inodes = self.directory.of_kind(Kind::Inode).len();
        self.servers(Kind::InodeDirectory, |boot, me, port, _| {
            let slots = boot.arena.put_slice(inodes, |_| renga_fs::InodeSlot::EMPTY);
            renga_fs::inode_directory(port, boot.family(&me, Kind::Inode), boot.client(&me, Kind::Allocator), slots)
        });
        if let Some(process) = self.directory.of_kind(Kind::WriteBack).first() {
            let inodes = self.directory.server(Kind::InodeDirectory);
            self.start(process, |me| {
                let inodes = Client::new(&me, inodes);
                renga_fs::write_back(me, inodes, due)
            });
        }
        self.servers(Kind::Path, |boot, me, port, _| {
            let clients = PathClients {
                inode_directory: boot.client(&me, Kind::InodeDirectory),
                inodes: boot.family(&me, Kind::Inode),
                allocator: boot.client(&me, Kind::Allocator),
                cache: boot.cache(&me),
            };
            renga_fs::path(port, clients)
        });
    }

    fn start_open_files(&mut self) {
        let (files, pipes) = (self.directory.of_kind(Kind::File).len(), self.directory.of_kind(Kind::Pipe).len());
        self.servers(Kind::File, |boot, me, port, number| {
            let clients = FileClients {
                inodes: boot.family(&me, Kind::Inode),
                inode_directory: boot.client(&me, Kind::InodeDirectory),
                file_table: boot.client(&me, Kind::FileTable),
            };
            renga_fs::file(port, clients, number, boot.boots)
        });
        self.servers(Kind::FileTable, |_, _me, port, _| renga_fs::file_table(port, files));
        self.servers(Kind::Pipe, |boot, me, port, number| {
            let table = boot.client(&me, Kind::PipeTable);
            renga_pipe::pipe(port, table, boot.arena.put(|| [0; PIPE_BYTES]), number, boot.boots, boot.watch)
        });
        self.servers(Kind::PipeTable, |_, _me, port, _| renga_pipe::pipe_table(port, pipes));
    }

    fn start_memory(&mut self, memory: &'static FrameMemory) {
        self.servers(Kind::Memory, |boot, me, port, _| {
            renga_memory::memory(me, port, boot.arena.put_slice(memory.frames() as usize, |_| 0), memory)
        });
        self.servers(Kind::Text, |boot, me, port, _| {
            let (frames, inodes) = (boot.client(&me, Kind::Memory), boot.client(&me, Kind::InodeDirectory));
            let table = boot.arena.put_slice(TEXT_PAGES, |_| renga_memory::TextEntry::EMPTY);
            renga_memory::text(me, port, frames, inodes, table)
        });
    }

    fn start_programs(&mut self, memory: &'static FrameMemory, programs: &'static Programs) {
        let interruptors = self.directory.interruptors(self.arena, Kind::User);
        let disk_board = SYSTEM.boards.iter().position(|board| board.owns_disk).unwrap_or(0) as u8;
        self.servers(Kind::Procs, |boot, me, port, _| {
            renga_process::procs(me, port, interruptors, disk_board, boot.boots, boot.watch)
        });
        for (slot, process) in self.directory.of_kind(Kind::User).iter().enumerate() {
            let first = slot == 0 && self.board.owns_disk && cfg!(not(feature = "bench"));
            let boot_program = if first { INIT } else { "" };
            let facts = UserFacts { slot: slot as u16, boot_program, seed: self.seed };
            let facts: &'static UserFacts = self.arena.put(|| facts);
            let context = self.arena.put(|| UserContext::new(slot as u16, 0, 0));
            // SAFETY: as in `start`, which cannot be used: the clients need `self`.
            let me = unsafe { Me::new(process) };
            let clients = self.user_clients(&me);
            let future = renga_process::user(me, clients, memory, &EmulatorPower, programs, context, facts);
            process.start(self.arena.put(|| future));
            self.started += 1;
        }
    }

    fn user_clients(&self, me: &Me) -> UserClients {
        UserClients {
            procs: self.client(me, Kind::Procs),
            all_procs: self.family(me, Kind::Procs),
            memory: self.client(me, Kind::Memory),
            all_memory: self.family(me, Kind::Memory),
            text: self.client(me, Kind::Text),
            inodes: self.family(me, Kind::Inode),
            inode_directory: self.family(me, Kind::InodeDirectory),
            paths: self.family(me, Kind::Path),
            files: self.family(me, Kind::File),
            file_table: self.client(me, Kind::FileTable),
            pipes: self.family(me, Kind::Pipe),
            pipe_table: self.client(me, Kind::PipeTable),
            console: self.family(me, Kind::Console),
            clock: self.client(me, Kind::Clock),
            links: self.family(me, Kind::LinkStatus),
        }
    }
}

/// Stops the run through the emulator.
struct EmulatorPower;

impl Power for EmulatorPower {
    fn stop(&self, status: u8) {
        fault::end(u32::from(status));
    }
}

impl Processor for Programs {
    fn flush(&self, context: &mut UserContext) {
        Programs::flush(self, context);
    }
}
