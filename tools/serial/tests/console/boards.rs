//! The console beside boards that boot from their cards in QEMU as it is, with its own UARTs and in real time: what
//! real adapters will carry, but for the wires. No cluster emulator takes part.

use crate::{Console, Peer, wait_until};
use renga_images::card::{CardBoot, boot_cards};
use renga_images::system::SystemFile;
use renga_workspace::delegate::Delegate;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A serial line between a board and the console, as an adapter and its wires are.
struct Wire {
    of_board: String,
    of_console: String,
}

impl Wire {
    fn new() -> Wire {
        let (board, desk) = (Peer::new(), Peer::new());
        let wire = Wire { of_board: board.path.clone(), of_console: desk.path.clone() };
        let copy = |peer: &Peer| peer.file.try_clone().expect("a second handle");
        carry(copy(&board), copy(&desk));
        carry(copy(&desk), copy(&board));
        // Lines without a user vanish; these stay until the test ends.
        std::mem::forget((board, desk));
        wire
    }
}

/// Carries what comes out of one end to the other.
fn carry(mut from: File, mut to: File) {
    std::thread::spawn(move || {
        let mut chunk = [0; 512];
        while let Ok(count @ 1..) = from.read(&mut chunk) {
            if to.write_all(&chunk[..count]).is_err() {
                return;
            }
        }
    });
}

/// A board; it ends with this.
struct Board(Child);

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Board {
    fn start(qemu: &Path, card: &CardBoot, console: &Wire, log: &Wire) -> Board {
        let mut command = Command::new(qemu);
        command.args(["-M", "raspi3b", "-display", "none", "-nodefaults", "-monitor", "none", "-no-reboot"]);
        command.args(["-global", "bcm2837.enabled-cpus=1"]);
        for wire in [console, log] {
            let id = format!("line{}", wire.of_board.replace('/', "-"));
            command.arg("-chardev").arg(format!("serial,id={id},path={}", wire.of_board));
            command.arg("-serial").arg(format!("chardev:{id}"));
        }
        command.arg("-kernel").arg(&card.kernel).arg("-initrd").arg(&card.tables).arg("-dtb").arg(&card.device_tree);
        // QEMU's own watchdog resets a board as soon as it is armed.
        command.arg("-append").arg(format!("{} nowatchdog", card.command_line));
        command.arg("-drive").arg(format!("if=sd,format=raw,file={}", card.card.display()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        Board(command.spawn().expect("QEMU starts"))
    }
}

fn cards(folder: &Path) -> CardBoot {
    let environment = Environment::read().expect("the project is there");
    let renga = Delegate::dev("renga").build(&environment, &ProgressLine::start()).expect("it compiles");
    let mut image = Command::new(renga);
    image.args(["image", "--board", "pi3", "--system", "solo", "--out"]).arg(folder);
    let made = image.output().expect("renga starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let system = SystemFile::find(&environment, "solo").expect("it is there");
    boot_cards(folder, &system, folder).expect("its card is whole").remove(0)
}

/// Holds: console.
#[test]
fn console_two_emulated_boards_exchange_text_and_logs() {
    let Some(qemu) = std::env::var_os("RENGA_QEMU").filter(|qemu| !qemu.is_empty()).map(PathBuf::from) else {
        return renga_skip::skipped("RENGA_QEMU is not set (use ./renga test)");
    };
    let folder = std::env::temp_dir().join(format!("renga-console-boards-{}", std::process::id()));
    let (left, right, record) = (folder.join("left"), folder.join("right"), folder.join("record"));
    let boots = [&left, &right].map(|folder| {
        fs::create_dir_all(folder).expect("there is a temporary folder");
        cards(folder)
    });
    let wires: [Wire; 4] = std::array::from_fn(|_| Wire::new());
    let named = |wire: &Wire, name: &str| format!("{}={name}", wire.of_console);
    let ports = [named(&wires[0], "one"), named(&wires[1], "two"), named(&wires[2], "one"), named(&wires[3], "two")];
    let kept = record.to_str().expect("a plain name");
    let mut console =
        Console::start(&[&ports[0], &ports[1], "--log-port", &ports[2], "--log-port", &ports[3], "--out", kept]);
    // It reports when it has its lines; earlier output is lost, as on a real line.
    console.wait_for_messages(&["at 115200 bit/s"]);
    let boards = [0, 1].map(|board| Board::start(&qemu, &boots[board], &wires[board], &wires[2 + board]));
    // A board whose host pauses within a line has its line on the screen interrupted, but not in its record.
    let record_of = |name: &str| {
        let record = fs::read(record.join(name)).expect("it is recorded");
        String::from_utf8_lossy(&record).into_owned()
    };
    let wait_for_record = |name: &str, text: &str| {
        wait_until(|| record_of(name).contains(text), || format!("{name} has {text}:\n{}", record_of(name)));
    };
    wait_for_record("one.serial", "renga: boot 4");
    wait_for_record("two.serial", "renga: boot 4");
    console.type_line("echo first $((6*7)) $(uname -n)\n");
    wait_for_record("one.serial", "\nfirst 42 a");
    console.type_line("\x1dtwo\n");
    console.type_line("echo second $((6*8)) $(uname -n)\n");
    wait_for_record("two.serial", "\nsecond 48 a");
    console.wait_for_screen(&["[one] ", "[two] "]);
    for board in ["one", "two"] {
        let is_line = |line: &str| line.starts_with(&format!("[{board}")) && line.contains("board a of system solo");
        wait_until(|| console.messages().lines().any(is_line), || format!("{board} logs:\n{}", console.messages()));
        let kept = record_of(&format!("{board}.log"));
        assert!(kept.lines().any(is_line), "{kept}");
    }
    console.type_line("\x1dquit\n");
    assert!(console.wait().success());
    assert!(!record_of("one.serial").contains("second 48"), "{}", console.screen());
    drop(boards);
    let _ = fs::remove_dir_all(folder);
}
