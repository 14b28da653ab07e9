//! renga-userland.
fn main() {}
