//! Network interfaces of a board, as programs see them: the loopback, and the link to the other boards.
//!
//! Nothing of them can be changed. Not here: the addresses (`internet.rs`).

use crate::internet::{BOARD4, BOARD6, LOOPBACK4, LOOPBACK6};
use crate::socket::RECORD_BYTES_MAX;

/// The interface carries what is sent by it.
const UP: u32 = 1;
const LOOPBACK: u32 = 8;
const RUNNING: u32 = 0x40;
/// It asks nobody for hardware addresses.
const NO_ARP: u32 = 0x80;
/// Flags that programs read as 16 bits leave these out: it is up below, too.
const LOWER_UP: u32 = 1 << 16;
/// Types of hardware (`ARPHRD_`).
const ETHERNET: u16 = 1;
const OF_LOOPBACK: u16 = 772;

/// Bytes of a hardware address.
pub const HARDWARE_BYTES: usize = 6;

/// What is fixed of an interface, the same on every board.
pub struct Interface {
    /// What programs call it.
    pub name: &'static str,
    /// Its number, from 1 on.
    pub index: u32,
    /// As `IFF_` has them.
    pub flags: u32,
    /// The type of its hardware, as `ARPHRD_` has it.
    pub hardware: u16,
    /// Bytes of a packet, at most.
    pub mtu: u32,
    /// Its state as a word, and as `IF_OPER_` has it.
    pub state: (&'static str, u8),
    /// Its addresses of version 4 and of version 6, as `internet::Endpoint` names them.
    pub addresses: [u8; 2],
    /// Bits of those that all boards share.
    pub prefix_bits: [u8; 2],
}

/// Those of a board. The link carries neither broadcasts nor multicasts.
pub const INTERFACES: [Interface; 2] = [
    Interface {
        name: "lo",
        index: 1,
        flags: UP | LOOPBACK | RUNNING | LOWER_UP,
        hardware: OF_LOOPBACK,
        mtu: 65_536,
        state: ("unknown", 0),
        addresses: [LOOPBACK4, LOOPBACK6],
        prefix_bits: [8, 128],
    },
    Interface {
        name: "eth0",
        index: 2,
        flags: UP | RUNNING | NO_ARP | LOWER_UP,
        hardware: ETHERNET,
        mtu: RECORD_BYTES_MAX as u32,
        state: ("up", 6),
        addresses: [BOARD4, BOARD6],
        prefix_bits: [24, 64],
    },
];

impl Interface {
    /// The one that programs call so.
    pub fn of_name(name: &[u8]) -> Option<&'static Interface> {
        INTERFACES.iter().find(|interface| interface.name.as_bytes() == name)
    }
    /// The one with the number.
    pub fn of_index(index: u32) -> Option<&'static Interface> {
        INTERFACES.iter().find(|interface| interface.index == index)
    }
    /// Whether only the board itself is reached by it.
    pub fn is_loopback(&self) -> bool {
        self.flags & LOOPBACK != 0
    }
    /// The flags that somebody could set, without those that tell its state.
    pub fn set_flags(&self) -> u32 {
        self.flags & !(RUNNING | LOWER_UP)
    }
    /// The flags as programs read them that know 16.
    pub fn flags_16(&self) -> u16 {
        self.flags as u16
    }
    /// The hardware address on `board`: of those that anybody may give.
    pub fn hardware_address(&self, board: u8) -> [u8; HARDWARE_BYTES] {
        if self.is_loopback() { [0; HARDWARE_BYTES] } else { [2, 0, 0, 0, 0, board.saturating_add(1)] }
    }
}

/// The mask of an address of version 4 of which boards share so many bits.
pub fn mask_4(prefix_bits: u8) -> [u8; 4] {
    u32::MAX.checked_shl(32u32.saturating_sub(prefix_bits.into())).unwrap_or(0).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::{INTERFACES, Interface, mask_4};

    #[test]
    fn interfaces_have_names_and_numbers_of_their_own() {
        for interface in &INTERFACES {
            assert_eq!(Interface::of_name(interface.name.as_bytes()).map(|found| found.index), Some(interface.index));
            assert_eq!(Interface::of_index(interface.index).map(|found| found.name), Some(interface.name));
        }
        assert!(Interface::of_name(b"lo0").is_none() && Interface::of_index(0).is_none());
        assert_eq!([mask_4(8), mask_4(24), mask_4(0)], [[255, 0, 0, 0], [255, 255, 255, 0], [0; 4]]);
    }
}
