//! The messages of `perfetto/trace/trace.proto`, as far as they are used.

use prost::Message;

/// `TrackEvent.Type`: a slice begins.
pub(super) const BEGIN: i32 = 1;
/// The innermost slice of a track ends.
pub(super) const END: i32 = 2;
/// Something without duration.
pub(super) const INSTANT: i32 = 3;
/// A new value of a counter.
pub(super) const COUNTER: i32 = 4;

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
    /// Arguments.
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    /// Begin (1) or end (2) of a slice, an instant (3), or a counter's value (4).
    #[prost(int32, optional, tag = "9")]
    pub r#type: Option<i32>,
    /// Where.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// What kind of thing.
    #[prost(string, repeated, tag = "22")]
    pub categories: Vec<String>,
    /// What.
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    /// The value of a counter.
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
    /// Flows that go on here.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flow_ids: Vec<u64>,
}

/// `DebugAnnotation`: an argument.
#[derive(Clone, PartialEq, Message)]
pub struct DebugAnnotation {
    /// Its value, if it is a number.
    #[prost(uint64, optional, tag = "3")]
    pub uint_value: Option<u64>,
    /// Its value, if it is a text.
    #[prost(string, optional, tag = "6")]
    pub string_value: Option<String>,
    /// Its name.
    #[prost(string, optional, tag = "10")]
    pub name: Option<String>,
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
    /// Of a counter.
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
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

/// `CounterDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub struct CounterDescriptor {
    /// What is counted: 2 stands for things without a unit.
    #[prost(int32, optional, tag = "3")]
    pub unit: Option<i32>,
}

impl TracePacket {
    pub(super) fn of_event(time_ns: u64, event: TrackEvent) -> TracePacket {
        TracePacket {
            timestamp: Some(time_ns),
            trusted_packet_sequence_id: Some(1),
            track_event: Some(event),
            track_descriptor: None,
        }
    }

    pub(super) fn of_track(descriptor: TrackDescriptor) -> TracePacket {
        TracePacket {
            timestamp: None,
            trusted_packet_sequence_id: Some(1),
            track_event: None,
            track_descriptor: Some(descriptor),
        }
    }
}

impl TrackEvent {
    /// Something of a category, by its name.
    pub(super) fn named(category: &str, name: impl Into<String>) -> TrackEvent {
        TrackEvent { categories: vec![category.to_string()], name: Some(name.into()), ..TrackEvent::default() }
    }

    /// With an argument.
    pub(super) fn number(mut self, name: &str, value: u64) -> TrackEvent {
        let annotation = DebugAnnotation { uint_value: Some(value), string_value: None, name: Some(name.to_string()) };
        self.debug_annotations.push(annotation);
        self
    }

    /// With an argument.
    pub(super) fn text(mut self, name: &str, value: impl Into<String>) -> TrackEvent {
        let (string_value, name) = (Some(value.into()), Some(name.to_string()));
        self.debug_annotations.push(DebugAnnotation { uint_value: None, string_value, name });
        self
    }
}
