//! Which bus the boards are on.

use crate::lacking::{Fault, blocks, without};
use crate::site::{Site, attend};
use renga_mac::MacSetup;
use renga_phy::pins::model::{ModelPins, ModelSetup as Cluster, Serial, Speed};
use renga_phy::pins::{self, Handshake, PinBus, PullUps, Width, Wiring};
use renga_phy::spi::wiring::SpiChip;
use renga_phy::spi::{self, SpiBus};
use std::cell::RefCell;
use std::rc::Rc;

/// The image's: a listener may hear of a frame so late.
const ARM_NS: u64 = 60_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bus {
    /// Sixteen data wires.
    Pins(Handshake),
    /// SPI, with the requested clock, Hz.
    Spi(u32),
}

impl Bus {
    /// The one that the image has over SPI.
    pub const SPI: Bus = Bus::Spi(4_000_000);
    /// SPI at each rate that is measured.
    pub const RATES: [Bus; 3] = [Bus::Spi(1_000_000), Bus::SPI, Bus::Spi(8_000_000)];
    /// Both kinds.
    pub const BOTH: [Bus; 2] = [Bus::Pins(Handshake::TwoEdge), Bus::SPI];
    /// All of them.
    pub const ALL: [Bus; 5] =
        [Bus::Pins(Handshake::ThreeWire), Bus::Pins(Handshake::TwoEdge), Bus::RATES[0], Bus::RATES[1], Bus::RATES[2]];

    /// `boards` equal boards on it.
    pub fn cluster(self, boards: u8, speed: Speed) -> Cluster {
        match self {
            Bus::Pins(handshake) => Cluster { handshake, ..Cluster::of(boards, speed) },
            Bus::Spi(_) => Cluster { serial: Some(Serial::REPORTED), ..Cluster::of(boards, speed) },
        }
    }

    /// A frame of the protocol with all that belongs to it, and then the processors, ns.
    pub const fn control_ns(self) -> u64 {
        match self {
            Bus::Pins(_) => 120_000,
            // The arming, board 7's slots, two chunks, the poll.
            Bus::Spi(rate_hz) => 220_000 + 2 * 17 * 9 * 1_000_000_000 / rate_hz as u64,
        }
    }

    /// No board is kept longer by a frame, however it goes, ns.
    pub const fn frame_bound_ns(self) -> u64 {
        let timing = match self {
            Bus::Pins(_) => pins::PinTiming::by_interrupt(Width::Sixteen, ARM_NS),
            Bus::Spi(rate_hz) => spi::timing(rate_hz as u64, ARM_NS),
        };
        timing.talker_bound_ns() + timing.listener_bound_ns()
    }

    /// The board `place` starts, as `setup` says, without the remedy that `lacks` names.
    pub fn begin(
        self,
        setup: MacSetup,
        chip: SpiChip,
        lacks: Option<Fault>,
        site: Rc<RefCell<Site>>,
    ) -> impl FnOnce(ModelPins<'_>) {
        move |pins| match self {
            Bus::Pins(handshake) => {
                let wiring = Wiring { width: Width::Sixteen, handshake, pulls: PullUps::Harness };
                let timing = pins::PinTiming::by_interrupt(Width::Sixteen, ARM_NS);
                attend(PinBus::begin(pins, setup.board, wiring, timing), setup, &site);
            }
            Bus::Spi(rate_hz) => {
                let (harness, timing) = (PullUps::Harness, spi::timing(u64::from(rate_hz), ARM_NS));
                if let Some(fault) = lacks {
                    let (pins, (master, slave)) = without(pins, rate_hz, chip, fault);
                    attend(SpiBus::begin(pins, master, slave, chip, setup.board, harness, timing), setup, &site);
                } else {
                    let (master, slave) = blocks(&pins, rate_hz);
                    attend(SpiBus::begin(pins, master, slave, chip, setup.board, harness, timing), setup, &site);
                }
            }
        }
    }
}
