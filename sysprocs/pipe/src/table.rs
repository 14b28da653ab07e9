//! The table of a board's pipe processes.
//!
//! Invariant: a pipe is given out once ([`FreeList`]). At most half of the pipes are fifos, which all boards open
//! here, so that programs of this board always find pipes. Called by: programs' slots, `fifos.rs`, pipes. Calls: no
//! server.

use renga_proto::slots::{FreePipe, PipeTable, PipeTableServer, TakeFifo, TakePipe};
use renga_rt::{Call, Errno, FreeList, Never, Port};

/// Pipes of which it is noted whether they are fifos; others are for programs of this board only.
const NOTED: usize = 4096;

struct PipeTableState {
    pipes: FreeList,
    /// Which pipes are fifos.
    fifos: [u64; NOTED / 64],
    fifo_count: usize,
    fifos_max: usize,
}

/// Serves as many pipes as there are `places`.
pub async fn pipe_table(mut port: Port<PipeTable>, places: &'static mut [u16]) -> Never {
    let fifos_max = (places.len() / 2).clamp(1, NOTED);
    let mut state = PipeTableState { pipes: FreeList::new(places), fifos: [0; NOTED / 64], fifo_count: 0, fifos_max };
    loop {
        port.accept().await.serve(&mut state).await;
    }
}

impl PipeTableServer for PipeTableState {
    async fn take_pipe(&mut self, _: &mut Call<TakePipe>) -> Result<u16, Errno> {
        self.pipes.take().ok_or(Errno::ENFILE)
    }
    async fn take_fifo(&mut self, _: &mut Call<TakeFifo>) -> Result<u16, Errno> {
        let taken = if self.fifo_count < self.fifos_max { self.pipes.take() } else { None };
        let pipe = taken.ok_or(Errno::ENFILE)?;
        self.set_fifo(pipe, true);
        Ok(pipe)
    }
    async fn free_pipe(&mut self, call: &mut Call<FreePipe>) -> Result<(), Errno> {
        let pipe = call.entry().pipe;
        if !self.pipes.give_back(pipe) {
            return Err(Errno::EINVAL);
        }
        self.set_fifo(pipe, false);
        Ok(())
    }
}

impl PipeTableState {
    fn set_fifo(&mut self, pipe: u16, is_fifo: bool) {
        let Some(word) = self.fifos.get_mut(usize::from(pipe) / 64) else { return };
        let bit = 1 << (pipe % 64);
        let was = *word & bit != 0;
        *word = if is_fifo { *word | bit } else { *word & !bit };
        self.fifo_count = self.fifo_count + usize::from(is_fifo) - usize::from(was);
    }
}
