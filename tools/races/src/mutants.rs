//! Plausible mutants of `kernel/sync`, of a frame's state or its count, and the scenario that finds each.
//!
//! Invariant: what is `right` stands exactly once in its file, else nothing is built.

#[path = "frames.rs"]
mod frames;

/// What is played in every interleaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// One core posts two messages, the other takes them.
    Order,
    /// Two cores post.
    TwoPost,
    /// The owner sleeps until two messages have come.
    Sleep,
    /// A message goes and comes back; both cores sleep meanwhile.
    Answer,
    /// Two cores raise a bit each.
    Raise,
    /// One core raises two bits, one after the other.
    RaiseAgain,
    /// A core passes a call on while its caller is cancelled.
    Cancel,
    /// Cores borrow a frame's content to read and to write it.
    Borrow,
    /// One core maps a frame, and one makes it a table.
    Table,
    /// Two cores unmap a frame, which is then reused.
    Unmap,
    /// A space is dismantled and another one created in its frame, while a core restricts it.
    Restrict,
    /// A frame is made fetchable while a core writes it.
    Fetch,
    /// A frame of two owners becomes that of one, which sees it.
    Only,
}

impl Scenario {
    /// All of them.
    pub const ALL: [Scenario; 13] = [
        Scenario::Order,
        Scenario::TwoPost,
        Scenario::Sleep,
        Scenario::Answer,
        Scenario::Raise,
        Scenario::RaiseAgain,
        Scenario::Cancel,
        Scenario::Borrow,
        Scenario::Table,
        Scenario::Unmap,
        Scenario::Restrict,
        Scenario::Fetch,
        Scenario::Only,
    ];

    /// The function of `tests/races` that plays it.
    pub const fn function(self) -> &'static str {
        match self {
            Scenario::Order => "scenarios::order",
            Scenario::TwoPost => "scenarios::two_post",
            Scenario::Sleep => "scenarios::sleep",
            Scenario::Answer => "scenarios::answer",
            Scenario::Raise => "scenarios::raise",
            Scenario::RaiseAgain => "scenarios::raise_again",
            Scenario::Cancel => "scenarios::cancel",
            Scenario::Borrow => "frames::borrow",
            Scenario::Table => "frames::table",
            Scenario::Unmap => "frames::unmap",
            Scenario::Restrict => "frames::restrict",
            Scenario::Fetch => "frames::fetch",
            Scenario::Only => "frames::only",
        }
    }
}

/// An edit that makes the code wrong.
#[derive(Debug)]
pub struct RaceMutant {
    /// What it is called: the name of a module.
    pub name: &'static str,
    /// A file, without its ending.
    pub file: &'static str,
    /// Words of it,
    pub right: &'static str,
    /// and what stands there instead.
    pub wrong: &'static str,
    /// What finds it.
    pub found_by: Scenario,
}

pub(crate) const fn mutant(
    name: &'static str,
    file: &'static str,
    [right, wrong]: [&'static str; 2],
    found_by: Scenario,
) -> RaceMutant {
    RaceMutant { name, file, right, wrong, found_by }
}

/// How a message is posted.
const POST: &str = "match self.0.exchange(newest, MailboxLink::Message(message), Ordering::AcqRel) {";
/// How the owner leaves.
const LEAVE: &str = "self.0.exchange(MailboxLink::Empty, MailboxLink::OwnerAway, Ordering::Release);";
/// How messages are taken.
const TAKE: &str = "Self::reversed(self.0.swap(MailboxLink::Empty, Ordering::Acquire))";
/// How it is found out whether to ring.
const RING: &str = "if let MailboxLink::OwnerAway = newest {";
/// How a message is handed out.
const DELIVER: &str = "messages = message.next.get(); // before the delivery: it may be posted again at once
            deliver(message.reclaim());";
/// How bits are raised, and lowered.
const RAISE: &str = "if self.raised.fetch_or(bits, Ordering::AcqRel) == 0 {";
const LOWER: &str = "self.raised.swap(0, Ordering::AcqRel)";
/// How a call arrives, and how its caller is cancelled.
const ARRIVE: &str = "self.core.store(core, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }";
const CANCEL: &str = "self.cancelled.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.core()";

/// Mutants of posting.
const POSTING: [RaceMutant; 6] = [
    mutant(
        "post_without_release",
        "mailbox",
        [POST, "match self.0.exchange(newest, MailboxLink::Message(message), Ordering::Acquire) {"],
        Scenario::Order,
    ),
    mutant(
        "post_without_acquire",
        "mailbox",
        [POST, "match self.0.exchange(newest, MailboxLink::Message(message), Ordering::Release) {"],
        Scenario::Sleep,
    ),
    mutant(
        "post_by_a_store",
        "mailbox",
        [POST, "self.0.set(MailboxLink::Message(message)); match Ok::<(), MailboxLink<T>>(()) {"],
        Scenario::TwoPost,
    ),
    mutant(
        "send_before_post",
        "mailbox",
        [
            POST,
            "if let MailboxLink::OwnerAway = newest { ipi.send(); newest = MailboxLink::Empty; self.0.set(newest); }
            match self.0.exchange(newest, MailboxLink::Message(message), Ordering::AcqRel) {",
        ],
        Scenario::Sleep,
    ),
    mutant("no_send", "mailbox", [RING, "if false {"], Scenario::Sleep),
    mutant("send_if_empty_only", "mailbox", [RING, "if let MailboxLink::Empty = newest {"], Scenario::Sleep),
];

/// Mutants of the owner that takes.
const TAKING: [RaceMutant; 4] = [
    mutant(
        "take_without_acquire",
        "mailbox",
        [TAKE, "Self::reversed(self.0.swap(MailboxLink::Empty, Ordering::Relaxed))"],
        Scenario::Order,
    ),
    mutant(
        "take_by_load_and_store",
        "mailbox",
        [
            TAKE,
            "{ let all = self.0.get(); core::sync::atomic::fence(Ordering::Acquire); self.0.set(MailboxLink::Empty); Self::reversed(all) }",
        ],
        Scenario::TwoPost,
    ),
    mutant("newest_first", "mailbox", [TAKE, "self.0.swap(MailboxLink::Empty, Ordering::Acquire)"], Scenario::Order),
    mutant(
        "next_read_after_delivery",
        "mailbox",
        [DELIVER, "deliver(message.reclaim()); messages = message.next.get();"],
        Scenario::Answer,
    ),
];

/// Mutants of the owner that goes to sleep.
const SLEEPING: [RaceMutant; 5] = [
    mutant(
        "sleep_without_second_look",
        "mailbox",
        ["if self.stop_polling() {", "self.stop_polling(); {"],
        Scenario::Sleep,
    ),
    mutant(
        "leave_by_a_store",
        "mailbox",
        [LEAVE, "{ self.0.set(MailboxLink::OwnerAway); Ok::<(), MailboxLink<T>>(()) };"],
        Scenario::Sleep,
    ),
    mutant(
        "leave_by_load_and_store",
        "mailbox",
        [
            LEAVE,
            "if self.is_empty() { self.0.set(MailboxLink::OwnerAway); Ok(()) } else { Err(MailboxLink::<T>::Empty) };",
        ],
        Scenario::Sleep,
    ),
    mutant(
        "leave_without_release",
        "mailbox",
        [LEAVE, "self.0.exchange(MailboxLink::Empty, MailboxLink::OwnerAway, Ordering::Relaxed);"],
        Scenario::Sleep,
    ),
    mutant(
        "acknowledge_before_the_wait",
        "mailbox",
        ["ipi.wait();", "ipi.acknowledge(); ipi.wait();"],
        Scenario::Sleep,
    ),
];

/// Mutants of signals.
const SIGNALS: [RaceMutant; 3] = [
    mutant(
        "raise_posts_each_time",
        "event_flags",
        [RAISE, "self.raised.fetch_or(bits, Ordering::AcqRel); {"],
        Scenario::RaiseAgain,
    ),
    mutant(
        "raise_without_release",
        "event_flags",
        [RAISE, "if self.raised.fetch_or(bits, Ordering::Acquire) == 0 {"],
        Scenario::Raise,
    ),
    mutant(
        "lower_by_load_and_store",
        "event_flags",
        [LOWER, "{ let bits = self.raised.load(Ordering::Acquire); self.raised.store(0, Ordering::Release); bits }"],
        Scenario::RaiseAgain,
    ),
];

/// Mutants about where a call is.
const CALL_LOCATIONS: [RaceMutant; 5] = [
    mutant(
        "arrive_without_fence",
        "call_location",
        [ARRIVE, "self.core.store(core, Ordering::Release); }"],
        Scenario::Cancel,
    ),
    mutant(
        "cancel_without_fence",
        "call_location",
        [CANCEL, "self.cancelled.store(true, Ordering::Release); self.core()"],
        Scenario::Cancel,
    ),
    mutant(
        "arrive_behind_the_fence",
        "call_location",
        [ARRIVE, "fence(Ordering::SeqCst); self.core.store(core, Ordering::Relaxed); }"],
        Scenario::Cancel,
    ),
    mutant(
        "cancel_after_the_look",
        "call_location",
        [
            CANCEL,
            "let core = self.core(); fence(Ordering::SeqCst);
            self.cancelled.store(true, Ordering::Relaxed); core",
        ],
        Scenario::Cancel,
    ),
    mutant("depart_unsaid", "call_location", ["self.core.store(ON_ITS_WAY, Ordering::Relaxed);", ""], Scenario::Cancel),
];

/// All of them.
pub const MUTANTS: [&[RaceMutant]; 7] =
    [&POSTING, &TAKING, &SLEEPING, &SIGNALS, &CALL_LOCATIONS, &frames::FRAMES, &frames::COUNTS];

/// Those that ThreadSanitizer sees: it asks whether what one thread wrote is ordered before what another one reads, on
/// any processor; not whether messages or wake-ups get lost.
pub const UNORDERED: [&str; 2] = ["post_without_release", "take_without_acquire"];
