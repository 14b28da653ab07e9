//! State of a board that processes share by cells, so that they have to share a core
//! (docs/design/rendezvous-and-cores.md).
//!
//! Invariant: whatever the list of kinds gives is in [`SHARED`], is the process's own ([`is_own`]), or is made for all
//! cores ([`is_of_all_cores`], docs/decisions/0087-page-frames-of-several-cores.md). Not here: servers and
//! notifications.

use crate::facts::Facts;
use crate::kinds::Kind;
use crate::tables::Board;

/// Something that several processes of a board reach.
#[derive(Debug)]
pub struct Shared {
    /// What it is.
    pub name: &'static str,
    /// Words by which the list of kinds gives it.
    given: &'static [&'static str],
    /// Kinds that have it without being given it: those that are notified by it.
    also: &'static [Kind],
}

const fn shared(name: &'static str, given: &'static [&'static str], also: &'static [Kind]) -> Shared {
    Shared { name, given, also }
}

/// All of it.
pub const SHARED: [Shared; 8] = [
    shared("the boards that are watched", &["at.boot.watch", "at.link()"], &[]),
    shared("the link's queues", &["at.link()"], &[]),
    shared("the programs to be woken", &["at.boot.wakes"], &[]),
    shared("the work that is due", &["at.boot.due"], &[]),
    shared("the idle lookup workers", &["at.boot.free_lookup_workers"], &[]),
    shared("the inodes' referrers", &["at.boot.referrers"], &[]),
    shared("the reclaimer's notification", &["at.notifier(Kind::Reclaimer)"], &[Kind::Reclaimer]),
    shared(
        "the notification of `data_writeback`",
        &["at.notifier(Kind::DataWriteback)", "at.notifier(Kind::LeaseFlusher)"],
        &[Kind::DataWriteback, Kind::LeaseFlusher],
    ),
];

/// Beginnings of what is a process's own: its memory, its device, numbers that never change.
const OWN: [&str; 21] = [
    "at.count(",
    "at.each(",
    "at.put(",
    "at.number()",
    "at.file_board()",
    "at.without_leases()",
    "at.page_index()",
    "at.frames()",
    "at.plan()",
    "at.processor()",
    "at.machine().block()",
    "at.machine().epoch_ns()",
    "at.machine().link()",
    "at.machine().medium()",
    "at.machine().power()",
    "at.machine().seed()",
    "at.machine().start_card()",
    "at.machine().starts()",
    "at.machine().times()",
    "at.machine().uart()",
    "cached_references(",
];

/// How page frames are given.
const FRAMES: &str = "at.machine().memory()";

/// What several cores reach, by types that are made for it: sessions, what programs watch, the programs' infos, tables of their areas, page
/// frames and their counts, the interruption of user slots.
const OF_ALL_CORES: [&str; 7] = [
    FRAMES,
    "at.boot.counts",
    "at.boot.infos",
    "at.boot.sessions",
    "at.boot.watched",
    "at.user_facts()",
    "at.wait_cancellers(Kind::User)",
];

/// What only the first home of a board has: the interrupts of devices, which come there.
const OF_HOME: [(&str, &str); 3] = [
    ("at.machine().uart()", "the console's interrupts"),
    ("at.machine().link()", "the link's interrupts"),
    ("at.machine().start_card()", "the card that the board has started from"),
];

/// What processes of this kind need that only the first home of a board has.
pub fn needs_home(facts: &Facts) -> Option<&'static str> {
    let needs = |(words, _): &&(&str, &str)| facts.given.iter().any(|expression| expression.contains(words));
    OF_HOME.iter().find(needs).map(|(_, name)| *name)
}

/// Whether `expression` begins with `words`, whatever spaces the compiler puts into a path.
fn begins(expression: &[u8], words: &str) -> bool {
    let mut rest = expression.iter().filter(|byte| **byte != b' ');
    words.bytes().filter(|byte| *byte != b' ').all(|byte| rest.next() == Some(&byte))
}

impl Shared {
    /// Whether `expression`, by which the list of kinds gives something, gives it.
    pub fn is_in(&self, expression: &str) -> bool {
        self.given.iter().any(|words| (0..expression.len()).any(|from| begins(&expression.as_bytes()[from..], words)))
    }
    /// Whether processes of this kind reach it.
    pub fn is_of(&self, facts: &Facts) -> bool {
        self.also.contains(&facts.kind) || facts.given.iter().any(|expression| self.is_in(expression))
    }
}

/// Whether `expression`, by which the list of kinds gives something, gives what any core may reach.
pub fn is_of_all_cores(expression: &str) -> bool {
    OF_ALL_CORES.iter().any(|words| begins(expression.as_bytes(), words) && begins(words.as_bytes(), expression))
}

/// Whether processes on several cores of `board` reach page frames. If not, nothing about them costs what that costs.
pub fn frames_are_of_several_cores(board: &Board<'_>) -> bool {
    let reaches = |kind: Kind| kind.facts().given.iter().any(|expression| expression.contains(FRAMES));
    let mut cores = board.placed.iter().filter(|row| reaches(row.kind)).map(|row| row.core);
    let first = cores.next();
    cores.any(|core| Some(core) != first)
}

/// Whether `expression`, by which the list of kinds gives something, gives what is the process's own.
pub fn is_own(expression: &str) -> bool {
    OWN.iter().any(|words| expression.starts_with(words))
}
