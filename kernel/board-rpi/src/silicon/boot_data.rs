//! What the firmware says: whole, cut off anywhere, or with any byte wrong.

use crate::arguments::{self, Arguments};
use crate::boards;

const BEGIN: u32 = 1;
const END: u32 = 2;
const PROPERTY: u32 = 3;

/// A device tree in the making.
#[derive(Default)]
struct Tree {
    structure: Vec<u8>,
    strings: Vec<u8>,
}

impl Tree {
    fn word(&mut self, word: u32) {
        self.structure.extend(word.to_be_bytes());
    }
    fn bytes(&mut self, bytes: &[u8]) {
        self.structure.extend(bytes);
        self.structure.resize(self.structure.len().next_multiple_of(4), 0);
    }
    fn begin(mut self, name: &str) -> Tree {
        self.word(BEGIN);
        self.bytes(format!("{name}\0").as_bytes());
        self
    }
    fn end(mut self) -> Tree {
        self.word(END);
        self
    }
    fn property(mut self, name: &str, value: &[u8]) -> Tree {
        let at = self.strings.len() as u32;
        self.strings.extend(format!("{name}\0").as_bytes());
        self.word(PROPERTY);
        self.word(value.len() as u32);
        self.word(at);
        self.bytes(value);
        self
    }
    fn finish(mut self) -> Vec<u8> {
        self.word(9);
        let (structure, strings) = (40, 40 + self.structure.len() as u32);
        let size = strings + self.strings.len() as u32;
        let header = [0xd00d_feed, size, structure, strings, 40, 17, 16, 0, 0, 0];
        let mut tree: Vec<u8> = header.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
        tree.extend(self.structure);
        tree.extend(self.strings);
        tree
    }
}

fn pi_4() -> Vec<u8> {
    let memory: Vec<u8> = [0u32, 0, 0x3b40_0000].iter().flat_map(|word| word.to_be_bytes()).collect();
    Tree::default()
        .begin("")
        .property("#address-cells", &2u32.to_be_bytes())
        .property("#size-cells", &1u32.to_be_bytes())
        .property("compatible", b"raspberrypi,4-model-b\0brcm,bcm2711\0")
        .begin("chosen")
        .property("bootargs", b"board=3 link=pins\0")
        .end()
        .begin("memory@0")
        .property("reg", &memory)
        .end()
        .end()
        .finish()
}

#[test]
fn boot_data_device_tree_identifies_board() {
    let tree = pi_4();
    let arguments = Arguments::parse(&tree);
    assert_eq!((arguments.number("board"), arguments.memory.clone()), (Some(3), Some(0..0x3b40_0000)));
    assert!(arguments.has("link=pins") && !arguments.has("emulator"));
    let name = |compatible, part| boards::recognise(compatible, part).map(|board| board.name);
    assert_eq!(name(arguments.compatible, 0), Some("Raspberry Pi 4 B"));
    assert_eq!(name(Some("raspberrypi,model-zero-2-w"), 0xd03), Some("Raspberry Pi Zero 2 W"));
    // Without a tree, by its cores; a machine of neither kind is none.
    assert_eq!((name(None, 0xd03), name(None, 0xd08)), (Some("Raspberry Pi 3 B"), Some("Raspberry Pi 4 B")));
    assert_eq!(name(Some("raspberrypi,5-model-b"), 0xd0b), None);
}

#[test]
fn boot_data_boards_of_one_chip_map_its_devices() {
    for board in &boards::BOARDS {
        let chip = board.chip;
        let mut places = vec![chip.pl011, chip.auxiliary, chip.gpio, chip.mailbox, chip.power, chip.card.host];
        places.extend(chip.random);
        match chip.controllers {
            boards::Controllers::Legacy { peripherals, local } => places.extend([peripherals, local]),
            boards::Controllers::Gic { distributor, processor } => places.extend([distributor, processor]),
        }
        for place in places {
            assert!(chip.devices.iter().any(|range| range.contains(&place)), "{}: {place:#x}", board.name);
        }
        assert!(chip.devices.iter().all(|range| range.start % (2 << 20) == 0 && range.end % (2 << 20) == 0));
    }
}

#[test]
fn device_tree_damage_never_faults() {
    let tree = pi_4();
    for length in 0..tree.len() {
        let _ = Arguments::parse(&tree[..length]);
    }
    for at in 0..tree.len() {
        for value in [0, 1, 2, 3, 9, 0x7f, 0xff] {
            let mut damaged = tree.clone();
            damaged[at] = value;
            let _ = Arguments::parse(&damaged);
        }
    }
}

/// Holds: boot-data.
#[test]
fn device_tree_end_before_begin_is_refused() {
    assert_eq!(Arguments::parse(&Tree::default().end().end().finish()), Arguments::default());
}

/// Holds: boot-data.
#[test]
fn boot_data_length_is_its_own_within_bound() {
    let header = |magic: u32, size: u32| {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&magic.to_be_bytes());
        bytes[4..].copy_from_slice(&size.to_be_bytes());
        arguments::length(bytes)
    };
    assert_eq!(header(0xd00d_feed, 40_000), 40_000);
    assert_eq!(header(0xd00d_feed, u32::MAX), 1 << 20);
    assert_eq!(header(0, 0), 4096, "a list of ATAGs");
}
