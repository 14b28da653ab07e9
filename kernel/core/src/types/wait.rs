//! What a process waits for. Invariant: one bit of the value says whether the process's poll is still on the stack.

/// What a process waits for; written by the process and by the code that completes the wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Wait {
    /// Not waiting: ready, or running.
    Nothing,
    /// Its message is written, not sent.
    Prepared,
    /// Its call is at the server.
    Reply,
    /// Its call is at a server of another core.
    ReplyElsewhere,
    /// The reply is in the header.
    Replied,
    /// A call to one of its open entries.
    Accept,
    /// An interrupt, an alarm or another notification.
    Notification,
    /// The core, after others of its priority.
    TimeSlice,
    /// Its user program: ready to run, or running.
    User,
    /// It never runs: it stands for a process of another core.
    RemoteHandle,
    /// As `Reply`, and its poll is still on the stack below the server's.
    ReplyInPlace = IN_PLACE,
    /// As `ReplyInPlace`, and the server has passed the call on.
    Forwarded,
}

/// The bit of those whose poll is on the stack, which one instruction tests.
pub(crate) const IN_PLACE: u8 = 1 << 7;
