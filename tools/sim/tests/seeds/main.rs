//! Seeds, as `renga sim` runs them.

mod campaign;
mod regressions;
