//! What a program does about each signal.

use crate::signals::{IGNORED_BY_DEFAULT, SIGCHLD, SIGNALS, STOPPING, SignalSet, UNSTOPPABLE, bit};
use crate::user::state::fields::{put_words, word_at};

pub const SIG_DFL: u64 = 0;
pub const SIG_IGN: u64 = 1;
pub const SA_NOCLDSTOP: u64 = 1;
pub const SA_NOCLDWAIT: u64 = 2;
pub const SA_ONSTACK: u64 = 0x0800_0000;
pub const SA_RESTART: u64 = 0x1000_0000;
pub const SA_NODEFER: u64 = 0x4000_0000;
pub const SA_RESETHAND: u64 = 0x8000_0000;
/// The action names its own way back from the handler.
pub const SA_RESTORER: u64 = 0x0400_0000;

/// Bytes of `struct sigaction` as AArch64 Linux lays it out: handler, flags, restorer, mask.
pub const ACTION_BYTES: usize = 32;

/// What is done about one signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SignalAction {
    /// `SIG_DFL`, `SIG_IGN` or an address.
    pub handler: u64,
    pub flags: u64,
    /// Where the handler returns to, with `SA_RESTORER`.
    pub restorer: u64,
    /// Signals blocked while the handler runs.
    pub mask: SignalSet,
}

impl SignalAction {
    /// From a program's memory.
    pub fn from_bytes(bytes: &[u8; ACTION_BYTES]) -> Self {
        let [handler, flags, restorer, mask] = core::array::from_fn(|index| word_at(bytes, 8 * index));
        SignalAction { handler, flags, restorer, mask: mask & !UNSTOPPABLE }
    }

    /// As a program sees it.
    pub fn to_bytes(self) -> [u8; ACTION_BYTES] {
        let SignalAction { handler, flags, restorer, mask } = self;
        let mut bytes = [0; ACTION_BYTES];
        put_words(&mut bytes, [(0, handler), (8, flags), (16, restorer), (24, mask)]);
        bytes
    }
}

/// What a signal leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignalEffect {
    Nothing,
    Stop,
    End,
    Handle(SignalAction),
}

renga_rt::with_defaults! {
    #[derive(Clone)]
    pub struct SignalActions {
        list: [SignalAction; SIGNALS as usize] = [SignalAction::default(); SIGNALS as usize],
        /// Those that are not the default: few, and a loop over all of them visits only these.
        given: SignalSet = 0,
        /// Those that are ignored by the program's word, and those that have a handler.
        chosen: [SignalSet; 2] = [0; 2],
        /// Ignored signals: needed at every change of the mask, so kept.
        ignored: SignalSet = IGNORED_BY_DEFAULT,
    }
    impl Default;
}

impl SignalActions {
    /// The action of `signal`, which is 1 to 64.
    pub fn get(&self, signal: u8) -> SignalAction {
        self.list[usize::from(signal - 1)]
    }

    /// Sets the action of `signal`, which is 1 to 64.
    pub fn set(&mut self, signal: u8, action: SignalAction) {
        self.list[usize::from(signal - 1)] = action;
        let put = |set: SignalSet, on: bool| set & !bit(signal) | if on { bit(signal) } else { 0 };
        self.given = put(self.given, action != SignalAction::default());
        let [disregarded, handled] = self.chosen;
        self.chosen = [put(disregarded, action.handler == SIG_IGN), put(handled, action.handler > SIG_IGN)];
        self.ignored = put(self.ignored, self.effect(signal) == SignalEffect::Nothing);
    }

    /// The signals whose action is not the default, in order.
    pub fn given(&self) -> impl Iterator<Item = u8> + use<> {
        let mut rest = self.given;
        core::iter::from_fn(move || {
            let signal = (rest != 0).then_some(rest.trailing_zeros() as u8 + 1);
            rest &= rest.wrapping_sub(1);
            signal
        })
    }

    pub fn effect(&self, signal: u8) -> SignalEffect {
        let action = self.get(signal);
        match action.handler {
            SIG_IGN => SignalEffect::Nothing,
            SIG_DFL if bit(signal) & IGNORED_BY_DEFAULT != 0 => SignalEffect::Nothing,
            SIG_DFL if bit(signal) & STOPPING != 0 => SignalEffect::Stop,
            SIG_DFL => SignalEffect::End,
            _ => SignalEffect::Handle(action),
        }
    }

    /// Signals that lead to nothing.
    pub fn ignored(&self) -> SignalSet {
        self.ignored
    }

    /// Signals that lead to nothing because the program said so, and those that it handles.
    pub fn chosen(&self) -> [SignalSet; 2] {
        self.chosen
    }

    /// Whether children are gone when they end, instead of being waited for; and whether there is no signal when they
    /// stop or go on.
    pub fn children(&self) -> [bool; 2] {
        let action = self.get(SIGCHLD);
        [action.handler == SIG_IGN || action.flags & SA_NOCLDWAIT != 0, action.flags & SA_NOCLDSTOP != 0]
    }

    /// Exec: handlers are gone, what is ignored stays so.
    pub fn reset_handlers(&mut self) {
        for signal in self.given() {
            let handler = if self.get(signal).handler == SIG_IGN { SIG_IGN } else { SIG_DFL };
            self.set(signal, SignalAction { handler, ..SignalAction::default() });
        }
    }
}
