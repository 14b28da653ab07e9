//! Two to four boards on an abstract bus, with everything that may happen to them.
//!
//! Time goes in ticks, and from deadline to deadline when nothing is under way. What a board pulls low
//! others see in the next tick, so boards may begin at once; in each tick one board may be late. Frames
//! take ticks, and damage each other. Invariant: a state holds nothing but what matters for what comes:
//! times are relative, numbers that only differ by a shift are one.

use super::board::{NOW_NS, TokenBoard, TokenTalk};
use renga_mac::MacState;
use renga_mac::model::{LONG_AGO, Mutant};
use renga_wire::bus::{BusLines, Poll, SendError, older};
use renga_wire::frame::BROADCAST;
use renga_wire::{FrameKind, Header};

/// Ticks that a frame of the protocol takes.
pub const CONTROL_TICKS: u8 = 2;
/// Ticks that a frame of data takes.
pub const DATA_TICKS: u8 = 8;
/// Ticks that a bid takes.
pub const BID_TICKS: u8 = 2;
/// Every newest epoch is shifted to this.
const EPOCH: u8 = 100;

/// What may happen, beside the time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenChange {
    /// A board comes to have a frame to send.
    Demand(u8),
    /// A board does nothing in this tick.
    Late(u8),
    /// A board is switched off.
    Crash(u8),
    /// A board is switched on again.
    Start(u8),
    /// A board does not notice the frame that ends now.
    Lose(u8),
    /// No board sees how a board answers the frame that ends now.
    Mute(u8),
    /// The next hand-over by wire is one that only its sender believes in.
    LoseToken,
    /// A board sees TOK_IN# low, without a hand-over.
    Offer(u8),
    /// A board gets its last token once more.
    Repeat(u8),
}

/// Boards and bus.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TokenWorld {
    /// The boards, by number, which is their order on the harness.
    pub boards: Vec<TokenBoard>,
    /// Faults that may still happen.
    pub faults: u8,
    /// Times that a board may still be late.
    pub lates: u8,
    /// Frames that may still come to be sent.
    pub demands: u8,
    /// A fault has happened after which there may be two tokens or none.
    pub disturbed: bool,
    /// Ticks in a row in which two boards used the token.
    pub doubled: u8,
    lose_token: bool,
    /// By board, a bit each: sees BUSY# low, TOK_IN# low, TOK_IN# high though it is not.
    false_busy: u8,
    offered: u8,
    blind: u8,
}

impl TokenWorld {
    /// Boards that are started now.
    pub fn cold(boards: u8, mutant: Option<Mutant>, faults: u8, lates: u8, demands: u8) -> TokenWorld {
        let mut boards: Vec<_> = (0..boards).map(|number| TokenBoard::new(number, mutant)).collect();
        boards.iter_mut().for_each(TokenBoard::start);
        TokenWorld {
            boards,
            faults,
            lates,
            demands,
            disturbed: false,
            doubled: 0,
            lose_token: false,
            false_busy: 0,
            offered: 0,
            blind: 0,
        }
    }

    /// Boards that have run for a while: all members, the bus idle.
    pub fn warm(boards: u8, mutant: Option<Mutant>, faults: u8, lates: u8, demands: u8) -> TokenWorld {
        let mut world = TokenWorld::cold(boards, mutant, faults, lates, demands);
        for _ in 0..500 {
            match world.next(None) {
                Some(next) => world = next,
                None => break,
            }
        }
        world.boards.iter_mut().for_each(|board| board.regenerated = false);
        world
    }

    fn count(&self) -> u8 {
        self.boards.len() as u8
    }

    /// The lines as others than `place` pull them.
    fn lines(&self, place: usize) -> BusLines {
        let others = self.boards.iter().enumerate().filter(|(other, _)| *other != place);
        let (mut busy, mut attention) = (self.false_busy >> place & 1 != 0, false);
        for (_, board) in others {
            busy |= board.seen.busy;
            attention |= board.seen.attention;
        }
        let before = (place + self.boards.len() - 1) % self.boards.len();
        let handed = self.boards[before].seen.token_out && self.blind >> place & 1 == 0;
        let talks = self.boards.iter().any(|board| board.talk.is_some());
        let token_in = handed || self.offered >> place & 1 != 0;
        BusLines { busy, attention: attention && !talks, token_in, received: false }
    }

    fn is_due(&self, place: usize) -> bool {
        let own = self.boards[place].mac.drive();
        let others = self.lines(place);
        let lines = BusLines { busy: others.busy || own.busy, attention: others.attention || own.attention, ..others };
        self.boards[place].is_due(lines)
    }

    /// Boards whose frame ends with this tick.
    fn ending(&self) -> impl Iterator<Item = usize> + '_ {
        let ends =
            |place: &usize| self.boards[*place].talk.as_ref().is_some_and(|talk| talk.left == 1 && !talk.collided);
        (0..self.boards.len()).filter(ends)
    }

    /// What may happen in this tick.
    pub fn changes(&self) -> Vec<TokenChange> {
        let mut changes = Vec::new();
        for (number, board) in (0..).zip(&self.boards) {
            if !board.on {
                changes.push(TokenChange::Start(number));
                continue;
            }
            if self.demands > 0 && !board.demand {
                changes.push(TokenChange::Demand(number));
            }
            if self.lates > 0 && !board.late && self.is_due(usize::from(number)) {
                changes.push(TokenChange::Late(number));
            }
            if self.faults > 0 {
                self.faults_of(number, board, &mut changes);
            }
        }
        if self.faults > 0 && !self.lose_token && self.boards.iter().any(|board| board.mac.has_token()) {
            changes.push(TokenChange::LoseToken);
        }
        changes
    }

    fn faults_of(&self, number: u8, board: &TokenBoard, changes: &mut Vec<TokenChange>) {
        if self.boards.iter().all(|board| board.on) {
            changes.push(TokenChange::Crash(number));
        }
        if self.ending().any(|talker| talker != usize::from(number)) {
            changes.extend([TokenChange::Lose(number), TokenChange::Mute(number)]);
        }
        if board.mac.is_member() && matches!(board.mac.state(), MacState::Idle { .. }) {
            changes.push(TokenChange::Offer(number));
        }
        if board.last_token.is_some() {
            changes.push(TokenChange::Repeat(number));
        }
    }

    /// One tick, in which something happens beside the time; `None`: nothing ever will.
    pub fn next(&self, change: Option<TokenChange>) -> Option<TokenWorld> {
        let mut world = self.clone();
        let mutant = self.boards[0].mac.mutant();
        let mut late = None;
        match change {
            None => {}
            Some(TokenChange::Demand(number)) => {
                world.demands -= 1;
                world.demand(number);
            }
            Some(TokenChange::Late(number)) => {
                world.lates -= 1;
                late = Some(usize::from(number));
            }
            Some(TokenChange::Start(number)) => world.boards[usize::from(number)].start(),
            Some(fault) => {
                // A token that comes twice is no reason for a second one.
                world.disturbed |= !matches!(fault, TokenChange::Repeat(_));
                world.faults -= 1;
                match fault {
                    TokenChange::Crash(number) => world.boards[usize::from(number)].crash(mutant),
                    TokenChange::LoseToken => world.lose_token = true,
                    TokenChange::Offer(number) => world.offered = 1 << number,
                    TokenChange::Repeat(number) => {
                        let board = &mut world.boards[usize::from(number)];
                        board.frames.extend(board.last_token);
                    }
                    _ => {}
                }
            }
        }
        let acted = world.act(late);
        let (lost, muted) = match change {
            Some(TokenChange::Lose(number)) => (1 << number, 0),
            Some(TokenChange::Mute(number)) => (0, 1 << number),
            _ => (0, 0),
        };
        let ticks = if acted || change.is_some() { 1 } else { world.quiet_ticks()? };
        world.pass(ticks, lost, muted);
        world.renumber();
        Some(world)
    }

    /// A board comes to have a frame to send.
    pub fn demand(&mut self, number: u8) {
        let lines = self.lines(usize::from(number));
        self.boards[usize::from(number)].set_demand(lines, true);
    }

    /// All boards do what they have to do, but one that is late; whether any did.
    fn act(&mut self, late: Option<usize>) -> bool {
        let mut acted = false;
        for place in 0..self.boards.len() {
            let due = self.is_due(place);
            acted |= due;
            self.boards[place].late = late == Some(place);
            if !due || late == Some(place) {
                continue;
            }
            let (lines, before) = (self.lines(place), self.boards[place].mac.drive().token_out);
            self.boards[place].act(lines);
            if self.boards[place].mac.drive().token_out && !before {
                self.hand_over(place);
            }
        }
        self.collide();
        acted
    }

    fn hand_over(&mut self, place: usize) {
        let next = (place + 1) % self.boards.len();
        self.blind &= !(1 << next);
        if core::mem::take(&mut self.lose_token) {
            self.blind |= 1 << next;
            self.false_busy |= 1 << place;
        }
    }

    fn collide(&mut self) {
        if self.boards.iter().filter(|board| board.talk.is_some()).count() > 1 {
            for talk in self.boards.iter_mut().filter_map(|board| board.talk.as_mut()) {
                (talk.collided, talk.left) = (true, 1);
            }
        }
    }

    /// Ticks until something happens, if nothing is under way; `None`: never.
    fn quiet_ticks(&self) -> Option<u64> {
        let busy = |board: &TokenBoard| board.talk.is_some() || board.bidding > 0 || board.seen != board.mac.drive();
        if self.false_busy | self.offered != 0 || self.boards.iter().any(busy) {
            return Some(1);
        }
        let deadlines = self.boards.iter().filter(|board| board.on).filter_map(|board| board.mac.deadline_ns());
        deadlines.min().map(|at_ns| at_ns.saturating_sub(NOW_NS).max(1))
    }

    fn pass(&mut self, ticks: u64, lost: u8, muted: u8) {
        for place in 0..self.boards.len() {
            let board = &mut self.boards[place];
            let Some(talk) = &mut board.talk else { continue };
            talk.left -= 1;
            if talk.left == 0 {
                let talk = board.talk.take();
                talk.into_iter().for_each(|talk| self.end(place, &talk, lost, muted));
            }
        }
        let bidders = self.boards.iter().enumerate().filter(|(_, board)| board.bidding > 0);
        let bids = bidders.fold(0, |bids, (place, _)| bids | 1 << place);
        for board in &mut self.boards {
            if board.bidding > 0 {
                board.bidding -= 1;
                board.bids = (board.bidding == 0).then_some(bids);
            }
            board.seen = board.mac.drive();
            board.mac.pass_time(ticks);
        }
        (self.false_busy, self.offered) = (self.lasting_false_busy(), 0);
        let users = self.boards.iter().filter(|board| matches!(board.mac.state(), MacState::Hold { .. })).count();
        self.doubled = if users > 1 { self.doubled.saturating_add(1) } else { 0 };
    }

    /// A false level on BUSY# stays until its board has seen it.
    fn lasting_false_busy(&self) -> u8 {
        let waits = |place: &usize| matches!(self.boards[*place].mac.state(), MacState::Wire { .. });
        (0..self.boards.len()).filter(waits).fold(0, |set, place| set | self.false_busy & 1 << place)
    }

    /// A frame ends: others hear it and answer.
    fn end(&mut self, place: usize, talk: &TokenTalk, lost: u8, muted: u8) {
        let destination = self.boards[place].destination(talk, self.count());
        let data = Header { kind: FrameKind::Data, destination, source: place as u8, epoch: 0, sequence: 0 };
        let header = talk.control.map_or(data, |control| control.header);
        let payload: &[u8] =
            talk.control.as_ref().map_or(&[], |control| &control.payload[..usize::from(control.bytes)]);
        let (mut poll, mut listeners) = (0, 0);
        for other in (0..self.boards.len()).filter(|other| *other != place) {
            let board = &mut self.boards[other];
            listeners += usize::from(board.on);
            if !board.on || talk.collided || lost >> other & 1 != 0 {
                continue;
            }
            board.received = true;
            if muted >> other & 1 == 0 {
                poll |= board.mac.answers().to(&header, payload, true).0;
            }
            let Some(control) = talk.control.filter(|control| control.header.kind != FrameKind::Poll) else { continue };
            if [other as u8, BROADCAST].contains(&destination) {
                board.frames.push(control);
                if control.header.kind == FrameKind::Token {
                    board.last_token = Some(control);
                }
            }
        }
        let result = match (talk.collided, listeners) {
            (true, _) => Err(SendError::Collision),
            (false, 0) => Err(SendError::NoListener),
            _ => Ok(Poll(poll)),
        };
        self.boards[place].sent = Some((destination, result));
    }

    /// Shifts epochs and sequence numbers to where they are in all worlds like this one.
    fn renumber(&mut self) {
        let epochs = self.boards.iter().filter_map(|board| board.mac.epoch());
        let newest = epochs.reduce(|newest, epoch| if older(newest, epoch) { epoch } else { newest });
        let shift = EPOCH.wrapping_sub(newest.unwrap_or(EPOCH));
        let mut sequences = [0; 8];
        for (place, board) in self.boards.iter().enumerate() {
            sequences[place] = board.mac.sequence();
        }
        for board in &mut self.boards {
            board.mac.renumber(shift, &sequences);
            let talk = board.talk.as_mut().and_then(|talk| talk.control.as_mut());
            for control in board.frames.iter_mut().chain(board.last_token.as_mut()).chain(talk) {
                let header = &mut control.header;
                header.epoch = header.epoch.wrapping_add(shift);
                let past = header.sequence.wrapping_sub(sequences[usize::from(header.source)]);
                header.sequence = if matches!(past, 0 | u8::MAX) { past } else { LONG_AGO };
            }
        }
    }
}
