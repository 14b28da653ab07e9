//! Where a board stands.

/// A board's state; the token is with a board in `Hold`, `Park` and `Wire`, and on its way in `Guard`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MacState {
    /// Takes no part.
    Off,
    /// Has started: listens.
    Listen,
    /// Has no token; wants it, and then pulls ATN# low, or not.
    Idle {
        /// Waits for the token with ATN# low; `false` while it wants nothing, or backs off.
        asks: bool,
        /// A frame was heard since the last alarm.
        received: bool,
        /// Alarms in a row at which BUSY# was low and nothing was heard.
        stuck: u8,
    },
    /// ATN# is released for a moment, then pulled low for as long as a burst lasts.
    Burst {
        /// The second half.
        low: bool,
        /// As in `Idle`.
        stuck: u8,
    },
    /// Bids for a lost token.
    Arb,
    /// Holds the token, BUSY# low, and sends.
    Hold {
        /// What.
        sending: Sending,
        /// Boards that want the token, as far as known, a bit each.
        wanting: u8,
        /// A frame of data was sent since it took the token.
        sent: bool,
    },
    /// Has the token, and no board needs it: BUSY# is released.
    Park {
        /// ATN# is ignored until the alarm: it is low, and no board wants the token.
        ignores_attention: bool,
    },
    /// Hands the token on by TOK_OUT#.
    Wire {
        /// The receiver.
        target: u8,
    },
    /// The hand-over was not answered: waits a moment whether it came through after all.
    Guard {
        /// The receiver.
        target: u8,
    },
    /// Lines are stuck.
    Fault,
    /// Another board has its number.
    Quarantine,
}

/// What a board that holds the token sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sending {
    /// A frame of the owner's.
    Data,
    /// Polls for members that want the token.
    Poll,
    /// Epoch and members.
    Map,
    /// Its serial number.
    Join,
    /// The token.
    Token {
        /// The receiver.
        target: u8,
    },
}
