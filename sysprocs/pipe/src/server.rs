//! One pipe: readers wait while it is empty, writers while it is full.
//!
//! Invariant: a reader waits only while the ring is empty and a writer has the pipe open. A writer waits only while its
//! bytes do not fit and a reader has the pipe open. The call that changes that answers them, or their cancellation
//! does. An event wakes the programs that wait for it. Writes of up to `PIPE_ATOMIC_BYTES` are whole. Calls: the table
//! of pipes.

use crate::Ring;
use crate::ring::copy;
use renga_proto::fifos::OpenedFifo;
use renga_proto::pipe::{
    AddEnd, AskBlocking, AwaitPartner, BoardDied, CloseEnd, ERROR, HANG_UP, JoinPipe, OpenPipe, PIPE_ATOMIC_BYTES,
    PIPE_BYTES, Pipe, PipeBytes, PipeCall, PipeEnd, PipeServer, PollPipe, Polled, READABLE, ReadPipe, SetBlocking,
    WRITABLE, WritePipe,
};
use renga_proto::slots::{FreePipe, PipeTable};
use renga_rt::{
    BoardReferences, Call, CallQueue, Client, Errno, Generation, Never, PAGE_BYTES, Port, Protocol, Waiters, Wakes,
    Watch, apart,
};

mod events;
mod interruption;
mod joining;

renga_rt::with_defaults! {
    struct PipeState {
        ring: Ring = Ring::new(bytes),
        generation: Generation = Generation::before_first(boot),
        readers: BoardReferences = BoardReferences::NONE,
        writers: BoardReferences = BoardReferences::NONE,
        /// Boards with a reference to an end, a bit each, as the router knows.
        watched: u8 = 0,
        watch: &'static Watch = watch,
        reading: CallQueue<ReadPipe> = CallQueue::new(),
        writing: CallQueue<WritePipe> = CallQueue::new(),
        /// How much of the first writer's slice is in the ring already; the others wait whole.
        written: usize = 0,
        /// Programs that wait for events of the reading and of the writing end, and for which.
        waiters: [Waiters; 2] = [const { Waiters::NONE }; 2],
        awaited: [u32; 2] = [0; 2],
        /// How often each end had an edge that could make an event true.
        edges: [u32; 2] = [1; 2],
        wakes: &'static Wakes = wakes,
        /// Of a fifo: how often each end has been opened in this generation, and who waits for the other end to be. A
        /// pipe without a name has both ends from the beginning.
        opened: [u32; 2] = [0; 2],
        named: bool = false,
        /// Whether calls at each end fail rather than wait, for all programs that share it.
        nonblocking: [bool; 2] = [false; 2],
        /// Its generation, unless that is so of an end: then (0) no transfer is simple.
        simple_generation: u32 = 0,
        partnerless: CallQueue<AwaitPartner> = CallQueue::new(),
    }
    fn new(bytes: &'static mut [u8; PIPE_BYTES], boot: u8, watch: &'static Watch, wakes: &'static Wakes);
}

/// Serves the pipe `number`; `boot` counts the board's boots, so that no generation repeats. The pipe watches another
/// board that has an end: programs here may wait for it.
pub async fn pipe(
    mut port: Port<Pipe>,
    mut table: Client<PipeTable>,
    bytes: &'static mut [u8; PIPE_BYTES],
    number: u16,
    boot: u8,
    watch: &'static Watch,
    wakes: &'static Wakes,
) -> Never {
    let mut state = PipeState::new(bytes, boot, watch, wakes);
    loop {
        let was_open = match port.accept_or_notified(Pipe::ENTRIES).await {
            Some(PipeCall::ReadPipe(call))
                if state.is_simple(call.entry().generation, PipeEnd::Reader, call.board()) =>
            {
                state.read_simply(call);
                continue;
            }
            Some(PipeCall::WritePipe(call))
                if state.is_simple(call.entry().generation, PipeEnd::Writer, call.board()) =>
            {
                state.write_simply(call);
                continue;
            }
            Some(call) => {
                let was_open = state.is_open();
                let left = [state.writers.is_empty(), state.readers.is_empty()];
                match call {
                    PipeCall::ReadPipe(call) => state.accept_read(call),
                    PipeCall::WritePipe(call) => state.accept_write(call),
                    // Apart, so that transfers do not pay for its stack frame.
                    call => apart!(call.serve(&mut state)),
                }
                state.note_left(left);
                was_open
            }
            None => state.is_open(),
        };
        state.settle();
        // Also after a call: its caller may have been interrupted before it was kept.
        state.answer_interrupted();
        if was_open && !state.is_open() {
            state.ring.clear();
            // The table knows this number as taken, so it cannot refuse it.
            let _ = table.call(FreePipe { pipe: number }, ()).await;
        }
    }
}

impl PipeServer for PipeState {
    async fn open_pipe(&mut self, call: &mut Call<OpenPipe>) -> Result<u32, Errno> {
        self.begin(false);
        let added = self.readers.add(call.board()) && self.writers.add(call.board());
        if added { Ok(self.generation.number()) } else { Err(Errno::EINVAL) }
    }
    async fn read_pipe(&mut self, call: Call<ReadPipe>) {
        self.accept_read(call);
    }
    async fn write_pipe(&mut self, call: Call<WritePipe>) {
        self.accept_write(call);
    }
    async fn add_end(&mut self, call: &mut Call<AddEnd>) -> Result<(), Errno> {
        let AddEnd { generation, end } = call.entry();
        let open = generation == self.generation.number() && self.is_open();
        if open && self.end(end).add(call.board()) { Ok(()) } else { Err(Errno::ESTALE) }
    }
    async fn close_end(&mut self, call: &mut Call<CloseEnd>) -> Result<(), Errno> {
        let CloseEnd { generation, end } = call.entry();
        let removed = generation == self.generation.number() && self.end(end).remove(call.board());
        if removed { Ok(()) } else { Err(Errno::ESTALE) }
    }
    async fn poll_pipe(&mut self, call: &mut Call<PollPipe>) -> Result<Polled, Errno> {
        self.poll(call.entry(), call.board())
    }
    async fn pipe_bytes(&mut self, call: &mut Call<PipeBytes>) -> Result<u32, Errno> {
        let (generation, board) = (call.entry().generation, call.board());
        let reader = self.check(generation, PipeEnd::Reader, board);
        reader.or_else(|_| self.check(generation, PipeEnd::Writer, board)).map(|()| self.ring.len() as u32)
    }
    async fn join_pipe(&mut self, call: &mut Call<JoinPipe>) -> Result<OpenedFifo, Errno> {
        self.join(call.entry())
    }
    async fn await_partner(&mut self, call: Call<AwaitPartner>) {
        let AwaitPartner { generation, end, .. } = call.entry();
        if let Err(errno) = self.check(generation, end, call.board()) {
            return call.reply(Err(errno));
        }
        self.partnerless.push_back(call);
        self.answer_partners();
    }
    async fn set_blocking(&mut self, call: &mut Call<SetBlocking>) -> Result<(), Errno> {
        let SetBlocking { generation, end, nonblocking } = call.entry();
        self.check(generation, end, call.board())?;
        self.nonblocking[end as usize] = nonblocking;
        self.simple_generation = if self.nonblocking == [false; 2] { generation } else { 0 };
        Ok(())
    }
    async fn ask_blocking(&mut self, call: &mut Call<AskBlocking>) -> Result<bool, Errno> {
        let AskBlocking { generation, end } = call.entry();
        self.check(generation, end, call.board())?;
        Ok(self.nonblocking[end as usize])
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        let board = call.entry().board;
        self.readers.drop_board(board);
        self.writers.drop_board(board);
        Ok(())
    }
}

impl PipeState {
    /// Whether a transfer concerns only the caller and the readers: no writer waits, and there is room for a piece,
    /// which is a page at most.
    #[inline(always)]
    fn is_simple(&mut self, generation: u32, end: PipeEnd, board: u8) -> bool {
        let roomy = self.ring.room() >= PAGE_BYTES && !self.readers.is_empty();
        roomy && self.writing.is_empty() && generation == self.simple_generation && self.end(end).contains(board)
    }

    #[inline(always)]
    fn read_simply(&mut self, mut call: Call<ReadPipe>) {
        if !self.ring.is_empty() && self.reading.is_empty() {
            let count = self.ring.pop(call.lent());
            call.set_taken_used(count);
            return call.reply(Ok(count as u32));
        }
        let waits = self.ring.is_empty() && !self.writers.is_empty();
        if waits && !call.entry().nonblocking && !call.wait_cancelled() {
            return self.reading.push_back(call);
        }
        self.read(call);
        self.settle();
        self.answer_interrupted();
    }

    /// The bytes go to the waiting reader, past the ring; the rest goes into it.
    #[inline(always)]
    fn write_simply(&mut self, mut call: Call<WritePipe>) {
        let (bytes, mut given) = (call.lent(), 0);
        // No bytes are no end of the file.
        if !bytes.is_empty()
            && let Some(mut reader) = self.reading.pop_front()
        {
            let place = reader.lent();
            given = bytes.len().min(place.len());
            copy(&bytes[..given], &mut place[..given]);
            reader.set_taken_used(given);
            reader.reply(Ok(given as u32));
        }
        if given == bytes.len() {
            return call.reply(Ok(given as u32));
        }
        let written = given + self.push(&bytes[given..]);
        call.reply(Ok(written as u32));
        if !self.reading.is_empty() {
            self.settle();
        }
    }

    /// After a call: notes the ends that lost their last partner, `left` being the state before, and the boards that
    /// have ends.
    fn note_left(&mut self, left: [bool; 2]) {
        for (end, was_left, is_left, event) in [
            (PipeEnd::Reader, left[0], self.writers.is_empty(), HANG_UP),
            (PipeEnd::Writer, left[1], self.readers.is_empty(), ERROR),
        ] {
            if is_left && !was_left {
                self.note_edge(end, event);
            }
        }
        let boards = self.readers.boards() | self.writers.boards();
        self.watch.change(core::mem::replace(&mut self.watched, boards), boards);
    }

    fn is_open(&self) -> bool {
        !(self.readers.is_empty() && self.writers.is_empty())
    }

    /// Whether `board` may use `end` of the pipe in this generation.
    fn check(&mut self, generation: u32, end: PipeEnd, board: u8) -> Result<(), Errno> {
        if generation == self.generation.number() && self.end(end).contains(board) {
            Ok(())
        } else {
            Err(Errno::ESTALE)
        }
    }

    fn end(&mut self, end: PipeEnd) -> &mut BoardReferences {
        match end {
            PipeEnd::Reader => &mut self.readers,
            PipeEnd::Writer => &mut self.writers,
        }
    }

    fn read(&mut self, call: Call<ReadPipe>) {
        let waits = self.ring.is_empty() && self.writing.is_empty() && !self.writers.is_empty();
        if waits && (call.entry().nonblocking || self.nonblocking[PipeEnd::Reader as usize]) {
            call.reply(Err(Errno::EAGAIN));
        } else {
            self.reading.push_back(call);
        }
    }

    fn accept_read(&mut self, call: Call<ReadPipe>) {
        if let Err(errno) = self.check(call.entry().generation, PipeEnd::Reader, call.board()) {
            return call.reply(Err(errno));
        }
        self.read(call);
    }

    fn accept_write(&mut self, mut call: Call<WritePipe>) {
        if let Err(errno) = self.check(call.entry().generation, PipeEnd::Writer, call.board()) {
            return call.reply(Err(errno));
        }
        let bytes = call.lent().len();
        if self.readers.is_empty() {
            call.reply(Err(Errno::EPIPE));
        } else if call.entry().nonblocking || self.nonblocking[PipeEnd::Writer as usize] {
            let room = if self.writing.is_empty() { self.ring.room() } else { 0 };
            if room == 0 || (bytes <= PIPE_ATOMIC_BYTES && bytes > room) {
                call.reply(Err(Errno::EAGAIN));
            } else {
                let written = self.push(call.lent());
                call.reply(Ok(written as u32));
            }
        } else {
            self.writing.push_back(call);
        }
    }

    /// Moves bytes and answers everybody whose wait is over. Each pass of the loop answers one
    /// waiting call or moves bytes of one, so it is bounded by those kept.
    fn settle(&mut self) {
        loop {
            let filled = self.fill();
            let drained = self.drain();
            if !filled && !drained {
                break;
            }
        }
    }

    /// Puts as much of `bytes` as fits into the ring; how much.
    #[inline(always)]
    fn push(&mut self, bytes: &[u8]) -> usize {
        let count = self.ring.push(bytes);
        if count > 0 {
            self.note_edge(PipeEnd::Reader, READABLE);
        }
        count
    }

    /// Takes bytes of the first writer into the ring; whether anything changed.
    fn fill(&mut self) -> bool {
        let Some(mut call) = self.writing.pop_front() else { return false };
        if self.readers.is_empty() {
            self.end_write(call, Errno::EPIPE);
            return true;
        }
        let rest = &call.lent()[self.written..];
        let length = rest.len();
        let whole = length <= PIPE_ATOMIC_BYTES && self.written == 0;
        if whole && length > self.ring.room() {
            self.writing.push_front(call);
            return false;
        }
        let moved = self.ring.push(rest);
        if moved > 0 {
            self.note_edge(PipeEnd::Reader, READABLE);
        }
        self.written += moved;
        if moved == length {
            let written = core::mem::take(&mut self.written) as u32;
            call.reply(Ok(written));
            return true;
        }
        self.writing.push_front(call);
        moved > 0
    }

    /// Answers the first writer early: with what is in the ring of its bytes, else with `errno`.
    fn end_write(&mut self, call: Call<WritePipe>, errno: Errno) {
        let written = core::mem::take(&mut self.written);
        call.reply(if written > 0 { Ok(written as u32) } else { Err(errno) });
    }

    /// Answers the first reader if there are bytes, or no writer.
    fn drain(&mut self) -> bool {
        if self.reading.is_empty() || (self.ring.is_empty() && !self.writers.is_empty()) {
            return false;
        }
        let Some(mut call) = self.reading.pop_front() else { return false };
        let had_room = self.ring.room() >= PIPE_ATOMIC_BYTES;
        let count = self.ring.pop(call.lent());
        if !had_room && self.ring.room() >= PIPE_ATOMIC_BYTES {
            self.note_edge(PipeEnd::Writer, WRITABLE);
        }
        call.set_taken_used(count);
        call.reply(Ok(count as u32));
        true
    }
}
