//! Protocols: the entries that a server has, with the types of their words, slices and replies.
//!
//! Invariant: an entry's types are fixed at compile time, so the wrong message or reply does not
//! compile; between boards the same words travel. Not here: the protocols themselves (`proto`).

use super::rendezvous::RawCall;
use renga_abi::{InWords, WordCounts};

pub use renga_abi::lends::Lends;

/// An entry of a protocol; the value itself is its arguments.
pub trait Entry: InWords {
    /// The protocol that it belongs to.
    type Protocol: Protocol;
    /// The slices of its message.
    type Lends<'a>: Lends<'a>;
    /// What it is answered with.
    type Reply: InWords;
    /// Its number, below 31.
    const OP: u32;
}

/// A server's entries.
pub trait Protocol: 'static {
    /// Its number, unique in the system.
    const ID: u32;
    /// Its name.
    const NAME: &'static str;
    /// The set of all entries, one bit each.
    const ENTRIES: u32;
    /// Entries whose reply may wait for another client's call.
    const DEFERS: u32;
    /// Entries that return no result, so that an asynchronous edge may release their callers.
    const RELEASES: u32;
    /// Entries whose callers give a slice.
    const GIVES: u32;
    /// Entries whose callers lend a slice to be written.
    const TAKES: u32;
    /// How many words a call of each entry has, and its reply.
    const WORD_COUNTS: &'static WordCounts;
    /// The entries' names, by number, with their numbers.
    const NAMES: &'static [(u32, &'static str)];
    /// An enum with a `Call<E>` per entry.
    type Incoming;
    /// Types an accepted call.
    fn incoming(raw: RawCall) -> Self::Incoming;
}

/// Declares a protocol. An entry has a number, a name, arguments of a word or more, the types of its slices and of its
/// reply, and flags in brackets: `defers` (the reply may wait for another client), `owned` (the server forwards the
/// call, or replies before its work is done), `releases` (no result: the caller may be released early).
///
/// The macro also makes a trait with a method per entry. A server implements it; `serve` dispatches a call
/// (`sysprocs/counter` is an example).
///
/// The words of a call, and those of its reply, fit into a message; else it does not compile (`host/refusals.rs`).
#[macro_export]
macro_rules! protocol {
    ($(#[$pdoc:meta])* pub $P:ident = $id:literal, $In:ident {
        $($(#[$edoc:meta])* $op:literal $E:ident { $($f:ident : $t:ty),* $(,)? } ($($lends:tt)*) -> $R:ty $([$($flag:ident)*])? ;)+
    }) => {
        $(#[$pdoc])*
        pub enum $P {}
        #[doc = concat!("An accepted call of the protocol `", stringify!($P), "`.")]
        pub enum $In { $($(#[$edoc])* $E($crate::Call<$E>)),+ }
        impl $In {
            /// The caller's board.
            pub fn board(&self) -> u8 {
                match self { $($In::$E(call) => call.board()),+ }
            }
            /// Passes it on, as it is, to a server of the same entries.
            pub fn pass_on<Q: $crate::Protocol<Incoming = $In>>(self, to: &$crate::Forward<Q>) {
                match self { $($In::$E(call) => call.pass_on(to)),+ }
            }
            /// As [`Me::take_up`](crate::Me::take_up).
            pub fn take_up(&self, me: &mut $crate::Me) {
                match self { $($In::$E(call) => me.take_up(call)),+ }
            }
        }
        $crate::paste! {
            #[doc = concat!("What a server of `", stringify!($P), "` does, by entry.")]
            pub trait [<$P Server>] {
                $($crate::protocol! { @method $(#[$edoc])* [<$E:snake>] $E [$($($flag)*)?] })+
            }
            impl $In {
                /// Has `server` carry the call out.
                pub async fn serve(self, server: &mut impl [<$P Server>]) {
                    match self { $($In::$E(call) => $crate::protocol!(@serve server call [<$E:snake>] [$($($flag)*)?])),+ }
                }
            }
        }
        impl $crate::Protocol for $P {
            const ID: u32 = $id;
            const NAME: &'static str = stringify!($P);
            const ENTRIES: u32 = $($E::BIT)|+;
            const DEFERS: u32 = 0 $($($(| $crate::protocol!(@defers $flag $op))*)?)+;
            const RELEASES: u32 = 0 $($($(| $crate::protocol!(@releases $flag $op))*)?)+;
            const GIVES: u32 = $((<<$E as $crate::Entry>::Lends<'static> as $crate::Lends<'static>>::GIVES as u32) << $op)|+;
            const TAKES: u32 = $((<<$E as $crate::Entry>::Lends<'static> as $crate::Lends<'static>>::TAKES as u32) << $op)|+;
            const WORD_COUNTS: &'static $crate::WordCounts = &$crate::WordCounts::new(&[$(
                ($op, <$E as $crate::InWords>::COUNT, <$R as $crate::InWords>::COUNT)
            ),+]);
            const NAMES: &'static [(u32, &'static str)] = &[$(($op, stringify!($E))),+];
            type Incoming = $In;
            #[inline(always)]
            fn incoming(raw: $crate::rendezvous::RawCall) -> $In {
                match raw.op() { $($op => $In::$E($crate::Call::new(raw)),)+ _ => unreachable!("no such entry") }
            }
        }
        $(
            $(#[$edoc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $E { $(#[allow(missing_docs)] pub $f: $t),* }
            impl $E {
                /// Its bit in an entry set.
                pub const BIT: u32 = { assert!($op < 31, "entries have numbers below 31"); 1 << $op };
            }
            impl $crate::InWords for $E {
                const COUNT: usize = 0 $(+ <$t as $crate::InWords>::COUNT)*;
                #[inline(always)]
                fn put(self, words: &[core::cell::Cell<u64>]) {
                    let mut _at = 0;
                    $($crate::InWords::put(self.$f, &words[_at..]); _at += <$t as $crate::InWords>::COUNT;)*
                }
                #[inline(always)]
                fn get(words: &[core::cell::Cell<u64>]) -> Self {
                    let mut _at = 0;
                    $(let $f = <$t as $crate::InWords>::get(&words[_at..]); _at += <$t as $crate::InWords>::COUNT;)*
                    $E { $($f),* }
                }
            }
            const _: () = assert!(
                <$E as $crate::InWords>::COUNT <= $crate::WORDS && <$R as $crate::InWords>::COUNT <= $crate::WORDS,
                "the words of a call, and those of its reply, fit into a message"
            );
            impl $crate::Entry for $E {
                type Protocol = $P;
                type Lends<'a> = ($($lends)*);
                type Reply = $R;
                const OP: u32 = $op;
            }
        )+
    };
    (@defers defers $op:literal) => { 1u32 << $op };
    (@defers $other:ident $op:literal) => { 0 };
    (@releases releases $op:literal) => { 1u32 << $op };
    (@releases $other:ident $op:literal) => { 0 };
    // The server of an entry that may be replied to later owns the call; every other call is replied to here.
    (@method $(#[$doc:meta])* $method:ident $E:ident [releases $($flag:ident)*]) => {
        $crate::protocol! { @method $(#[$doc])* $method $E [$($flag)*] }
    };
    (@method $(#[$doc:meta])* $method:ident $E:ident []) => {
        $(#[$doc])*
        fn $method(&mut self, call: &mut $crate::Call<$E>) -> impl core::future::Future<Output = <$E as $crate::Entry>::Reply>;
    };
    (@method $(#[$doc:meta])* $method:ident $E:ident [$($flag:ident)+]) => {
        $(#[$doc])*
        fn $method(&mut self, call: $crate::Call<$E>) -> impl core::future::Future<Output = ()>;
    };
    (@serve $server:ident $call:ident $method:ident [releases $($flag:ident)*]) => {
        $crate::protocol!(@serve $server $call $method [$($flag)*])
    };
    (@serve $server:ident $call:ident $method:ident []) => {{
        let mut call = $call;
        let reply = $server.$method(&mut call).await;
        call.reply(reply)
    }};
    (@serve $server:ident $call:ident $method:ident [$($flag:ident)+]) => { $server.$method($call).await };
}

/// Declares a protocol with the entries of another one, for the servers to which its servers forward calls.
#[macro_export]
macro_rules! protocol_as {
    ($(#[$doc:meta])* pub $Q:ident = $id:literal as $P:ty) => {
        $(#[$doc])*
        pub enum $Q {}
        impl $crate::Protocol for $Q {
            const ID: u32 = $id;
            const NAME: &'static str = stringify!($Q);
            const ENTRIES: u32 = <$P as $crate::Protocol>::ENTRIES;
            const DEFERS: u32 = <$P as $crate::Protocol>::DEFERS;
            const RELEASES: u32 = <$P as $crate::Protocol>::RELEASES;
            const GIVES: u32 = <$P as $crate::Protocol>::GIVES;
            const TAKES: u32 = <$P as $crate::Protocol>::TAKES;
            const WORD_COUNTS: &'static $crate::WordCounts = <$P as $crate::Protocol>::WORD_COUNTS;
            const NAMES: &'static [(u32, &'static str)] = <$P as $crate::Protocol>::NAMES;
            type Incoming = <$P as $crate::Protocol>::Incoming;
            #[inline(always)]
            fn incoming(raw: $crate::rendezvous::RawCall) -> Self::Incoming {
                <$P as $crate::Protocol>::incoming(raw)
            }
        }
    };
}
