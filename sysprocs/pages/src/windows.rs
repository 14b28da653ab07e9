//! Windows of time: who was shown a page that he shares may run before it is taken away again.
//!
//! Two boards whose programs write one page would only pass it on if each recall came before the program had run that had
//! faulted. So what takes a page away waits from when the page is here until the program has run for [`RUN_NS`] with it (long enough for
//! a loop of exclusive loads and stores), or waits for something else; at most [`WAIT_NS_MAX`], since it may not get a turn. As the
//! window of Mirage (Fleisch and Popek, SOSP 1989), but no longer than the program needs. What it wants taken away itself does
//! not wait.
//!
//! Invariant: at most one call waits here, for a program of this board only, which waits for nobody. A window is kept for the
//! last programs that were shown something; one that is not costs its program a further fault.
//! Not here: showing (`show.rs`).

use crate::page_cache::State;
use renga_hal::memory::UserMemory;
use renga_proto::pages::{Back, FileId, Lend, NO_PAGE, Pages, PagesCall, ProtectPage, Recall, TakeBack};
use renga_rt::account::{AccountNumber, Count};
use renga_rt::{Caller, Me, ProcId, Protocol, Wait};

/// How long a program runs with a page that it was shown, ns.
const RUN_NS: u64 = 20_000;
/// How long a call waits at most, ns: ten programs that wait for a turn have had one.
const WAIT_NS_MAX: u64 = 10_000_000;
/// How long it waits at most for a page that a program has asked for, ns: what it takes away may have been granted by an answer that
/// it has overtaken, or not.
const ARRIVAL_NS_MAX: u64 = 4_000_000;
/// Programs that are known to have been shown something.
const WINDOWS: usize = 8;
/// What takes pages away.
const TAKING: u32 = Recall::BIT | TakeBack::BIT | Lend::BIT | ProtectPage::BIT;

/// What a program was shown, or is about to be.
#[derive(Clone, Copy)]
struct Window {
    file: FileId,
    page: u32,
    account: AccountNumber,
    /// The slot of the program.
    slot: Caller,
    /// What the program had run for when it was shown the page, ns.
    shown: Option<u64>,
}

/// How far a program is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The page is still to come.
    Asked,
    /// It is there, and the program is to run with it.
    Open,
    /// It has run, or wants something else.
    Over,
}

impl Window {
    /// `own`: who is asked in between, and answers at once.
    fn stage(&self, me: &Me, own: [ProcId; 2]) -> Stage {
        let ran_ns = self.shown.map(|before_ns| me.counted(self.account, Count::UserNs).wrapping_sub(before_ns));
        if ran_ns.is_some_and(|ran_ns| ran_ns >= RUN_NS) {
            return Stage::Over;
        }
        match (self.slot.wait(), self.slot.waits_for()) {
            (Wait::Nothing | Wait::Replied | Wait::Turn, _) => Stage::Open,
            (Wait::User, _) if ran_ns.is_some() => Stage::Open,
            (_, Some(server)) if own.contains(&server) => Stage::Open,
            (_, Some(_)) if ran_ns.is_none() => Stage::Asked,
            _ => Stage::Over,
        }
    }
}

/// A call that waits.
struct Waiting {
    call: PagesCall,
    /// For whom it is made.
    account: AccountNumber,
    since_ns: u64,
    /// When to look next, from then.
    pause_ns: u64,
}

/// All windows of a board.
pub(crate) struct Windows {
    last: [Option<Window>; WINDOWS],
    next: usize,
    waiting: Option<Waiting>,
}

impl Windows {
    pub(crate) fn new() -> Windows {
        Windows { last: [None; WINDOWS], next: 0, waiting: None }
    }

    /// What may be asked now.
    #[inline(always)]
    pub(crate) fn entries(&self) -> u32 {
        if self.waiting.is_some() { Pages::ENTRIES & !TAKING } else { Pages::ENTRIES }
    }

    /// Whether somebody else than `account` is to run with one of the pages before they go; closes windows that are over.
    fn is_open(&mut self, me: &Me, own: [ProcId; 2], taken: Taken, account: AccountNumber) -> bool {
        let Taken { file, from, to, arriving } = taken;
        let mut open = false;
        for place in &mut self.last {
            let Some(window) = place else { continue };
            let stage = window.stage(me, own);
            let wanted = window.file == file && (from..to).contains(&window.page) && window.account != account;
            open |= wanted && (stage == Stage::Open || arriving && stage == Stage::Asked);
            if stage == Stage::Over {
                *place = None;
            }
        }
        open
    }
}

impl<M: UserMemory + ?Sized> State<M> {
    /// The program in `slot` is to be shown page `page` of `file`, or `shown` it now.
    pub(crate) fn open_window(&mut self, slot: Caller, (file, page): (FileId, u32), shown: bool) {
        let (me, account) = (&self.me, self.me.account());
        if file.is_object() || account == AccountNumber::SYSTEM {
            return;
        }
        let shown = shown.then(|| me.counted(account, Count::UserNs));
        let windows = &mut self.windows;
        // Who faults again has run since.
        let own = windows.last.iter().position(|known| known.is_some_and(|known| known.account == account));
        let place = own.unwrap_or(windows.next);
        if own.is_none() {
            windows.next = (place + 1) % WINDOWS;
        }
        windows.last[place] = Some(Window { file, page, account, slot, shown });
    }

    /// What `call` takes away from programs that may have been shown it.
    fn taken_away(&self, call: &PagesCall) -> Option<Taken> {
        let all = |file, arriving| Taken { file, from: 0, to: u32::MAX, arriving };
        match call {
            PagesCall::Recall(call) => {
                let Recall { file, from, to } = call.entry();
                Some(Taken { file, from, to, arriving: true })
            }
            PagesCall::Lend(call) => Some(call.entry()).filter(|lend| lend.lent).map(|lend| all(lend.file, false)),
            PagesCall::TakeBack(call) => {
                let TakeBack { file, back, taken, lease, grants } = call.entry();
                // Behind the first page nobody may write any more.
                let begins = back == Back::Dirty && taken == NO_PAGE;
                begins.then(|| all(file, self.index.is_expected(file, lease, grants)))
            }
            PagesCall::ProtectPage(call) => {
                let ProtectPage { file, page } = call.entry();
                Some(Taken { file, from: page, to: page.saturating_add(1), arriving: false })
            }
            _ => None,
        }
    }

    /// Whether a program is to run before `call` is served, which is made for `account` and has waited for so long.
    fn is_to_run(&mut self, call: &PagesCall, account: AccountNumber, waited_ns: u64) -> bool {
        let own = [self.me.id(), self.memory.server()];
        let Some(mut taken) = self.taken_away(call) else { return false };
        taken.arriving &= waited_ns < ARRIVAL_NS_MAX;
        waited_ns < WAIT_NS_MAX && self.windows.is_open(&self.me, own, taken, account)
    }

    /// Serves `call`, or keeps it until programs have run.
    pub(crate) async fn serve_in_time(&mut self, call: PagesCall) {
        let account = self.me.account();
        if !self.is_to_run(&call, account, 0) {
            return self.serve(call).await;
        }
        let (since_ns, pause_ns) = (self.me.now_ns(), RUN_NS);
        self.windows.waiting = Some(Waiting { call, account, since_ns, pause_ns });
        self.me.notify_at(Some(since_ns + pause_ns));
    }

    /// Serves the call that waits, if it need not any longer.
    pub(crate) async fn look(&mut self) {
        if let Some(waiting) = self.windows.waiting.take() {
            let now_ns = self.me.now_ns();
            if self.is_to_run(&waiting.call, waiting.account, now_ns.saturating_sub(waiting.since_ns)) {
                // Bounded by the doublings until then.
                let pause_ns = 2 * waiting.pause_ns;
                self.me.notify_at(Some((now_ns + pause_ns).min(waiting.since_ns + WAIT_NS_MAX)));
                self.windows.waiting = Some(Waiting { pause_ns, ..waiting });
            } else {
                self.me.notify_at(None);
                waiting.call.take_up(&mut self.me);
                self.serve(waiting.call).await;
            }
        }
    }
}

/// Pages `from..to` of a file; those that are still to arrive, too.
struct Taken {
    file: FileId,
    from: u32,
    to: u32,
    arriving: bool,
}
