//! What is on the screen, and what keys change there.

use crate::composed::TraceFile;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use renga_view::choice::{KEYS, action};
use renga_view::screen::draw;
use renga_view::table::Scale;
use renga_view::{TracePlayer, ViewChoice, ViewKind};

struct Screen {
    player: TracePlayer,
    choice: ViewChoice,
    terminal: Terminal<TestBackend>,
    _file: TraceFile,
}

impl Screen {
    fn new(width: u16, height: u16) -> Screen {
        let file = TraceFile::new(None);
        let mut player = TracePlayer::open(&file.0, 100_000_000).expect("a trace");
        player.go_to(200_000_000);
        while !player.advance().expect("a file") {}
        let choice = ViewChoice::new(ViewKind::Boards, Scale::Rates, false);
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen of memory");
        Screen { player, choice, terminal, _file: file }
    }

    /// Types a key, and returns the screen's lines.
    fn after(&mut self, code: KeyCode) -> Vec<String> {
        let action = action(KeyEvent::new(code, KeyModifiers::NONE)).expect("a key that does something");
        assert!(self.choice.act(action, &mut self.player));
        self.lines()
    }

    fn lines(&mut self) -> Vec<String> {
        while !self.player.advance().expect("a file") {}
        self.terminal.draw(|frame| draw(frame, &mut self.choice, &self.player)).expect("memory");
        let buffer = self.terminal.backend().buffer();
        let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
        cells.chunks(buffer.area.width.into()).map(|line| line.concat().trim_end().to_string()).collect()
    }
}

fn has(lines: &[String], words: &str) -> bool {
    lines.iter().any(|line| line.split_whitespace().collect::<Vec<_>>().join(" ").contains(words))
}

/// Holds: top-keys.
#[test]
fn screen_boards_view_shows_bars_rates_and_keys() {
    let lines = Screen::new(180, 12).lines();
    assert!(
        lines[0].starts_with("renga top  200000.000 us  plays, 1 times real time  intervals of 100 ms  /"),
        "{lines:#?}"
    );
    assert_eq!(lines[1], "a [#########===..................] programs 30.0% system 10.0%   link  0.0%", "{lines:#?}");
    assert_eq!(lines[2], "b [..............................] programs  0.0% system  0.0%", "{lines:#?}");
    assert!(
        lines[3].starts_with(" 1 boards  2 programs  3 processes  4 edges  5 cores   rates, by board, all boards"),
        "{lines:#?}"
    );
    assert!(has(&lines, "a 30.0 10.0 60.0 100 0 0 0.0 0.0 - 0 0.0 0.0 0.0 0"), "{lines:#?}");
    assert!(lines[11].contains("q leave"), "{lines:#?}");
}

/// Holds: top-keys.
#[test]
fn screen_keys_choose_view_order_scale_and_board() {
    let mut screen = Screen::new(180, 14);
    assert!(has(&screen.after(KeyCode::Char('2')), "7 worker a 30.0 10.0 runs"));
    assert!(has(&screen.after(KeyCode::Char('3')), "a file 1 10.0 100 1000.000 0.000 0"));
    assert!(has(&screen.after(KeyCode::Tab), "a: user a: file Read - 100 100 10.0 0.0 1000.000"));
    assert!(has(&screen.after(KeyCode::Char('u')), "a: user a: file Read - 10 10 10000.000 0.000 1000.000"));
    let whole = screen.after(KeyCode::Char('w'));
    assert!(has(&whole, "a: user a: file Read - 20 20 20000.000 0.000 1000.000"), "{whole:#?}");
    assert!(has(&whole, "all since the beginning") && has(&whole, "sums, by time, all boards"));
    assert!(has(&screen.after(KeyCode::Char('s')), "by waiting"));
    assert!(has(&screen.after(KeyCode::Char('b')), "board a alone"));
    let none = screen.after(KeyCode::Char('b'));
    assert!(has(&none, "board b alone") && !has(&none, "a: user"), "{none:#?}");
    assert!(has(&screen.after(KeyCode::Char('b')), "all boards"));
    assert!(has(&screen.after(KeyCode::Char('5')), "b 0 0.000 0.000 200000.000"));
    let names = |lines: &[String]| {
        lines[5..].iter().filter_map(|line| line.get(..1)).filter(|name| ["a", "b"].contains(name)).collect::<String>()
    };
    assert_eq!(names(&screen.after(KeyCode::Char('1'))), "ab");
    assert_eq!(names(&screen.after(KeyCode::Char('r'))), "ba");
    assert_eq!(names(&screen.after(KeyCode::Down)), "a", "the first row is above");
}

/// Holds: top-keys.
#[test]
fn screen_keys_move_time() {
    let mut screen = Screen::new(180, 12);
    assert!(has(&screen.after(KeyCode::Char(' ')), "200000.000 us stopped"));
    assert!(has(&screen.after(KeyCode::Char('n')), "300000.000 us stopped"));
    assert!(has(&screen.after(KeyCode::Home), "0.000 us stopped"));
    assert!(has(&screen.after(KeyCode::Right), "1000000.000 us the end"));
    assert!(has(&screen.after(KeyCode::Left), "0.000 us stopped"));
    assert!(has(&screen.after(KeyCode::Char('+')), "stopped"));
    assert!(has(&screen.after(KeyCode::Char(' ')), "plays, 2 times real time"));
    assert!(has(&screen.after(KeyCode::Char('-')), "plays, 1 times real time"));
    assert!(has(&screen.after(KeyCode::Char('-')), "plays, 1/2 of real time"));
    assert!(has(&screen.after(KeyCode::End), "1000000.000 us the end"));
    assert!(has(&screen.after(KeyCode::Char('2')), "7 worker a 30.0 10.0 ended"));
}

#[test]
fn screen_help_names_every_key() {
    let mut screen = Screen::new(100, 20);
    let lines = screen.after(KeyCode::Char('h'));
    for (keys, what) in KEYS {
        assert!(lines.iter().any(|line| line.contains(keys) && line.contains(what)), "{keys}: {lines:#?}");
    }
    assert!(!has(&screen.after(KeyCode::Char('?')), "this help"));
    let leave = action(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)).unwrap();
    assert!(!screen.choice.act(leave, &mut screen.player));
    assert_eq!(action(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE)), None);
}

/// Holds: top-keys.
#[test]
fn screen_any_size_works() {
    for (width, height) in [(1, 1), (10, 2), (20, 5), (40, 8), (400, 100)] {
        let mut screen = Screen::new(width, height);
        screen.lines();
        screen.after(KeyCode::Char('h'));
    }
}
