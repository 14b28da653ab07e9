//! Board 0: it commands the others, one measurement after the other.
//!
//! Not here: what they do (`station`).

use super::Measured;
use super::flow::Trips;
use super::message::{Message, NEXT};
use super::round::{PairRound, Round, Share};
use super::station::BenchStation;
use renga_wire::frame::BROADCAST;

/// A board answers within so long, ns: behind a few long frames of each other board.
const ANSWER_NS: u64 = 50_000_000;
/// Questions before a board is left out.
const TRIES: u32 = 3;
/// After a stream frames are under way for so long, ns.
const DRAIN_NS: u64 = 20_000_000;
/// Round trips to each board.
const TRIPS: u32 = 16;

impl<L: Measured> BenchStation<'_, L> {
    /// One round; every flow lasts `span_us`.
    pub fn round(&mut self, span_us: u32) -> Round {
        let mut round = Round { boards: self.boards, ..Round::default() };
        for board in 1..self.boards {
            round.pairs[usize::from(board)] = self.pair(board, span_us);
        }
        // A broadcast, so that all start at once.
        self.forget();
        for board in 1..self.boards {
            self.ask(board, Message::Hello);
        }
        let now_ns = self.link.now_ns();
        self.say(BROADCAST, Message::Stream { to: NEXT, span_us });
        self.begin_stream(NEXT, span_us, now_ns);
        self.go_on_until(now_ns + u64::from(span_us) * 1000 + DRAIN_NS);
        let own = self.counts();
        round.shares[0] = share(own);
        for board in 1..self.boards {
            round.shares[usize::from(board)] = self.ask(board, Message::Ask).and_then(share);
        }
        round
    }

    /// Waits until all boards answer, but not longer than `patience_ns`.
    pub fn gather(&mut self, patience_ns: u64) {
        let until_ns = self.link.now_ns() + patience_ns;
        for board in 1..self.boards {
            while self.ask(board, Message::Hello).is_none() && self.link.now_ns() < until_ns {}
        }
    }

    fn pair(&mut self, board: u8, span_us: u32) -> Option<PairRound> {
        let span_ns = u64::from(span_us) * 1000;
        self.ask(board, Message::Hello)?;
        let now_ns = self.link.now_ns();
        self.begin_stream(board, span_us, now_ns);
        self.go_on_until(now_ns + span_ns + DRAIN_NS);
        let there = share(self.ask(board, Message::Ask)?)?.came;
        self.forget();
        let now_ns = self.link.now_ns();
        self.say(board, Message::Stream { to: self.link.board(), span_us });
        self.go_on_until(now_ns + span_ns + DRAIN_NS);
        let back = self.coming.flow;
        let mut trips = Trips::default();
        for number in 0..TRIPS {
            let begin_ns = self.link.now_ns();
            if self.ask_once(board, Message::Ping { number }).is_some() {
                trips.add(((self.link.now_ns() - begin_ns) / 1000) as u32);
            }
        }
        Some(PairRound { there, back, trips })
    }

    fn go_on_until(&mut self, until_ns: u64) {
        while self.link.now_ns() < until_ns {
            self.step();
        }
    }

    /// What `board` answers to `question`.
    fn ask(&mut self, board: u8, question: Message) -> Option<Message> {
        (0..TRIES).find_map(|_| self.ask_once(board, question))
    }

    fn ask_once(&mut self, board: u8, question: Message) -> Option<Message> {
        let until_ns = self.link.now_ns() + ANSWER_NS;
        self.answered = None;
        let mut said = false;
        while self.link.now_ns() < until_ns {
            said = said || self.say(board, question);
            self.step();
            match self.answered {
                Some((source, answer)) if source == board && answer.answers(question) => return Some(answer),
                _ => {}
            }
        }
        None
    }
}

/// The share that a board reported.
fn share(counts: Message) -> Option<Share> {
    let Message::Counts { flow, sent, errors } = counts else { return None };
    Some(Share { sent, came: flow, errors })
}
