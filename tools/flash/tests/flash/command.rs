//! The command on files and loop devices.

use crate::loop_device::{LoopDevice, flash, run};
use renga_flash::{BlockDevice, FlashError, FlashTarget, Host, open_for_writing};
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

const IMAGE_BYTES: usize = 9 << 20;

/// An image in a folder of the test's own.
struct Image {
    folder: PathBuf,
}

impl Image {
    fn new(name: &str) -> Image {
        let folder = std::env::temp_dir().join(format!("renga-flash-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("there is a temporary folder");
        let mut bytes: Vec<u8> = (0..IMAGE_BYTES).map(|at| (at / 512) as u8 ^ (at as u8)).collect();
        bytes[446..510].fill(0);
        bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
        fs::write(folder.join("card.img"), bytes).expect("there is a temporary folder");
        Image { folder }
    }

    /// `renga flash` of this image, which is none of Renga's.
    fn flash(&self, further: &[&str]) -> (i32, String) {
        let card = format!("--card={}", self.folder.join("card.img").display());
        flash(&[&[&card, "--raw"], further].concat())
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.folder.join("card.img")).expect("it was written")
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Holds: flash-confirmed.
#[test]
fn flash_unattended_device_needs_serial_number() {
    let image = Image::new("device");
    let Some(card) = LoopDevice::attach(16 << 20) else { return };
    let (status, said) = image.flash(&[card.argument()]);
    assert!(status == 4 && said.contains("there is no terminal to ask on"), "{status} {said}");
    let (status, said) = image.flash(&[card.argument(), "--yes", "--serial=another"]);
    assert!(status == 4 && said.contains("not another"), "{status} {said}");
    assert!(fs::read(&card.backing).expect("it is there").iter().all(|byte| *byte == 0), "something was written");

    let (status, said) = image.flash(&[card.argument(), "--yes", &card.serial()]);
    assert!(status == 0 && said.contains("equal to the image"), "{status} {said}");
    assert!(fs::read(&card.backing).expect("it is there")[..IMAGE_BYTES] == image.bytes());
    let (status, said) = image.flash(&[card.argument(), "--verify-only"]);
    assert!(status == 0, "{status} {said}");
}

#[test]
fn flash_mounted_partition_or_busy_device_is_refused() {
    let image = Image::new("mounted");
    let Some(card) = LoopDevice::attach(16 << 20) else { return };
    let yes = ["--yes", &card.serial()];
    let at = image.folder.join("mounted");
    fs::create_dir_all(&at).expect("there is a temporary folder");
    run("mke2fs", &["-q", "-F", card.argument()]).expect("mke2fs is there");
    run("mount", &[card.argument(), &at.to_string_lossy()]).expect("who may attach may mount");
    let (status, said) = image.flash(&[&[card.argument()], yes.as_slice()].concat());
    run("umount", &[&at.to_string_lossy()]).expect("it was mounted");
    assert!(status == 3 && said.contains("it is mounted at "), "{status} {said}");

    let exclusive = File::options().read(true).custom_flags(rustix::fs::OFlags::EXCL.bits() as i32).open(&card.path);
    let (status, said) = image.flash(&[&[card.argument()], yes.as_slice()].concat());
    drop(exclusive.expect("it is there"));
    assert!(status == 3 && said.contains("another program"), "{status} {said}");

    let (status, said) = image.flash(&["/dev/loop-control", "--yes", "--serial=x"]);
    assert!(status == 3, "{status} {said}");
}

#[test]
fn flash_protected_large_or_swap_device_is_refused() {
    let image = Image::new("protected");
    let Some(card) = LoopDevice::attach(16 << 20) else { return };
    let write = || image.flash(&[card.argument(), "--yes", &card.serial()]);
    run("blockdev", &["--setro", card.argument()]).expect("who may attach may protect");
    let (status, said) = write();
    assert!(status == 3 && said.contains("it is write-protected"), "{status} {said}");
    run("blockdev", &["--setrw", card.argument()]).expect("who may attach may protect");
    run("mkswap", &[card.argument()]).expect("mkswap is there");
    match run("swapon", &[card.argument()]) {
        Ok(_) => {
            let (status, said) = write();
            run("swapoff", &[card.argument()]).expect("it was just swapped to");
            assert!(status == 3 && said.contains("memory is swapped to "), "{status} {said}");
        }
        Err(reason) => renga_skip::skipped(&format!("no swapping to a loop device: {reason}")),
    }
    let Some(large) = LoopDevice::attach(200 << 30) else { return };
    let (status, said) = image.flash(&[large.argument(), "--yes", &large.serial()]);
    assert!(status == 3 && said.contains("unusually large") && said.contains("--large"), "{status} {said}");
    let (status, said) = image.flash(&[large.argument(), "--yes", &large.serial(), "--large"]);
    assert!(status == 0, "{status} {said}");
}

/// Between what the person saw and the writing the device may have become another one.
/// Holds: flash-refused.
#[test]
fn flash_device_replaced_before_open_is_not_written() {
    let Some(card) = LoopDevice::attach(16 << 20) else { return };
    let host = Host::this();
    let seen = host.find(&card.path).expect("it was just attached");
    let target = |device: BlockDevice| FlashTarget::BlockDevice(device);
    assert!(open_for_writing(&host, &target(seen.clone()), 512, false).is_ok());
    for other in [
        BlockDevice { sequence: seen.sequence + 1, ..seen.clone() },
        BlockDevice { size_bytes: seen.size_bytes - 512, ..seen.clone() },
        BlockDevice { number: "7:250".into(), ..seen.clone() },
    ] {
        let error = open_for_writing(&host, &target(other), 512, false).err().expect("it is another one");
        assert!(matches!(error, FlashError::Pulled), "{error}");
    }
    let error = open_for_writing(&host, &target(seen), 32 << 20, false).err().expect("it is too small");
    assert!(matches!(error, FlashError::Refused { .. }), "{error}");
}

/// A loop device is written through its file, which must not be the image.
/// Holds: flash-refused.
#[test]
fn flash_loop_device_backed_by_image_is_refused() {
    let Some(card) = LoopDevice::attach(16 << 20) else { return };
    let before: Vec<u8> = (0..16 << 20).map(|at| (at / 512) as u8 ^ at as u8).collect();
    fs::write(&card.backing, &before).expect("it can be written");
    let image = format!("--card={}", card.backing.display());
    let (status, said) = flash(&[&image, "--raw", card.argument(), "--yes", &card.serial()]);
    assert!(status == 3 && said.contains("it is the image itself"), "{status} {said}");
    assert!(fs::read(&card.backing).expect("it is there") == before, "the image was overwritten");
}

#[test]
fn flash_too_small_device_is_refused() {
    let image = Image::new("small");
    let Some(card) = LoopDevice::attach(8 << 20) else { return };
    let (status, said) = image.flash(&[card.argument(), "--yes", &card.serial()]);
    assert!(status == 3 && said.contains("it is too small"), "{status} {said}");
}

/// Holds: flash-chosen.
#[test]
fn flash_list_shows_disks_with_refusals() {
    let (status, said) = flash(&[]);
    assert_eq!(status, 0, "{said}");
    let root = fs::read_to_string("/proc/self/mountinfo").expect("this host has /proc");
    let source =
        root.lines().find(|line| line.split(' ').nth(4) == Some("/")).and_then(|line| line.split(" - ").nth(1));
    if source.and_then(|fields| fields.split(' ').nth(1)).is_some_and(|source| source.starts_with("/dev/")) {
        assert!(said.contains("refused: the running system is on it"), "{said}");
    }
}
