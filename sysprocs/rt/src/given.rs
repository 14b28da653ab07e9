//! The parameters of a process that follow from their types: its port and its clients.
//!
//! Invariant: a process finds the servers of the protocols in its signature and no others, so the placement check knows
//! all that it can do. Not here: devices, memory and numbers, which the list of kinds gives (`systems`).

use crate::Never;
use crate::signature::{Edge, Parameter, facts};
use core::future::Future;
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{
    ALL_ENTRIES, Address, Client, Family, Forward, ForwardFamily, Local, Me, Members, Port, Process, Protocol,
};

/// The servers of each protocol, as boot knows them.
pub trait Servers {
    /// This board.
    fn board(&self) -> u8;
    /// All processes of this board, by index.
    fn own(&self) -> &'static [&'static Process];
    /// By board those that serve the protocol with this number.
    fn serving(&self, protocol: u32) -> &'static [Members];
}

/// What a parameter is made of.
#[derive(Clone, Copy)]
pub struct Wires<'b> {
    /// Whose parameter it is.
    pub me: &'b Me,
    /// Whom it may find.
    pub servers: &'b dyn Servers,
}

impl Wires<'_> {
    /// The servers of `P` by board.
    fn all<P: Protocol>(&self) -> &'static [Members] {
        self.servers.serving(P::ID)
    }
    /// Those of this board.
    fn own<P: Protocol>(&self) -> &'static Members {
        &self.all::<P>()[usize::from(self.servers.board())]
    }
    /// The server of `P` of this board, or else the one of another board.
    fn server<P: Protocol>(&self) -> Address<P> {
        let elsewhere = || self.all::<P>().iter().find_map(|members| members.address(0));
        match self.own::<P>().address(0).or_else(elsewhere) {
            Some(server) => server,
            None => panic!("no {} to call", P::NAME),
        }
    }
}

/// A parameter that its type describes wholly.
pub trait Given: Parameter + Sized {
    /// The parameter.
    ///
    /// # Panics
    /// If a server is missing, which the placement check excludes.
    fn given(wires: Wires<'_>) -> Self;
}

/// A line for each type of port or client: how one is made, and its part in the network.
macro_rules! parameters { (|$wires:ident| $([$($generics:tt)*] $T:ty = $made:expr $(, $edge:expr)?;)+) => { $(
    impl<$($generics)*> Parameter for $T {
        const EDGES: &'static [Edge] = &[$($edge)?];
    }
    impl<$($generics)*> Given for $T {
        fn given($wires: Wires<'_>) -> Self {
            $made
        }
    }
)+ } }
parameters! { |wires|
    [P: Protocol] Port<P> = Port::new(wires.me).0, Edge::Serves(facts::<P>(ALL_ENTRIES));
    [P: Protocol, const ENTRIES: u32] Client<P, ENTRIES> =
        Client::new(wires.me, wires.server()).narrowed(), Edge::Uses(facts::<P>(ENTRIES));
    [P: Protocol] Forward<P> = Forward::new(wires.server()), Edge::Forwards(facts::<P>(ALL_ENTRIES));
    [P: Protocol, const ENTRIES: u32] Family<P, ENTRIES> =
        Family::new(wires.me, wires.all::<P>()).narrowed(), Edge::UsesAll(facts::<P>(ENTRIES));
    [P: Protocol] ForwardFamily<P> = ForwardFamily::new(wires.all::<P>()), Edge::ForwardsAll(facts::<P>(ALL_ENTRIES));
    [P: Protocol, const ENTRIES: u32] Local<P, ENTRIES> =
        Local::new(wires.me, wires.own::<P>()).narrowed(), Edge::UsesOwn(facts::<P>(ENTRIES));
    [] ExchangePort = ExchangePort::new(wires.me);
    [] RawClient = RawClient::new(wires.me, Members::Here(wires.servers.own()));
}

/// A process function: perhaps [`Me`], then parameters that are [`Given`], then what is special to its kind.
pub trait Begin<Typed, Special>: Copy {
    /// The process.
    type Future: Future<Output = Never> + 'static;
    /// The process `me`, not yet polled.
    fn begin(self, me: Me, servers: &dyn Servers, special: Special) -> Self::Future;
}
macro_rules! begin { ($(($($A:ident)*) ($($S:ident)*))*) => { $(
    #[allow(non_snake_case, unused_variables, reason = "one macro for every number of parameters")]
    impl<Fun, Fut, $($A: Given,)* $($S: Parameter),*> Begin<((), ($($A,)*)), ($($S,)*)> for Fun
    where Fun: Copy + Fn($($A,)* $($S),*) -> Fut, Fut: Future<Output = Never> + 'static {
        type Future = Fut;
        fn begin(self, me: Me, servers: &dyn Servers, ($($S,)*): ($($S,)*)) -> Fut {
            let wires = Wires { me: &me, servers };
            self($($A::given(wires),)* $($S),*)
        }
    }
    #[allow(non_snake_case, unused_variables, reason = "one macro for every number of parameters")]
    impl<Fun, Fut, $($A: Given,)* $($S: Parameter),*> Begin<(Me, ($($A,)*)), ($($S,)*)> for Fun
    where Fun: Copy + Fn(Me, $($A,)* $($S),*) -> Fut, Fut: Future<Output = Never> + 'static {
        type Future = Fut;
        fn begin(self, me: Me, servers: &dyn Servers, ($($S,)*): ($($S,)*)) -> Fut {
            let wires = Wires { me: &me, servers };
            let ($($A,)*) = ($($A::given(wires),)*);
            self(me, $($A,)* $($S),*)
        }
    }
)* } }
macro_rules! begin_each { ($($typed:tt)*) => { $(begin! {
    $typed () $typed (S) $typed (S T) $typed (S T U) $typed (S T U V) $typed (S T U V W) $typed (S T U V W X)
    $typed (S T U V W X Y) $typed (S T U V W X Y Z) $typed (S T U V W X Y Z R)
})* } }
begin_each! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) }

/// Declares a struct of clients that a process takes as one parameter; its part in the network is
/// that of its fields' types.
#[macro_export]
macro_rules! clients {
    ($(#[$doc:meta])* pub struct $S:ident { $($(#[$fdoc:meta])* $f:ident : $t:ty),+ $(,)? }) => {
        $(#[$doc])*
        pub struct $S { $($(#[$fdoc])* pub $f: $t),+ }
        impl $crate::signature::Parameter for $S {
            const EDGES: &'static [$crate::signature::Edge] = &{
                const LISTS: &[&[$crate::signature::Edge]] = &[$(<$t as $crate::signature::Parameter>::EDGES),+];
                const COUNT: usize = $crate::signature::count(LISTS);
                $crate::signature::concat::<COUNT>(LISTS)
            };
        }
        impl $crate::given::Given for $S {
            fn given(wires: $crate::given::Wires<'_>) -> Self {
                $S { $($f: <$t as $crate::given::Given>::given(wires)),+ }
            }
        }
    };
}
