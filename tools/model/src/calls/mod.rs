//! Calls between two boards: real sessions, a small layer of calls above them, a bus that loses.

pub mod board;
pub mod check;
pub mod frames;
pub mod world;

/// A way in which the protocol is wrong on purpose, to see that the search notices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallsMutant {
    /// A frame that was handed on is handed on again.
    DuplicatesHandedOn,
    /// A frame behind a gap is handed on.
    GapsIgnored,
    /// Acknowledgements name one frame too many.
    AcknowledgesTooMuch,
    /// A session begins with the epoch of the last one.
    EpochKept,
    /// A board that was reset begins with the epoch that it began with before.
    EpochOfBootKept,
    /// Any greeting is taken to name this board's epoch.
    KnownNotChecked,
    /// A hello of a board that has restarted does not end the session.
    NewBeginningsIgnored,
    /// No board probes for arrivals.
    NeverAsks,
    /// The end of an asynchronous call is reported twice.
    CreditTwice,
    /// A copy is free as soon as it is on its way.
    CreditEarly,
    /// Copies received in the last session still count.
    CopiesKept,
    /// A call whose session ended is executed again.
    CallsRepeated,
    /// A caller does not learn that it speaks to another incarnation of the board.
    IncarnationsNotReported,
    /// What was to be sent in the last session is sent in the next.
    JobsKept,
}

impl CallsMutant {
    /// All of them.
    pub const ALL: [CallsMutant; 14] = [
        CallsMutant::DuplicatesHandedOn,
        CallsMutant::GapsIgnored,
        CallsMutant::AcknowledgesTooMuch,
        CallsMutant::EpochKept,
        CallsMutant::EpochOfBootKept,
        CallsMutant::KnownNotChecked,
        CallsMutant::NewBeginningsIgnored,
        CallsMutant::NeverAsks,
        CallsMutant::CreditTwice,
        CallsMutant::CreditEarly,
        CallsMutant::CopiesKept,
        CallsMutant::CallsRepeated,
        CallsMutant::IncarnationsNotReported,
        CallsMutant::JobsKept,
    ];
}
