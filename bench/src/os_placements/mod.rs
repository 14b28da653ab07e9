//! Where the system's own processes should be: a time predicted for each placement, and measured for some of them.
//! Beyond the paper.
//!
//! - [`placement`]: kinds that move together, all placements of them, and the ones that the placement tool accepts;
//! - [`load`]: what the boards' programs do; [`sections`]: how long each took in a run, and which of its calls crossed;
//! - [`prediction`]: from a few traced runs to the time of every placement, the ranking, and the sample of it;
//! - [`comparison`]: how well the ranking agrees with what was measured; [`row`]: all of that as a row.
//!
//! Invariant: a prediction uses the traced runs only. Not here: running, the tool's rules.

mod comparison;
mod load;
mod placement;
mod prediction;
pub(crate) mod row;
mod sections;

pub use row::ROW;
