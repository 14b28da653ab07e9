//! How long a medium takes: models of storage devices, as data.
//!
//! Emulated cards reply at once. A model says when a real medium would have replied; the disk process delays its
//! reply until then. Times are in integers, so that they repeat exactly.
//!
//! Not here: any device.

use renga_abi::PAGE_BYTES;

const NS_PER_US: u64 = 1000;
const NS_PER_S: u64 = 1_000_000_000;

#[derive(Debug)]
struct Mechanics {
    /// Blocks that pass under the heads without a seek (one cylinder).
    cylinder_blocks: u64,
    /// Blocks on one track: those of one revolution.
    track_blocks: u64,
    /// Cylinders from the outermost to the innermost.
    cylinders: u64,
    seek_least_us: u64,
    /// Seek across all of them; between the two the time grows with the square root of the distance,
    /// as in Ruemmler and Wilkes, "An introduction to disk drive modeling" (1994).
    seek_most_us: u64,
    rotation_us: u64,
}

/// A model of a medium.
#[derive(Debug)]
pub struct Medium {
    /// Its name in commands.
    pub name: &'static str,
    /// From command to first byte, without mechanics.
    read_us: u64,
    /// As `read_us`, of a write: what programming a block costs.
    write_us: u64,
    /// Bytes transferred in a second; 0: at once.
    bytes_per_s: u64,
    mechanics: Option<Mechanics>,
    /// So long after it came each request is answered, however many there are, and nothing else counts, ns.
    side_by_side_ns: Option<u64>,
}

const MEDIA: &[Medium] = &[
    Medium { name: "none", read_us: 0, write_us: 0, bytes_per_s: 0, mechanics: None, side_by_side_ns: None },
    // A class 10 card: command and access latencies of 4 KiB random requests, 25 MB/s bus.
    Medium {
        name: "sd",
        read_us: 400,
        write_us: 1200,
        bytes_per_s: 25_000_000,
        mechanics: None,
        side_by_side_ns: None,
    },
    // Linux's null_blk, as systems are measured beside Linux (P5).
    Medium { name: "null", read_us: 0, write_us: 0, bytes_per_s: 0, mechanics: None, side_by_side_ns: Some(124_600) },
    // A desktop drive of 2006: 8.5 ms mean seek, 7200 revolutions a minute, 512 KiB a track (63 MB/s). Made small: 512
    // MiB lie across all cylinders, since images of runs would lie on a few of a whole drive.
    Medium {
        name: "hdd-2006",
        read_us: 100,
        write_us: 100,
        bytes_per_s: 0,
        mechanics: Some(Mechanics {
            cylinder_blocks: 128,
            track_blocks: 128,
            cylinders: 1024,
            seek_least_us: 800,
            seek_most_us: 15_240,
            rotation_us: 8333,
        }),
        side_by_side_ns: None,
    },
    // A SCSI drive of the time of the paper: 150 MB, 3600 revolutions a minute, 28 ms mean seek, 20 KB a track (1.2
    // MB/s).
    Medium {
        name: "hdd-1989",
        read_us: 1000,
        write_us: 1000,
        bytes_per_s: 0,
        mechanics: Some(Mechanics {
            cylinder_blocks: 40,
            track_blocks: 5,
            cylinders: 940,
            seek_least_us: 8000,
            seek_most_us: 45_000,
            rotation_us: 16_667,
        }),
        side_by_side_ns: None,
    },
    // A card in the slot of a Pi 4, whose bus has both edges of 50 MHz.
    Medium {
        name: "sd-ddr50",
        read_us: 400,
        write_us: 1200,
        bytes_per_s: 45_000_000,
        mechanics: None,
        side_by_side_ns: None,
    },
];

impl Medium {
    /// The model `name`, if there is one: as in [`Medium::names`].
    pub fn named(name: &str) -> Option<&'static Medium> {
        MEDIA.iter().find(|medium| medium.name == name)
    }
    /// The names of all models.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MEDIA.iter().map(|medium| medium.name)
    }
    /// From the command of a read to its first byte, us.
    pub fn read_us(&self) -> u64 {
        self.read_us
    }
    /// From the command of a write to its first byte, us.
    pub fn write_us(&self) -> u64 {
        self.write_us
    }
    /// Bytes transferred in a second; 0: at once.
    pub fn bytes_per_s(&self) -> u64 {
        self.bytes_per_s
    }
    /// How long each request takes of a medium that serves all side by side, ns.
    pub(crate) fn side_by_side_ns(&self) -> Option<u64> {
        self.side_by_side_ns
    }
    /// The medium that answers at once.
    pub fn none() -> &'static Medium {
        &MEDIA[0]
    }
}

pub(crate) struct Heads {
    medium: &'static Medium,
    cylinder: u64,
}

impl Heads {
    pub(crate) fn new(medium: &'static Medium) -> Self {
        Heads { medium, cylinder: 0 }
    }

    /// When a transfer of `count` blocks from `first` on that begins at `now_ns` ends; the heads are there
    /// afterwards. The run costs one command and one search for its first block.
    pub(crate) fn transfer(&mut self, first: u64, count: usize, write: bool, now_ns: u64) -> u64 {
        let medium = self.medium;
        let latency_us = if write { medium.write_us } else { medium.read_us };
        let start_ns = now_ns + latency_us * NS_PER_US;
        let start_ns = match &medium.mechanics {
            None => start_ns,
            Some(mechanics) => (first..first.saturating_add(count as u64))
                .fold(start_ns, |at_ns, block| self.pass(mechanics, block, at_ns)),
        };
        let bytes_ns = (count as u64 * PAGE_BYTES as u64 * NS_PER_S).checked_div(medium.bytes_per_s);
        start_ns + bytes_ns.unwrap_or(0)
    }

    /// Seek, wait for the block to come round, and let it pass.
    fn pass(&mut self, mechanics: &Mechanics, block: u64, start_ns: u64) -> u64 {
        let cylinder = (block / mechanics.cylinder_blocks).min(mechanics.cylinders - 1);
        let distance = cylinder.abs_diff(core::mem::replace(&mut self.cylinder, cylinder));
        let arrived_ns = start_ns + mechanics.seek_ns(distance);
        let rotation_ns = mechanics.rotation_us * NS_PER_US;
        let angle_ns = block % mechanics.track_blocks * rotation_ns / mechanics.track_blocks;
        let wait_ns = (angle_ns + rotation_ns - arrived_ns % rotation_ns) % rotation_ns;
        arrived_ns + wait_ns + rotation_ns / mechanics.track_blocks
    }
}

impl Mechanics {
    fn seek_ns(&self, distance: u64) -> u64 {
        if distance == 0 {
            return 0;
        }
        let (least_ns, most_ns) = (self.seek_least_us * NS_PER_US, self.seek_most_us * NS_PER_US);
        // Square roots of distances scaled by 2^20, so of 1024 times their own.
        let share = (distance << 20).isqrt();
        let whole = (self.cylinders << 20).isqrt();
        least_ns + (most_ns - least_ns) * share / whole
    }
}

#[cfg(test)]
mod tests {
    use super::{Heads, Medium};

    const MS: u64 = 1_000_000;

    #[test]
    fn medium_without_model_takes_no_time() {
        assert_eq!(Heads::new(Medium::none()).transfer(1000, 9, true, 5), 5);
    }

    #[test]
    fn medium_far_block_costs_seek_next_costs_transfer() {
        let medium = Medium::named("hdd-1989").unwrap();
        let mut heads = Heads::new(medium);
        let first = heads.transfer(20_000, 1, false, 0);
        assert!((20 * MS..80 * MS).contains(&first), "{first}");
        // Too late for the next block by the command's latency: a whole revolution is lost.
        let second = heads.transfer(20_001, 1, false, first) - first;
        assert!((15 * MS..25 * MS).contains(&second), "{second}");
        assert!(Medium::named("drum").is_none());
    }

    #[test]
    fn medium_drives_have_published_mean_seek() {
        for (name, mean_ms) in [("hdd-2006", 8.5), ("hdd-1989", 28.0)] {
            let mechanics = Medium::named(name).unwrap().mechanics.as_ref().unwrap();
            // Between two cylinders chosen at random a distance has this weight.
            let pairs = |distance: u64| (2 * (mechanics.cylinders - distance)) as f64;
            let distances = || 1..mechanics.cylinders;
            let all: f64 = distances().map(|distance| pairs(distance) * mechanics.seek_ns(distance) as f64).sum();
            let mean = all / distances().map(pairs).sum::<f64>() / 1e6;
            assert!((mean - mean_ms).abs() < 0.3, "{name}: {mean}");
        }
    }

    #[test]
    fn medium_run_costs_one_command_and_one_seek() {
        let time = |name, first, count| Heads::new(Medium::named(name).unwrap()).transfer(first, count, true, 0);
        // A card: 1.2 ms for the command, 0.164 ms a block.
        let (one, many) = (time("sd", 50, 1), time("sd", 50, 64));
        assert_eq!(many - one, 63 * (one - 1_200_000));
        // A drive: five blocks pass in one revolution, as they come without a gap; the next cylinder costs a seek and
        // the search there.
        let revolution = 16_667_000;
        let (one, track, two) = (time("hdd-1989", 40, 1), time("hdd-1989", 40, 5), time("hdd-1989", 40, 10));
        assert_eq!((track - one) / 1000, revolution * 4 / 5 / 1000);
        assert!((two - one).abs_diff(revolution * 9 / 5) < 5000, "{}", two - one);
        let across = time("hdd-1989", 40, 41) - time("hdd-1989", 40, 40);
        assert!((8 * MS..45 * MS).contains(&across), "{across}");
    }
}
