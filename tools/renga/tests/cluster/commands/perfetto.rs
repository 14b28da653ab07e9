//! The export for the Perfetto UI of a real run: tracks and slices have names, slices nest, counters are in order, and
//! the counts are those of the summary.

use crate::support::{Renga, Scratch, clusters_can_run};
use prost::Message;
use renga_trace::perfetto::{PerfettoTrace, TrackDescriptor, TrackEvent};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const SCRIPT: &str = "echo sorting > /proc/renga/mark; ls -l /bin | remote -b b sort | head -n 3
echo writing > /proc/renga/mark; echo hi > /tmp/f; sync; echo end > /proc/renga/mark
grep MemFree /proc/meminfo";

const KIB_PER_FRAME: i64 = 4;

/// An export: its tracks by their numbers, and their events.
struct Exported {
    tracks: BTreeMap<u64, TrackDescriptor>,
    events: BTreeMap<u64, Vec<(u64, TrackEvent)>>,
}

impl Exported {
    fn read(bytes: &[u8]) -> Exported {
        let packets = PerfettoTrace::decode(bytes).expect("it was written").packet;
        let times: Vec<u64> = packets.iter().filter_map(|packet| packet.timestamp).collect();
        assert!(times.is_sorted());
        let (mut tracks, mut events) = (BTreeMap::new(), BTreeMap::<u64, Vec<_>>::new());
        for packet in packets {
            if let Some(track) = packet.track_descriptor {
                assert!(events.is_empty(), "a track is described before its events: {track:?}");
                assert_eq!(tracks.insert(track.uuid(), track), None, "tracks have different numbers");
            } else if let (Some(time_ns), Some(event)) = (packet.timestamp, packet.track_event) {
                events.entry(event.track_uuid()).or_default().push((time_ns, event));
            }
        }
        Exported { tracks, events }
    }

    /// Every track has a name, and, unless it is that of a board with others below it, an event.
    fn expect_named_and_used_tracks(&self) {
        let parents: BTreeSet<u64> = self.tracks.values().filter_map(|track| track.parent_uuid).collect();
        for (uuid, track) in &self.tracks {
            assert!(!track.name().is_empty() && !track.name().contains('?'), "{track:?}");
            assert!(self.events.contains_key(uuid) || parents.contains(uuid), "{track:?} has no event");
        }
        let described: BTreeSet<u64> = self.tracks.keys().copied().collect();
        assert!(parents.is_subset(&described) && self.events.keys().all(|uuid| described.contains(uuid)));
    }

    /// Slices nest, are closed, and have names and categories.
    fn expect_closed_slices(&self) {
        for (uuid, events) in self.events.iter().filter(|(uuid, _)| self.tracks[*uuid].counter.is_none()) {
            let mut depth = 0;
            for (time_ns, event) in events {
                let is_named = !event.name().is_empty() && !event.name().contains('?') && event.categories.len() == 1;
                match event.r#type() {
                    1 => depth += 1,
                    2 => depth -= 1,
                    kind => assert_eq!(kind, 3, "{event:?}"),
                }
                assert!(
                    depth >= 0 && is_named == (event.r#type() != 2),
                    "{}: {time_ns} {event:?}",
                    self.tracks[uuid].name()
                );
            }
            assert_eq!(depth, 0, "{}", self.tracks[uuid].name());
        }
    }

    /// Values of a counter have different times, and the last is 0; gives the most of each name.
    fn expect_counters(&self) -> BTreeMap<&str, i64> {
        let mut most = BTreeMap::new();
        for (uuid, track) in self.tracks.iter().filter(|(_, track)| track.counter.is_some()) {
            let events = &self.events[uuid];
            assert!(events.iter().all(|(_, event)| event.r#type() == 4 && event.counter_value() >= 0), "{track:?}");
            assert!(events.is_sorted_by(|(before_ns, _), (time_ns, _)| before_ns < time_ns), "{track:?}");
            assert_eq!(events.last().map(|(_, event)| event.counter_value()), Some(0), "{track:?}");
            let value = events.iter().map(|(_, event)| event.counter_value()).max();
            let entry: &mut i64 = most.entry(track.name()).or_default();
            *entry = value.unwrap_or(0).max(*entry);
        }
        most
    }

    /// The values of a counter of a board.
    fn values(&self, counter: &str, board: &str) -> Vec<i64> {
        let parent = self.tracks.values().find(|track| track.name() == board).and_then(|track| track.uuid);
        let found = self.tracks.iter().find(|(_, track)| track.name() == counter && track.parent_uuid == parent);
        let events = found.map_or(&[][..], |(uuid, _)| &self.events[uuid]);
        events.iter().map(|(_, event)| event.counter_value()).collect()
    }

    /// The slices of a category.
    fn slices(&self, category: &str) -> Vec<&TrackEvent> {
        let events = self.events.values().flatten().map(|(_, event)| event);
        events.filter(|event| event.r#type() == 1 && event.categories == [category]).collect()
    }

    /// The names of the tracks of a board.
    fn of_board(&self, board: &str) -> Vec<&str> {
        let parent = self.tracks.values().find(|track| track.name() == board).and_then(|track| track.uuid);
        let below = self.tracks.values().filter(|track| track.parent_uuid == parent);
        below.map(|track| track.name()).collect()
    }
}

fn argument_names(event: &TrackEvent) -> Vec<&str> {
    event.debug_annotations.iter().map(|argument| argument.name()).collect()
}

/// Holds: trace-perfetto.
#[test]
fn perfetto_of_two_boards_has_names_arguments_and_counters() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("perfetto");
    let [trace, out, figures] = ["trace", "perfetto", "figures"].map(|name| scratch.join(name));
    let run = Renga::run().with(["--system", "pair", "-c", SCRIPT]).with(["--trace".as_ref(), trace.as_os_str()]);
    let run = run.with([format!("--json={}", figures.display())]);
    let text = run.end().expect_status(0).text();
    let json = Renga::command(&["trace", "--json"]).with([&trace]).end().expect_status(0).text();
    renga_schema::expect_valid("trace", &json);
    let summary: Value = serde_json::from_str(&json).expect("it is JSON");
    let figures = fs::read_to_string(figures).expect("it was written");
    let figures: Value = serde_json::from_str(&figures).expect("it is JSON");
    let calls = ["calls", "releasable", "released"].map(|key| [&figures[key], &summary[key]]);
    assert!(calls.iter().all(|[by_frames, by_trace]| by_frames == by_trace && by_trace.is_u64()), "{calls:?}");
    assert!(calls[0][0].as_u64() > calls[1][0].as_u64() && calls[1][0].as_u64() > Some(0), "{calls:?}");
    Renga::command(&["trace", "--perfetto"]).with([&out, &trace]).end().expect_status(0);
    let exported = Exported::read(&fs::read(&out).expect("it was written"));
    exported.expect_named_and_used_tracks();
    exported.expect_closed_slices();
    let most = exported.expect_counters();
    println!("{} tracks, {most:?}", exported.tracks.len());
    assert!((1..=100).contains(&most["link load, %"]) && most["run queue"] > 0, "{most:?}");
    assert!(most["frames waiting for the token"] > 0 && most.keys().any(|name| name.starts_with("calls waiting for ")));
    let free = text.lines().find_map(|line| line.strip_prefix("MemFree:")?.trim().strip_suffix(" kB")?.parse().ok());
    let free_frames = free.map(|kib: i64| kib / KIB_PER_FRAME).expect("grep found it");
    // Of both boards; on b hardly anything runs any more.
    let [on_a, on_b] = ["board a", "board b"].map(|board| exported.values("free page frames", board));
    let mut last_on_b = on_b.iter().rev().take(4);
    let is_sum = last_on_b.any(|last| on_a.contains(&(free_frames - last)));
    assert!(on_b.len() > 4 && is_sum, "{free_frames} frames, {on_a:?}, {on_b:?}");
    let runs = |board: &str, program: &str| exported.of_board(board).iter().any(|name| name.starts_with(program));
    assert!(runs("board a", "ls (") && runs("board a", "head (") && runs("board b", "sort ("));
    let phases: Vec<&str> = exported.slices("phase").iter().map(|slice| slice.name()).collect();
    assert_eq!(phases, ["sorting", "writing"]);
    let syscalls: BTreeSet<&str> = exported.slices("syscall").iter().map(|slice| slice.name()).collect();
    assert!(["execve", "read", "write", "sync"].iter().all(|name| syscalls.contains(name)), "{syscalls:?}");
    for (category, kind) in [("syscall", "system-call"), ("link", "frame"), ("disk", "disk"), ("service", "accept")] {
        assert_eq!(exported.slices(category).len() as u64, summary["events_by_kind"][kind], "{category}");
    }
    for (category, arguments) in [("call", "entry"), ("link", "bytes"), ("disk", "block"), ("disk", "bytes")] {
        let has = |slice: &&TrackEvent| argument_names(slice).contains(&arguments);
        assert!(exported.slices(category).iter().all(has), "{category} slices have {arguments}");
    }
}
