//! Init: reads a command a line from the console, and has it run by a child.
//!
//! `NAME BOARD` runs on that board, the file system's if none is named; with `&` the shell does not wait.

use super::commands::{COMMANDS, ShellCommand};
use renga_abi::Errno;
use renga_sim::program::{Open, SimProgram, numbers};

const CONSOLE: &str = "/dev/console";
/// Character device 5,1.
const CONSOLE_DEVICE: (u64, u64) = (5, 1);
const LINE_BYTES_MAX: usize = 256;
/// A read that fails is not repeated at once.
const PAUSE_NS: u64 = 100_000_000;
/// Any child.
const ANY: u64 = u64::MAX;
/// Children that are reaped before a prompt.
const REAPED_MAX: usize = 64;
/// In `wait4`: without waiting.
const WNOHANG: u64 = 1;

/// What a line asks for.
struct ShellRequest {
    command: &'static ShellCommand,
    board: u8,
    waits: bool,
}

/// Reads and carries out lines until the cluster ends.
pub(super) async fn shell(init: SimProgram) -> u8 {
    let _ = init.make_directory("/dev").await;
    let _ = init.make_device(CONSOLE, CONSOLE_DEVICE.0, CONSOLE_DEVICE.1).await;
    let Ok(console) = init.open(CONSOLE, Open::Change).await else { return 1 };
    let _ = init.write_all(console, b"Renga. `help` lists the commands.\n").await;
    loop {
        reap(&init).await;
        let _ = init.write_all(console, b"$ ").await;
        let Some(line) = init.read(console, LINE_BYTES_MAX).await.ok().filter(|line| !line.is_empty()) else {
            let _ = init.sleep(PAUSE_NS).await;
            continue;
        };
        let line = String::from_utf8_lossy(&line).trim().to_string();
        let said = match parse(&line) {
            Ok(None) => String::new(),
            Ok(Some(request)) => match run(&init, console, &request).await {
                Ok(()) => String::new(),
                Err(errno) => format!("{line}: {}\n", errno.name()),
            },
            Err(text) => text,
        };
        let _ = init.write_all(console, said.as_bytes()).await;
    }
}

/// Takes the ends of children that nobody waits for.
async fn reap(init: &SimProgram) {
    for _ in 0..REAPED_MAX {
        if init.call(numbers::WAIT4, &[ANY, 0, WNOHANG, 0]).await.is_ok_and(|pid| pid > 0) {
            continue;
        }
        break;
    }
}

/// What `line` asks for; `None`: nothing.
fn parse(line: &str) -> Result<Option<ShellRequest>, String> {
    let (words, waits) = line.strip_suffix('&').map_or((line, true), |words| (words, false));
    let mut words = words.split_whitespace();
    let Some(name) = words.next() else { return Ok(None) };
    if name == "help" {
        return Err(COMMANDS.iter().map(|command| format!("{:6} {}\n", command.name, command.about)).collect());
    }
    let command = COMMANDS.iter().find(|command| command.name == name);
    let command = command.ok_or(format!("{name}: there is no such command; `help` lists them\n"))?;
    let board = match words.next().map(str::as_bytes) {
        None => 0,
        Some([letter @ b'a'..=b'h']) => letter - b'a',
        Some(_) => return Err(format!("{line}: a board is a letter from a to h\n")),
    };
    Ok(Some(ShellRequest { command, board, waits }))
}

async fn run(init: &SimProgram, console: u64, request: &ShellRequest) -> Result<(), Errno> {
    let (command, board) = (request.command, request.board);
    let body = move |child: SimProgram| async move {
        match (command.run)(child.clone(), board).await {
            Ok(text) => {
                let _ = child.write_all(console, format!("{}: {text}\n", command.name).as_bytes()).await;
                0
            }
            Err(errno) => {
                let _ = child.write_all(console, format!("{}: {}\n", command.name, errno.name()).as_bytes()).await;
                1
            }
        }
    };
    let pid = if command.stays { init.fork(body).await? } else { init.fork_on(board, body).await? };
    if request.waits { init.wait(pid).await.map(drop) } else { Ok(()) }
}
