//! Disks as kernels have shown them: what `udevadm info --attribute-walk` printed on four machines, in `recorded`.
//!
//! The recordings are published ones of a USB stick (Linux 3.0), a card in the slot of a BeagleBone, and the soldered
//! memory of a ThinkServer (Linux 4.3), with the attributes that are read here and some beside them. That of the NVMe
//! disk is composed: no whole one was found.

use crate::composed_host::ComposedHost;
use renga_flash::{DeviceBus, Refusal, refusals};

/// The host of a recording, whose disk has this name and number.
fn host(recording: &str, name: &str, number: &str) -> ComposedHost {
    let host = ComposedHost::new();
    let mut folder = "";
    for line in recording.lines() {
        if line.starts_with("looking at ") {
            folder = line.split('\'').nth(1).expect("it names a path");
        } else if let Some((attribute, value)) = line.split_once("==") {
            let attribute = attribute.split(['{', '}']).nth(1).expect("it has a name");
            host.file(&format!("sys{folder}/{attribute}"), format!("{}\n", value.trim_matches('"')));
        }
    }
    let disk = recording.split('\'').nth(1).expect("the first is the disk");
    host.file(&format!("sys{disk}/dev"), format!("{number}\n"));
    // A disk of SCSI or of a card is in the folder `block` of its device.
    host.link(&format!("sys{disk}/device"), if disk.contains("/block/") { "../.." } else { ".." });
    host.link(&format!("sys/block/{name}"), &format!("..{disk}"));
    host.link(&format!("sys/class/block/{name}"), &format!("../..{disk}"));
    host
}

#[test]
fn recorded_usb_stick_may_be_written() {
    let host = host(include_str!("recorded/usb-stick.txt"), "sdb", "8:16");
    let stick = host.device("sdb");
    assert_eq!((stick.model.as_str(), stick.serial.as_str()), ("Sony Storage Media", "7B4211105063000914"));
    assert_eq!((stick.bus, stick.size_bytes), (DeviceBus::Usb, 16_225_665_024));
    assert_eq!((stick.card_number.as_deref(), stick.sequence), (None, 0));
    assert_eq!(refusals(&stick, 1 << 27, false), []);
}

#[test]
fn recorded_card_in_slot_may_be_written_though_not_removable() {
    let host = host(include_str!("recorded/sd-slot.txt"), "mmcblk0", "179:0");
    let card = host.device("mmcblk0");
    assert_eq!((card.model.as_str(), card.serial.as_str()), ("SC16G", "0xecf4c851"));
    assert_eq!(card.card_number.as_deref(), Some("035344534331364780ecf4c851011b85"));
    assert_eq!((card.bus, card.size_bytes), (DeviceBus::SdSlot, 15_931_539_456));
    assert_eq!(refusals(&card, 1 << 27, false), []);
}

/// Holds: flash-refused.
#[test]
fn recorded_soldered_memory_and_nvme_disk_are_refused() {
    let emmc = host(include_str!("recorded/emmc.txt"), "mmcblk0", "179:0");
    assert_eq!(refusals(&emmc.device("mmcblk0"), 1 << 27, false), [Refusal::NotRemovable(DeviceBus::Emmc)]);
    let nvme = host(include_str!("recorded/nvme-composed.txt"), "nvme0n1", "259:0");
    let disk = nvme.device("nvme0n1");
    assert_eq!((disk.model.as_str(), disk.serial.as_str()), ("Samsung SSD 980 PRO 500GB", "S5GYNX0R000000"));
    let large = Refusal::Large(512_110_190_592);
    assert_eq!(refusals(&disk, 1 << 27, false), [Refusal::NotRemovable(DeviceBus::Internal), large]);
    assert_eq!(refusals(&disk, 1 << 27, true), [Refusal::NotRemovable(DeviceBus::Internal)]);
}
