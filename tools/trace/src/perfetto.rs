//! Export for the Perfetto UI: boards as processes there, their cores and system processes as tracks, calls as slices, and
//! calls between boards as flows.
//!
//! The messages are those of `perfetto/trace/trace.proto`, as far as they are used. On a core's track is who has the
//! core; on a process's, its calls (named after server and entry) and what it serves.

use crate::calls::{Call, Calls};
use crate::event::{Event, Timed};
use crate::header::Header;
use prost::Message;
use renga_abi::ProcId;
use std::collections::{BTreeMap, BTreeSet};

/// `Trace`.
#[derive(Clone, PartialEq, Message)]
pub struct Trace {
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
    /// Who writes.
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
/// Tracks of a board: itself, its core, then its processes.
const BOARD: u64 = 1;
const CORE: u64 = 2;
const PROCESSES: u64 = 3;

fn track(board: u8, place: u64) -> u64 {
    (u64::from(board) + 1) << 32 | place
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

/// The trace as Perfetto's.
pub fn export(header: &Header, events: &[Timed]) -> Trace {
    let calls = Calls::of(header, events);
    let mut packet = tracks(header, &calls);
    let mut timed: BTreeMap<(u64, usize), TracePacket> = BTreeMap::new();
    let mut add = |time_ns: u64, packet: TracePacket| {
        let order = timed.len();
        timed.insert((time_ns, order), packet);
    };
    let end_ns = events.last().map_or(0, |event| event.time_ns);
    for (place, call) in calls.iter().enumerate() {
        let name = format!("{} {}", header.full_name(call.server), header.entry(call.server, call.op));
        let flows: Vec<u64> = match call.made_for {
            Some(made_for) => vec![made_for as u64 + 1],
            None if call.is_remote() => vec![place as u64 + 1],
            None => Vec::new(),
        };
        let until_ns = call.end_ns.unwrap_or(end_ns);
        add(call.begin_ns, slice(BEGIN, call.begin_ns, track_of(call.caller), Some(name), flows));
        add(until_ns, slice(END, until_ns, track_of(call.caller), None, Vec::new()));
    }
    for (board, name, from_ns, until_ns) in turns(header, events) {
        add(from_ns, slice(BEGIN, from_ns, track(board, CORE), Some(name), Vec::new()));
        add(until_ns, slice(END, until_ns, track(board, CORE), None, Vec::new()));
    }
    packet.extend(timed.into_values());
    Trace { packet }
}

fn tracks(header: &Header, calls: &[Call]) -> Vec<TracePacket> {
    let mut packets = Vec::new();
    for (board, number) in header.boards.iter().zip(0u8..) {
        let name = format!("board {}", board.name);
        let process = ProcessDescriptor { pid: Some(i32::from(number) + 1), process_name: Some(name.clone()) };
        packets.push(described(track(number, BOARD), name, None, Some(process)));
        packets.push(described(track(number, CORE), "core 0".to_string(), Some(track(number, BOARD)), None));
    }
    let callers: BTreeSet<(u8, u16)> = calls.iter().map(|call| (call.caller.board.0, call.caller.index)).collect();
    for (board, index) in callers {
        let id = ProcId::new(board, index);
        packets.push(described(track_of(id), header.name(id), Some(track(board, BOARD)), None));
    }
    packets
}

/// Who had which core, from when until when.
fn turns(header: &Header, events: &[Timed]) -> Vec<(u8, String, u64, u64)> {
    let mut has: BTreeMap<u8, (String, u64)> = BTreeMap::new();
    let mut turns = Vec::new();
    for timed in events {
        let next = match timed.event {
            Event::Dispatch { process } | Event::Trap { process } => Some(header.name(process)),
            Event::Enter { process } => Some(format!("program of {}", header.name(process))),
            Event::Idle {} | Event::Started | Event::Stopped => None,
            _ => continue,
        };
        if let Some((name, from_ns)) = has.remove(&timed.board) {
            turns.push((timed.board, name, from_ns, timed.time_ns));
        }
        if let Some(name) = next {
            has.insert(timed.board, (name, timed.time_ns));
        }
    }
    turns
}
