//! The cards of a cluster: each board has one, and no card is taken for two.

use crate::loop_device::{LoopDevice, flash};
use renga_flash::{BoardCard, CardRound, FlashError, FlashJournal, FlashMedium, Rounds};
use renga_images::card::{CardCluster, CardFile, sha256, write_card};
use renga_workspace::environment::Environment;
use std::fs;
use std::path::{Path, PathBuf};

const CARD_BYTES: u64 = 128 << 20;

/// A cluster file and its images, with nothing on them but their identities.
struct Lab {
    folder: PathBuf,
}

impl Lab {
    fn new(name: &str) -> Lab {
        let folder = std::env::temp_dir().join(format!("renga-lab-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("there is a temporary folder");
        let lab = Lab { folder };
        let boards = "[boards]\na = \"pi3\"\nb = \"zero2w\"\n";
        fs::write(lab.file(), format!("name = \"lab\"\nsystem = \"pair\"\n{boards}")).expect("it can be written");
        lab.make_images("");
        lab
    }

    fn file(&self) -> PathBuf {
        self.folder.join("lab.toml")
    }

    fn make_images(&self, further: &str) {
        let cluster =
            CardCluster::read(&Environment::read().expect("the project's folder"), &self.file()).expect("sound");
        for (board, name) in ["lab-a-pi3.img", "lab-b-zero2w.img"].into_iter().enumerate() {
            let node = CardFile { name: "NODE.TXT".into(), bytes: cluster.node_file(board).into_bytes() };
            let more = CardFile { name: "MORE.TXT".into(), bytes: further.as_bytes().to_vec() };
            write_card(&[node, more], 7, None, &self.folder.join(name)).expect("it fits");
        }
    }

    /// Flashes the images, which have no kernels, with these further arguments.
    fn flash(&self, board: &str, card: &LoopDevice, further: &[&str]) -> (i32, String) {
        let (cluster, images) = (self.file(), self.folder.clone());
        let path = |path: &Path| path.to_str().expect("a plain name").to_string();
        let (cluster, images, serial) = (path(&cluster), path(&images), card.serial());
        let fixed =
            ["--cluster", &cluster, "--cards", &images, "--board", board, card.argument(), "--yes", &serial, "--raw"];
        flash(&[&fixed, further].concat())
    }

    fn journal(&self) -> String {
        fs::read_to_string(self.folder.join("lab.toml.journal")).unwrap_or_default()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Holds: flash-rounds.
#[test]
fn card_round_card_of_another_board_is_refused() {
    let lab = Lab::new("two");
    let (Some(first), Some(second)) = (LoopDevice::attach(CARD_BYTES), LoopDevice::attach(CARD_BYTES)) else { return };
    let (status, said) = lab.flash("a", &first, &[]);
    assert!(status == 0 && said.contains("board a: equal to its image"), "{status} {said}");
    let (status, said) = lab.flash("b", &first, &[]);
    assert!(status == 6 && said.contains("that of board a already"), "{status} {said}");
    assert!(
        fs::read(&first.backing).expect("it is there") == fs::read(lab.folder.join("lab-a-pi3.img")).expect("it is")
    );
    let (status, said) = lab.flash("b", &second, &[]);
    assert!(status == 0, "{status} {said}");
    assert_eq!(lab.journal().lines().count(), 2);
    let (status, said) = lab.flash("b", &first, &["--force"]);
    assert!(status == 0, "{status} {said}");
}

/// Holds: flash-rounds.
#[test]
fn card_round_interrupted_resumes_after_last_card() {
    let lab = Lab::new("resume");
    let Some(card) = LoopDevice::attach(CARD_BYTES) else { return };
    assert_eq!(lab.flash("a", &card, &[]).0, 0);
    let (status, said) = lab.flash("a", &card, &[]);
    assert!(status == 0 && said.contains("board a: has its card"), "{status} {said}");
    assert_eq!(lab.journal().lines().count(), 1);
    // A new kernel makes another image: the same card is written for the same board again.
    lab.make_images("a newer kernel");
    let (status, said) = lab.flash("a", &card, &[]);
    assert!(status == 0 && said.contains("board a: equal to its image"), "{status} {said}");
    assert_eq!(lab.journal().lines().count(), 2);
    // A line that a crash cut off counts for nothing.
    let cut = lab.journal();
    fs::write(lab.folder.join("lab.toml.journal"), &cut[..cut.len() - 9]).expect("it can be written");
    let (status, said) = lab.flash("a", &card, &["--dry-run"]);
    assert!(status == 0 && said.contains("would write"), "{status} {said}");
}

/// Holds: flash-confirmed.
#[test]
fn card_round_unattended_needs_one_board() {
    let lab = Lab::new("one");
    let Some(card) = LoopDevice::attach(CARD_BYTES) else { return };
    let (status, said) = lab.flash("c", &card, &[]);
    assert!(status == 125 && said.contains("has no board `c`"), "{status} {said}");
    let cluster = lab.file();
    let arguments = ["--cluster", cluster.to_str().expect("plain"), "--cards", lab.folder.to_str().expect("plain")];
    let (status, said) = flash(&[&arguments, [card.argument(), "--yes", &card.serial()].as_slice()].concat());
    assert!(status == 4 && said.contains("name one board"), "{status} {said}");
}

/// Holds: flash-rounds.
#[test]
fn card_round_with_two_readers_writes_both_boards_at_once() {
    let lab = Lab::new("readers");
    let (Some(first), Some(second)) = (LoopDevice::attach(CARD_BYTES), LoopDevice::attach(CARD_BYTES)) else { return };
    let cluster = lab.file();
    let arguments = ["--cluster", cluster.to_str().expect("plain"), "--cards", lab.folder.to_str().expect("plain")];
    let devices = [first.argument(), second.argument(), "--raw", "--yes", &first.serial(), &second.serial()];
    // The serial numbers stand in the order of the devices.
    let swapped = [second.argument(), first.argument(), "--raw", "--yes", &first.serial(), &second.serial()];
    let (status, said) = flash(&[&arguments, swapped.as_slice()].concat());
    assert!(status == 4, "{status} {said}");
    assert_eq!(lab.journal(), "");
    let (status, said) = flash(&[&arguments, devices.as_slice()].concat());
    assert!(status == 0, "{status} {said}");
    for (card, image) in [(&first, "lab-a-pi3.img"), (&second, "lab-b-zero2w.img")] {
        let image = fs::read(lab.folder.join(image)).expect("it was made");
        assert!(fs::read(&card.backing).expect("it is there") == image, "{said}");
    }
    for (board, card) in [("a", &first), ("b", &second)] {
        let line = said.lines().find(|line| line.starts_with(&format!("board {board}: equal to its image")));
        let place = format!("take the card out of {} and write {board} on it", card.argument());
        assert!(line.is_some_and(|line| line.ends_with(&place)), "{said}");
    }
    assert_eq!(lab.journal().lines().count(), 2);
    // One of two cards is too small: none is written.
    let Some(small) = LoopDevice::attach(1 << 20) else { return };
    lab.make_images("a newer kernel");
    let devices = [first.argument(), small.argument(), "--raw", "--yes", &first.serial(), &small.serial()];
    let (status, said) = flash(&[&arguments, devices.as_slice()].concat());
    assert!(status == 3 && said.contains("it is too small"), "{status} {said}");
    assert_eq!(lab.journal().lines().count(), 2, "no card is written before all are confirmed");
}

/// A round that is taken up again has the devices for the boards that they had when it began.
/// Holds: flash-rounds.
#[test]
fn card_round_resumed_keeps_device_of_each_board() {
    let lab = Lab::new("places");
    let (Some(first), Some(second)) = (LoopDevice::attach(CARD_BYTES), LoopDevice::attach(CARD_BYTES)) else { return };
    assert_eq!(lab.flash("a", &first, &[]).0, 0);
    // The first reader has an empty card again, whose number nobody knows.
    let empty = fs::File::create(&first.backing).expect("it can be emptied");
    empty.set_len(CARD_BYTES).expect("there is room");
    let cluster = lab.file();
    let arguments = ["--cluster", cluster.to_str().expect("plain"), "--cards", lab.folder.to_str().expect("plain")];
    let devices = [first.argument(), second.argument(), "--raw", "--yes", &first.serial(), &second.serial()];
    let (status, said) = flash(&[&arguments, devices.as_slice()].concat());
    assert!(status == 0 && said.contains("board a: has its card"), "{status} {said}");
    let is_image = |card: &LoopDevice, image| fs::read(&card.backing).ok() == fs::read(lab.folder.join(image)).ok();
    assert!(is_image(&second, "lab-b-zero2w.img"), "b's card is not in b's reader: {said}");
    assert!(!is_image(&first, "lab-b-zero2w.img"), "b's card is in a's reader: {said}");
    // Which of more devices than boards is whose?
    let more = [&arguments, ["--board", "b"].as_slice(), devices.as_slice()].concat();
    let (status, said) = flash(&more);
    assert!(status == 4 && said.contains("more devices than boards"), "{status} {said}");
}

/// Card slots report a card's own number, which identifies an empty card.
/// Holds: flash-rounds.
#[test]
fn card_round_card_is_identified_by_its_number() {
    let lab = Lab::new("number");
    let cluster = CardCluster::read(&Environment::read().expect("the project's folder"), &lab.file()).expect("sound");
    let card =
        |board: &str| BoardCard { board: board.into(), image: lab.folder.join("x"), sum: sha256(board.as_bytes()) };
    let rounds = |again| Rounds::new(&cluster, FlashJournal::beside(&lab.file()).expect("it can be read"), again);
    // What was written is what the round began with, or it counts for nothing.
    assert!(rounds(false).written(&card("a"), Some("0353".into()), sha256(b"changed meanwhile")).is_err());
    assert_eq!(lab.journal(), "");
    rounds(false).written(&card("a"), Some("0353".into()), sha256(b"a")).expect("it can be written");
    let check = |again, board, number| rounds(again).check(board, number, &mut Blank);
    let error = check(false, "b", Some("0353")).expect_err("it is a's");
    assert!(matches!(error, FlashError::Taken { ref board } if board == "a") && error.status() == 6, "{error}");
    for (again, board, number) in
        [(false, "a", Some("0353")), (true, "b", Some("0353")), (false, "b", Some("0354")), (false, "b", None)]
    {
        assert!(check(again, board, number).is_ok(), "{again} {board} {number:?}");
    }
    // It was given to b since.
    rounds(true).written(&card("b"), Some("0353".into()), sha256(b"b")).expect("it can be written");
    assert!(matches!(check(false, "a", Some("0353")), Err(FlashError::Taken { board }) if board == "b"));
    // A new image makes a new card of it; the same image does not.
    assert!(matches!(rounds(false).of(card("b")), CardRound::Done(_)));
    assert!(matches!(rounds(true).of(card("b")), CardRound::ToWrite(_)));
}

/// A medium without anything.
struct Blank;

impl FlashMedium for Blank {
    fn write_at(&mut self, _: u64, _: &[u8]) -> std::io::Result<usize> {
        panic!("it is only looked at")
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
    fn read_at(&mut self, _: u64, out: &mut [u8]) -> std::io::Result<usize> {
        out.fill(0);
        Ok(out.len())
    }
    fn is_same(&mut self) -> bool {
        true
    }
}
