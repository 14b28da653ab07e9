//! The call that waits until a program has run with the page that the call revokes.
//!
//! Invariant: at most one call waits, and entries that revoke pages are closed meanwhile. Called by: the loop
//! (`page_cache.rs`). Not here: for how long (`time_windows.rs`).

use crate::cache_state::CacheState;
use crate::time_windows::{ARRIVAL_NS_MAX, DelayedCall, RUN_NS, TakenPages, WAIT_NS_MAX};
use renga_hal::memory::UserMemory;
use renga_proto::pages::{FlushExtent, FlushLease, NO_PAGE, PagesCall, ProtectPage, RevokePages};
use renga_rt::account::AccountNumber;

impl<M: UserMemory + ?Sized> CacheState<M> {
    /// The pages that `call` revokes from programs that may map them.
    fn revoked(&self, call: &PagesCall) -> Option<TakenPages> {
        let all = |file, arriving| TakenPages { file, from: 0, to: u32::MAX, arriving };
        match call {
            PagesCall::RevokePages(call) => {
                let RevokePages { file, from, to } = call.entry();
                Some(TakenPages { file, from, to, arriving: true })
            }
            PagesCall::SetLeasedOut(call) => {
                Some(call.entry()).filter(|set| set.leased).map(|set| all(set.file, false))
            }
            PagesCall::FlushLease(call) => {
                let FlushLease { file, back, taken, lease, grants } = call.entry();
                // After the first page the board may not write any more.
                let begins = back == FlushExtent::Dirty && taken == NO_PAGE;
                begins.then(|| all(file, self.index.is_expected(file, lease, grants)))
            }
            PagesCall::ProtectPage(call) => {
                let ProtectPage { file, page } = call.entry();
                Some(TakenPages { file, from: page, to: page.saturating_add(1), arriving: false })
            }
            _ => None,
        }
    }

    /// Whether a program is to run before `call` is served, which is made for `account` and has waited for so long.
    fn is_to_run(&mut self, call: &PagesCall, account: AccountNumber, waited_ns: u64) -> bool {
        let own = [self.me.id(), self.memory.server()];
        let Some(mut taken) = self.revoked(call) else { return false };
        taken.arriving &= waited_ns < ARRIVAL_NS_MAX;
        waited_ns < WAIT_NS_MAX && self.windows.is_open(&self.me, own, taken, account)
    }

    pub(crate) async fn serve_in_time(&mut self, call: PagesCall) {
        let account = self.me.account();
        if !self.is_to_run(&call, account, 0) {
            return call.serve(self).await;
        }
        let (since_ns, pause_ns) = (self.me.now_ns(), RUN_NS);
        self.windows.waiting = Some(DelayedCall { call, account, since_ns, pause_ns });
        self.me.notify_at(Some(since_ns + pause_ns));
    }

    /// Serves the call that waits, if it need not any longer.
    pub(crate) async fn check_waiting(&mut self) {
        if let Some(waiting) = self.windows.waiting.take() {
            let now_ns = self.me.now_ns();
            if self.is_to_run(&waiting.call, waiting.account, now_ns.saturating_sub(waiting.since_ns)) {
                // Bounded by the doublings until then.
                let pause_ns = 2 * waiting.pause_ns;
                self.me.notify_at(Some((now_ns + pause_ns).min(waiting.since_ns + WAIT_NS_MAX)));
                self.windows.waiting = Some(DelayedCall { pause_ns, ..waiting });
            } else {
                self.me.notify_at(None);
                waiting.call.take_up(&mut self.me);
                waiting.call.serve(self).await;
            }
        }
    }
}
