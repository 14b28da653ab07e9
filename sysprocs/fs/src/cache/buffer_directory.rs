//! The directory of buffers: which buffer holds which block, and which is to hold the next.
//!
//! Invariants: a block is assigned to at most one buffer, and a buffer that was given another block
//! while pinned counts as holding the former one too (`leaving`) until a pin is put back: only then
//! has it surely written it. If its former block may not go yet (`refused`), the slot goes back to that
//! block when nobody has it pinned any more; until then nobody gets either block. Such a slot is passed
//! over (`stays`) until after the next commit. `newest`..`oldest` is a list of all slots by their last
//! `Get`.
//! It calls nobody: buffers read and write the disk on their users' time, so it is never the
//! bottleneck while the disk turns.

use renga_proto::buffer::{BufferDirectory, BufferDirectoryCall, Get, HeldBlock, Holding, NextHeld, Pinned, Put};
use renga_rt::{Call, Errno, Never, Port, Protocol};

/// No block: none has this number.
const NO_BLOCK: u64 = u64::MAX;
/// No slot.
const NO_SLOT: u16 = u16::MAX;
/// Chains of the hash from block to slot.
const CHAINS: usize = 128;
/// One of so many buffers may hold a block that may not go before that is called crowded.
const CROWDED_SHARE: usize = 4;

/// What the directory knows of one buffer. Boot provides one per buffer.
pub struct BufferSlot {
    block: u64,
    /// The block that it held before, until that is surely on the disk.
    leaving: u64,
    pins: u16,
    /// The buffer surely holds `block`.
    loaded: bool,
    /// The buffer would not let `leaving` go.
    refused: bool,
    /// Its block may not go until after the next commit.
    stays: bool,
    /// It was given another block although all stay.
    forced: bool,
    newer: u16,
    older: u16,
    /// Next of the same chain.
    next: u16,
}
impl BufferSlot {
    /// A buffer that holds nothing.
    pub const EMPTY: BufferSlot = BufferSlot {
        block: NO_BLOCK,
        leaving: NO_BLOCK,
        pins: 0,
        loaded: false,
        refused: false,
        stays: false,
        forced: false,
        newer: NO_SLOT,
        older: NO_SLOT,
        next: NO_SLOT,
    };
}

struct State {
    slots: &'static mut [BufferSlot],
    chains: [u16; CHAINS],
    newest: u16,
    oldest: u16,
    pinned: usize,
    staying: usize,
    lost_writes: u32,
}

/// Serves as many buffers as there are `slots`.
pub async fn buffer_directory(mut port: Port<BufferDirectory>, slots: &'static mut [BufferSlot]) -> Never {
    let mut state = State::new(slots);
    // A `Get` of a block that another buffer is still to write; no further `Get` enters meanwhile.
    let mut waiting: Option<Call<Get>> = None;
    loop {
        let closed = waiting.is_some() || state.pinned == state.slots.len();
        let open = if closed { BufferDirectory::ENTRIES & !Get::BIT } else { BufferDirectory::ENTRIES };
        match port.accept_only(open).await {
            BufferDirectoryCall::Get(call) => waiting = state.answer(call),
            BufferDirectoryCall::Put(call) => {
                state.put(call.entry());
                call.reply(Ok(()));
                waiting = waiting.and_then(|call| state.answer(call));
            }
            BufferDirectoryCall::NextHeld(call) => {
                let reply = state.next_held(call.entry());
                call.reply(reply);
            }
            BufferDirectoryCall::LostWrites(call) => call.reply(Ok(state.lost_writes)),
            BufferDirectoryCall::GetAhead(call) => {
                let reply = state.get_ahead(call.entry().block);
                call.reply(reply);
            }
            BufferDirectoryCall::LetGo(call) => {
                state.let_go();
                call.reply(Ok(()));
            }
        }
    }
}

fn chain(block: u64) -> usize {
    block as usize % CHAINS
}

impl State {
    fn new(slots: &'static mut [BufferSlot]) -> State {
        let chains = [NO_SLOT; CHAINS];
        let mut state =
            State { slots, chains, newest: NO_SLOT, oldest: NO_SLOT, pinned: 0, staying: 0, lost_writes: 0 };
        for number in 0..state.slots.len() as u16 {
            state.push_newest(number);
        }
        state
    }

    fn slot(&mut self, number: u16) -> &mut BufferSlot {
        &mut self.slots[usize::from(number)]
    }

    /// Answers, or gives the call back if it must wait.
    fn answer(&mut self, call: Call<Get>) -> Option<Call<Get>> {
        match self.get(call.entry().block) {
            Some(pinned) => {
                call.reply(Ok(pinned));
                None
            }
            None => Some(call),
        }
    }

    fn get(&mut self, block: u64) -> Option<Pinned> {
        let number = match self.find(block) {
            Some(number) if self.slot(number).refused => return None,
            Some(number) => number,
            None => self.assign(block, true)?,
        };
        self.unlink(number);
        self.push_newest(number);
        Some(self.pin(number))
    }

    fn get_ahead(&mut self, block: u64) -> Result<u16, Errno> {
        if self.find(block).is_some() {
            return Err(Errno::EAGAIN);
        }
        let number = self.assign(block, false).ok_or(Errno::EAGAIN)?;
        self.unlink(number);
        self.push_newest(number);
        Ok(self.pin(number).buffer)
    }

    fn pin(&mut self, number: u16) -> Pinned {
        let slot = self.slot(number);
        slot.pins += 1;
        let (first, fresh, force) = (slot.pins == 1, !slot.loaded, slot.forced);
        self.pinned += usize::from(first);
        Pinned { buffer: number, fresh, force, crowded: self.staying * CROWDED_SHARE > self.slots.len() }
    }

    /// Bounded by the length of one chain, which is at most the number of buffers.
    fn find(&self, block: u64) -> Option<u16> {
        let mut at = self.chains[chain(block)];
        while let Some(slot) = self.slots.get(usize::from(at)) {
            if slot.block == block {
                return Some(at);
            }
            at = slot.next;
        }
        None
    }

    /// Gives `block` the least recently used buffer that is not pinned and whose block may go; with
    /// `force`, if there is none, one whose block may not. `None` while there is none, or another buffer
    /// is still to write `block`.
    fn assign(&mut self, block: u64, force: bool) -> Option<u16> {
        // A slot that is leaving a block is pinned, so there is nothing to look for without pins.
        if self.pinned > 0 && self.slots.iter().any(|slot| slot.leaving == block) {
            return None;
        }
        let (number, forced) = match self.oldest_free(false) {
            Some(number) => (number, false),
            None if force => (self.oldest_free(true)?, true),
            None => return None,
        };
        let former = self.slot(number).block;
        self.rechain(number, block);
        let slot = self.slot(number);
        (slot.leaving, slot.loaded, slot.forced) = (former, false, forced);
        if forced {
            slot.stays = false;
            self.staying -= 1;
        }
        Some(number)
    }

    /// The least recently used slot that is not pinned. Bounded by the number of slots.
    fn oldest_free(&self, stays: bool) -> Option<u16> {
        let mut number = self.oldest;
        loop {
            let slot = self.slots.get(usize::from(number))?;
            if slot.pins == 0 && slot.stays == stays {
                return Some(number);
            }
            number = slot.newer;
        }
    }

    fn put(&mut self, put: Put) {
        let Some(slot) = self.slots.get_mut(usize::from(put.buffer)).filter(|slot| slot.pins > 0) else { return };
        slot.pins -= 1;
        if put.holding == Holding::Former {
            slot.refused = slot.leaving != NO_BLOCK;
        } else {
            (slot.leaving, slot.refused, slot.forced) = (NO_BLOCK, false, false);
            slot.loaded = put.holding == Holding::Block;
        }
        let (free, refused) = (slot.pins == 0, slot.refused);
        self.pinned -= usize::from(free);
        self.lost_writes += u32::from(put.lost);
        if free && refused {
            self.go_back(put.buffer);
        }
    }

    /// A slot holds its former block again.
    fn go_back(&mut self, number: u16) {
        let former = self.slot(number).leaving;
        self.rechain(number, former);
        let slot = self.slot(number);
        (slot.leaving, slot.refused, slot.forced) = (NO_BLOCK, false, false);
        (slot.loaded, slot.stays) = (true, true);
        self.staying += 1;
    }

    fn let_go(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.stays = false);
        self.staying = 0;
    }

    /// Makes `block` that of a slot.
    fn rechain(&mut self, number: u16, block: u64) {
        self.unchain(number);
        let head = core::mem::replace(&mut self.chains[chain(block)], number);
        let slot = self.slot(number);
        (slot.block, slot.next) = (block, head);
    }

    fn next_held(&self, range: NextHeld) -> Result<HeldBlock, Errno> {
        let held = self.slots.iter().zip(0..).flat_map(|(slot, number)| [(slot.block, number), (slot.leaving, number)]);
        let inside = held.filter(|(block, _)| (range.from..range.below).contains(block));
        let least = inside.min_by_key(|(block, _)| *block);
        least.map(|(block, buffer)| HeldBlock { block, buffer }).ok_or(Errno::ENOENT)
    }

    fn unchain(&mut self, number: u16) {
        let (block, after) = (self.slot(number).block, self.slot(number).next);
        if block == NO_BLOCK {
            return;
        }
        let mut at = self.chains[chain(block)];
        if at == number {
            self.chains[chain(block)] = after;
            return;
        }
        while at != NO_SLOT {
            let next = self.slot(at).next;
            if next == number {
                self.slot(at).next = after;
                return;
            }
            at = next;
        }
    }

    fn unlink(&mut self, number: u16) {
        let (newer, older) = (self.slot(number).newer, self.slot(number).older);
        match newer {
            NO_SLOT => self.newest = older,
            newer => self.slot(newer).older = older,
        }
        match older {
            NO_SLOT => self.oldest = newer,
            older => self.slot(older).newer = newer,
        }
    }

    fn push_newest(&mut self, number: u16) {
        let former = core::mem::replace(&mut self.newest, number);
        match former {
            NO_SLOT => self.oldest = number,
            former => self.slot(former).newer = number,
        }
        let slot = self.slot(number);
        (slot.older, slot.newer) = (former, NO_SLOT);
    }
}
