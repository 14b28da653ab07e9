//! Export for the Perfetto UI: boards as processes there, their cores and system processes as tracks, calls as slices,
//! and calls between boards as flows; the link as a track of frames, the disk as one of transfers; what takes no time
//! as instants.
//!
//! The messages are those of `perfetto/trace/trace.proto`, as far as they are used. A core's track has its process; a
//! process's track its service (from the accept until it waits for a call or takes the next one), and in that its
//! calls, named after server and entry; forwarding a call starts another slice.
//!
//! Invariant: slices of a track are within each other or follow each other, and packets are in the order of time.

use crate::calls::Calls;
use crate::event::{Timed, TraceEvent, TracedFrame, program_name};
use crate::header::TraceHeader;
use prost::Message;
use renga_abi::ProcId;
use std::collections::{BTreeMap, BTreeSet};

/// `Trace`.
#[derive(Clone, PartialEq, Message)]
pub struct PerfettoTrace {
    /// Its packets.
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<TracePacket>,
}

/// `TracePacket`.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    /// When, ns.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// The writer.
    #[prost(uint32, optional, tag = "10")]
    pub trusted_packet_sequence_id: Option<u32>,
    /// Something on a track.
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    /// A track.
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
}

/// `TrackEvent`.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    /// Begin (1) or end (2) of a slice, or an instant (3).
    #[prost(int32, optional, tag = "9")]
    pub r#type: Option<i32>,
    /// Where.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// What.
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    /// Flows that go on here.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flow_ids: Vec<u64>,
}

/// `TrackDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    /// Its number.
    #[prost(uint64, optional, tag = "1")]
    pub uuid: Option<u64>,
    /// Its name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Of a board.
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    /// Under which.
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
}

/// `ProcessDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessDescriptor {
    /// A number.
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    /// A name.
    #[prost(string, optional, tag = "6")]
    pub process_name: Option<String>,
}

const BEGIN: i32 = 1;
const END: i32 = 2;
const INSTANT: i32 = 3;
/// Tracks of a board: its disk, itself, its first core, its processes; the other cores behind all of these.
const DISK: u64 = 0;
const BOARD: u64 = 1;
const CORE: u64 = 2;
const PROCESSES: u64 = 3;
const MORE_CORES: u64 = PROCESSES + u16::MAX as u64;

/// The link's track: of no board.
const LINK: u64 = 1;

fn track(board: u8, place: u64) -> u64 {
    (u64::from(board) + 1) << 32 | place
}

fn track_of_core(board: u8, core: u8) -> u64 {
    track(board, if core == 0 { CORE } else { MORE_CORES + u64::from(core) })
}

fn track_of(id: ProcId) -> u64 {
    track(id.board.0, PROCESSES + u64::from(id.index))
}

fn described(uuid: u64, name: String, parent_uuid: Option<u64>, process: Option<ProcessDescriptor>) -> TracePacket {
    let descriptor = TrackDescriptor { uuid: Some(uuid), name: Some(name), process, parent_uuid };
    TracePacket { trusted_packet_sequence_id: Some(1), track_descriptor: Some(descriptor), ..TracePacket::default() }
}

fn slice(kind: i32, time_ns: u64, track_uuid: u64, name: Option<String>, flow_ids: Vec<u64>) -> TracePacket {
    let event = TrackEvent { r#type: Some(kind), track_uuid: Some(track_uuid), name, flow_ids };
    TracePacket {
        timestamp: Some(time_ns),
        trusted_packet_sequence_id: Some(1),
        track_event: Some(event),
        ..TracePacket::default()
    }
}

/// The trace as the bytes of a file for Perfetto.
pub fn encode(header: &TraceHeader, events: &[Timed]) -> Vec<u8> {
    export(header, events).encode_to_vec()
}

/// The trace as Perfetto's.
pub fn export(header: &TraceHeader, events: &[Timed]) -> PerfettoTrace {
    let mut export =
        PerfettoExport { header, calls: Calls::default(), open: BTreeMap::new(), on_wire: None, packets: Vec::new() };
    for timed in events {
        export.take(timed);
    }
    let end_ns = events.last().map_or(0, |event| event.time_ns);
    export.end_frame(u64::MAX);
    let tracks: Vec<u64> = export.open.keys().copied().collect();
    tracks.into_iter().for_each(|track| export.end_all(track, end_ns));
    let mut packet = tracks_of(header, &export.packets);
    packet.append(&mut export.packets);
    packet.sort_by_key(|packet| packet.timestamp);
    PerfettoTrace { packet }
}

/// What is written so far.
struct PerfettoExport<'a> {
    header: &'a TraceHeader,
    calls: Calls,
    /// The slices of each track that have begun, the outer ones first.
    open: BTreeMap<u64, Vec<Slice>>,
    /// When the frame on the wire has left it, ns.
    on_wire: Option<u64>,
    packets: Vec<TracePacket>,
}

/// What a slice is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slice {
    Run,
    Transfer,
    Serves,
    Call,
}

impl PerfettoExport<'_> {
    fn begin(&mut self, track: u64, slice_is: Slice, time_ns: u64, name: String, flows: Vec<u64>) {
        self.open.entry(track).or_default().push(slice_is);
        self.packets.push(slice(BEGIN, time_ns, track, Some(name), flows));
    }

    /// Ends the innermost slice of a track if it is such a one.
    fn end(&mut self, track: u64, slice_is: Slice, time_ns: u64) {
        if self.open.get_mut(&track).and_then(|open| open.pop_if(|last| *last == slice_is)).is_some() {
            self.packets.push(slice(END, time_ns, track, None, Vec::new()));
        }
    }

    fn end_all(&mut self, track: u64, time_ns: u64) {
        for _ in self.open.remove(&track).into_iter().flatten() {
            self.packets.push(slice(END, time_ns, track, None, Vec::new()));
        }
    }

    fn take(&mut self, timed: &Timed) {
        let (at_ns, core) = (timed.time_ns, track_of_core(timed.board, timed.core));
        self.end_frame(at_ns);
        self.calls.take(self.header, timed, &mut |_, _| {});
        match &timed.event {
            TraceEvent::Call { caller, .. } => self.begin_call(*caller, at_ns),
            TraceEvent::Forward { caller, .. } => {
                self.end(track_of(*caller), Slice::Call, at_ns);
                self.begin_call(*caller, at_ns);
            }
            TraceEvent::Reply { caller, .. } => self.end(track_of(*caller), Slice::Call, at_ns),
            TraceEvent::Accept { server, caller, op } => {
                let track = track_of(*server);
                self.end(track, Slice::Serves, at_ns);
                let asked = self.calls.outstanding(*caller).map_or(*server, |call| call.server);
                let name = format!("serves {}: {}", self.header.full_name(*caller), self.header.entry(asked, *op));
                self.begin(track, Slice::Serves, at_ns, name, Vec::new());
            }
            TraceEvent::WaitCall { process } => self.end(track_of(*process), Slice::Serves, at_ns),
            TraceEvent::Dispatch { process } | TraceEvent::Trap { process } => {
                self.begin_run(core, at_ns, self.header.name(*process))
            }
            TraceEvent::Enter { process } => {
                self.begin_run(core, at_ns, format!("program of {}", self.header.name(*process)))
            }
            TraceEvent::Idle {} => self.end(core, Slice::Run, at_ns),
            TraceEvent::Started | TraceEvent::Stopped => {
                let tracks = self.open.keys().filter(|track| **track >> 32 == u64::from(timed.board) + 1).copied();
                tracks.collect::<Vec<u64>>().into_iter().for_each(|track| self.end_all(track, at_ns));
            }
            TraceEvent::Frame(frame) => self.frame(timed, frame),
            TraceEvent::Disk { first, blocks, writes, .. } => {
                let name = format!("{} {blocks} from {first}", if *writes { "writes" } else { "reads" });
                self.begin(track(timed.board, DISK), Slice::Transfer, at_ns, name, Vec::new());
            }
            TraceEvent::DiskEnd { .. } => self.end(track(timed.board, DISK), Slice::Transfer, at_ns),
            event => {
                if let Some((track, name)) = self.instant(event, timed.board, core) {
                    self.packets.push(slice(INSTANT, at_ns, track, Some(name), Vec::new()));
                }
            }
        }
    }

    /// Events without duration, and their track; waits, notifications and accounts are not.
    fn instant(&self, event: &TraceEvent, board: u8, core: u64) -> Option<(u64, String)> {
        Some(match event {
            TraceEvent::Token {} => (LINK, format!("token: {}", self.header.board(board))),
            TraceEvent::Alarm {} => (core, "alarm".to_string()),
            TraceEvent::Devices { .. } => (core, "interrupt".to_string()),
            TraceEvent::SystemCall { process, number } => (track_of(*process), format!("system call {number}")),
            TraceEvent::Fault { process, address, .. } => (track_of(*process), format!("fault at {address:#x}")),
            TraceEvent::Commit { process } => (track_of(*process), "commit".to_string()),
            TraceEvent::CommitEnd { process } => (track_of(*process), "commit is over".to_string()),
            TraceEvent::Lease { ino, board: keeper, page } => {
                let keeper = self.header.board(*keeper);
                (track(board, BOARD), format!("{keeper} may keep page {page} of inode {ino}"))
            }
            TraceEvent::Recall { ino, board: keeper, from, to } => {
                let keeper = self.header.board(*keeper);
                (track(board, BOARD), format!("{keeper} is to give up pages {from} to {to} of inode {ino}"))
            }
            TraceEvent::RecallEnd { ino, board: keeper } => {
                (track(board, BOARD), format!("{} has given up pages of inode {ino}", self.header.board(*keeper)))
            }
            TraceEvent::Program { process, pid, name, rest } => {
                (track_of(*process), format!("{} ({pid})", program_name([*name, *rest])))
            }
            TraceEvent::Mark { process, name, rest } => {
                (track_of(*process), format!("phase {}", program_name([*name, *rest])))
            }
            TraceEvent::ProgramEnd { process } => (track_of(*process), "the program has ended".to_string()),
            _ => return None,
        })
    }

    /// The call of `caller`, which has just started or been forwarded.
    fn begin_call(&mut self, caller: ProcId, at_ns: u64) {
        let Some((place, call)) = self.calls.numbered(caller) else { return };
        let name = format!("{} {}", self.header.full_name(call.server), self.header.entry(call.server, call.op));
        let flows = match call.made_for {
            Some(made_for) => vec![made_for as u64 + 1],
            None if call.is_remote() => vec![place as u64 + 1],
            None => Vec::new(),
        };
        self.begin(track_of(caller), Slice::Call, at_ns, name, flows);
    }

    fn begin_run(&mut self, core: u64, at_ns: u64, name: String) {
        self.end(core, Slice::Run, at_ns);
        self.begin(core, Slice::Run, at_ns, name, Vec::new());
    }

    fn frame(&mut self, timed: &Timed, frame: &TracedFrame) {
        // Two at once are there only in a file that says anything.
        self.end_frame(u64::MAX);
        let name = format!(
            "{} to {}, {} bytes",
            self.header.board(timed.board),
            self.header.board(frame.destination),
            frame.bytes.len()
        );
        self.packets.push(slice(BEGIN, timed.time_ns, LINK, Some(name), Vec::new()));
        self.on_wire = Some(timed.time_ns.saturating_add(frame.wire_ns));
    }

    /// Ends the frame that has left the wire until `time_ns`.
    fn end_frame(&mut self, time_ns: u64) {
        if let Some(left_ns) = self.on_wire.take_if(|left_ns| *left_ns <= time_ns) {
            self.packets.push(slice(END, left_ns, LINK, None, Vec::new()));
        }
    }
}

/// The tracks of these packets, and of all boards and cores.
fn tracks_of(header: &TraceHeader, packets: &[TracePacket]) -> Vec<TracePacket> {
    let mut tracks = vec![described(LINK, "link".to_string(), None, None)];
    for (board, number) in header.boards.iter().zip(0u8..) {
        let name = format!("board {}", board.name);
        let process = ProcessDescriptor { pid: Some(i32::from(number) + 1), process_name: Some(name.clone()) };
        tracks.push(described(track(number, BOARD), name, None, Some(process)));
        tracks.extend((0..board.cores()).map(|core| {
            described(track_of_core(number, core), format!("core {core}"), Some(track(number, BOARD)), None)
        }));
    }
    let used: BTreeSet<u64> = packets.iter().filter_map(|packet| packet.track_event.as_ref()?.track_uuid).collect();
    for uuid in used {
        let place = uuid & u64::from(u32::MAX);
        if let (Some(board), DISK) = ((uuid >> 32).checked_sub(1), place) {
            tracks.push(described(uuid, "disk".to_string(), Some(track(board as u8, BOARD)), None));
        }
        let (Some(board), Some(index)) = ((uuid >> 32).checked_sub(1), place.checked_sub(PROCESSES)) else { continue };
        if place > MORE_CORES {
            continue;
        }
        let id = ProcId::new(board as u8, index as u16);
        tracks.push(described(uuid, header.name(id), Some(track(id.board.0, BOARD)), None));
    }
    tracks
}
