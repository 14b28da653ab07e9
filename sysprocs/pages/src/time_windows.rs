//! Time windows: a program runs with a shared page that it got before another board revokes the page.
//!
//! Two boards whose programs write one page would only pass it back and forth if each revocation came before the
//! faulting program had run. So a call that revokes a page waits until the program has run for [`RUN_NS`] with it
//! (long enough for a loop of exclusive loads and stores), or waits for something else; at most [`WAIT_NS_MAX`],
//! since the program may get no time slice. As Mirage's window (Fleisch and Popek, SOSP 1989), but no longer than the
//! program needs. A program's own request does not wait.
//!
//! Invariant: windows exist for the last few programs only; a program without one faults once more.
//! Not here: mapping (`shared_mapping.rs`), the waiting call (`delayed_call.rs`).

use renga_proto::pages::{FileId, FlushLease, Pages, PagesCall, ProtectPage, RevokePages, SetLeasedOut};
use renga_rt::account::{AccountNumber, Count};
use renga_rt::{Caller, Me, ProcId, Protocol, Wait};

/// How long a program runs with a page that it has mapped, ns.
pub(crate) const RUN_NS: u64 = 20_000;
/// The longest wait of a call, ns: a time slice for each of ten runnable programs.
pub(crate) const WAIT_NS_MAX: u64 = 10_000_000;
/// The longest wait for a requested page, ns: the call may revoke the grant in a reply that it has overtaken, or not.
pub(crate) const ARRIVAL_NS_MAX: u64 = 4_000_000;
/// Programs that are known to have mapped something.
const WINDOWS: usize = 8;
const TAKING: u32 = RevokePages::BIT | FlushLease::BIT | SetLeasedOut::BIT | ProtectPage::BIT;

/// A page that a program has mapped, or is about to map.
#[derive(Clone, Copy)]
struct TimeWindow {
    file: FileId,
    page: u32,
    account: AccountNumber,
    slot: Caller,
    /// What the program had run for when it mapped the page, ns.
    mapped: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The page is still to come.
    Requested,
    /// It is there, and the program is to run with it.
    Open,
    /// It has run, or wants something else.
    Over,
}

impl TimeWindow {
    /// `own`: servers that the program calls in between, and that answer at once.
    fn stage(&self, me: &Me, own: [ProcId; 2]) -> Stage {
        let ran_ns = self.mapped.map(|before_ns| me.counted(self.account, Count::UserNs).wrapping_sub(before_ns));
        if ran_ns.is_some_and(|ran_ns| ran_ns >= RUN_NS) {
            return Stage::Over;
        }
        match (self.slot.wait(), self.slot.waits_for()) {
            (Wait::Nothing | Wait::Replied | Wait::TimeSlice, _) => Stage::Open,
            (Wait::User, _) if ran_ns.is_some() => Stage::Open,
            (_, Some(server)) if own.contains(&server) => Stage::Open,
            (_, Some(_)) if ran_ns.is_none() => Stage::Requested,
            _ => Stage::Over,
        }
    }
}

pub(crate) struct DelayedCall {
    pub(crate) call: PagesCall,
    pub(crate) account: AccountNumber,
    pub(crate) since_ns: u64,
    /// The time until the next check.
    pub(crate) pause_ns: u64,
}

pub(crate) struct TimeWindows {
    last: [Option<TimeWindow>; WINDOWS],
    next: usize,
    pub(crate) waiting: Option<DelayedCall>,
}

impl TimeWindows {
    pub(crate) fn new() -> TimeWindows {
        TimeWindows { last: [None; WINDOWS], next: 0, waiting: None }
    }

    #[inline(always)]
    pub(crate) fn entries(&self) -> u32 {
        if self.waiting.is_some() { Pages::ENTRIES & !TAKING } else { Pages::ENTRIES }
    }

    /// Whether another program than `account`'s is to run with one of the pages before they go; closes windows that are
    /// over.
    pub(crate) fn is_open(&mut self, me: &Me, own: [ProcId; 2], taken: TakenPages, account: AccountNumber) -> bool {
        let TakenPages { file, from, to, arriving } = taken;
        let mut open = false;
        for place in &mut self.last {
            let Some(window) = place else { continue };
            let stage = window.stage(me, own);
            let wanted = window.file == file && (from..to).contains(&window.page) && window.account != account;
            open |= wanted && (stage == Stage::Open || arriving && stage == Stage::Requested);
            if stage == Stage::Over {
                *place = None;
            }
        }
        open
    }

    /// The program in `slot` is about to map page `page` of `file`, or has `mapped` it now.
    pub(crate) fn open(&mut self, me: &Me, slot: Caller, (file, page): (FileId, u32), mapped: bool) {
        let account = me.account();
        if file.is_object() || account == AccountNumber::SYSTEM {
            return;
        }
        let mapped = mapped.then(|| me.counted(account, Count::UserNs));
        // A program that faults again has run since.
        let own = self.last.iter().position(|known| known.is_some_and(|known| known.account == account));
        let place = own.unwrap_or(self.next);
        if own.is_none() {
            self.next = (place + 1) % WINDOWS;
        }
        self.last[place] = Some(TimeWindow { file, page, account, slot, mapped });
    }
}

/// Revoked pages `from..to` of a file, also those that are still to arrive.
#[derive(Clone, Copy)]
pub(crate) struct TakenPages {
    pub(crate) file: FileId,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) arriving: bool,
}
