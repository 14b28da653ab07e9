//! renga-image.
fn main() {}
