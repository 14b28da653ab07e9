//! The open fifos of all boards, each of which is a pipe of this board, the disk's.
//!
//! Invariant: an open fifo is one pipe, whose generation is noted here. The next open finds out that a generation has
//! ended.
//! Calls: the table of pipes, and pipes of its own board, none of which calls it. Not here: waiting for a partner (the
//! pipe).

use renga_proto::fifos::{FifoEnds, Fifos, FifosServer, OpenFifo, OpenedFifo};
use renga_proto::pipe::{JoinPipe, Pipe};
use renga_proto::slots::{FreePipe, PipeTable, TakeFifo};
use renga_rt::{Call, Client, Errno, Local, Never, Port};

/// What a pipe was last used for, by its number. Boot provides one for each pipe.
#[derive(Clone, Copy, Debug)]
pub struct FifoPlace {
    ino: u32,
    generation: u32,
    /// 0: for no fifo.
    pipe_generation: u32,
}
impl FifoPlace {
    /// No fifo.
    pub const NONE: FifoPlace = FifoPlace { ino: 0, generation: 0, pipe_generation: 0 };
}

struct FifosState {
    pipe_table: Client<PipeTable>,
    pipes: Local<Pipe, { JoinPipe::BIT }>,
    places: &'static mut [FifoPlace],
}

/// Keeps the fifos of all boards, in pipes of this one.
pub async fn fifos(
    mut port: Port<Fifos>,
    pipe_table: Client<PipeTable>,
    pipes: Local<Pipe, { JoinPipe::BIT }>,
    places: &'static mut [FifoPlace],
) -> Never {
    let mut state = FifosState { pipe_table, pipes, places };
    loop {
        port.accept().await.serve(&mut state).await;
    }
}

impl FifosServer for FifosState {
    async fn open_fifo(&mut self, call: &mut Call<OpenFifo>) -> Result<OpenedFifo, Errno> {
        let (OpenFifo { ino, generation, ends, nonblocking }, board) = (call.entry(), call.board());
        let is_it =
            |place: &FifoPlace| place.pipe_generation != 0 && (place.ino, place.generation) == (ino, generation);
        if let Some(number) = self.places.iter().position(is_it) {
            let join = JoinPipe { generation: self.places[number].pipe_generation, board, ends, nonblocking };
            match self.join(number as u16, join).await {
                // Everybody had closed it.
                Err(Errno::ESTALE) => self.places[number] = FifoPlace::NONE,
                opened => return opened,
            }
        }
        if ends == FifoEnds::Writer && nonblocking {
            return Err(Errno::ENXIO);
        }
        let number = self.pipe_table.call(TakeFifo {}, ()).await?;
        let joined = self.join(number, JoinPipe { generation: 0, board, ends, nonblocking }).await;
        match (joined, self.places.get_mut(usize::from(number))) {
            (Ok(opened), Some(place)) => {
                *place = FifoPlace { ino, generation, pipe_generation: opened.generation };
                Ok(opened)
            }
            (joined, _) => {
                let _ = self.pipe_table.call(FreePipe { pipe: number }, ()).await; // it was taken above
                Err(joined.err().unwrap_or(Errno::EIO))
            }
        }
    }
}

impl FifosState {
    async fn join(&mut self, number: u16, join: JoinPipe) -> Result<OpenedFifo, Errno> {
        let mut pipe = self.pipes.at(number.into()).ok_or(Errno::EIO)?;
        Ok(OpenedFifo { number, ..pipe.call(join, ()).await? })
    }
}
