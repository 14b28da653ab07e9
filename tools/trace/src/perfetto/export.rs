//! A trace as a whole, made of slices, counters and the tracks that have them.

use super::counters::Counters;
use super::message::PerfettoTrace;
use super::slices::SliceExport;
use super::track::Track;
use crate::event::Timed;
use crate::header::TraceHeader;
use prost::Message;
use std::collections::BTreeSet;

/// The trace as the bytes of a file for Perfetto.
pub fn encode(header: &TraceHeader, events: &[Timed]) -> Vec<u8> {
    export(header, events).encode_to_vec()
}

/// The trace as Perfetto's.
pub fn export(header: &TraceHeader, events: &[Timed]) -> PerfettoTrace {
    let (mut slices, mut counters) = (SliceExport::new(header), Counters::new(header));
    for timed in events {
        slices.take(timed);
        counters.take(timed);
    }
    let end_ns = events.iter().map(|event| event.time_ns).max().unwrap_or(0);
    let slices = slices.finish(end_ns);
    let counted = counters.finish(end_ns);
    let mut used: BTreeSet<Track> = slices.tracks.into_iter().chain(counted.iter().map(|(track, _)| *track)).collect();
    used.extend(used.clone().into_iter().filter_map(Track::parent));
    let mut events = slices.packets;
    events.extend(counted.into_iter().map(|(_, packet)| packet));
    // Stable: of events at the same time, those of a track stay in their order.
    events.sort_by_key(|packet| packet.timestamp);
    let descriptors = used.iter().map(|track| track.described(header, slices.programs.get(track)));
    PerfettoTrace { packet: descriptors.chain(events).collect() }
}
