//! An imitated medium, in memory, with what may go wrong with one.
//!
//! Invariant: it answers at once; time is `fs`'s model of a medium. An acknowledged write is on the medium and stays
//! there. The write during which the power fails leaves any of its sectors changed and the others as they were, but no
//! sector in half. Faults are random from a seed, so that a run repeats.

use super::pages::Pages;
use renga_hal::block::{Block, BlockError, SECTOR_BYTES, check_range};
use renga_random::Random;
use std::cell::RefCell;
use std::rc::Rc;

/// How often a transfer fails that would succeed if tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskFaults {
    /// Reads that fail, of a thousand.
    pub reads_per_mille: u32,
    /// Writes that fail, of a thousand; a failed one may have changed some of its sectors.
    pub writes_per_mille: u32,
}

/// Whether the medium answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiskPower {
    On,
    /// After so many writes more, the next one is cut.
    Until(u64),
    Off,
}

struct DiskState {
    content: Pages,
    faults: DiskFaults,
    random: Random,
    power: DiskPower,
    writes: u64,
}

/// A medium in memory.
#[derive(Clone)]
pub struct Disk(Rc<RefCell<DiskState>>);

impl Default for Disk {
    fn default() -> Disk {
        Disk::new(Pages::default())
    }
}

impl Disk {
    /// A medium with this content, and without faults.
    pub fn new(content: Pages) -> Disk {
        let faults = DiskFaults::default();
        Disk(Rc::new(RefCell::new(DiskState {
            content,
            faults,
            random: Random::new(0),
            power: DiskPower::On,
            writes: 0,
        })))
    }
    /// What is on it now.
    pub fn content(&self) -> Pages {
        self.0.borrow().content.clone()
    }
    /// Takes everything off it.
    pub(super) fn clear(&self) {
        self.0.borrow_mut().content = Pages::default();
    }
    /// The generator of later faults, and of the tearing of the interrupted write.
    pub fn seed(&self, random: Random) {
        self.0.borrow_mut().random = random;
    }
    /// From now on transfers fail so often.
    pub fn set_faults(&self, faults: DiskFaults) {
        self.0.borrow_mut().faults = faults;
    }
    /// Writes begun so far.
    pub fn writes(&self) -> u64 {
        self.0.borrow().writes
    }
    /// The power goes during the write after the next `writes`: from then on nothing is read or written.
    pub fn cut_power_after(&self, writes: u64) {
        self.0.borrow_mut().power = DiskPower::Until(writes);
    }
    /// The power goes now, between two writes; or the medium is taken out.
    pub fn cut_power(&self) {
        self.0.borrow_mut().power = DiskPower::Off;
    }
    /// Whether the power is gone: the board has to be reset.
    pub fn is_cut(&self) -> bool {
        self.0.borrow().power == DiskPower::Off
    }
    /// The power is there again.
    pub fn restore_power(&self) {
        self.0.borrow_mut().power = DiskPower::On;
    }
}

impl DiskState {
    fn fails(&mut self, per_mille: u32) -> bool {
        per_mille > 0 && self.random.below(1000) < u64::from(per_mille)
    }

    /// Writes any of the sectors of `data`.
    fn tear(&mut self, at: usize, data: &[u8]) {
        let written = self.random.draw();
        for (number, sector) in data.chunks(SECTOR_BYTES).enumerate() {
            if written >> (number % 64) & 1 == 1 {
                let at = at + number * SECTOR_BYTES;
                self.content.write(at, sector);
            }
        }
    }
}

impl Block for Disk {
    fn blocks(&self) -> u64 {
        (self.0.borrow().content.bytes() / SECTOR_BYTES) as u64
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, out.len())?;
        let state = &mut *self.0.borrow_mut();
        if state.power == DiskPower::Off {
            return Err(BlockError::NoMedium);
        }
        if state.fails(state.faults.reads_per_mille) {
            return Err(BlockError::Failed);
        }
        state.content.read(sector as usize * SECTOR_BYTES, out);
        Ok(())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, data.len())?;
        let state = &mut *self.0.borrow_mut();
        let at = sector as usize * SECTOR_BYTES;
        match &mut state.power {
            DiskPower::Off => return Err(BlockError::NoMedium),
            DiskPower::Until(0) => {
                state.power = DiskPower::Off;
                state.tear(at, data);
                return Err(BlockError::NoMedium);
            }
            DiskPower::Until(left) => *left -= 1,
            DiskPower::On => {}
        }
        state.writes += 1;
        if state.fails(state.faults.writes_per_mille) {
            state.tear(at, data);
            return Err(BlockError::Failed);
        }
        state.content.write(at, data);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Disk, DiskFaults, Pages};
    use renga_hal::block::{Block, BlockError};
    use renga_random::Random;

    #[test]
    fn disk_power_cut_tears_write_at_sector() {
        let mut disk = Disk::new(Pages::zeros(1 << 16));
        disk.seed(Random::new(7));
        disk.cut_power_after(1);
        assert_eq!(disk.write(0, &[1; 4096]), Ok(()));
        assert_eq!(disk.write(8, &[2; 4096]), Err(BlockError::NoMedium));
        assert!(disk.is_cut());
        assert_eq!(disk.read(0, &mut [0; 512]), Err(BlockError::NoMedium));
        disk.restore_power();
        let mut bytes = [0; 8192];
        disk.content().read(0, &mut bytes);
        assert!(bytes[..4096].iter().all(|byte| *byte == 1));
        let torn: Vec<_> = bytes[4096..].chunks(512).map(|sector| (sector[0], sector[511])).collect();
        assert!(torn.contains(&(0, 0)) && torn.contains(&(2, 2)), "{torn:?}");
        assert!(torn.iter().all(|(first, last)| first == last), "{torn:?}");
        assert_eq!(disk.read(0, &mut [0; 512]), Ok(()));
    }

    #[test]
    fn disk_faults_match_rate_and_repeat() {
        let run = |seed| {
            let mut disk = Disk::new(Pages::zeros(1 << 16));
            disk.seed(Random::new(seed));
            disk.set_faults(DiskFaults { reads_per_mille: 100, writes_per_mille: 300 });
            let failed = |done: Result<(), BlockError>| done == Err(BlockError::Failed);
            let reads: Vec<_> = (0..1000).map(|_| failed(disk.read(0, &mut [0; 512]))).collect();
            let writes: Vec<_> = (0..1000).map(|_| failed(disk.write(0, &[0; 512]))).collect();
            (reads, writes)
        };
        let (reads, writes) = run(3);
        let count = |failed: &[bool]| failed.iter().filter(|failed| **failed).count();
        assert!((60..140).contains(&count(&reads)) && (240..360).contains(&count(&writes)));
        assert_eq!(run(3), (reads, writes));
    }
}
