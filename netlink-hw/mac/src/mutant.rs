//! The mutants' switches in the protocol; see `model`.

/// Whether the board's protocol is wrong in this way; never, without the feature `model`.
#[cfg(feature = "model")]
macro_rules! mutated {
    ($mac:expr, $mutant:ident) => {
        $mac.mutant == Some(crate::model::Mutant::$mutant)
    };
}
#[cfg(not(feature = "model"))]
macro_rules! mutated {
    ($mac:expr, $mutant:ident) => {
        false
    };
}
