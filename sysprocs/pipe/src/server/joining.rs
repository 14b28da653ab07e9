//! A pipe as a fifo: its ends are opened one by one, and an opener may wait for a partner at the other end.
//!
//! Invariant: a waiting opener has its end open, and the other end was not opened since. Not here: which fifo
//! (`fifos.rs`).

use super::PipeState;
use renga_proto::fifos::{FifoEnds, OpenedFifo};
use renga_proto::pipe::{AwaitPartner, JoinPipe, PipeEnd};
use renga_rt::{BoardReferences, Errno};

impl PipeState {
    /// Begins a generation as an empty pipe without ends.
    pub(super) fn begin(&mut self, named: bool) {
        self.ring.clear();
        self.generation.next();
        (self.readers, self.writers) = (BoardReferences::NONE, BoardReferences::NONE);
        (self.named, self.opened, self.nonblocking) = (named, [0; 2], [false; 2]);
        self.simple_generation = self.generation.number();
    }

    /// `board` opens ends of the fifo that this is, or (generation 0) becomes.
    pub(super) fn join(&mut self, join: JoinPipe) -> Result<OpenedFifo, Errno> {
        let JoinPipe { generation, board, ends, nonblocking } = join;
        match generation {
            0 if self.is_open() => return Err(Errno::EINVAL),
            0 => self.begin(true),
            generation if !self.named || generation != self.generation.number() || !self.is_open() => {
                return Err(Errno::ESTALE);
            }
            _ if ends == FifoEnds::Writer && nonblocking && self.readers.is_empty() => return Err(Errno::ENXIO),
            _ => {}
        }
        let (reads, writes) = (ends != FifoEnds::Writer, ends != FifoEnds::Reader);
        let partners = self.opened[if reads { PipeEnd::Writer } else { PipeEnd::Reader } as usize];
        if reads && !self.readers.add(board) {
            return Err(Errno::ENFILE);
        }
        if writes && !self.writers.add(board) {
            if reads {
                self.readers.remove(board);
            }
            return Err(Errno::ENFILE);
        }
        for (end, opens) in [(PipeEnd::Reader, reads), (PipeEnd::Writer, writes)] {
            self.opened[end as usize] = self.opened[end as usize].wrapping_add(opens.into());
        }
        self.answer_partners();
        let alone = self.readers.is_empty() || self.writers.is_empty();
        Ok(OpenedFifo { generation: self.generation.number(), partners, alone, number: 0 })
    }

    /// Answers the openers whose partner has come.
    pub(super) fn answer_partners(&mut self) {
        let opened = self.opened;
        self.partnerless.retain(|call| {
            let AwaitPartner { end, partners, .. } = call.entry();
            if opened[1 - end as usize] == partners {
                return Some(call);
            }
            call.reply(Ok(()));
            None
        });
    }
}
