//! What the searched text takes from other crates.

/// The number of a page frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame(pub u32);

/// Where things are that stay.
#[derive(Debug)]
pub struct Arena;

impl Arena {
    /// One.
    pub const fn new() -> &'static Arena {
        &Arena
    }
    /// Puts a value there.
    pub fn put<T>(&'static self, make: impl FnOnce() -> T) -> &'static T {
        Box::leak(Box::new(make()))
    }
    /// Puts `count` values there.
    pub fn put_slice<T>(&'static self, count: usize, make: impl FnMut(usize) -> T) -> &'static [T] {
        Box::leak((0..count).map(make).collect())
    }
}
