//! The frames between boards keep the rules of sessions: those that `renga_model` searches are those that boards say.

use crate::support::{Renga, Scratch, clusters_can_run};
use renga_model::trace::read::read;
use renga_model::trace::{Recorded, check};
use renga_wire::{FrameKind, LinkFrame};
use std::fs;

/// Crosses both ways: programs there, and bytes to and fro through pipes.
const CROSSING: &str = r#"
remote -b b sh -c 'echo "there $0"; exit 3' once; echo "status $?"
seq 2000 | remote -b b sort -rn | tail -n 1
remote -b b seq 2000 | sort -n | tail -n 1
"#;
const SAID: &str = "there once\nstatus 3\n1\n2000\n";
/// Data frames of each board at least.
const DATA_FRAMES_MIN: usize = 100;

/// Whether this is a data frame that `board` says.
fn is_data_of(board: u8, part: &Recorded) -> bool {
    matches!(part, Recorded::Sent(from, bytes)
        if *from == board && LinkFrame::parse(bytes).is_ok_and(|frame| frame.header.kind == FrameKind::Data))
}

/// The record without the data frame that stands at `place`, said or heard.
fn without(record: &[Recorded], place: usize) -> Vec<Recorded> {
    let mut less = record.to_vec();
    let Recorded::Sent(_, bytes) = less.remove(place) else { panic!("no frame is said at {place}") };
    let is_it = |part: &Recorded| matches!(part, Recorded::Received(_, received) if *received == bytes);
    if let Some(received) = less[place..].iter().position(is_it) {
        less.remove(place + received);
    }
    less
}

/// Holds: call-once.
#[test]
fn session_rules_hold_for_traced_frames() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("rules");
    let trace = scratch.join("trace");
    let run = Renga::script(CROSSING).with(["--trace".as_ref(), trace.as_os_str()]);
    run.end().expect_status(0).expect_text(SAID);
    let written = fs::read(&trace).expect("the trace was written");
    let record = read(&written).unwrap_or_else(|bad| panic!("{bad}"));
    let frames = check(&record).unwrap_or_else(|(place, broken)| panic!("{:?} breaks {broken:?}", record[place]));
    for board in [0, 1] {
        let places: Vec<usize> = (0..record.len()).filter(|place| is_data_of(board, &record[*place])).collect();
        println!("board {board} says {} data frames; the record has {frames} parts", places.len());
        assert!(places.len() >= DATA_FRAMES_MIN, "board {board} says only {} data frames", places.len());
        // The check is no formality: a frame that is missing shows, wherever it stood.
        for place in [places[0], places[places.len() / 2]] {
            assert!(check(&without(&record, place)).is_err(), "data frame {place} of board {board} is not missed");
        }
    }
}
