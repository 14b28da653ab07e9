//! The members: the map, joining and leaving.

use crate::event::{Actions, MacReport};
use crate::machine::Mac;
use crate::state::MacState;
use crate::timing::MISSES_MAX;
use renga_wire::Header;
use renga_wire::bus::{BOARDS_MAX, BusLines, joined_serial, older};

impl Mac {
    /// The bit of this board.
    pub(crate) fn own_bit(&self) -> u8 {
        1 << self.setup.board
    }

    /// The first board of `set` after this one, in the order of the numbers, which go round.
    pub(crate) fn next_of(&self, set: u8) -> Option<u8> {
        (1..BOARDS_MAX).map(|hop| (self.setup.board + hop) % BOARDS_MAX).find(|board| set >> board & 1 != 0)
    }

    /// A token of a newer epoch is about.
    pub(crate) fn see_epoch(&mut self, epoch: u8) {
        if self.epoch.is_none_or(|known| older(known, epoch)) {
            (self.epoch, self.wire_misses) = (Some(epoch), 0);
        }
    }

    pub(crate) fn receive_map(&mut self, now_ns: u64, epoch: u8, map: u8, out: &mut Actions) {
        self.see_epoch(epoch);
        self.report_left(self.map & !map, out);
        self.map = map;
        if self.member && map & self.own_bit() == 0 {
            self.member = false; // others think that it is dead: it joins again
            self.listen_again(now_ns);
        }
    }

    pub(crate) fn receive_join(&mut self, header: Header, payload: &[u8], out: &mut Actions) {
        let board = header.source;
        let Some(serial) = joined_serial(payload).filter(|_| board < BOARDS_MAX) else { return };
        self.see_epoch(header.epoch);
        self.map |= 1 << board;
        (self.misses[usize::from(board)], self.wire_misses) = (0, 0);
        out.report(MacReport::Joined { board, serial });
    }

    pub(crate) fn receive_token(&mut self, now_ns: u64, lines: BusLines, header: Header, map: u8, out: &mut Actions) {
        let token = (header.source, header.sequence);
        let repeated = self.last_token == Some(token) && self.epoch == Some(header.epoch);
        self.see_epoch(header.epoch);
        self.last_token = Some(token);
        if repeated && !mutated!(self, TakesRepeated) || self.state == MacState::Listen {
            return;
        }
        self.map = map;
        self.member &= map & self.own_bit() != 0;
        match self.state {
            MacState::Idle { .. } | MacState::Burst { .. } | MacState::Park { .. } => self.take(now_ns, lines, out),
            _ => {} // it has one already, or is about to
        }
    }

    /// Counts missing answers, and drops boards that miss too many; returns whether to poll again.
    pub(crate) fn count_misses(&mut self, takers: u8, out: &mut Actions) -> bool {
        let mut again = false;
        let mut gone = 0;
        for board in (0..BOARDS_MAX).filter(|board| *board != self.setup.board) {
            let never = mutated!(self, NeverDrops);
            let misses = &mut self.misses[usize::from(board)];
            if takers >> board & 1 != 0 || self.map >> board & 1 == 0 {
                *misses = 0;
                continue;
            }
            *misses = (*misses + 1).min(MISSES_MAX);
            if *misses >= MISSES_MAX && !never {
                (*misses, gone) = (0, gone | 1 << board);
            } else {
                again = true;
            }
        }
        self.drop_members(gone, out);
        again
    }

    /// As [`Mac::count_misses`], for one board that did not answer.
    pub(crate) fn count_miss(&mut self, board: u8, out: &mut Actions) {
        if self.map >> board & 1 == 0 {
            return;
        }
        let misses = &mut self.misses[usize::from(board)];
        *misses += 1;
        if *misses >= MISSES_MAX {
            *misses = 0;
            self.drop_members(1 << board, out);
        }
    }

    fn drop_members(&mut self, gone: u8, out: &mut Actions) {
        if gone == 0 {
            return;
        }
        self.map &= !gone;
        self.next_epoch();
        self.report_left(gone, out);
    }

    pub(crate) fn next_epoch(&mut self) {
        self.epoch = self.epoch.map(|epoch| epoch.wrapping_add(1));
        (self.announce, self.wire_misses) = (true, 0);
    }

    fn report_left(&self, gone: u8, out: &mut Actions) {
        let gone = gone & !self.own_bit();
        (0..BOARDS_MAX).filter(|board| gone >> board & 1 != 0).for_each(|board| out.report(MacReport::Left { board }));
    }
}
