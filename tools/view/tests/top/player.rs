//! Going through a trace: along, playing, stopping, jumping.

use crate::composed::{TraceFile, written};
use renga_view::{KeyAction, PlayerState, TracePlayer};
use std::fs;
use std::io::Write;
use std::time::Duration;

const MS: u64 = 1_000_000;

fn open(file: &TraceFile) -> TracePlayer {
    TracePlayer::open(&file.0, 100 * MS).expect("a trace")
}

fn advance(player: &mut TracePlayer) {
    while !player.advance().expect("a file") {}
}

/// Of board a in the last interval: its program's share of the core in percent, and calls.
fn interval(player: &TracePlayer) -> (u64, u64) {
    let figures = player.interval().expect("a trace with names");
    (figures.boards[0].all_cores().programs_ns * 100 / figures.span_ns(), figures.boards[0].calls_local)
}

#[test]
fn player_following_shows_last_interval_then_total() {
    let file = TraceFile::new(None);
    let mut player = open(&file);
    assert!(player.is_complete().unwrap());
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns()), (&PlayerState::Ended, 1000 * MS));
    assert_eq!(interval(&player), (30, 10));
    let all = player.figures().unwrap();
    assert_eq!((all.boards[0].all_cores().programs_ns, all.boards[0].calls_local), (300 * MS, 100));
}

/// Holds: top-keys.
#[test]
fn player_interval_is_independent_of_refresh_time() {
    let bytes = written();
    let whole = {
        let file = TraceFile::new(None);
        let mut player = open(&file);
        player.go_to(500 * MS);
        advance(&mut player);
        player.interval()
    };
    let file = TraceFile::of(b"");
    let mut player = TracePlayer::open(&file.0, 100 * MS).expect("an empty file may become a trace");
    assert!(player.interval().is_none());
    let mut out = fs::OpenOptions::new().append(true).open(&file.0).unwrap();
    for piece in bytes.chunks(37) {
        out.write_all(piece).unwrap();
        player.go_to(500 * MS);
        advance(&mut player);
    }
    assert_eq!((player.time_ns(), player.interval()), (500 * MS, whole));
}

/// Holds: top-keys.
#[test]
fn player_pauses_steps_and_resumes() {
    let file = TraceFile::new(None);
    let mut player = open(&file);
    player.play(-1);
    player.pass(Duration::from_millis(500));
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns()), (&PlayerState::Plays, 250 * MS));
    player.act(KeyAction::Pause);
    player.pass(Duration::from_secs(9));
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns()), (&PlayerState::Stopped, 250 * MS));
    player.act(KeyAction::Step);
    advance(&mut player);
    assert_eq!(player.time_ns(), 350 * MS);
    player.act(KeyAction::Pause);
    player.act(KeyAction::Faster);
    player.pass(Duration::from_millis(100));
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns()), (&PlayerState::Plays, 450 * MS));
}

/// Holds: top-keys.
#[test]
fn player_seeks_forwards_backwards_and_to_ends() {
    let file = TraceFile::new(None);
    let mut player = open(&file);
    advance(&mut player);
    player.act(KeyAction::Jump(-3));
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns(), interval(&player)), (&PlayerState::Stopped, 700 * MS, (30, 10)));
    player.act(KeyAction::Jump(2));
    advance(&mut player);
    assert_eq!(player.time_ns(), 900 * MS);
    player.act(KeyAction::Begin);
    advance(&mut player);
    assert_eq!(player.time_ns(), 0);
    player.act(KeyAction::End);
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns()), (&PlayerState::Ended, 1000 * MS));
}

/// Holds: top-live.
#[test]
fn player_follows_growing_and_restarted_trace() {
    let bytes = written();
    let file = TraceFile::new(Some(bytes.len() / 2));
    let mut player = open(&file);
    assert!(!player.is_complete().unwrap());
    advance(&mut player);
    let half_ns = player.time_ns();
    assert!(*player.state() == PlayerState::Follows && (400 * MS..600 * MS).contains(&half_ns), "{half_ns}");
    fs::OpenOptions::new().append(true).open(&file.0).unwrap().write_all(&bytes[bytes.len() / 2..]).unwrap();
    advance(&mut player);
    assert_eq!((player.state(), player.time_ns()), (&PlayerState::Ended, 1000 * MS));

    let file = TraceFile::new(Some(bytes.len() - 1));
    let mut player = open(&file);
    advance(&mut player);
    fs::write(&file.0, &bytes[..bytes.len() / 2]).unwrap();
    advance(&mut player);
    advance(&mut player);
    assert_eq!((player.time_ns(), player.trouble()), (half_ns, None), "another run writes the same file");
}

/// Holds: trace-whole.
#[test]
fn player_refuses_other_files_and_reports_damage() {
    let refused = |file: &TraceFile| format!("{:#}", TracePlayer::open(&file.0, 1).err().expect("it is refused"));
    assert!(refused(&TraceFile::of(b"hello, world")).contains("this is no trace of Renga's"));
    assert!(refused(&TraceFile::of(b"RENGATR7")).contains("a trace of version 7; this renga reads version 1"));
    let none = TracePlayer::open("/no/such/trace".as_ref(), 1).err().unwrap().to_string();
    assert_eq!(none, "there is no file /no/such/trace: `renga run --trace /no/such/trace` writes it");
    assert!(TracePlayer::open("/".as_ref(), 1).err().unwrap().to_string().contains("/ is no file"));
    let mut bytes = written();
    let end = bytes.len() - 1;
    bytes[end] ^= 1;
    let file = TraceFile::of(&bytes);
    let mut player = open(&file);
    advance(&mut player);
    let trouble = player.trouble().expect("the count of events is wrong");
    assert!(trouble.ends_with("events are missing"), "{trouble}");
    assert_eq!(player.time_ns(), 1000 * MS, "the earlier events are displayed");
}
