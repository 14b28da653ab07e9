//! What a job alone took of each core, of the wire and of the disk, and when, read from its trace.
//!
//! Invariant: each nanosecond of a job's time belongs to one place only, so that the parts add up: the core of its
//! board before the other one, a core before the wire, the wire before the disk. The rest is apart: waits for the
//! token, for frames on their way, for clocks. Overlapped work of a second process is not counted.

use anyhow::Result;
use renga_trace::TraceHeader;
use renga_trace::cores::TracedCores;
use renga_trace::event::{Timed, TraceEvent};
use std::ops::Range;

/// Stations at which jobs may meet: the two boards' cores by number, then the wire, then the disk.
pub(super) const STATIONS: usize = 4;
const WIRE: usize = 2;
const DISK: usize = 3;

/// Time that a job takes by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Demand {
    /// At the stations, ns.
    pub(super) queued_ns: [f64; STATIONS],
    /// Without contention, ns.
    pub(super) apart_ns: f64,
}

impl Demand {
    /// All of it, ns.
    pub(super) fn total_ns(&self) -> f64 {
        self.apart_ns + self.queued_ns.iter().sum::<f64>()
    }

    /// Takes off of it what is also in `less`, and that of `less`.
    fn take_off(&mut self, less: &mut Demand) {
        let both = self.queued_ns.iter_mut().zip(&mut less.queued_ns);
        for (own, less) in both.chain([(&mut self.apart_ns, &mut less.apart_ns)]) {
            let taken = own.min(*less);
            *own -= taken;
            *less -= taken;
        }
    }

    /// Adds another.
    fn plus(mut self, other: &Demand) -> Demand {
        self.queued_ns.iter_mut().zip(other.queued_ns).for_each(|(own, other)| *own += other);
        Demand { apart_ns: self.apart_ns + other.apart_ns, ..self }
    }

    /// Time passes at a station, or apart.
    fn add(&mut self, station: Option<usize>, ns: u64) {
        let sum = station.and_then(|station| self.queued_ns.get_mut(station)).unwrap_or(&mut self.apart_ns);
        *sum += ns as f64;
    }
}

/// What a job does, one part of it after the other: a compiler writes at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobPhases(pub(super) Vec<Demand>);

/// Parts of a course, each as long as the others when the job is alone.
const PARTS: u64 = 32;

impl JobPhases {
    /// All of it.
    pub(super) fn sum(&self) -> Demand {
        self.0.iter().fold(Demand::default(), |sum, part| sum.plus(part))
    }

    /// It without what `less` has, which is done first.
    pub(super) fn without(mut self, mut less: Demand) -> JobPhases {
        self.0.iter_mut().for_each(|part| part.take_off(&mut less));
        self
    }
}

/// The courses of jobs that were alone on `board` at these times.
///
/// # Errors
/// If the trace cannot be read.
pub(super) fn courses(
    header: &TraceHeader,
    events: &mut dyn Iterator<Item = Result<Timed>>,
    board: usize,
    times: &[Range<u64>],
) -> Result<Vec<JobPhases>> {
    let parts: Vec<Range<u64>> = times.iter().flat_map(parts).collect();
    let found = demands(header, events, board, &parts)?;
    Ok(found.chunks(PARTS as usize).map(|parts| JobPhases(parts.to_vec())).collect())
}

/// The parts of a time.
fn parts(time: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let Range { start, end } = *time;
    let instant = move |part: u64| start + (end - start) * part / PARTS;
    (0..PARTS).map(move |part| instant(part)..instant(part + 1))
}

/// What was done on `board` at these times.
fn demands(
    header: &TraceHeader,
    events: &mut dyn Iterator<Item = Result<Timed>>,
    board: usize,
    times: &[Range<u64>],
) -> Result<Vec<Demand>> {
    let mut found = vec![Demand::default(); times.len()];
    let (mut cores, mut before_ns, mut sent_until_ns) = (TracedCores::new(header), 0, 0);
    for timed in events {
        let timed = timed?;
        for (demand, time) in found.iter_mut().zip(times) {
            let (from, to) = (before_ns.max(time.start), timed.time_ns.min(time.end));
            if from < to {
                let sent = sent_until_ns.clamp(from, to);
                demand.add(station(&cores, board, true), sent - from);
                demand.add(station(&cores, board, false), to - sent);
            }
        }
        if let TraceEvent::Frame(frame) = &timed.event {
            sent_until_ns = timed.time_ns.saturating_add(frame.wire_ns);
        }
        before_ns = timed.time_ns;
        cores.take(&timed);
    }
    Ok(found)
}

/// Where a job of `board` is now.
fn station(cores: &TracedCores, board: usize, sends: bool) -> Option<usize> {
    let core = [board, 1 - board].into_iter().find(|board| cores.works(*board));
    core.or(sends.then_some(WIRE)).or(cores.disk_works().then_some(DISK))
}

#[cfg(test)]
mod tests {
    use super::{Demand, JobPhases, PARTS, courses, demands, parts};
    use renga_abi::ProcId;
    use renga_trace::event::{Timed, TraceEvent, TracedFrame};
    use renga_trace::{ProcessKind, TraceBoard, TraceHeader};

    /// Two boards without processes.
    fn header() -> TraceHeader {
        let boards = ["a", "b"].map(|name| TraceBoard { name: name.to_string(), ..TraceBoard::default() });
        let kinds = vec![ProcessKind { name: "x".to_string(), serves: None }];
        TraceHeader { boards: boards.into(), kinds, protocols: Vec::new(), ..TraceHeader::default() }
    }

    /// b works until 100 and from 200 on; its frame is on the wire from 110 to 140; a works from 130 to 170, the disk
    /// from 160 to 190. Later the disk works from 310 to 400, while a frame is on the wire from 320 to 350.
    fn events() -> Vec<Timed> {
        let (user, server) = (ProcId::new(1, 0), ProcId::new(0, 0));
        let frame = TracedFrame { destination: 0, token_wait_ns: 2, wire_ns: 30, arrives_after_ns: 31, bytes: vec![1] };
        [
            (0, 0, TraceEvent::Idle {}),
            (10, 1, TraceEvent::Enter { process: user }),
            (100, 1, TraceEvent::Idle {}),
            (110, 1, TraceEvent::Frame(frame.clone())),
            (130, 0, TraceEvent::Dispatch { process: server }),
            (160, 0, TraceEvent::Disk { process: server, first: 1, blocks: 1, writes: false }),
            (170, 0, TraceEvent::Idle {}),
            (190, 0, TraceEvent::DiskEnd { process: server }),
            (191, 0, TraceEvent::Idle {}),
            (200, 1, TraceEvent::Enter { process: user }),
            (250, 0, TraceEvent::Dispatch { process: server }),
            (300, 1, TraceEvent::Idle {}),
            (310, 0, TraceEvent::Disk { process: server, first: 1, blocks: 1, writes: true }),
            (311, 0, TraceEvent::Idle {}),
            (320, 1, TraceEvent::Frame(frame)),
            (400, 0, TraceEvent::DiskEnd { process: server }),
        ]
        .map(|(time_ns, board, event)| Timed { time_ns, board, core: 0, event })
        .into()
    }

    /// Of jobs of `board` from 10 until `first` and from there until `second`.
    fn found(board: usize, first: u64, second: u64) -> [Demand; 2] {
        let times = [10..first, first..second];
        demands(&header(), &mut events().into_iter().map(Ok), board, &times).unwrap().try_into().unwrap()
    }

    /// Holds: placements-model.
    #[test]
    fn demand_each_instant_has_one_station() {
        // Apart: 100 to 110, 191 to 200.
        let wanted = Demand { queued_ns: [40.0 + 1.0, 90.0 + 60.0, 20.0, 20.0], apart_ns: 10.0 + 9.0 };
        let [first, second] = found(1, 260, 280);
        assert_eq!((first, wanted.total_ns()), (wanted, 250.0));
        // Both cores work: each job's own counts.
        assert_eq!(second.queued_ns, [0.0, 20.0, 0.0, 0.0]);
        assert_eq!(found(0, 260, 280)[1].queued_ns, [20.0, 0.0, 0.0, 0.0]);
        assert_eq!(found(1, 165, 180)[1], Demand { queued_ns: [5.0, 0.0, 0.0, 10.0], apart_ns: 0.0 });
        assert_eq!(found(0, 315, 360)[1], Demand { queued_ns: [0.0, 0.0, 30.0, 5.0 + 10.0], apart_ns: 0.0 });
    }

    /// Holds: placements-model.
    #[test]
    fn demand_phases_add_up_to_course() {
        let mut events = events().into_iter().map(Ok);
        let time = 10..260;
        let course = courses(&header(), &mut events, 1, std::slice::from_ref(&time)).unwrap().remove(0);
        assert_eq!((course.0.len() as u64, course.sum()), (PARTS, found(1, 260, 280)[0]));
        assert_eq!(course.0[0], Demand { queued_ns: [0.0, 7.0, 0.0, 0.0], apart_ns: 0.0 });
        let lengths: Vec<u64> = parts(&time).map(|part| part.end - part.start).collect();
        assert!(lengths.iter().all(|length| (7..=8).contains(length)) && lengths.iter().sum::<u64>() == 250);
    }

    #[test]
    fn demand_common_prefix_is_removed() {
        let demand = |queued_ns, apart_ns| Demand { queued_ns, apart_ns };
        let parts = vec![demand([3.0, 2.0, 3.0, 0.0], 4.0), demand([7.0, 0.0, 1.0, 0.0], 4.0)];
        let left = vec![demand([0.0, 2.0, 0.0, 0.0], 3.0), demand([5.0, 0.0, 0.0, 0.0], 4.0)];
        assert_eq!(JobPhases(parts).without(demand([5.0, 0.0, 9.0, 0.0], 1.0)), JobPhases(left));
    }
}
