//! Which images are written: sound ones, packed or not, and others only with `--raw`.

use crate::loop_device::flash;
use crate::sound_card::{SoundCard, text};
use lzma_rust2::{XzOptions, XzWriter};
use std::fs::{self, File};
use std::io::Write;

/// `card`'s image packed, as several streams behind each other if `parts` are several.
fn pack(card: &SoundCard, name: &str, parts: usize) -> String {
    let path = card.path(name);
    let bytes = card.bytes();
    let mut out = File::create(&path).expect("there is a temporary folder");
    for part in bytes.chunks(bytes.len() / parts) {
        let mut packer = XzWriter::new(&mut out, XzOptions::with_preset(0)).expect("sound options");
        packer.write_all(part).and_then(|()| packer.finish()).expect("there is room");
    }
    path
}

/// Holds: flash-sound.
#[test]
fn flash_image_that_is_not_sound_needs_raw() {
    let card = SoundCard::new("unsound");
    card.spoil();
    fs::write(card.path("random.img"), [0xa5; 8192]).expect("there is a temporary folder");
    for (image, fault) in [
        (card.option(), "NODE.TXT is damaged or was changed"),
        (format!("--card={}", card.path("random.img")), "there is no master boot record"),
    ] {
        let target = card.path("target");
        let option = format!("--to-file={target}");
        let (status, said) = flash(&[&image, &option]);
        assert!(status == 7 && said.contains(fault) && said.contains("--raw"), "{status} {said}");
        assert!(!fs::exists(&target).expect("its folder is there"), "it was written");
        let (status, said) = flash(&[&image, &option, "--dry-run"]);
        assert!(status == 7, "{status} {said}");
        let (status, said) = flash(&[&image, &option, "--raw"]);
        assert!(status == 0, "{status} {said}");
        fs::remove_file(&target).expect("it was written");
    }
}

/// Holds: flash-sound.
#[test]
fn flash_packed_image_is_written_unpacked() {
    let card = SoundCard::new("packed");
    for parts in [1, 2] {
        let packed = pack(&card, &format!("card-{parts}.img.xz"), parts);
        let target = card.path(&format!("target-{parts}"));
        let option = format!("--to-file={target}");
        let (status, said) = flash(&[&format!("--card={packed}"), &option, "--dry-run"]);
        assert!(status == 0 && said.contains("would write 134217728 bytes"), "{parts}: {status} {said}");
        let (status, said) = flash(&[&format!("--card={packed}"), &option]);
        assert!(status == 0 && said.contains("equal to the image"), "{parts}: {status} {said}");
        assert!(fs::read(&target).expect("it was written") == card.bytes(), "{parts}");
    }
}

/// Holds: flash-sound.
#[test]
fn flash_packed_image_that_is_damaged_or_unsound_is_refused() {
    let card = SoundCard::new("packed-damaged");
    let packed = pack(&card, "card.img.xz", 1);
    let whole = fs::read(&packed).expect("it was written");
    let target = card.path("target");
    let write = || flash(&[&format!("--card={packed}"), &format!("--to-file={target}"), "--raw"]);
    for at in [20, whole.len() / 2, whole.len() - 30] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&packed, damaged).expect("it can be written");
        let (status, said) = write();
        assert!(status == 125 && said.contains("cannot unpack"), "{at}: {status} {said}");
    }
    fs::write(&packed, &whole[..whole.len() / 2]).expect("it can be written");
    let (status, said) = write();
    assert!(status == 125 && said.contains("cannot unpack"), "{status} {said}");
    assert!(!fs::exists(&target).expect("its folder is there"), "it was written");
    card.spoil();
    let packed = pack(&card, "spoilt.img.xz", 1);
    let (status, said) = flash(&[&format!("--card={packed}"), &format!("--to-file={target}")]);
    assert!(status == 7 && said.contains("NODE.TXT is damaged"), "{status} {said}");
}

/// Holds: flash-file.
#[test]
fn flash_packed_image_onto_itself_is_refused() {
    let card = SoundCard::new("packed-itself");
    let packed = pack(&card, "card.img.xz", 1);
    let before = fs::read(&packed).expect("it was written");
    let whole = text(&fs::canonicalize(&packed).expect("it is there"));
    let (status, said) =
        flash(&[&format!("--card={packed}"), &format!("--to-file={packed}"), "--yes", "--serial", &whole]);
    assert!(status == 3 && said.contains("it is the image itself"), "{status} {said}");
    assert!(fs::read(&packed).expect("it is there") == before, "the packed image was overwritten");
}
