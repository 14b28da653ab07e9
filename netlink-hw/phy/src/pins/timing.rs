//! How long things take and may take, and how a board finds out how fast it is.

use super::wiring::Width;
use renga_hal::gpio::PinBank;

/// Bounds and pauses, ns.
#[derive(Clone, Copy, Debug)]
pub struct PinTiming {
    /// Data are stable on the pins for this long before the strobe.
    pub settle_ns: u64,
    /// Data stay for this long after the end of the strobe: listeners that read them again see the strobe
    /// rise later than the talker, by its rise and a clock of skew.
    pub hold_ns: u64,
    /// From attention to the first word: longer than a listener may be late.
    pub arm_ns: u64,
    /// A talker waits for one acknowledgement.
    pub answer_ns: u64,
    /// A listener waits for the talker's next strobe: longer than `arm_ns` and `answer_ns`.
    pub strobe_ns: u64,
    /// How long a talker that gives up signals it.
    pub abandon_ns: u64,
    /// A whole frame with its poll. Checked after each 32 readings of one wait: waits that end sooner do not count, and
    /// are bounded by their number.
    pub frame_ns: u64,
}

impl PinTiming {
    /// For boards that sample the lines without a pause but for stalls of 5 us.
    pub const fn for_width(width: Width) -> PinTiming {
        PinTiming {
            settle_ns: 80,
            hold_ns: 32,
            arm_ns: 10_000,
            answer_ns: 50_000,
            strobe_ns: 120_000,
            abandon_ns: 10_000,
            frame_ns: 5_000_000 * width.transfers() as u64,
        }
    }

    /// The same for boards that learn of a frame's start by interrupt and may be up to `arm_ns` late.
    pub const fn by_interrupt(width: Width, arm_ns: u64) -> PinTiming {
        let quick = PinTiming::for_width(width);
        let more_ns = arm_ns - quick.arm_ns;
        PinTiming { arm_ns, strobe_ns: quick.strobe_ns + more_ns, frame_ns: quick.frame_ns + 2 * more_ns, ..quick }
    }

    /// The longest that a talker is kept by listeners that hang in any way, before it reports an error, ns:
    /// the last wait that began within the frame's bound, the readings after it that let attention rise for
    /// all (twice as many), and showing that it gives up.
    pub const fn talker_bound_ns(&self) -> u64 {
        self.frame_ns + 3 * self.answer_ns + self.abandon_ns
    }

    /// The longest that a listener is kept by a talker that hangs in any way, ns: its bound counts from attention.
    pub const fn listener_bound_ns(&self) -> u64 {
        self.arm_ns + self.frame_ns + self.strobe_ns
    }
}

/// The source of pauses: reads take their time, and stores go out at a known pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settle {
    pub reads: u32,
    pub stores: u32,
    /// Stores that make a pause of `hold_ns`.
    pub hold: u32,
}

const BATCH: u64 = 16;
const BATCHES: u32 = 8;

impl Settle {
    /// Measures reads and stores. The fastest batch counts: a stall must not make the pause shorter.
    ///
    /// Without fences a reading of the clock may overtake readings of the pins, which then would count as
    /// stores. After the stores there is none: in a pause they are posted too, and to take the way of the
    /// last one for the pace of all would make pauses shorter.
    pub fn measure(gpio: &mut impl PinBank, timing: &PinTiming) -> Settle {
        let (mut reads_ns, mut stores_ns) = (u64::MAX, u64::MAX);
        for _ in 0..BATCHES {
            gpio.fence();
            let begin = gpio.now_ns();
            for _ in 0..BATCH {
                gpio.levels();
            }
            gpio.fence();
            let between = gpio.now_ns();
            for _ in 0..BATCH {
                gpio.set(0);
            }
            reads_ns = reads_ns.min(between - begin);
            stores_ns = stores_ns.min(gpio.now_ns() - between);
        }
        // Whole reads only as far as they are surely not too long; the rest in stores.
        let reads = timing.settle_ns * BATCH / reads_ns.max(BATCH);
        let rest_ns = timing.settle_ns.saturating_sub(reads * reads_ns / BATCH);
        let stores = |ns: u64| (ns * BATCH).div_ceil(stores_ns.max(BATCH)) as u32;
        Settle { reads: reads as u32, stores: stores(rest_ns), hold: stores(timing.hold_ns) }
    }
}
