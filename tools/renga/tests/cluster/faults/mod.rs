//! Tests of boards that fail, boards that lie, and power cuts.

mod crash;
mod death;
mod hostile;
