//! Cards made of a pretended kernel and firmware, and what is found when one is spoilt.

mod compared;

use super::build::{BOOT, OTHER, write_card};
use super::fat::CardFile;
use super::{CardCluster, CardFinding, Checksum, Expected, ExpectedSystem, contents, fat, firmware, inspect, sha256};
use crate::disk_image::partition::wrap;
use crate::system::SystemFile;
use renga_boot_card::{Model, NODE_BYTES_MAX, NodeFile, read_node_file};
use renga_boot_card::{NoUpdate, UpdateSource, choose, write_update};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};
use renga_workspace::environment::Environment;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;

const KERNEL: &[u8] = &[0x5a; 700_000];

/// A folder with a pretended kernel, firmware and disk; gone when dropped.
struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = std::env::temp_dir().join(format!("renga-card-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("firmware")).unwrap();
        fs::write(folder.join("kernel8.img"), KERNEL).unwrap();
        for file in firmware::tests_sources() {
            fs::write(folder.join("firmware").join(file), file.repeat(999)).unwrap();
        }
        let filesystem = folder.join("filesystem");
        let mut mke2fs = Command::new("mke2fs");
        mke2fs.env("PATH", format!("{}:/sbin", std::env::var("PATH").unwrap()));
        mke2fs.args(["-q", "-F", "-t", "ext2", "-b", "4096"]).arg(&filesystem).arg("4M");
        assert!(mke2fs.status().unwrap().success());
        wrap(&filesystem, &folder.join("disk.img")).unwrap();
        Bench { folder }
    }

    fn files(&self, cluster: &CardCluster, board: usize) -> Vec<CardFile> {
        contents::files(cluster, board, &self.folder.join("kernel8.img"), &self.folder.join("firmware")).unwrap()
    }

    fn write(&self, name: &str, files: &[CardFile], with_disk: bool) -> PathBuf {
        let path = self.folder.join(name);
        let disk = self.folder.join("disk.img");
        write_card(files, 7, with_disk.then_some(disk.as_path()), &path).unwrap();
        path
    }

    fn card(&self, name: &str, cluster: &CardCluster, board: usize) -> PathBuf {
        self.write(name, &self.files(cluster, board), cluster.owns_disk(board))
    }

    /// What is wrong with a card that should be one of `cluster`.
    fn faults(&self, card: &Path, cluster: &CardCluster) -> Vec<String> {
        let kernel = sha256(&super::kernel_files(KERNEL, &[]).unwrap()[0].bytes);
        self.inspected(card, Some(cluster), Some(kernel))
    }

    /// What is found of a card that should be one of `cluster`, if one is given.
    fn inspected(&self, card: &Path, cluster: Option<&CardCluster>, kernel: Option<Checksum>) -> Vec<String> {
        let environment = Environment::read().unwrap();
        let system = |node: &NodeFile<'_>| ExpectedSystem::named(&environment, node.system, cluster);
        let expected = |node: Option<&NodeFile<'_>>| Ok(Expected { cluster, system: node.and_then(system), kernel });
        inspect(card, &self.folder, expected)
            .unwrap()
            .findings
            .into_iter()
            .map(|finding| match finding {
                CardFinding::Fault(what) | CardFinding::Unchecked(what) => what,
            })
            .collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn cluster(name: &str, system: &str, model: &str) -> CardCluster {
    let system = SystemFile::find(&Environment::read().unwrap(), system).unwrap();
    CardCluster::new(name.to_string(), system, None, &[model.to_string()]).unwrap()
}

#[test]
fn card_equal_inputs_give_equal_sparse_bytes() {
    let bench = Bench::new("equal");
    let lab = cluster("lab", "pair", "pi3");
    let first = bench.card("first", &lab, 0);
    std::thread::sleep(std::time::Duration::from_millis(2100)); // FAT counts in two seconds
    let second = bench.card("second", &lab, 0);
    assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "two cards of one board differ");
    let facts = fs::metadata(&first).unwrap();
    assert_eq!(facts.len(), 128 << 20);
    assert!(facts.blocks() * 512 < 12 << 20, "{} KiB on the host", facts.blocks() / 2);
}

/// Holds: cards-sound.
#[test]
fn card_of_every_model_is_sound() {
    let bench = Bench::new("sound");
    for model in Model::ALL {
        let lab = cluster("lab", "pair", model.name());
        for board in 0..2 {
            assert_eq!(bench.faults(&bench.card("card", &lab, board), &lab), [""; 0], "{model} {board}");
        }
    }
}

#[test]
fn card_node_file_is_found_by_board() {
    let bench = Bench::new("node");
    let lab = cluster("lab", "pair", "a=pi3,b=zero2w");
    let mut image = Image(File::open(bench.card("card", &lab, 1)).unwrap());
    let mut out = [0; NODE_BYTES_MAX];
    let node = NodeFile::parse(read_node_file(&mut image, &mut out).unwrap()).unwrap();
    assert_eq!((node.cluster, node.board, node.name, node.boards), ("lab", 1, "b", "a,b"));
    assert_eq!((node.model, node.placement), (Model::Zero2W, lab.system.placement()));
}

/// Holds: cards-inspect.
#[test]
fn card_with_old_kernel_or_damaged_files_is_reported() {
    let bench = Bench::new("old");
    let lab = cluster("lab", "pair", "pi3");
    let card = bench.card("card", &lab, 1);
    fs::write(bench.folder.join("kernel8.img"), [1; 9]).unwrap();
    let old = bench.card("old", &lab, 1);
    assert!(bench.faults(&old, &lab)[0].starts_with("an old kernel: "), "{:?}", bench.faults(&old, &lab));

    // One byte of the kernel on the card: it is the one run of this byte.
    let bytes = fs::read(&card).unwrap();
    let at = bytes.windows(512).position(|sector| sector == [0x5a; 512]).unwrap();
    File::options().write(true).open(&card).unwrap().write_at(&[0x5b], at as u64 + 100).unwrap();
    let faults = bench.faults(&card, &lab);
    assert_eq!(faults[0], "partition 1, from which the board starts: kernel8.img is damaged or was changed");
    assert!(faults[1].starts_with("an old kernel: "), "{faults:?}");
}

/// Holds: cards-inspect.
#[test]
fn card_with_missing_changed_or_foreign_files_is_reported() {
    let bench = Bench::new("files");
    let lab = cluster("lab", "pair", "pi3");
    let with = |change: &dyn Fn(&mut Vec<CardFile>)| {
        let mut files = bench.files(&lab, 1);
        change(&mut files);
        bench.faults(&bench.write("card", &files, false), &lab)
    };
    let missing = with(&|files| files.retain(|file| file.name != "start.elf"));
    assert_eq!(missing, ["start.elf is missing", "partition 2: start.elf is missing"]);
    let foreign = CardFile { name: "autorun.inf".into(), bytes: vec![1] };
    let more = with(&|files| files.push(foreign.clone()));
    assert_eq!(more, ["not of this card: autorun.inf", "partition 2: not of this card: autorun.inf"]);
    let node = with(&|files| files[0].bytes = lab.node_file(1).replace("board=1", "board=0").into_bytes());
    assert!(node[0].starts_with("NODE.TXT is damaged"), "{node:?}");
    assert!(node.iter().any(|fault| fault.starts_with("NODE.TXT: it was changed: ")), "{node:?}");
    let unlisted = with(&|files| files.retain(|file| file.name != "FILES.TXT"));
    assert_eq!(unlisted[0], "FILES.TXT is missing: no file can be checked");
}

/// Holds: cards-inspect.
#[test]
fn card_written_in_part_is_reported() {
    let bench = Bench::new("broken");
    let lab = cluster("lab", "pair", "pi3");
    let card = bench.card("card", &lab, 0);
    let file = File::options().write(true).open(&card).unwrap();
    file.set_len(81 << 20).unwrap();
    assert_eq!(bench.faults(&card, &lab), ["the disk's partition does not lie within the card"]);
    file.set_len(2 << 20).unwrap();
    assert_eq!(bench.faults(&card, &lab)[0], "the boot partition: it does not lie within the card");
    file.write_at(&[0; 512], 0).unwrap();
    assert!(bench.faults(&card, &lab)[0].starts_with("there is no master boot record"));
}

/// Kernels and `NODE.TXT` of one card that are not of one system; each kernel gets its own message.
/// Holds: cards-inspect.
#[test]
fn card_with_kernel_of_another_system_is_reported() {
    let bench = Bench::new("systems");
    let (lab, quad) = (cluster("lab", "pair", "pi3"), cluster("lab", "quad", "pi3"));
    let mut files = bench.files(&lab, 1);
    let foreign = bench.files(&quad, 1);
    for file in &mut files {
        if ["SYSTEM.BIN", "KERNEL.TXT"].contains(&file.name.as_str()) {
            *file = foreign.iter().find(|other| other.name == file.name).unwrap().clone();
        }
    }
    let faults = bench.faults(&bench.write("card", &files, false), &lab);
    let message = |which| format!("{which}: its tables are of system `quad`, but NODE.TXT is of `pair`");
    let expected =
        ["partition 1, from which the board starts", "partition 2, which waits for the next update"].map(message);
    assert_eq!(faults, expected);
    // An update brings such a kernel to one partition.
    let path = bench.card("updated", &lab, 1);
    let mut card = Image(File::options().read(true).write(true).open(&path).unwrap());
    let update = super::update(KERNEL, &quad.system.checked.to_blob()).unwrap();
    write_update(&mut card, &mut Bytes(update), 1).unwrap();
    assert_eq!(bench.faults(&path, &lab), expected[1..]);
    let nothing = super::update(KERNEL, &[7; 100]).unwrap();
    write_update(&mut card, &mut Bytes(nothing), 1).unwrap();
    let none = "partition 2, which waits for the next update: SYSTEM.BIN has no tables of this form";
    assert_eq!(bench.faults(&path, &lab), [none]);
}

/// Holds: cards-inspect.
#[test]
fn card_files_of_other_partition_are_compared() {
    let bench = Bench::new("second");
    let lab = cluster("lab", "pair", "pi3");
    let path = bench.card("card", &lab, 1);
    let bytes = fs::read(&path).unwrap();
    let text = firmware::tests_sources()[0];
    let repeated = text.repeat(512 / text.len() + 2);
    let at = bytes[OTHER.start_bytes as usize..].windows(512).position(|part| *part == repeated.as_bytes()[..512]);
    let at = OTHER.start_bytes + at.unwrap() as u64 + 100;
    File::options().write(true).open(&path).unwrap().write_at(b"!", at).unwrap();
    let faults = bench.faults(&path, &lab);
    assert!(faults.len() == 1 && faults[0].starts_with("partition 2: "), "{faults:?}");
    assert!(faults[0].contains(" is damaged or was changed: its sum is "), "{faults:?}");
}

/// The card as a block device.
struct Image(File);

impl Block for Image {
    fn blocks(&self) -> u64 {
        self.0.metadata().unwrap().len() / SECTOR_BYTES as u64
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        self.0.read_exact_at(out, sector * SECTOR_BYTES as u64).map_err(|_| BlockError::Failed)
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        self.0.write_all_at(data, sector * SECTOR_BYTES as u64).map_err(|_| BlockError::Failed)
    }
}

struct Bytes(Vec<u8>);

impl UpdateSource for Bytes {
    fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<(), NoUpdate> {
        let from = &self.0[offset as usize..];
        let count = from.len().min(out.len());
        out[..count].copy_from_slice(&from[..count]);
        Ok(())
    }
}

/// What is said of both kernels.
fn slots(bench: &Bench, card: &Path) -> Vec<(bool, Option<String>)> {
    let found = inspect(card, &bench.folder, |_| Ok(Expected::default())).unwrap();
    found.slots.into_iter().map(|slot| (slot.usual, slot.fault)).collect()
}

/// Holds: cards-inspect.
#[test]
fn card_updated_by_its_board_stays_sound() {
    let bench = Bench::new("update");
    let lab = cluster("lab", "pair", "pi3");
    let path = bench.card("card", &lab, 0);
    let mut card = Image(File::options().read(true).write(true).open(&path).unwrap());
    assert_eq!(slots(&bench, &path), [(true, None), (false, None)]);
    assert_eq!(renga_boot_card::start_sectors(&mut card), Ok(2048..80 << 11));
    assert_eq!(renga_boot_card::count(&mut card, 0).map(|count| count.starts), Ok(1));

    let tables = lab.system.checked.to_blob();
    let update = super::update(&[0xa5; 650_000], &tables).unwrap();
    let cut = update[..300_000].to_vec();
    assert!(
        std::panic::catch_unwind(move || {
            let mut card = Image(File::options().read(true).write(true).open(&path).unwrap());
            write_update(&mut card, &mut Bytes(cut), 1)
        })
        .is_err()
    );
    let path = bench.folder.join("card");
    let broken = Some("the writing of its kernel was broken off".to_string());
    assert_eq!(slots(&bench, &path), [(true, None), (false, broken)]);
    let faults = bench.faults(&path, &lab);
    assert_eq!(faults, ["partition 2, which waits for the next update: the writing of its kernel was broken off"]);

    let slot = write_update(&mut card, &mut Bytes(update), 1).unwrap();
    assert_eq!(slots(&bench, &path), [(true, None), (false, None)]);
    choose(&mut card, slot.partition).unwrap();
    assert_eq!(slots(&bench, &path), [(false, None), (true, None)]);
    // It is another kernel than that of the sources here, and all else is as it was.
    let faults = bench.faults(&path, &lab);
    assert!(faults.len() == 1 && faults[0].starts_with("an old kernel: "), "{faults:?}");
}

/// Holds: cards-inspect.
#[test]
fn card_with_damaged_disk_is_reported() {
    let bench = Bench::new("disk");
    let lab = cluster("lab", "pair", "pi3");
    let card = bench.card("card", &lab, 0);
    File::options().write(true).open(&card).unwrap().write_at(&[0xff; 8192], OTHER.end_bytes() + 4096).unwrap();
    assert!(bench.faults(&card, &lab)[0].starts_with("the disk's file system is damaged"));
}

#[test]
fn card_content_too_large_is_refused() {
    let big = CardFile { name: "big".into(), bytes: vec![1; BOOT.len_bytes as usize] };
    let fault = fat::make(&[big], BOOT.len_bytes as usize, 2048, 1).unwrap_err();
    assert_eq!(fault.to_string(), "no room for big");
}

#[test]
fn cluster_file_unknown_board_model_or_link_is_named() {
    let system = || SystemFile::find(&Environment::read().unwrap(), "pair").unwrap();
    let fault = |link, models: &[&str]| {
        let models: Vec<String> = models.iter().map(ToString::to_string).collect();
        CardCluster::new("lab".into(), system(), link, &models).err().unwrap().to_string()
    };
    assert!(fault(None, &["pi5"]).contains("known ones are pi3, zero2w, pi4"));
    assert!(fault(None, &["c=pi3"]).contains("its boards are a, b"));
    assert!(fault(None, &["a=pi3"]).contains("which model is board b?"));
    assert!(fault(Some("wifi"), &["pi3"]).contains("known ones are pins, pins4, spi"));
    let long = CardCluster::new("a name with blanks".into(), system(), None, &["pi3".into()]).err().unwrap();
    assert!(long.to_string().contains("`cluster=`"), "{long}");
}

#[test]
fn boot_cards_linked_over_spi_is_refused() {
    let bench = Bench::new("spi");
    let system = SystemFile::find(&Environment::read().unwrap(), "pair").unwrap();
    let lab = CardCluster::new("lab".into(), system, Some("spi"), &["pi3".into()]).unwrap();
    let cards = bench.folder.join("cards");
    fs::create_dir(&cards).unwrap();
    bench.card("cards/a.img", &lab, 0);
    bench.card("cards/b.img", &lab, 1);
    let system = SystemFile::find(&Environment::read().unwrap(), "pair").unwrap();
    let fault = super::boot_cards(&cards, &system, &bench.folder).unwrap_err().to_string();
    assert!(fault.contains("the emulator has no listeners: link = \"pins\""), "{fault}");
}

#[test]
fn models_pi_4_with_disk_is_refused() {
    assert_eq!(super::models::machine("b", Model::Pi4, false).unwrap(), renga_emu::EmulatedMachine::Pi4B);
    let fault = super::models::machine("a", Model::Pi4, true).unwrap_err().to_string();
    assert!(fault.contains("board a owns the disk") && fault.contains("--board a=pi3"), "{fault}");
}

/// Holds: pintest-start.
#[test]
fn card_program_replaces_system() {
    let (bench, environment) = (Bench::new("program"), Environment::read().unwrap());
    let described = |program: &str| {
        let file = bench.folder.join("lab.toml");
        let text = format!("name = \"lab\"\nsystem = \"pair\"\n{program}\n[boards]\na = \"pi3\"\nb = \"pi3\"\n");
        fs::write(&file, text).unwrap();
        CardCluster::read(&environment, &file)
    };
    let command_line = |program: &str| {
        let files = bench.files(&described(program).unwrap(), 1);
        let found = files.into_iter().find(|file| file.name == "cmdline.txt").unwrap();
        String::from_utf8(found.bytes).unwrap()
    };
    assert_eq!(command_line(""), "board=1 link=pins\n");
    assert_eq!(command_line("program = \"linkbench\""), "board=1 link=pins program=linkbench\n");
    let fault = format!("{:#}", described("program = \"doom\"").err().unwrap());
    assert!(fault.contains("known ones are pintest, linkbench"), "{fault}");
}
