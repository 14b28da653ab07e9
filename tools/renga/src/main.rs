//! renga.
fn main() {}
