//! Slices and instants of an export, event by event.
//!
//! A core's track has its process or program. A process's track has its service, from the accept until it waits for a
//! call or takes the next one, and in that its calls, named after server and entry; forwarding a call starts another
//! slice. A program's track has its time on cores, its system calls and its page faults.
//!
//! Invariant: slices of a track are within each other or follow each other; its events are in the order of time.

use super::message::{BEGIN, END, INSTANT, TracePacket, TrackEvent};
use super::track::{Track, TrackKind};
use crate::calls::Calls;
use crate::event::{Timed, TraceEvent, TracedFrame, program_name};
use crate::header::TraceHeader;
use crate::phases;
use crate::system_call::system_call_name;
use renga_abi::{PAGE_BYTES, ProcId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const LINK: Track = Track::global(TrackKind::Link);
const PHASES: Track = Track::global(TrackKind::Phases);

/// A kind of slice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slice {
    /// Of a core: a process or program has it.
    Run,
    /// Of a program: it has a core.
    OnCore,
    SystemCall,
    PageFault,
    Serves,
    Call,
    Transfer,
    Phase,
}

/// The program of a slot.
struct SlotProgram {
    track: Track,
    pid: u32,
    name: String,
}

/// The slices and instants so far.
pub(super) struct SliceExport<'a> {
    header: &'a TraceHeader,
    calls: Calls,
    slots: HashMap<ProcId, SlotProgram>,
    /// The program's track that each core's track shows.
    on_core: HashMap<Track, Track>,
    /// The slices of each track that have begun, the outer ones first.
    open: BTreeMap<Track, Vec<Slice>>,
    /// Tracks with more than calls without a reply.
    active: BTreeSet<Track>,
    /// The time of each track's last event, ns: clocks of the cores of a board may differ by a slice.
    last_ns: BTreeMap<Track, u64>,
    /// When the frame on the wire has left it, ns.
    on_wire: Option<u64>,
    /// The names of programs' tracks.
    programs: BTreeMap<Track, String>,
    packets: Vec<TracePacket>,
}

/// All slices and instants.
pub(super) struct ExportedSlices {
    pub(super) packets: Vec<TracePacket>,
    /// The tracks that have any.
    pub(super) tracks: Vec<Track>,
    /// The names of programs' tracks.
    pub(super) programs: BTreeMap<Track, String>,
}

impl<'a> SliceExport<'a> {
    pub(super) fn new(header: &'a TraceHeader) -> SliceExport<'a> {
        SliceExport {
            header,
            calls: Calls::default(),
            slots: HashMap::new(),
            on_core: HashMap::new(),
            open: BTreeMap::new(),
            active: BTreeSet::new(),
            last_ns: BTreeMap::new(),
            on_wire: None,
            programs: BTreeMap::new(),
            packets: Vec::new(),
        }
    }

    /// Ends the slices that have begun; leaves out processes that only wait in their first call, as slots without
    /// programs do.
    pub(super) fn finish(mut self, end_ns: u64) -> ExportedSlices {
        self.end_frame(u64::MAX);
        self.end_all(|_| true, end_ns);
        let is_idle = |track: &Track| track.kind == TrackKind::Process && !self.active.contains(track);
        let (idle, tracks): (Vec<Track>, Vec<Track>) = self.last_ns.into_keys().partition(is_idle);
        let idle: BTreeSet<Option<u64>> = idle.into_iter().map(|track| Some(track.uuid())).collect();
        let is_on_idle = |event: &TrackEvent| idle.contains(&event.track_uuid);
        self.packets.retain(|packet| !packet.track_event.as_ref().is_some_and(is_on_idle));
        ExportedSlices { packets: self.packets, tracks, programs: self.programs }
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, timed: &Timed) {
        let (at_ns, core) = (timed.time_ns, Track::core(timed.board, timed.core));
        self.end_frame(at_ns);
        self.calls.take(self.header, timed, &mut |_, _| {});
        match &timed.event {
            TraceEvent::Call { caller, .. } => self.begin_call(*caller, at_ns),
            TraceEvent::Forward { caller, .. } => {
                self.end(Track::process(*caller), Slice::Call, at_ns);
                self.begin_call(*caller, at_ns);
            }
            TraceEvent::Reply { caller, .. } => {
                self.end(Track::process(*caller), Slice::Call, at_ns);
            }
            TraceEvent::Accept { server, caller, op } => self.begin_service(*server, *caller, *op, at_ns),
            TraceEvent::WaitCall { process } => {
                self.end(Track::process(*process), Slice::Serves, at_ns);
            }
            TraceEvent::Dispatch { process } | TraceEvent::Trap { process } => {
                let label = TrackEvent::named("system", self.header.name(*process));
                self.begin_run(core, label, at_ns);
            }
            TraceEvent::Enter { process } => self.enter(core, *process, at_ns),
            TraceEvent::Idle {} => self.end_run(core, at_ns),
            TraceEvent::Started | TraceEvent::Stopped => self.end_board(timed.board, at_ns),
            TraceEvent::Frame(frame) => self.frame(timed, frame),
            TraceEvent::Disk { first, blocks, writes, .. } => {
                let label = TrackEvent::named("disk", if *writes { "write" } else { "read" }).number("block", *first);
                let label = label.number("blocks", u64::from(*blocks));
                let label = label.number("bytes", u64::from(*blocks) * PAGE_BYTES as u64);
                self.begin(Track::of_board(TrackKind::Disk, timed.board), Slice::Transfer, label, at_ns);
            }
            TraceEvent::DiskEnd { .. } => {
                self.end(Track::of_board(TrackKind::Disk, timed.board), Slice::Transfer, at_ns);
            }
            TraceEvent::SystemCall { process, number } => {
                let label = TrackEvent::named("syscall", system_call_name(*number));
                let label = label.number("number", u64::from(*number));
                self.begin(self.program(*process).track, Slice::SystemCall, label, at_ns);
            }
            TraceEvent::Fault { process, address, kind } => {
                let access = ["read", "write", "execute"].get(usize::from(*kind)).copied().unwrap_or("?");
                let label = TrackEvent::named("fault", "page fault").text("address", format!("{address:#x}"));
                self.begin(self.program(*process).track, Slice::PageFault, label.text("access", access), at_ns);
            }
            TraceEvent::Program { process, pid, name, rest } => {
                self.begin_program(*process, *pid, program_name([*name, *rest]), at_ns);
            }
            TraceEvent::ProgramEnd { process } => {
                let track = self.program(*process).track;
                self.end_all(|other| other == track, at_ns);
                self.slots.remove(process);
            }
            TraceEvent::Mark { name, rest, .. } => self.mark(program_name([*name, *rest]), at_ns),
            event => {
                if let Some((track, label)) = self.instant(event, timed.board, core) {
                    self.active.insert(track);
                    self.push(INSTANT, track, label, at_ns);
                }
            }
        }
    }

    /// Events without duration, and their track; waits, notifications and accounts are not.
    fn instant(&self, event: &TraceEvent, board: u8, core: Track) -> Option<(Track, TrackEvent)> {
        let on_board = Track::of_board(TrackKind::Board, board);
        let lease = |what: &str, keeper: &u8, ino: &u32| {
            let label = TrackEvent::named("lease", format!("{what} {}", self.header.board(*keeper)));
            label.number("inode", u64::from(*ino))
        };
        Some(match event {
            TraceEvent::Token {} => (LINK, TrackEvent::named("link", "token").text("board", self.header.board(board))),
            TraceEvent::Alarm {} => (core, TrackEvent::named("interrupt", "alarm")),
            TraceEvent::Devices { sources } => {
                (core, TrackEvent::named("interrupt", "devices").number("sources", u64::from(*sources)))
            }
            TraceEvent::Commit { process } => (Track::process(*process), TrackEvent::named("file", "commit begins")),
            TraceEvent::CommitEnd { process } => (Track::process(*process), TrackEvent::named("file", "commit ends")),
            TraceEvent::Lease { ino, board, page } => {
                (on_board, lease("lease to", board, ino).number("page", u64::from(*page)))
            }
            TraceEvent::Revoke { ino, board, from, to } => {
                let label = lease("revoke from", board, ino).number("page", u64::from(*from));
                (on_board, label.number("end", u64::from(*to)))
            }
            TraceEvent::RevokeEnd { ino, board } => (on_board, lease("revoked from", board, ino)),
            _ => return None,
        })
    }

    /// The call of `caller`, which has just started or been forwarded.
    fn begin_call(&mut self, caller: ProcId, at_ns: u64) {
        let Some((place, call)) = self.calls.numbered(caller) else { return };
        let (server, entry) = (self.header.full_name(call.server), self.header.entry(call.server, call.op));
        let label = TrackEvent::named("call", format!("{}.{entry}", self.header.kind(call.server)));
        let flow_ids = match call.made_for {
            Some(made_for) => vec![made_for as u64 + 1],
            None if call.is_remote() => vec![place as u64 + 1],
            None => Vec::new(),
        };
        let label = TrackEvent { flow_ids, ..label }.text("server", server).text("entry", entry);
        self.begin(Track::process(caller), Slice::Call, label, at_ns);
    }

    fn begin_service(&mut self, server: ProcId, caller: ProcId, op: u8, at_ns: u64) {
        self.end(Track::process(server), Slice::Serves, at_ns);
        // The router serves calls whose server is another one.
        let called = self.calls.outstanding(caller).map_or(server, |call| call.server);
        let entry = self.header.entry(called, op);
        let label = TrackEvent::named("service", format!("serves {entry}"));
        let label = label.text("caller", self.header.full_name(caller)).text("entry", entry);
        self.begin(Track::process(server), Slice::Serves, label, at_ns);
    }

    /// The program of a slot; one whose name the trace does not say has the slot's.
    fn program(&self, slot: ProcId) -> SlotProgram {
        match self.slots.get(&slot) {
            Some(SlotProgram { track, pid, name }) => SlotProgram { track: *track, pid: *pid, name: name.clone() },
            None => {
                let name = format!("program of {}", self.header.name(slot));
                SlotProgram { track: Track::program(slot, 0), pid: 0, name }
            }
        }
    }

    /// A slot has this program: another one, or the same under another name.
    fn begin_program(&mut self, slot: ProcId, pid: u32, name: String, at_ns: u64) {
        let (before, track) = (self.program(slot).track, Track::program(slot, pid));
        if before != track {
            self.end_all(|other| other == before, at_ns);
        }
        let label = TrackEvent::named("program", format!("is {name}")).number("pid", u64::from(pid));
        self.push(INSTANT, track, label, at_ns);
        self.programs.insert(track, format!("{name} ({pid})"));
        self.slots.insert(slot, SlotProgram { track, pid, name });
    }

    /// The program of `slot` gets a core: its system call or page fault is over.
    fn enter(&mut self, core: Track, slot: ProcId, at_ns: u64) {
        let SlotProgram { track, pid, name } = self.program(slot);
        self.begin_run(core, TrackEvent::named("program", name).number("pid", u64::from(pid)), at_ns);
        self.on_core.retain(|_, other| *other != track);
        let ended = [Slice::OnCore, Slice::SystemCall, Slice::PageFault];
        // Bounded by the slices that are open.
        while ended.into_iter().any(|slice| self.end(track, slice, at_ns)) {}
        self.begin(track, Slice::OnCore, TrackEvent::named("program", "runs"), at_ns);
        self.on_core.insert(core, track);
    }

    fn begin_run(&mut self, core: Track, label: TrackEvent, at_ns: u64) {
        self.end_run(core, at_ns);
        self.begin(core, Slice::Run, label, at_ns);
    }

    fn end_run(&mut self, core: Track, at_ns: u64) {
        self.end(core, Slice::Run, at_ns);
        if let Some(program) = self.on_core.remove(&core) {
            self.end(program, Slice::OnCore, at_ns);
        }
    }

    fn end_board(&mut self, board: u8, at_ns: u64) {
        self.end_all(|track| track.board() == Some(board), at_ns);
        self.slots.retain(|slot, _| slot.board.0 != board);
        self.on_core.retain(|core, _| core.board() != Some(board));
    }

    fn mark(&mut self, word: String, at_ns: u64) {
        self.end(PHASES, Slice::Phase, at_ns);
        if word != phases::END {
            self.begin(PHASES, Slice::Phase, TrackEvent::named("phase", word), at_ns);
        }
    }

    fn frame(&mut self, timed: &Timed, frame: &TracedFrame) {
        // Two at once are there only in a file that says anything.
        self.end_frame(u64::MAX);
        let (from, to) = (self.header.board(timed.board), self.header.board(frame.destination));
        let label = TrackEvent::named("link", format!("{from} to {to}")).number("bytes", frame.bytes.len() as u64);
        let label = label.number("token_wait_ns", frame.token_wait_ns);
        self.push(BEGIN, LINK, label.number("arrives_after_ns", frame.arrives_after_ns), timed.time_ns);
        self.on_wire = Some(timed.time_ns.saturating_add(frame.wire_ns));
    }

    /// Ends the frame that has left the wire until `time_ns`.
    fn end_frame(&mut self, time_ns: u64) {
        if let Some(left_ns) = self.on_wire.take_if(|left_ns| *left_ns <= time_ns) {
            self.push(END, LINK, TrackEvent::default(), left_ns);
        }
    }

    fn begin(&mut self, track: Track, slice: Slice, label: TrackEvent, time_ns: u64) {
        if slice != Slice::Call {
            self.active.insert(track);
        }
        self.open.entry(track).or_default().push(slice);
        self.push(BEGIN, track, label, time_ns);
    }

    /// Ends the innermost slice of a track if it is such a one; whether it was.
    fn end(&mut self, track: Track, slice: Slice, time_ns: u64) -> bool {
        let ended = self.open.get_mut(&track).and_then(|open| open.pop_if(|last| *last == slice)).is_some();
        if ended {
            self.active.insert(track);
            self.push(END, track, TrackEvent::default(), time_ns);
        }
        ended
    }

    /// Ends all slices of such tracks.
    fn end_all(&mut self, such: impl Fn(Track) -> bool, time_ns: u64) {
        let tracks: Vec<Track> = self.open.keys().copied().filter(|track| such(*track)).collect();
        for track in tracks {
            for _ in self.open.remove(&track).into_iter().flatten() {
                self.push(END, track, TrackEvent::default(), time_ns);
            }
        }
    }

    fn push(&mut self, kind: i32, track: Track, label: TrackEvent, time_ns: u64) {
        let last_ns = self.last_ns.entry(track).or_default();
        *last_ns = time_ns.max(*last_ns);
        let event = TrackEvent { r#type: Some(kind), track_uuid: Some(track.uuid()), ..label };
        self.packets.push(TracePacket::of_event(*last_ns, event));
    }
}
