//! The console's server: calls and UART interrupts in, lines and signals out.
//!
//! Invariant: a reader waits only while it can read nothing. After each notification the UART has no key, or no
//! interrupt for keys, for which the line has no room. Calls: no server. Not here: the line discipline (`line.rs`).

use crate::line::{InputQueue, Line, Screen};
use crate::output::Output;
use crate::termios::{TOSTOP, Termios};
use crate::window::{Came, Incoming};
use heapless::{Deque, Vec};
use renga_hal::uart::Uart;
use renga_proto::console::{
    BoardDied, Console, ConsoleServer, GetAttributes, GetForeground, GetJobControl, GetWindow, JobControl,
    KeyboardSignal, NextSignal, PollTerminal, ReadTerminal, SetAttributes, SetForeground, SetWaits, SetWindow,
    WindowSize, WriteTerminal,
};
use renga_proto::pipe::{NO_PROGRAM, Polled, READABLE, WRITABLE};
use renga_rt::{Call, Errno, Me, Never, Port, Protocol, Waiters, Wakes, unless_cancelled};

/// User processes that may wait for the terminal at a time, on all boards.
const WAITERS_MAX: usize = 1024;
/// Signals that wait for the keyboard process; more are the same key pressed again.
const SIGNALS_MAX: usize = 8;
/// The signal that says that the window has another size.
const SIGWINCH: u8 = 28;

/// A reader, and in raw mode with a time limit when it gives up.
struct TerminalReader {
    call: Call<ReadTerminal>,
    until_ns: Option<u64>,
}

renga_rt::with_defaults! {
    struct ConsoleState[U: Uart + 'static] U {
        me: Me = me,
        line: Line = Line::new(input),
        output: Output<U> = Output::new(uart),
        foreground: u32 = 0,
        /// Of that group.
        session: u32 = 0,
        /// Reads by way of what init opened do not wait.
        nonblocking: bool = false,
        /// The board that set it.
        foreground_from: u8 = 0,
        window: WindowSize = WindowSize { rows: 24, columns: 80 },
        incoming: Incoming = Incoming::default(),
        /// The line has room for keys, which interrupt.
        takes_keys: bool = true,
        readers: Vec<TerminalReader, WAITERS_MAX> = Vec::new(),
        /// Programs that wait until something can be read.
        waiters: Waiters = Waiters::NONE,
        /// How often something has come that can be read.
        edges: u32 = 1,
        wakes: &'static Wakes = wakes,
        signals: Deque<KeyboardSignal, SIGNALS_MAX> = Deque::new(),
        keyboard: Option<Call<NextSignal>> = None,
    }
    fn new(me: Me, uart: &'static mut U, wakes: &'static Wakes, input: &'static mut InputQueue);
}

/// Serves the terminal on `uart`, whose interrupts notify this process.
pub async fn console<U: Uart>(
    me: Me,
    mut port: Port<Console>,
    uart: &'static mut U,
    wakes: &'static Wakes,
    input: &'static mut InputQueue,
) -> Never {
    uart.enable_receive_interrupt(true);
    let mut state = ConsoleState::new(me, uart, wakes, input);
    loop {
        if let Some(call) = port.accept_or_notified(Console::ENTRIES).await {
            call.serve(&mut state).await;
        }
        // Each round gives what it took to who waits, or ends: bounded by the UART's queue and the readers.
        while state.take_keys() | state.answer(state.me.now_ns()) {}
        state.output.flush();
        let next_ns = state.readers.iter().filter_map(|reader| reader.until_ns).min();
        state.me.notify_at(next_ns);
    }
}

impl<U: Uart> ConsoleServer for ConsoleState<U> {
    async fn read_terminal(&mut self, mut call: Call<ReadTerminal>) {
        if call.lent().is_empty() {
            // An empty read takes nothing, not even a ^D.
            return call.reply(Ok(0));
        }
        if !self.line.readable() && call.entry().nonblocking {
            return call.reply(Err(Errno::EAGAIN));
        }
        let nonblocking = call.entry().nonblocking;
        let wait_ns = if nonblocking { Some(0) } else { self.line.wait_ns() };
        let until_ns = wait_ns.map(|wait_ns| self.me.now_ns() + wait_ns);
        if let Err(reader) = self.readers.push(TerminalReader { call, until_ns }) {
            reader.call.reply(Err(Errno::EAGAIN));
        }
    }
    /// Writes all of the slice, waiting for the UART when the queue is full.
    async fn write_terminal(&mut self, call: &mut Call<WriteTerminal>) -> Result<u32, Errno> {
        let ConsoleState { me, output, line, takes_keys, .. } = self;
        if line.termios.has_local(TOSTOP) && !call.entry().checked {
            return Err(Errno::EPERM);
        }
        let bytes = call.lent();
        for &byte in bytes {
            while !output.has_room(2) {
                output.flush();
                if !output.has_room(2) {
                    // Keys wait until the write is over: their interrupt would keep programs from running.
                    output.uart().enable_receive_interrupt(false);
                    me.notified().await;
                    output.uart().enable_receive_interrupt(*takes_keys);
                }
            }
            line.termios.processed(byte).for_each(|byte| output.put(byte));
        }
        Ok(bytes.len() as u32)
    }
    async fn get_attributes(&mut self, call: &mut Call<GetAttributes>) -> Result<(), Errno> {
        let bytes = self.line.termios.to_bytes();
        call.lent().get_mut(..bytes.len()).ok_or(Errno::EINVAL)?.copy_from_slice(&bytes);
        Ok(())
    }
    async fn set_attributes(&mut self, call: &mut Call<SetAttributes>) -> Result<(), Errno> {
        let flush = call.entry().flush;
        let termios = Termios::from_bytes(call.lent()).ok_or(Errno::EINVAL)?;
        self.line.set(termios, flush);
        self.note_edge();
        Ok(())
    }
    async fn get_foreground(&mut self, _: &mut Call<GetForeground>) -> Result<u32, Errno> {
        Ok(self.foreground)
    }
    async fn set_foreground(&mut self, call: &mut Call<SetForeground>) -> Result<(), Errno> {
        let SetForeground { group, session } = call.entry();
        (self.foreground, self.session, self.foreground_from) = (group, session, call.board());
        Ok(())
    }
    async fn get_job_control(&mut self, _: &mut Call<GetJobControl>) -> Result<JobControl, Errno> {
        Ok(JobControl { group: self.foreground, session: self.session, nonblocking: self.nonblocking })
    }
    async fn set_waits(&mut self, call: &mut Call<SetWaits>) -> Result<(), Errno> {
        self.nonblocking = call.entry().nonblocking;
        Ok(())
    }
    async fn get_window(&mut self, _: &mut Call<GetWindow>) -> Result<WindowSize, Errno> {
        Ok(self.window)
    }
    async fn set_window(&mut self, call: &mut Call<SetWindow>) -> Result<(), Errno> {
        self.resize(WindowSize { rows: call.entry().rows, columns: call.entry().columns });
        Ok(())
    }
    async fn poll_terminal(&mut self, call: &mut Call<PollTerminal>) -> Result<Polled, Errno> {
        let PollTerminal { events, slot, seen } = call.entry();
        let edges = self.edges;
        let events_now = if seen == edges { 0 } else { self.events() & events };
        // Writing is always possible.
        if events_now == 0 && slot != NO_PROGRAM && events & READABLE != 0 {
            self.waiters.add(call.board(), slot);
        }
        Ok(Polled { events: events_now, edges })
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        // Its readers' calls are over: the router has interrupted them.
        if call.entry().board == self.foreground_from {
            self.foreground = 0;
        }
        Ok(())
    }
    async fn next_signal(&mut self, call: Call<NextSignal>) {
        if let Some(second) = self.keyboard.replace(call) {
            second.reply(Err(Errno::EBUSY));
        }
    }
}

impl<U: Uart> ConsoleState<U> {
    fn events(&self) -> u32 {
        WRITABLE | if self.line.is_ready() { READABLE } else { 0 }
    }

    /// A key has come: if a line can be read, its waiters poll again, and readers wait for the next one from now on.
    fn note_edge(&mut self) {
        if let Some(wait_ns) = self.line.wait_ns().filter(|&wait_ns| wait_ns > 0) {
            let until_ns = Some(self.me.now_ns() + wait_ns);
            self.readers.iter_mut().for_each(|reader| reader.until_ns = until_ns);
        }
        if self.line.is_ready() {
            self.edges = self.edges.wrapping_add(1).max(1);
            self.wakes.wake(&mut self.waiters);
        }
    }

    /// Takes every key that the UART has and the line has room for; others wait there, without an interrupt. Whether
    /// there was one. Bounded by the UART's queue.
    fn take_keys(&mut self) -> bool {
        let mut any = false;
        while self.line.has_room()
            && let Some(byte) = self.output.uart().try_read()
        {
            any = true;
            let key = match self.incoming.take(byte) {
                Came::Key(key) => key,
                Came::Window(size) => {
                    self.resize(size);
                    continue;
                }
                Came::Part => continue,
            };
            if let Some(signal) = self.line.press(key, &mut self.output) {
                // A full queue means the keyboard process is far behind; the key may be pressed again.
                let _ = self.signals.push_back(KeyboardSignal { signal, group: self.foreground });
            }
            self.note_edge();
        }
        let has_room = self.line.has_room();
        if core::mem::replace(&mut self.takes_keys, has_room) != has_room {
            self.output.uart().enable_receive_interrupt(has_room);
        }
        any
    }

    /// The window has another size: its programs get a signal.
    fn resize(&mut self, size: WindowSize) {
        if core::mem::replace(&mut self.window, size) != size {
            // As for keys.
            let _ = self.signals.push_back(KeyboardSignal { signal: SIGWINCH, group: self.foreground });
        }
    }

    /// Answers all whose wait is over; whether a reader was one.
    fn answer(&mut self, now_ns: u64) -> bool {
        let (mut at, mut any) = (0, false);
        while at < self.readers.len() {
            let reader = &mut self.readers[at];
            let over = reader.until_ns.is_some_and(|until_ns| until_ns <= now_ns);
            let suffices = self.line.suffices(reader.call.lent().len());
            if !(suffices || reader.call.wait_cancelled() || over) {
                at += 1;
                continue;
            }
            let mut call = self.readers.remove(at).call;
            any = true;
            if !self.line.readable() && !over {
                call.reply(Err(Errno::EINTR));
                continue;
            }
            let count = self.line.read(call.lent());
            call.set_taken_used(count);
            call.reply(Ok(count as u32));
        }
        self.keyboard = self.keyboard.take().and_then(unless_cancelled);
        if let Some(call) = self.keyboard.take_if(|_| !self.signals.is_empty())
            && let Some(signal) = self.signals.pop_front()
        {
            call.reply(Ok(signal));
        }
        any
    }
}
