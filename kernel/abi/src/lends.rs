//! What a request lends until the reply.
//!
//! Invariant: by their types, the server only reads a slice given, and is alone with a slice taken. Not here: the
//! lifetime of the loan (`kernel/core`).

/// Only the types below may say what they lend: the rendezvous core relies on their word.
mod sealed {
    pub trait Sealed {}
}

/// What a request lends until the reply: nothing, a slice given (`&[u8]`), one taken (`&mut [u8]`), or both.
pub trait Lends<'a>: Sized + sealed::Sealed {
    /// Whether a slice is given, so that its address must be written.
    const GIVES: bool;
    /// Whether a slice is taken.
    const TAKES: bool;
    /// The slice given and the slice taken.
    fn split(self) -> (&'a [u8], &'a mut [u8]);
    /// The inverse of `split`.
    fn join(both: (&'a [u8], &'a mut [u8])) -> Self;
}
macro_rules! lends { ($($t:ty, $gives:literal, $takes:literal, $split:expr, $join:expr;)*) => { $(
    #[allow(clippy::extra_unused_lifetimes, reason = "the type of nothing lent names none")]
    impl<'a> sealed::Sealed for $t {}
    impl<'a> Lends<'a> for $t {
        const GIVES: bool = $gives;
        const TAKES: bool = $takes;
        #[inline(always)]
        fn split(self) -> (&'a [u8], &'a mut [u8]) { ($split)(self) }
        #[inline(always)]
        fn join(both: (&'a [u8], &'a mut [u8])) -> Self { ($join)(both) }
    }
)* } }
lends! {
    (), false, false, |_| (&[][..], &mut [][..]), |_| ();
    &'a [u8], true, false, |s| (s, &mut [][..]), |b: (&'a [u8], _)| b.0;
    &'a mut [u8], false, true, |s| (&[][..], s), |b: (_, &'a mut [u8])| b.1;
    (&'a [u8], &'a mut [u8]), true, true, |s| s, |b| b;
}
