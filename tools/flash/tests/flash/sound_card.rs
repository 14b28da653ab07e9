//! An image of a card that the inspection finds sound: all that a board's card has but firmware.

use renga_boot_card::{CHOICE_FILE, PARTITIONS, choice_text};
use renga_images::artifacts::{KernelFlavour, kernel_if_built};
use renga_images::card::{CardCluster, CardFile, kernel_files, sha256, write_card};
use renga_workspace::environment::Environment;
use std::fs;
use std::path::{Path, PathBuf};

/// Where in the image its first partition begins.
const FIRST_PARTITION: usize = 1 << 20;

/// The card of board b of a cluster `lab`, in a folder of the test's own.
pub struct SoundCard {
    pub folder: PathBuf,
    pub cluster: PathBuf,
    pub image: PathBuf,
}

impl SoundCard {
    /// One in a folder of this name.
    pub fn new(name: &str) -> SoundCard {
        let folder = std::env::temp_dir().join(format!("renga card {}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("there is a temporary folder");
        let (cluster, image) = (folder.join("lab.toml"), folder.join("lab-b-zero2w.img"));
        let boards = "[boards]\na = \"pi3\"\nb = \"zero2w\"\n";
        fs::write(&cluster, format!("name = \"lab\"\nsystem = \"pair\"\n{boards}")).expect("it can be written");
        let environment = Environment::read().expect("the project's folder");
        let lab = CardCluster::read(&environment, &cluster).expect("sound");
        // An old kernel would be a fault.
        let kernel = kernel_if_built(&environment, KernelFlavour::Plain)
            .map_or_else(|| vec![0x5a; 70_000], |kernel| fs::read(kernel.image).expect("it was built"));
        let file = |name: &str, bytes: Vec<u8>| CardFile { name: name.into(), bytes };
        let node = lab.node_file(1).into_bytes();
        let list = format!("{}  NODE.TXT\n", sha256(&node));
        let mut files = vec![file("NODE.TXT", node), file("FILES.TXT", list.into_bytes())];
        files.extend(kernel_files(&kernel, &lab.system.checked.to_blob()).expect("it has room"));
        files.push(file(CHOICE_FILE, choice_text(PARTITIONS[0]).as_bytes().to_vec()));
        write_card(&files, 7, None, &image).expect("it fits");
        // A round makes sums of all images.
        fs::copy(&image, folder.join("lab-a-pi3.img")).expect("there is room");
        SoundCard { folder, cluster, image }
    }

    /// Changes the image's `NODE.TXT`.
    pub fn spoil(&self) {
        let mut bytes = self.bytes();
        let node = bytes[FIRST_PARTITION..].windows(7).position(|window| window == b"board=1").expect("it is there");
        bytes[FIRST_PARTITION + node + 6] = b'0';
        fs::write(&self.image, bytes).expect("it can be written");
    }

    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.image).expect("it was written")
    }

    pub fn option(&self) -> String {
        format!("--card={}", self.image.display())
    }

    /// A path in its folder.
    pub fn path(&self, name: &str) -> String {
        text(&self.folder.join(name))
    }
}

impl Drop for SoundCard {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub fn text(path: &Path) -> String {
    path.to_str().expect("a plain name").to_string()
}
