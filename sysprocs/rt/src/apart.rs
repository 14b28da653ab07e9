//! Futures polled by a function, and a stack frame, of their own.
//!
//! The compiler inlines the polling of a future that one place awaits, with its part of the stack frame: a rare path
//! then lengthens the hot one. Invariant: as `.await` in everything else.

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
