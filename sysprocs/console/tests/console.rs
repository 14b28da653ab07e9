//! The console as programs and the person at it see it.
use renga_console::console;
use renga_hal::uart::Uart;
use renga_proto::console::{
    Console, GetAttributes, GetWindow, KeyboardSignal, NextSignal, PollTerminal, ReadTerminal, SetAttributes,
    SetForeground, SetWindow, TERMIOS_BYTES, WindowSize, WriteTerminal,
};
use renga_proto::pipe::{READABLE, WRITABLE};
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Wakes};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A serial line whose other end is the test.
#[derive(Clone, Default)]
struct Line {
    keys: Rc<RefCell<VecDeque<u8>>>,
    screen: Rc<RefCell<Vec<u8>>>,
    /// Its interrupt is enabled while keys wait.
    receives: Rc<Cell<bool>>,
}

impl Uart for Line {
    fn try_write(&mut self, byte: u8) -> bool {
        self.screen.borrow_mut().push(byte);
        true
    }
    fn try_read(&mut self) -> Option<u8> {
        self.keys.borrow_mut().pop_front()
    }
    fn enable_receive_interrupt(&mut self, on: bool) {
        self.receives.set(on);
    }
    fn enable_transmit_interrupt(&mut self, _: bool) {}
}

struct Rig {
    board: HostBoard,
    line: Line,
    server: &'static renga_core::Process,
    wakes: &'static Wakes,
}

fn rig() -> Rig {
    let board = HostBoard::new(0, 1 << 20);
    let line = Line::default();
    let uart = Box::leak(Box::new(line.clone()));
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
    let server = board.spawn(|me| {
        let (port, _) = renga_rt::Port::<Console>::new(&me);
        console(me, port, uart, wakes, Box::leak(Box::new(renga_console::InputQueue::new())))
    });
    board.run();
    Rig { board, line, server, wakes }
}

impl Rig {
    fn press(&self, keys: &[u8]) {
        self.line.keys.borrow_mut().extend(keys);
        self.server.notify();
        self.board.run();
    }
    fn client<F: Future<Output = ()> + 'static>(
        &self,
        body: impl FnOnce(Client<Console>) -> F,
    ) -> &'static renga_core::Process {
        let process = self.board.client(|me| body(Client::new(&me, renga_rt::Address::new(self.server))));
        self.board.run();
        process
    }
    /// The signals that keys mean from now on, with `group` in the foreground.
    fn signals_of(&self, group: u32) -> Rc<RefCell<Vec<KeyboardSignal>>> {
        let got = Rc::new(RefCell::new(Vec::new()));
        let out = got.clone();
        self.client(|mut console| async move {
            loop {
                let signal = console.call(NextSignal {}, ()).await.unwrap();
                out.borrow_mut().push(signal);
            }
        });
        self.client(
            move |mut console| async move { console.call(SetForeground { group, session: 0 }, ()).await.unwrap() },
        );
        got
    }
    fn screen(&self) -> String {
        String::from_utf8(self.line.screen.take()).unwrap()
    }
}

#[test]
fn console_reader_gets_whole_line() {
    let rig = rig();
    let read = Rc::new(RefCell::new(Vec::new()));
    let out = read.clone();
    rig.client(|mut console| async move {
        let mut line = [0; 32];
        for _ in 0..2 {
            let count = console.call(ReadTerminal { nonblocking: false }, &mut line).await.unwrap();
            out.borrow_mut().push(String::from_utf8_lossy(&line[..count as usize]).into_owned());
        }
    });
    rig.press(b"hell");
    assert!(read.borrow().is_empty());
    rig.press(b"o\rnext\r");
    assert_eq!(*read.borrow(), ["hello\n", "next\n"]);
    assert_eq!(rig.screen(), "hello\r\nnext\r\n");
}

/// 12,000 bytes of lines that are all different.
fn many_lines() -> Vec<u8> {
    (0..1500).flat_map(|number| format!("{number:07}\n").into_bytes()).collect()
}

/// As Linux 6.18 does it on a pseudo-terminal: 4,095 bytes wait at most, and the rest stays where it is.
#[test]
fn console_keys_without_room_wait_in_uart() {
    let rig = rig();
    rig.press(&many_lines());
    assert_eq!(rig.line.keys.borrow().len(), 12_000 - 4_095);
    assert!(!rig.line.receives.get(), "an interrupt that nobody ends keeps programs from running");
    rig.client(
        |mut console| async move { console.call(WriteTerminal { checked: false }, b"x").await.map(drop).unwrap() },
    );
    assert!(!rig.line.receives.get(), "a write changes nothing of that");
    let read = Rc::new(RefCell::new(Vec::<u8>::new()));
    let out = read.clone();
    rig.client(|mut console| async move {
        let mut line = [0; 32];
        while out.borrow().len() < 12_000 {
            let count = console.call(ReadTerminal { nonblocking: false }, &mut line).await.unwrap();
            out.borrow_mut().extend(&line[..count as usize]);
        }
    });
    assert!(*read.borrow() == many_lines(), "{} bytes", read.borrow().len());
    assert!(rig.line.receives.get());
}

#[test]
fn console_too_long_line_loses_its_end_and_can_be_ended() {
    let rig = rig();
    rig.press(&[b'x'; 5000]);
    rig.press(b"y\r");
    let read = Rc::new(RefCell::new(Vec::<u8>::new()));
    let out = read.clone();
    rig.client(|mut console| async move {
        let mut line = [0; 8192];
        let count = console.call(ReadTerminal { nonblocking: false }, &mut line).await.unwrap();
        out.borrow_mut().extend(&line[..count as usize]);
    });
    assert_eq!((read.borrow().len(), &read.borrow()[4093..]), (4096, &b"xx\n"[..]));
}

#[test]
fn console_output_newline_gets_carriage_return() {
    let rig = rig();
    rig.client(|mut console| async move {
        assert_eq!(console.call(WriteTerminal { checked: false }, b"a\nb\n").await, Ok(4));
    });
    assert_eq!(rig.screen(), "a\r\nb\r\n");
}

#[test]
fn console_interrupt_key_reports_foreground_group() {
    let rig = rig();
    let got = rig.signals_of(77);
    rig.press(&[3]);
    assert_eq!(*got.borrow(), [KeyboardSignal { signal: 2, group: 77 }]);
    assert_eq!(rig.screen(), "^C");
}

#[test]
fn console_cancelled_or_nonblocking_reader_returns() {
    let rig = rig();
    let got = Rc::new(RefCell::new(Vec::new()));
    let out = got.clone();
    let reader = rig.client(|mut console| async move {
        let result = console.call(ReadTerminal { nonblocking: true }, &mut [0; 4]).await;
        out.borrow_mut().push(result);
        let result = console.call(ReadTerminal { nonblocking: false }, &mut [0; 4]).await;
        out.borrow_mut().push(result);
    });
    reader.cancel_wait();
    rig.board.run();
    assert_eq!(*got.borrow(), [Err(Errno::EAGAIN), Err(Errno::EINTR)]);
}

#[test]
fn console_raw_mode_gives_keys_without_echo() {
    let rig = rig();
    let got = Rc::new(RefCell::new(Vec::new()));
    let out = got.clone();
    rig.client(|mut console| async move {
        let mut bytes = [0; TERMIOS_BYTES];
        console.call(GetAttributes {}, &mut bytes).await.unwrap();
        bytes[12..16].fill(0); // no local modes
        console.call(SetAttributes { flush: false }, &bytes).await.unwrap();
        let mut key = [0; 4];
        let count = console.call(ReadTerminal { nonblocking: false }, &mut key).await.unwrap();
        out.borrow_mut().extend_from_slice(&key[..count as usize]);
    });
    rig.press(b"q");
    assert_eq!(*got.borrow(), *b"q");
    assert_eq!(rig.screen(), "");
}

#[test]
fn console_empty_read_takes_nothing() {
    let (rig, got) = (rig(), Rc::new(RefCell::new(Vec::new())));
    let end_of_file = 4;
    rig.press(&[end_of_file]);
    for room in [0, 9] {
        let out = got.clone();
        rig.client(move |mut console| async move {
            let result = console.call(ReadTerminal { nonblocking: false }, &mut vec![0; room]).await;
            out.borrow_mut().push((room, result));
        });
    }
    assert_eq!(*got.borrow(), [(0, Ok(0)), (9, Ok(0))], "the end of the file is for who reads");
    let out = got.clone();
    rig.client(|mut console| async move {
        let mut settings = [0; TERMIOS_BYTES];
        let short = console.call(GetAttributes {}, &mut settings[1..]).await;
        assert_eq!(short, Err(Errno::EINVAL));
        console.call(GetAttributes {}, &mut settings).await.unwrap();
        assert_eq!(console.call(SetAttributes { flush: true }, &[0xff; TERMIOS_BYTES - 1]).await, Err(Errno::EINVAL));
        let mut after = [0; TERMIOS_BYTES];
        console.call(GetAttributes {}, &mut after).await.unwrap();
        assert_eq!(settings, after);
        out.borrow_mut().clear();
    });
    assert!(got.borrow().is_empty(), "the last client came to its end");
}

#[test]
fn console_window_change_signals_foreground_once() {
    let rig = rig();
    let got = rig.signals_of(77);
    for _ in 0..2 {
        rig.press(&[255, 250, 31, 0, 132, 0, 50, 255, 240]);
    }
    rig.client(|mut console| async move {
        assert_eq!(console.call(GetWindow {}, ()).await, Ok(WindowSize { rows: 50, columns: 132 }));
        assert_eq!(console.call(SetWindow { rows: 51, columns: 132 }, ()).await, Ok(()));
    });
    assert_eq!(*got.borrow(), [KeyboardSignal { signal: 28, group: 77 }; 2]);
    assert_eq!(rig.screen(), "", "a size is no key");
}

#[test]
fn console_waiters_wake_on_readable_line() {
    let (rig, seen) = (rig(), Rc::new(RefCell::new(Vec::new())));
    let poll = |events| {
        let out = seen.clone();
        rig.client(move |mut console| async move {
            let polled = console.call(PollTerminal { events, slot: 9, seen: 0 }, ()).await;
            out.borrow_mut().push(polled.map(|polled| polled.events));
        });
        rig.board.run();
        seen.take()
    };
    assert_eq!(poll(READABLE | WRITABLE), [Ok(WRITABLE)]);
    rig.press(b"not waited for\n");
    assert_eq!(rig.wakes.take(), None);
    rig.client(|mut console| async move {
        console.call(ReadTerminal { nonblocking: false }, &mut [0; 80]).await.unwrap();
    });
    rig.board.run();
    assert_eq!(poll(READABLE), [Ok(0)]);
    rig.press(b"no line yet");
    assert_eq!(rig.wakes.take(), None);
    rig.press(b"\n");
    assert_eq!(rig.wakes.take(), Some((0, [1 << 9, 0, 0, 0])));
    assert_eq!(poll(READABLE), [Ok(READABLE)]);
}
