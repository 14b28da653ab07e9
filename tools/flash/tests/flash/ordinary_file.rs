//! An ordinary file is written when it is named as one, and is new or confirmed: nothing else costs anybody a file.

use crate::loop_device::flash;
use crate::sound_card::{SoundCard, text};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixListener;

const THESIS: &[u8] = b"three years of work";

/// Holds: flash-file.
#[test]
fn flash_file_in_place_of_device_is_left_alone() {
    let card = SoundCard::new("thesis");
    let thesis = card.path("thesis.txt");
    fs::write(&thesis, THESIS).expect("it can be written");
    for further in [&[][..], &["--raw"], &["--raw", "--large", "--yes", "--serial", &thesis]] {
        let (status, said) = flash(&[&[card.option().as_str(), &thesis], further].concat());
        assert!(status == 3 && said.contains("--to-file"), "{further:?}: {status} {said}");
        assert_eq!(fs::read(&thesis).expect("it is there"), THESIS);
    }
    // Nor is one made, if a device's name is mistyped.
    let missing = card.path("sdb");
    let (status, said) = flash(&[&card.option(), &missing]);
    assert!(status == 3 && said.contains("there is no such device"), "{status} {said}");
    assert!(!fs::exists(&missing).expect("its folder is there"));
    // Nor by a round of a cluster's cards.
    let cluster = text(&card.cluster);
    let (status, said) =
        flash(&["--cluster", &cluster, "--cards", &text(&card.folder), "--board", "b", &thesis, "--yes", "--serial=x"]);
    assert!(status == 3 && said.contains("--to-file"), "{status} {said}");
    assert_eq!(fs::read(&thesis).expect("it is there"), THESIS);
}

/// Holds: flash-file.
#[test]
fn flash_existing_file_is_written_when_confirmed() {
    let card = SoundCard::new("existing");
    let target = card.path("target");
    fs::write(&target, THESIS).expect("it can be written");
    let option = format!("--to-file={target}");
    let (status, said) = flash(&[&card.option(), &option]);
    assert!(status == 4 && said.contains("nothing was written"), "{status} {said}");
    let (status, said) = flash(&[&card.option(), &option, "--yes", "--serial=target"]);
    assert!(status == 4, "{status} {said}");
    assert_eq!(fs::read(&target).expect("it is there"), THESIS);
    let whole = text(&fs::canonicalize(&target).expect("it is there"));
    let (status, said) = flash(&[&card.option(), &option, "--yes", "--serial", &whole]);
    assert!(status == 0 && said.contains("equal to the image"), "{status} {said}");
    assert!(fs::read(&target).expect("it is there") == card.bytes());
}

/// Holds: flash-file.
#[test]
fn flash_new_file_is_written_sparsely_and_compared() {
    let card = SoundCard::new("new");
    let target = card.path("target.img");
    let option = format!("--to-file={target}");
    let (status, said) = flash(&[&card.option(), &option, "--dry-run"]);
    assert!(status == 0 && said.contains("would write 134217728 bytes"), "{status} {said}");
    assert!(!fs::exists(&target).expect("its folder is there"), "a dry run wrote");
    let (status, said) = flash(&[&card.option(), &option]);
    assert!(status == 0 && said.contains("equal to the image, SHA-256 ") && said.contains("MB/s"), "{status} {said}");
    assert!(fs::read(&target).expect("it was written") == card.bytes());
    let kib = fs::metadata(&target).expect("it was written").blocks() / 2;
    assert!(kib < 16 << 10, "{kib} KiB on the host, for 128 MiB with mostly zeros");
    let mut spoilt = card.bytes();
    spoilt[5_000_000] ^= 1;
    fs::write(&target, spoilt).expect("it can be written");
    let (status, said) = flash(&[&card.option(), &option, "--verify-only"]);
    assert!(status == 1 && said.contains("differs from the image at byte 5000000"), "{status} {said}");
}

/// Holds: flash-file.
#[test]
fn flash_file_that_is_the_image_or_no_file_is_refused() {
    let card = SoundCard::new("itself");
    let before = card.bytes();
    // By another name, which the shell or the person has for it.
    let names = [card.path("symbolic"), card.path("hard")];
    symlink(&card.image, &names[0]).expect("there is a temporary folder");
    fs::hard_link(&card.image, &names[1]).expect("there is a temporary folder");
    for itself in names {
        let (status, said) = flash(&[&card.option(), &format!("--to-file={itself}")]);
        assert!(status == 3 && said.contains("it is the image itself"), "{status} {said}");
    }
    assert!(card.bytes() == before);
    let _socket = UnixListener::bind(card.path("socket")).expect("a short path");
    for (target, reason) in [
        (card.path("socket"), "it is no ordinary file"),
        (text(&card.folder), "it is no ordinary file"),
        (card.path("no/file"), "there is no such folder"),
        ("/dev/renga-no-such".into(), "paths in /dev are devices"),
    ] {
        let (status, said) = flash(&[&card.option(), &format!("--to-file={target}")]);
        assert!(status == 3 && said.contains(reason), "{target}: {status} {said}");
    }
    // A link to a place in /dev is not followed into a new file there.
    let dangling = card.path("dangling");
    symlink("/dev/renga-no-such", &dangling).expect("there is a temporary folder");
    let (status, said) = flash(&[&card.option(), &format!("--to-file={dangling}")]);
    assert!(status != 0 && !fs::exists("/dev/renga-no-such").expect("it can be looked for"), "{status} {said}");
}
