//! A person at a terminal: what is typed there, and nothing else, goes on.

use crate::loop_device::LoopDevice;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const CARD_BYTES: u64 = 16 << 20;

/// `renga flash` of an image of zeros with a boot signature, with this typed: status, and output.
fn typed(card: &LoopDevice, keys: &str) -> (i32, String) {
    let image = card.backing.with_extension("image");
    let mut bytes = vec![0; 1 << 20];
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    fs::write(&image, bytes).expect("there is a temporary folder");
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("this host has pseudo-terminals");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a new one can be opened");
    let name = ptsname(&master, Vec::new()).expect("it has a name").into_string().expect("a plain name");
    let slave =
        rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, rustix::fs::Mode::empty()).expect("it was unlocked");
    File::from(master.try_clone().expect("a descriptor")).write_all(keys.as_bytes()).expect("there is room for a line");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-flash"));
    renga.env("RENGA_ROOT", root).args(["flash", "--raw", "--card"]).arg(&image).arg(&card.path);
    let output = renga.stdin(Stdio::from(slave)).output().expect("renga starts");
    let _ = fs::remove_file(&image);
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Holds: flash-confirmed.
#[test]
fn flash_terminal_only_end_of_model_confirms() {
    let Some(card) = LoopDevice::attach(CARD_BYTES) else { return };
    let written = || fs::read(&card.backing).expect("it is there")[510] == 0x55;
    for keys in ["yes\n", "\n", "\u{4}"] {
        let (status, said) = typed(&card, keys);
        assert!(status == 4 && said.contains("type the last 4 characters of its model"), "{keys:?}: {status} {said}");
        assert!(!written(), "{keys:?}");
    }
    let (status, said) = typed(&card, ".img\n");
    assert!(status == 0 && written(), "{status} {said}");
    let wanted = [card.argument(), &card.backing.display().to_string(), "loop", "16.8 MB"];
    assert!(wanted.iter().all(|part| said.contains(part)), "{said}");
}
