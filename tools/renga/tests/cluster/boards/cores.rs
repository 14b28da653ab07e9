//! The other cores of a board come up. The emulator's boards have one core: these are QEMU's own, with four.

use crate::support::{Renga, Scratch, clusters_can_run, root};
use renga::environment::Environment;
use renga::system::SystemFile;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Lines that a board says at most before it has come up or died.
const LINES_MAX: usize = 40;

/// Boots a board with so many cores that is to start four; what it says up to the word of its cores, or its last.
fn said(scratch: &Scratch, cores: u8) -> String {
    let mut environment = Environment::read().expect("the environment can be read");
    environment.root = root();
    let solo = SystemFile::find(&environment, "solo").expect("the system is placed").checked.to_blob();
    let tables = scratch.write("solo.bin", &solo);
    // The command has built the kernel by then.
    Renga::script("true").end().expect_status(0);
    let mut qemu = Command::new(environment.qemu().expect("clusters can run"));
    qemu.args(["-M", "raspi3b", "-display", "none", "-nodefaults", "-monitor", "none", "-no-reboot"]);
    qemu.args(["-icount", "shift=0,sleep=off", "-chardev", "stdio,id=console", "-serial", "chardev:console"]);
    qemu.arg("-global").arg(format!("bcm2837.enabled-cpus={cores}")).args(["-append", "cores=4 nowatchdog"]);
    qemu.arg("-kernel").arg(environment.work().join("kernels/plain/kernel8.img")).arg("-initrd").arg(tables);
    let mut board = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("QEMU starts");
    let lines = BufReader::new(board.stdout.take().expect("it is piped")).lines();
    let mut said = String::new();
    for line in lines.map_while(Result::ok).take(LINES_MAX) {
        said += &format!("{}\n", line.trim_end());
        if line.contains("cores") {
            break;
        }
    }
    board.kill().and_then(|()| board.wait()).expect("it was started here");
    said
}

#[test]
fn four_cores_come_up_and_are_woken_by_their_own_timers() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("cores");
    let all = said(&scratch, 4);
    assert!(all.ends_with("renga: 4 cores\n"), "{all}");
    let one = said(&scratch, 1);
    assert!(one.ends_with("renga: of 4 cores 1 came up\n"), "{one}");
}
