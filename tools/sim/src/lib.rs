//! renga-sim.
