//! Each reason against a device, alone and on the host that has it.

use crate::composed_host::{CARD_SECTORS, ComposedHost};
use renga_flash::{DeviceBus, FlashTarget, Refusal, refusals};
use std::path::Path;

const IMAGE_BYTES: u64 = 128 << 20;

fn reasons(host: &ComposedHost, name: &str) -> Vec<Refusal> {
    refusals(&host.device(name), IMAGE_BYTES, false)
}

#[test]
fn refusals_card_in_reader_has_none() {
    let host = ComposedHost::with_card();
    assert_eq!(reasons(&host, "sdb"), []);
    let card = host.device("sdb");
    assert_eq!((card.model.as_str(), card.serial.as_str()), ("Generic MassStorageClass", "000000002537"));
    assert_eq!((card.bus, card.size_bytes), (DeviceBus::Usb, CARD_SECTORS * 512));
    assert_eq!(card.partitions, [("sdb1".to_string(), 204_800 * 512)]);
    let text = card.to_string();
    assert_eq!(text, "/dev/sdb  Generic MassStorageClass  serial 000000002537  USB  31.9 GB\n  sdb1  104.9 MB");
    // With its users.
    host.mount("8:17", "/media/me", "/dev/sdb1").append("proc/swaps", "/dev/sdb1 partition 1 0 -2");
    let used = host.device("sdb").to_string();
    assert_eq!(used, format!("{text}\n  mounted at /media/me\n  swap on /dev/sdb1"));
}

#[test]
fn refusals_card_slot_has_none_soldered_chip_has_one() {
    let host = ComposedHost::new();
    host.mmc("mmcblk0", "179:0", "SD").mmc("mmcblk1", "179:32", "MMC");
    assert_eq!(reasons(&host, "mmcblk0"), []);
    assert_eq!(host.device("mmcblk0").card_number.as_deref(), Some("035344534333324780"));
    assert_eq!(reasons(&host, "mmcblk1"), [Refusal::NotRemovable(DeviceBus::Emmc)]);
}

/// Holds: flash-refused.
#[test]
fn refusals_fixed_disk_is_refused() {
    let host = ComposedHost::with_card();
    host.usb("sdc", "8:32", 3, false, CARD_SECTORS);
    host.disk("sda", "8:0", "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0", 1_000_000, false);
    host.disk("vda", "254:0", "pci0000:00/0000:00:01.0/virtio1", 1_000_000, false);
    assert_eq!(reasons(&host, "sdc"), [Refusal::NotRemovable(DeviceBus::Usb)]);
    assert_eq!(reasons(&host, "sda"), [Refusal::NotRemovable(DeviceBus::Internal)]);
    assert_eq!(reasons(&host, "vda"), [Refusal::NotRemovable(DeviceBus::Internal)]);
}

/// Holds: flash-refused.
#[test]
fn refusals_partition_names_its_disk() {
    let host = ComposedHost::with_card();
    assert_eq!(reasons(&host, "sdb1")[0], Refusal::Partition("sdb".into()));
}

/// Holds: flash-refused.
#[test]
fn refusals_mounted_device_is_refused() {
    let host = ComposedHost::with_card();
    host.mount("8:17", "/media/me/my\\040card", "/dev/sdb1");
    assert_eq!(reasons(&host, "sdb"), [Refusal::Mounted("/media/me/my card".into())]);
    // A file system on the whole device, without partitions.
    let host = ComposedHost::with_card();
    host.mount("8:16", "/mnt", "/dev/sdb");
    assert_eq!(reasons(&host, "sdb"), [Refusal::Mounted("/mnt".into())]);
}

/// Holds: flash-refused.
#[test]
fn refusals_system_disk_is_refused() {
    let host = ComposedHost::with_card();
    host.mount("8:17", "/", "/dev/root");
    assert_eq!(reasons(&host, "sdb"), [Refusal::BacksRoot]);
    // A file system whose number is not its device's (btrfs): by the name of its source, also through a link.
    for source in ["/dev/sdb1", "/dev/disk/by-uuid/1234"] {
        let host = ComposedHost::with_card();
        host.link("dev/disk/by-uuid/1234", "../../sdb1").mount("0:35", "/", source);
        assert_eq!(reasons(&host, "sdb"), [Refusal::BacksRoot], "{source}");
    }
}

#[test]
fn refusals_disk_below_system_volumes_is_refused() {
    // An encrypted partition, and on it a volume group with root and swap.
    let host = ComposedHost::with_card();
    host.volume("dm-0", "252:0", "sdb1").file("sys/devices/virtual/block/dm-0/dm/name", "crypt\n");
    host.volume("dm-1", "252:1", "dm-0").file("sys/devices/virtual/block/dm-1/dm/name", "vg-root\n");
    host.mount("252:1", "/", "/dev/mapper/vg-root");
    let reasons = reasons(&host, "sdb");
    assert_eq!(reasons, [Refusal::BacksRoot, Refusal::MemberOf("crypt".into()), Refusal::MemberOf("vg-root".into())]);
}

/// Holds: flash-refused.
#[test]
fn refusals_array_or_volume_group_member_is_refused() {
    let host = ComposedHost::with_card();
    host.volume("md0", "9:0", "sdb1");
    assert_eq!(reasons(&host, "sdb"), [Refusal::MemberOf("md0".into())]);
}

#[test]
fn refusals_unused_volume_or_array_is_refused() {
    const LEN: usize = 200 << 10;
    let array = 0xa92b_4efc_u32.to_le_bytes();
    for (at, mark, what) in [
        (512, &b"LABELONE"[..], "a volume group"),
        (3 * 512, b"LABELONE", "a volume group"),
        (0, b"LUKS\xba\xbe", "an encrypted volume"),
        (0, &array, "an array"),
        (4096, &array, "an array"),
        (128 << 10, &array, "an array"),
        (LEN - 8192, &array, "an array"),
    ] {
        for device in ["sdb", "sdb1"] {
            let mut bytes = vec![0; LEN];
            bytes[at..at + mark.len()].copy_from_slice(mark);
            let host = ComposedHost::with_card();
            host.file(&format!("dev/{device}"), &bytes);
            assert_eq!(reasons(&host, "sdb"), [Refusal::Marked(device.into(), what)], "{at}");
            // Elsewhere it means nothing.
            bytes.rotate_right(100);
            host.file(&format!("dev/{device}"), &bytes);
            assert_eq!(reasons(&host, "sdb"), [], "{at}");
        }
    }
}

/// Holds: flash-refused.
#[test]
fn refusals_swap_device_is_refused() {
    for swap in ["/dev/sdb1", "/dev/sdb", "/dev/disk/by-label/swap"] {
        let host = ComposedHost::with_card();
        host.link("dev/disk/by-label/swap", "../../sdb1");
        host.append("proc/swaps", &format!("{swap}   partition\t1048572\t\t0\t\t-2"));
        assert_eq!(reasons(&host, "sdb"), [Refusal::Swap(swap.into())]);
    }
    let host = ComposedHost::with_card();
    host.volume("dm-1", "252:1", "sdb1").file("sys/devices/virtual/block/dm-1/dm/name", "vg-swap\n");
    host.append("proc/swaps", "/dev/dm-1   partition\t1048572\t\t0\t\t-2");
    assert_eq!(reasons(&host, "sdb"), [Refusal::Swap("/dev/dm-1".into()), Refusal::MemberOf("vg-swap".into())]);
    // Another disk's swap is none of ours, though its name begins alike.
    let host = ComposedHost::with_card();
    host.append("proc/swaps", "/dev/sdb10   partition\t1048572\t\t0\t\t-2");
    assert_eq!(reasons(&host, "sdb"), []);
}

/// Holds: flash-refused.
#[test]
fn refusals_protected_empty_large_or_small_medium_is_refused() {
    let host = ComposedHost::with_card();
    let folder = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host2/target2:0:0/2:0:0:0/block/sdb";
    host.file(&format!("{folder}/ro"), "1\n");
    assert_eq!(reasons(&host, "sdb"), [Refusal::ReadOnly]);
    host.file(&format!("{folder}/ro"), "0\n").file(&format!("{folder}/size"), "0\n");
    assert_eq!(reasons(&host, "sdb"), [Refusal::NoMedium]);
    host.file(&format!("{folder}/size"), "500000000\n");
    assert_eq!(reasons(&host, "sdb"), [Refusal::Large(256_000_000_000)]);
    assert_eq!(refusals(&host.device("sdb"), IMAGE_BYTES, true), []);
    host.file(&format!("{folder}/size"), "2048\n");
    assert_eq!(reasons(&host, "sdb"), [Refusal::TooSmall { device_bytes: 1 << 20, image_bytes: IMAGE_BYTES }]);
}

#[test]
fn refusals_lists_every_reason() {
    let host = ComposedHost::new();
    host.disk("sda", "8:0", "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0", 500_000_000, false);
    host.partition("sda", "sda1", "8:1", 1000).partition("sda", "sda2", "8:2", 1000);
    host.mount("8:1", "/boot/efi", "/dev/sda1").mount("8:2", "/", "/dev/sda2");
    host.append("proc/swaps", "/dev/sda2 partition 1 0 -2");
    assert_eq!(
        reasons(&host, "sda"),
        [
            Refusal::NotRemovable(DeviceBus::Internal),
            Refusal::Mounted("/boot/efi".into()),
            Refusal::BacksRoot,
            Refusal::Swap("/dev/sda2".into()),
            Refusal::Large(256_000_000_000),
        ]
    );
}

#[test]
fn target_missing_device_is_refused() {
    let host = ComposedHost::with_card();
    host.link("dev/disk/by-id/usb-reader", "../../sdb");
    let target = |path: &str| FlashTarget::device(&host.host(), Path::new(path));
    for path in ["/dev/sdb", "/dev/disk/by-id/usb-reader"] {
        assert!(matches!(target(path), Ok(FlashTarget::BlockDevice(device)) if device.name == "sdb"), "{path}");
    }
    // A mistyped name must not become a file in /dev.
    host.file("dev/mapper/sdb", "").file("x/sdb", "");
    for path in ["/dev/no/such/sdb", "/dev/../x/sdb", "/dev/disk/../../x/sdb", "/dev/mapper/sdb"] {
        assert!(target(path).is_err_and(|error| error.status() == 3), "{path}");
    }
    for path in ["/dev/sdx", "/dev/null", "/dev/shm/card.img", "/no/such/folder/card.img", "/"] {
        assert!(target(path).is_err_and(|error| error.status() == 3), "{path}");
    }
    assert_eq!(host.host().disks().expect("it has /sys").len(), 1);
}

#[test]
fn target_replaced_device_or_medium_is_noticed() {
    let host = ComposedHost::with_card();
    let before = host.device("sdb");
    assert!(before.is_same(&host.device("sdb")));
    let folder = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-2";
    let disk = format!("{folder}/1-2:1.0/host2/target2:0:0/2:0:0:0/block/sdb");
    for (file, other, own) in [
        (format!("{disk}/diskseq"), "10\n", "9\n"),
        (format!("{disk}/size"), "62333951\n", "62333952\n"),
        (format!("{disk}/dev"), "8:48\n", "8:16\n"),
        (format!("{folder}/serial"), "another\n", "000000002537\n"),
    ] {
        host.file(&file, other);
        assert!(!before.is_same(&host.device("sdb")), "{file}");
        host.file(&file, own);
        assert!(before.is_same(&host.device("sdb")), "{file}");
    }
}

/// Two cards of one make in one slot differ in their own numbers only, if the kernel does not count media.
/// Holds: flash-refused.
#[test]
fn target_other_card_of_same_make_is_noticed() {
    let host = ComposedHost::new();
    host.mmc("mmcblk0", "179:0", "SD");
    let folder = "sys/devices/platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:mmcblk0";
    host.file(&format!("{folder}/block/mmcblk0/diskseq"), "");
    let before = host.device("mmcblk0");
    assert!(before.is_same(&host.device("mmcblk0")) && before.sequence == 0);
    for (file, other, own) in
        [("cid", "035344534333324781\n", "035344534333324780\n"), ("serial", "0x7b1a2c3e\n", "0x7b1a2c3d\n")]
    {
        host.file(&format!("{folder}/{file}"), other);
        assert!(!before.is_same(&host.device("mmcblk0")), "{file}");
        host.file(&format!("{folder}/{file}"), own);
    }
    assert!(before.is_same(&host.device("mmcblk0")));
}

#[test]
fn list_shows_empty_readers_and_no_empty_loop_devices() {
    let host = ComposedHost::new();
    host.usb("sdb", "8:16", 2, true, 0).usb("sdc", "8:32", 3, true, CARD_SECTORS).usb("sdd", "8:48", 4, false, 0);
    host.disk("loop0", "7:0", "virtual/block", 0, false).disk("loop1", "7:1", "virtual/block", 2048, false);
    let disks = host.host().disks().expect("it has /sys");
    let listed: Vec<&str> = disks.iter().filter(|disk| disk.is_listed()).map(|disk| disk.name.as_str()).collect();
    assert_eq!(listed, ["loop1", "sdb", "sdc"]);
}

/// Holds: flash-refused.
#[test]
fn target_loop_device_backed_by_image_is_refused() {
    let host = ComposedHost::new();
    host.disk("loop0", "7:0", "virtual", 2048, false).file("card.img", "the image").file("other.img", "another");
    let backing = |path: &str| {
        host.file("sys/devices/virtual/block/loop0/loop/backing_file", format!("{path}\n"));
        FlashTarget::device(&host.host(), Path::new("/dev/loop0")).expect("it is there")
    };
    let path = |name: &str| host.path(name).display().to_string();
    host.link("linked.img", "card.img");
    std::fs::hard_link(host.path("card.img"), host.path("hard.img")).expect("there is a temporary folder");
    for name in ["card.img", "linked.img", "hard.img"] {
        let error = backing(&path("card.img")).differs_from(&host.path(name)).expect_err("it is the image");
        assert!(error.status() == 3 && error.to_string().contains("it is the image itself"), "{name}: {error}");
    }
    assert!(backing(&path("card.img")).differs_from(&host.path("other.img")).is_ok());
    // A file without a name may still be the image, by another name.
    let error = backing(&format!("{} (deleted)", path("gone.img"))).differs_from(&host.path("other.img"));
    assert!(error.is_err_and(|error| error.status() == 3));
}
