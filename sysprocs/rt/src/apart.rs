//! Futures that are polled by a function of their own, with a stack frame of its own.
//!
//! The compiler puts the polling of a future that is awaited in one place into whoever awaits it, and what it needs of
//! the stack with it: then the most frequent turn pays for the rarest. Invariant: as `.await`, in everything else.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

/// As `$future.await`, not inlined.
#[macro_export]
macro_rules! apart {
    ($future:expr) => {{
        // Pinned where it lies: handed to a function it would be moved, and kept twice.
        let mut future = ::core::pin::pin!($future);
        ::core::future::poll_fn(|context| $crate::apart::poll(future.as_mut(), context)).await
    }};
}

#[doc(hidden)]
#[inline(never)]
pub fn poll<F: Future>(future: Pin<&mut F>, context: &mut Context<'_>) -> Poll<F::Output> {
    future.poll(context)
}
