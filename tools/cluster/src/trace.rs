//! `--trace`: writes the events of the kernels' probes, and every frame, to a file.
//!
//! The run is the same with and without. Invariant: events are in the order of (time, board), as the cluster reports
//! them.
//! Not here: the file's layout and what can be made of it (`renga-trace`), what is watched
//! (`kernel/core/src/types/probe.rs`).

use anyhow::{Context, Result, bail};
use renga_emu::FrameEvent;
use renga_emu_probes::{Hit, Probes};
use renga_images::machine_code;
use renga_images::system::SystemFile;
use renga_placement::OnBehalfOf;
use renga_profile::Profile;
use renga_trace::{
    CallsFor, Decoder, ProcessKind, Timed, TraceBoard, TraceEvent, TraceHeader, TraceWriter, TracedFrame,
    TracedProtocol,
};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How long what has happened may stay out of the file, so that `renga top` shows a run that does little.
const FLUSH_PERIOD: Duration = Duration::from_millis(100);

/// Reads what probes report of boards that run one kernel.
pub struct EventDecoder(Decoder);

impl EventDecoder {
    /// For the kernel with this ELF file.
    ///
    /// # Errors
    /// If its probes cannot be listed, or a branch skips one.
    pub fn new(elf: &Path) -> Result<EventDecoder> {
        let kernel = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
        let probes = Probes::read(&kernel).and_then(|probes| Decoder::new(&probes).map(|decoder| (probes, decoder)));
        let (probes, decoder) = probes.map_err(|what| anyhow::anyhow!("{}: {what}", elf.display()))?;
        let passed = machine_code::passed(&kernel, probes.probes.iter().map(|probe| probe.address))?;
        if let Some(address) = passed.first() {
            bail!(
                "a branch goes to {address:#x}, past the probe there: make that probe a `nop` (kernel/core/src/types/probe.rs)"
            );
        }
        Ok(EventDecoder(decoder))
    }

    /// What a board did that reached a probe; nothing if the kernel has no such probe.
    pub fn probe(&self, board: u8, hit: &Hit) -> Option<Timed> {
        let event = self.0.event(hit)?;
        Some(Timed { time_ns: hit.time_ns, board, core: hit.core, event })
    }
}

/// That a frame took the wire.
pub fn frame_event(frame: &FrameEvent) -> Timed {
    let traced = TracedFrame {
        destination: frame.destination,
        token_wait_ns: frame.token_wait_ns,
        wire_ns: frame.wire_ns,
        arrives_after_ns: frame.delivered_ns.saturating_sub(frame.start_ns()),
        bytes: frame.bytes.clone(),
    };
    Timed { time_ns: frame.start_ns(), board: frame.source, core: 0, event: TraceEvent::Frame(traced) }
}

/// A trace file that is being written.
pub struct TraceOutput(Arc<Mutex<Written>>);

/// What is written, and the first that went wrong; the run goes on.
struct Written {
    out: TraceWriter<BufWriter<File>>,
    failed: Option<std::io::Error>,
}

impl TraceOutput {
    /// Creates it, for boards of these names.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, header: &TraceHeader) -> Result<TraceOutput> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let out = TraceWriter::new(BufWriter::new(file), header)?;
        let out = Arc::new(Mutex::new(Written { out, failed: None }));
        let flushed = Arc::downgrade(&out);
        std::thread::spawn(move || flush_now_and_then(&flushed));
        Ok(TraceOutput(out))
    }

    /// Adds the next event.
    pub fn write(&mut self, event: &Timed) {
        let mut written = lock_out(&self.0);
        if let Err(error) = written.out.write(event) {
            written.failed.get_or_insert(error);
        }
    }

    /// Makes sure that all of it is in the file.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn finish(self) -> Result<()> {
        let mut written = lock_out(&self.0);
        let ended = match written.failed.take() {
            Some(error) => Err(error),
            None => written.out.finish(),
        };
        ended.context("the trace could not be written")
    }
}

/// The trace file of a whole run.
pub struct TraceFile {
    out: TraceOutput,
    decoder: EventDecoder,
}

impl TraceFile {
    /// Creates it, for boards of this profile that run the kernel with this ELF file.
    ///
    /// # Errors
    /// If the file cannot be written, or the kernel's probes cannot be listed.
    pub fn create(path: &Path, (system, profile): (&SystemFile, &Profile), elf: &Path) -> Result<TraceFile> {
        let decoder = EventDecoder::new(elf)?;
        Ok(TraceFile { out: TraceOutput::create(path, &header(system, profile))?, decoder })
    }

    /// A board reached a probe.
    pub fn probe(&mut self, board: u8, hit: &Hit) {
        if let Some(event) = self.decoder.probe(board, hit) {
            self.out.write(&event);
        }
    }

    /// A board was started again.
    pub fn started(&mut self, board: u8, time_ns: u64) {
        self.out.write(&Timed { time_ns, board, core: 0, event: TraceEvent::Started });
    }

    /// A board does nothing more.
    pub fn stopped(&mut self, board: u8, time_ns: u64) {
        self.out.write(&Timed { time_ns, board, core: 0, event: TraceEvent::Stopped });
    }

    /// A frame took the wire: its board has the token, which the emulator's own link moves; on pins the boards do, and
    /// their probes report it.
    pub fn frame(&mut self, frame: &FrameEvent) {
        let event = frame_event(frame);
        self.out.write(&Timed { event: TraceEvent::Token {}, ..event });
        self.out.write(&event);
    }

    /// Makes sure that all of it is in the file.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn finish(self) -> Result<()> {
        self.out.finish()
    }
}

/// Never poisoned: no code panics under this lock.
fn lock_out(out: &Mutex<Written>) -> MutexGuard<'_, Written> {
    out.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Until the trace is complete.
fn flush_now_and_then(out: &Weak<Mutex<Written>>) {
    while let Some(out) = out.upgrade() {
        let mut written = lock_out(&out);
        if let Err(error) = written.out.flush() {
            written.failed.get_or_insert(error);
        }
        drop(written);
        drop(out);
        std::thread::sleep(FLUSH_PERIOD);
    }
}

/// The names of a system, and what is unusual about its boards.
pub fn header(system: &SystemFile, profile: &Profile) -> TraceHeader {
    let checked = &system.checked;
    let settings = profile.unusual().iter().map(ToString::to_string).collect();
    let mut header = TraceHeader { settings, ..TraceHeader::default() };
    for facts in &checked.kinds {
        let serves = facts.serves.map(|protocol| {
            let entries = protocol.entries.iter().map(|(number, name)| (*number as u8, (*name).to_string())).collect();
            let served = checked.calls.iter().filter(|call| checked.kind_name(call.server) == facts.name);
            let may_wait = served.fold(protocol.defers, |set, call| set | call.may_wait);
            let releasable = protocol.releases & !may_wait;
            header.protocols.push(TracedProtocol { name: protocol.name.to_string(), entries, releasable });
            header.protocols.len() - 1
        });
        header.kinds.push(ProcessKind { name: facts.name.to_string(), serves });
    }
    for (number, board) in checked.boards.iter().enumerate() {
        let mut named = TraceBoard { name: board.name.clone(), more_cores: board.cores - 1, ..TraceBoard::default() };
        let mut groups: Vec<_> = checked.groups.iter().enumerate().filter(|(_, group)| group.board == number).collect();
        groups.sort_by_key(|(_, group)| group.first);
        for (index, group) in groups {
            let callers = |caller: usize| (checked.groups[caller].board as u8, checked.groups[caller].first);
            let calls_for = match group.on_behalf_of {
                OnBehalfOf::Itself => None,
                OnBehalfOf::Group(caller) => Some(CallsFor::Own(callers(caller).0, callers(caller).1)),
                OnBehalfOf::Shared(caller) => {
                    Some(CallsFor::Shared(callers(caller).0, callers(caller).1, checked.groups[caller].count()))
                }
                OnBehalfOf::Board(board) => Some(CallsFor::Released(board as u8)),
            };
            match calls_for {
                Some(whom) => named.add_proxies(group.first, group.count(), group.kind, whom),
                None => {
                    let instances = checked.instances_of(index);
                    instances.iter().for_each(|one| named.add(one.id.index, one.ordinal, group.kind));
                }
            }
        }
        header.boards.push(named);
    }
    header
}
