//! Carrying out the rows of `bench`: runs that are kept by their content, results with all that they hang on.
//!
//! Not here: the measurements and verdicts of rows (`renga-bench`), the command (`command::bench::ledger`).

mod axis;
pub mod counts;
mod heat_map;
mod listener;
mod page;
mod plot;
mod result;
mod runner;
pub mod sources;
mod store;
#[cfg(test)]
mod torn;
pub mod workers;

pub(crate) use page::{STYLE, escaped};
pub use page::{html, markdown};
pub use plot::svg;
pub use result::{RowResult, RunFacts};
pub use runner::Runner;
