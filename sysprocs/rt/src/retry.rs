//! Calls to a board that may have rebooted since the caller's last one.
//!
//! Invariant: the router refuses the first call that a process makes in a new session with `ESTALE` and sends
//! nothing, so a repeated call is made once. A second `ESTALE` is the server's: the object is of an earlier
//! incarnation. Called by: callers whose entry names an incarnation, or does not depend on one. Not here: callers
//! that have to look up their object again, as its number may be another object's by now.

use core::future::Future;
use renga_abi::Errno;
use renga_core::{Client, Entry, Lends, Protocol};

/// As `$call.await`, and once more if the reply is `ESTALE`: [`Retry::call_retrying`] without a future of its own, for
/// hot paths.
#[macro_export]
macro_rules! repeated {
    ($call:expr) => {
        match $call.await {
            Err($crate::Errno::ESTALE) => $call.await,
            reply => reply,
        }
    };
}

/// A client that repeats a call.
pub trait Retry<P: Protocol> {
    /// Calls, and once more if the answer is `ESTALE`.
    fn call_retrying<'a, E, T>(&mut self, entry: E, lends: E::Lends<'a>) -> impl Future<Output = Result<T, Errno>>
    where
        E: Entry<Protocol: Protocol<Incoming = P::Incoming>, Reply = Result<T, Errno>> + Copy;
}

impl<P: Protocol, const ENTRIES: u32> Retry<P> for Client<P, ENTRIES> {
    #[inline(always)]
    async fn call_retrying<'a, E, T>(&mut self, entry: E, lends: E::Lends<'a>) -> Result<T, Errno>
    where
        E: Entry<Protocol: Protocol<Incoming = P::Incoming>, Reply = Result<T, Errno>> + Copy,
    {
        let (given, taken) = lends.split();
        repeated!(self.call(entry, E::Lends::join((given, &mut *taken))))
    }
}
