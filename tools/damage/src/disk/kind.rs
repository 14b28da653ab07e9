//! A kind of damage, and who sees it.

use super::image::DiskImage;
use renga_random::Random;

/// Who sees a damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBy {
    /// The host refuses the image before a board starts.
    Host,
    /// A board that mounts it refuses it.
    Board,
    /// Nobody has to: programs run, or the board refuses it.
    Nobody,
}

/// A kind of damage.
pub struct DiskDamage {
    /// What is damaged.
    pub name: &'static str,
    /// Who sees it.
    pub seen_by: SeenBy,
    run: fn(&mut DiskImage, &mut Random),
}

impl DiskDamage {
    pub(super) const fn new(name: &'static str, seen_by: SeenBy, run: fn(&mut DiskImage, &mut Random)) -> DiskDamage {
        DiskDamage { name, seen_by, run }
    }

    /// Damages a sound image.
    pub fn apply(&self, image: &mut DiskImage, seed: u64) {
        (self.run)(image, &mut Random::new(seed));
    }
}
