//! What keys do to a line, as Linux 6.1 does it.

use super::{INPUT_BYTES_MAX, InputQueue, Line, Screen};
use crate::termios::{
    ECHO, ECHOE, ECHOK, ECHONL, ICANON, IUTF8, IXANY, IXON, NOFLSH, OPOST, Termios, VEOL, VMIN, VTIME,
};
use std::boxed::Box;
use std::vec::Vec;

impl Screen for Vec<u8> {
    fn put(&mut self, byte: u8) {
        self.push(byte);
    }
    fn forget(&mut self) {
        self.clear();
    }
}

fn empty() -> Line {
    Line::new(Box::leak(Box::new(InputQueue::new())))
}

fn typed(line: &mut Line, keys: &[u8]) -> Vec<u8> {
    let mut screen = Vec::new();
    for &key in keys {
        line.press(key, &mut screen);
    }
    screen
}

fn read(line: &mut Line) -> Vec<u8> {
    let mut out = [0; 64];
    let count = line.read(&mut out);
    out[..count].to_vec()
}

/// With `local` modes taken away, and characters set.
fn changed(local: u32, characters: &[(usize, u8)]) -> Line {
    let mut line = empty();
    let mut termios = line.termios;
    termios.local &= !local;
    characters.iter().for_each(|&(which, key)| termios.characters[which] = key);
    line.set(termios, false);
    line
}

#[test]
fn line_edited_input_is_echoed_and_read_whole() {
    let mut line = empty();
    assert_eq!(typed(&mut line, b"ab\x7fc\r"), b"ab\x08 \x08c\r\n");
    let mut out = [0; 16];
    assert_eq!(line.read(&mut out), 3);
    assert_eq!(&out[..3], b"ac\n");
}

#[test]
fn line_leaving_canonical_mode_makes_input_readable() {
    let mut line = empty();
    typed(&mut line, b"ab");
    assert!(!line.readable());
    line.set(Termios { local: line.termios.local & !ICANON, ..line.termios }, false);
    let mut out = [0; 4];
    assert_eq!((line.read(&mut out), &out[..2]), (2, &b"ab"[..]));
}

#[test]
fn line_unfinished_is_unreadable_until_end_of_file() {
    let mut line = empty();
    typed(&mut line, b"x");
    assert!(!line.readable());
    typed(&mut line, b"\x04\x04");
    let mut out = [0; 4];
    assert_eq!(line.read(&mut out), 1);
    assert!(line.readable());
    assert_eq!(line.read(&mut out), 0);
    assert!(!line.readable());
}

#[test]
fn line_interrupt_key_flushes_and_signals() {
    let mut line = empty();
    typed(&mut line, b"half");
    let mut screen = b"not shown yet".to_vec();
    assert_eq!((line.press(3, &mut screen), &screen[..]), (Some(2), &b"^C"[..]));
    typed(&mut line, b"ok\n");
    let mut out = [0; 8];
    assert_eq!(line.read(&mut out), 3);
}

#[test]
fn line_raw_mode_reads_each_key() {
    let mut line = empty();
    let mut raw = line.termios;
    raw.local &= !(ICANON | ECHO);
    line.set(raw, false);
    assert_eq!(typed(&mut line, b"q"), b"");
    let mut out = [0; 8];
    assert_eq!(line.read(&mut out), 1);
}

#[test]
fn line_word_erase_removes_last_word() {
    let mut line = empty();
    typed(&mut line, b"one two \x17x\n");
    let mut out = [0; 16];
    let count = line.read(&mut out);
    assert_eq!(&out[..count], b"one x\n");
}

#[test]
fn line_next_key_can_be_taken_literally() {
    let mut line = empty();
    assert_eq!(typed(&mut line, b"\x16\x03\x16\x04\n"), b"^\x08^C^\x08^D\r\n");
    assert_eq!(read(&mut line), b"\x03\x04\n");
}

#[test]
fn line_ends_at_other_characters_too() {
    let mut line = changed(0, &[(VEOL, b';')]);
    typed(&mut line, b"a;b\nc;");
    assert_eq!([read(&mut line), read(&mut line), read(&mut line)], [&b"a;"[..], b"b\n", b"c;"]);
}

#[test]
fn line_kill_shows_as_settings_say() {
    assert_eq!(typed(&mut empty(), b"ab\x15"), b"ab\x08 \x08\x08 \x08");
    assert_eq!(typed(&mut changed(ECHOE, &[]), b"ab\x15"), b"ab^U\r\n");
    assert_eq!(typed(&mut changed(ECHOE | ECHOK, &[]), b"ab\x15"), b"ab^U");
    assert_eq!(typed(&mut changed(ECHO, &[]), b"ab\x15"), b"");
    for without in [0, ECHO, ECHOE, ECHOK] {
        let mut line = changed(without, &[]);
        typed(&mut line, b"ab\x15c\n");
        assert_eq!(read(&mut line), b"c\n", "{without:o}");
    }
}

#[test]
fn line_erase_takes_whole_characters() {
    let mut line = empty();
    line.set(Termios { input: line.termios.input | IUTF8, ..line.termios }, false);
    assert_eq!(typed(&mut line, "a\u{e9}\x7f\x01\x7f\n".as_bytes()), b"a\xc3\xa9\x08 \x08^A\x08 \x08\x08 \x08\r\n");
    assert_eq!(read(&mut line), b"a\n");
    assert_eq!(typed(&mut changed(ECHOE, &[]), b"a\x7f"), b"a^?");
}

#[test]
fn line_reprint_shows_line_again() {
    assert_eq!(typed(&mut empty(), b"x\nab\x12"), b"x\r\nab^R\r\nab");
}

#[test]
fn line_newline_alone_can_be_echoed() {
    let mut line = changed(ECHO, &[]);
    line.set(Termios { local: line.termios.local | ECHONL, output: 0, ..line.termios }, false);
    assert_eq!(typed(&mut line, b"ab\n"), b"\n");
    line.set(Termios { output: OPOST, ..line.termios }, false);
    assert_eq!(typed(&mut line, b"ab\n"), b"\n");
}

#[test]
fn line_stop_and_start_keys_are_no_input() {
    let mut line = empty();
    typed(&mut line, b"a\x13b\n");
    assert!(line.stopped);
    assert_eq!(read(&mut line), b"ab\n");
    typed(&mut line, b"\x11");
    assert!(!line.stopped);
    // A signal starts it too, and so does any key where that is set; without IXON they are keys as others.
    typed(&mut line, b"\x13\x03");
    assert!(!line.stopped);
    line.set(Termios { input: line.termios.input | IXANY, ..line.termios }, false);
    typed(&mut line, b"\x13x");
    assert!(!line.stopped);
    typed(&mut line, b"\x13");
    line.set(Termios { input: line.termios.input & !IXON, ..line.termios }, false);
    assert!(!line.stopped);
    typed(&mut line, b"\x13\n");
    assert_eq!(read(&mut line), b"x\x13\n");
}

#[test]
fn line_signal_flushes_unless_told_not_to() {
    let mut line = changed(0, &[]);
    line.set(Termios { local: line.termios.local | NOFLSH, ..line.termios }, false);
    let mut screen = b"out".to_vec();
    line.press(b'a', &mut screen);
    assert_eq!((line.press(28, &mut screen), &screen[..]), (Some(3), &b"outa^\\"[..]));
    line.press(b'\n', &mut screen);
    assert_eq!(read(&mut line), b"a\n");
}

#[test]
fn line_raw_reader_waits_for_its_least_bytes() {
    let mut line = changed(ICANON | ECHO, &[(VMIN, 3)]);
    typed(&mut line, b"ab");
    assert!(line.readable() && !line.suffices(9) && line.suffices(2) && !line.is_ready() && line.wait_ns().is_none());
    typed(&mut line, b"c");
    assert!(line.suffices(9) && line.is_ready());
    let mut line = changed(ICANON, &[(VMIN, 2), (VTIME, 5)]);
    assert_eq!((line.wait_ns(), line.is_ready()), (None, false));
    typed(&mut line, b"a");
    assert_eq!((line.wait_ns(), line.is_ready(), line.suffices(9)), (Some(500_000_000), true, false));
    assert_eq!(changed(ICANON, &[(VMIN, 0), (VTIME, 0)]).wait_ns(), Some(0));
    assert_eq!(changed(ICANON, &[(VMIN, 0), (VTIME, 7)]).wait_ns(), Some(700_000_000));
    assert_eq!(changed(0, &[(VMIN, 0), (VTIME, 7)]).wait_ns(), None);
}

#[test]
fn line_too_long_can_be_ended() {
    let mut line = empty();
    typed(&mut line, &[b'x'; INPUT_BYTES_MAX + 9]);
    assert!(line.has_room() && !line.readable());
    assert!(line.input.len() == INPUT_BYTES_MAX - 1);
    typed(&mut line, b"\x16\n\n");
    assert_eq!((line.bytes(), line.has_room()), (INPUT_BYTES_MAX, false));
    assert_eq!(read(&mut line).len(), 64);
    assert!(line.has_room());
}

#[test]
fn line_changing_modes_keeps_what_was_typed() {
    let mut line = changed(ICANON, &[]);
    typed(&mut line, b"ab\ncd");
    line.set(Termios { local: line.termios.local | ICANON, ..line.termios }, false);
    typed(&mut line, b"e\n");
    assert_eq!([read(&mut line), read(&mut line)], [&b"ab\ncd"[..], b"e\n"]);
    // The end of a file is a zero then, as on Linux.
    typed(&mut line, b"a\x04");
    line.set(Termios { local: line.termios.local & !ICANON, ..line.termios }, false);
    assert_eq!(read(&mut line), b"a\0");
}
