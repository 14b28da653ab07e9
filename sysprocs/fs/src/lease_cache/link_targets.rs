//! Where symbolic links lead.
//!
//! Invariant: a target here is right as long as a name of its link is cached: a link's target never changes, and a
//! granted name for a link makes the cache forget the target of another link of that number. Bounded: links share places by number.

use renga_proto::steps::TARGET_BYTES_MAX;

/// Room for the target of one link. Boot provides some.
#[derive(Clone, Copy)]
pub struct CachedTarget {
    ino: u32,
    bytes: u8,
    target: [u8; TARGET_BYTES_MAX],
}
impl CachedTarget {
    /// Of no link.
    pub const EMPTY: CachedTarget = CachedTarget { ino: 0, bytes: 0, target: [0; TARGET_BYTES_MAX] };
}

pub(super) struct LinkTargets(&'static mut [CachedTarget]);

impl LinkTargets {
    pub(super) fn new(places: &'static mut [CachedTarget]) -> Self {
        LinkTargets(places)
    }

    fn place(&self, ino: u32) -> usize {
        ino as usize % self.0.len().max(1)
    }

    pub(super) fn find(&self, ino: u32) -> Option<&[u8]> {
        let cached = self.0.get(self.place(ino)).filter(|cached| cached.ino == ino)?;
        Some(&cached.target[..usize::from(cached.bytes)])
    }

    pub(super) fn forget(&mut self, ino: u32) {
        let place = self.place(ino);
        if let Some(cached) = self.0.get_mut(place).filter(|cached| cached.ino == ino) {
            *cached = CachedTarget::EMPTY;
        }
    }

    pub(super) fn put(&mut self, ino: u32, target: &[u8]) {
        let place = self.place(ino);
        if let Some(cached) = self.0.get_mut(place)
            && target.len() <= TARGET_BYTES_MAX
        {
            (cached.ino, cached.bytes) = (ino, target.len() as u8);
            cached.target[..target.len()].copy_from_slice(target);
        }
    }
}
