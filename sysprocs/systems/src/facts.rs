//! The facts of each kind of process: its signature, and where it may be.
//!
//! Invariant: the compiler reads off a kind's function which protocols it serves and uses. Not here: the list
//! (`kinds.rs`).

use crate::kinds::{Kind, each_kind};
use crate::machine::{Devices, NoDevice};
use core::marker::PhantomData;
use renga_rt::signature::{self, Edge, ProtocolFacts};

/// On which boards a kind may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Wherever the system file says.
    Any,
    /// As `Any`, and a system may do without.
    Optional,
    /// On the board that owns the disk.
    DiskBoard,
    /// All processes of this rule share one board, any. They share cells, pages and the lock of names. That lock does
    /// not answer callers of other boards that are cancelled or fail while they wait for it.
    FileBoard,
    /// On every board.
    Every,
    /// On every board of a system that has several.
    EveryLinked,
    /// Computed: one for each process of another board that calls here.
    PerRemoteCaller,
    /// Computed: some for each other board that may release calls to here.
    PerAsyncBoard,
}

/// One kind.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Which.
    pub kind: Kind,
    /// What its function's signature says.
    pub signature: signature::KindSignature,
    /// Where it may be.
    pub place: Place,
    /// The most that one board may have.
    pub count_max: u16,
    /// What it is given beside what its signature says, as the list of kinds has it.
    pub given: &'static [&'static str],
}

impl Facts {
    /// The protocol that it serves.
    pub const fn serves(&self) -> Option<&'static ProtocolFacts> {
        let parameters = self.signature.edges;
        let mut i = 0;
        while i < parameters.len() {
            if let [Edge::Serves(protocol), ..] = parameters[i] {
                return Some(protocol);
            }
            i += 1;
        }
        None
    }
}

impl Kind {
    /// What the code says of it.
    pub const fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// The kind called `name` in system files.
    pub fn named(name: &str) -> Option<Kind> {
        FACTS.iter().map(|facts| facts.kind).find(|kind| kind.name() == name)
    }

    /// The kind that serves the protocol with this number.
    pub(crate) fn serving(protocol: u32) -> Option<Kind> {
        let serves = |facts: &&Facts| facts.serves().is_some_and(|served| served.id == protocol);
        FACTS.iter().find(serves).map(|facts| facts.kind)
    }
}

macro_rules! facts { (|$at:ident, $M:ident| $(
    $Kind:ident $name:literal $what:literal, $place:ident $count_max:literal: $function:path [$($special:expr),*];
)+) => {
    struct List<$M>(PhantomData<$M>);
    impl<$M: Devices> List<$M> {
        const FACTS: &'static [Facts] = &[$(Facts {
            kind: Kind::$Kind,
            signature: signature::kind($name, &$function),
            place: Place::$place,
            count_max: $count_max,
            given: &[$(stringify!($special)),*],
        }),+];
    }
} }
each_kind!(facts);

/// What the code says of each kind, by its number.
pub const FACTS: &[Facts] = List::<NoDevice>::FACTS;

/// A client finds its servers by their protocol alone.
const _: () = {
    let mut i = 0;
    while i < FACTS.len() {
        let mut k = 0;
        while k < i {
            if let (Some(one), Some(other)) = (FACTS[i].serves(), FACTS[k].serves()) {
                assert!(one.id != other.id, "two kinds serve one protocol");
            }
            k += 1;
        }
        i += 1;
    }
};
