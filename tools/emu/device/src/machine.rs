//! The machines that QEMU emulates for us, as data: what plugin and coordinator need to know of each.
//!
//! Sources: QEMU 10.0.2's models and their names for their parts; BCM2837 and BCM2711 ARM Peripherals.
//!
//! Invariant: what differs between machines differs here only. Not here: what a kernel knows of its board
//! (`renga-board-rpi`), which boards a cluster has (`renga_emu::BoardConfig`).

use serde::{Deserialize, Serialize};
use std::ffi::CStr;

/// A kind of board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EmulatedMachine {
    /// Raspberry Pi 3 B, 1 GiB.
    #[default]
    #[serde(rename = "raspi3b")]
    Pi3B,
    /// Raspberry Pi 3 A+, 512 MiB, in place of a Zero 2 W, which has the same chip and as much memory.
    #[serde(rename = "raspi3ap")]
    Pi3APlus,
    /// Raspberry Pi 4 B, 2 GiB.
    #[serde(rename = "raspi4b")]
    Pi4B,
}

/// How a block of pins takes its weak resistors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullRegisters {
    /// BCM2837: a value, clocked into pins.
    Clocked,
    /// BCM2711: two bits a pin, which can be read.
    Direct,
}

/// An interrupt controller: line n of the peripherals is input `first` + n of its group.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// Where QEMU keeps it.
    pub path: &'static CStr,
    /// Its type there.
    pub type_name: &'static CStr,
    /// The group of inputs, if it has a name.
    pub group: Option<&'static CStr>,
    /// Of the peripherals' line 0.
    pub first: u32,
}

/// What differs. Addresses are physical.
#[derive(Clone, Copy, Debug)]
pub struct MachineFacts {
    /// QEMU's name of the machine.
    pub name: &'static str,
    /// Its type of core.
    pub core: &'static str,
    /// Its type of chip.
    pub chip: &'static str,
    /// Where the page of registers of [`crate::registers`] is put.
    pub page: u64,
    /// The pins' registers.
    pub pins: u64,
    /// How pins are pulled.
    pub pulls: PullRegisters,
    /// The console: PL011.
    pub pl011: u64,
    /// Auxiliary peripherals, with the mini UART.
    pub auxiliary: u64,
    /// Power management: watchdog and reset.
    pub power: u64,
    /// The host of the card's slot, of a machine that has one where the board has it.
    pub card_host: Option<u64>,
    /// The interrupt controllers.
    pub controller: Controller,
    /// Whether its card is in the slot of which a kernel for the real board knows.
    pub has_slot: bool,
}

const PI3B: MachineFacts = MachineFacts {
    name: "raspi3b",
    core: "cortex-a53-arm-cpu",
    chip: "bcm2837",
    page: 0x3fb0_0000,
    pins: 0x3f20_0000,
    pulls: PullRegisters::Clocked,
    pl011: 0x3f20_1000,
    auxiliary: 0x3f21_5000,
    power: 0x3f10_0000,
    card_host: Some(0x3f30_0000),
    controller: Controller {
        path: c"/machine/soc/peripherals/ic",
        type_name: c"bcm2835-ic",
        group: Some(c"gpu-irq"),
        first: 0,
    },
    has_slot: true,
};

const PI3A_PLUS: MachineFacts = MachineFacts { name: "raspi3ap", ..PI3B };

/// QEMU puts its card behind the hosts of the older chips, not behind EMMC2, where the board's slot is.
const PI4B: MachineFacts = MachineFacts {
    name: "raspi4b",
    core: "cortex-a72-arm-cpu",
    chip: "bcm2838",
    page: 0xfeb0_0000,
    pins: 0xfe20_0000,
    pulls: PullRegisters::Direct,
    pl011: 0xfe20_1000,
    auxiliary: 0xfe21_5000,
    power: 0xfe10_0000,
    card_host: None,
    // QEMU passes its GIC-400's inputs on to them.
    controller: Controller {
        path: c"/machine/soc/peripherals",
        type_name: c"bcm2838-peripherals",
        group: None,
        first: 64,
    },
    has_slot: false,
};

impl EmulatedMachine {
    /// All of them.
    pub const ALL: [EmulatedMachine; 3] = [EmulatedMachine::Pi3B, EmulatedMachine::Pi3APlus, EmulatedMachine::Pi4B];

    /// What is known of it.
    pub const fn facts(self) -> &'static MachineFacts {
        match self {
            EmulatedMachine::Pi3B => &PI3B,
            EmulatedMachine::Pi3APlus => &PI3A_PLUS,
            EmulatedMachine::Pi4B => &PI4B,
        }
    }

    /// The one that QEMU calls `name`.
    pub fn named(name: &str) -> Option<EmulatedMachine> {
        EmulatedMachine::ALL.into_iter().find(|machine| machine.facts().name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_names_are_unique() {
        for machine in EmulatedMachine::ALL {
            assert_eq!(EmulatedMachine::named(machine.facts().name), Some(machine));
        }
        assert_eq!(EmulatedMachine::named("virt"), None);
    }
}
