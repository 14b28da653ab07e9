//! renga-placement.
