//! The shell's commands.

use renga_abi::Errno;
use renga_sim::program::{Open, SimProgram};
use std::future::Future;
use std::pin::Pin;

/// A command's run: what it says in the end.
type CommandRun = Pin<Box<dyn Future<Output = Result<String, Errno>>>>;

/// One of them.
pub struct ShellCommand {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Whether it begins on init's board and sends others to the board that is named.
    pub stays: bool,
    /// Its body; the board is the one named.
    pub run: fn(SimProgram, u8) -> CommandRun,
}

/// All of them.
pub const COMMANDS: [ShellCommand; 6] = [
    ShellCommand {
        name: "pipe",
        about: "a program on the board writes 60,000 bytes into a pipe, 10 times",
        stays: true,
        run: |program, board| Box::pin(pipe(program, board)),
    },
    ShellCommand {
        name: "ends",
        about: "60 pipes that programs on the board only close: asynchronous calls save time here",
        stays: true,
        run: |program, board| Box::pin(ends(program, board)),
    },
    ShellCommand {
        name: "fork",
        about: "20 programs one after the other on the board, each of which ends at once",
        stays: true,
        run: |program, board| Box::pin(fork(program, board)),
    },
    ShellCommand {
        name: "write",
        about: "writes a file of 64 KiB on the board and syncs it, 4 times",
        stays: false,
        run: |program, _| Box::pin(write(program)),
    },
    ShellCommand {
        name: "read",
        about: "reads that file 4 times; what the board has cached needs no frame",
        stays: false,
        run: |program, _| Box::pin(read(program)),
    },
    ShellCommand {
        name: "tree",
        about: "makes a directory with 12 files, renames, lists and removes them",
        stays: false,
        run: |program, _| Box::pin(tree(program)),
    },
];

const ROUNDS: u8 = 10;
const PIPED_BYTES: usize = 60_000;
/// Pipes of one round; a board has eight.
const PIPES: usize = 6;
const FORKS: u8 = 20;
const FILE: &str = "/data";
const FILE_BYTES: usize = 64 << 10;
const REPEATS: u8 = 4;
const FILES: u8 = 12;
const STEP_BYTES: usize = 8000;
/// Bytes of one step of a listing.
const LISTING_BYTES: u64 = 1024;

async fn pipe(program: SimProgram, board: u8) -> Result<String, Errno> {
    let mut bytes = 0;
    for round in 0..ROUNDS {
        let (output, input) = program.pipe().await?;
        let writer = move |child: SimProgram| async move {
            let _ = child.close(output).await;
            u8::from(child.write_all(input, &[round; PIPED_BYTES]).await.is_err())
        };
        let pid = program.fork_on(board, writer).await?;
        program.close(input).await?;
        bytes += program.read_all(output, STEP_BYTES).await?.len();
        program.close(output).await?;
        program.wait(pid).await?;
    }
    Ok(format!("{bytes} bytes came through"))
}

async fn ends(program: SimProgram, board: u8) -> Result<String, Errno> {
    for _ in 0..ROUNDS {
        let mut ends = Vec::new();
        for _ in 0..PIPES {
            let (output, input) = program.pipe().await?;
            ends.extend([output, input]);
        }
        let closed = ends.clone();
        let closer = move |child: SimProgram| async move {
            let mut failed = 0;
            for end in closed {
                failed += u8::from(child.close(end).await.is_err());
            }
            failed
        };
        let pid = program.fork_on(board, closer).await?;
        for end in ends {
            program.close(end).await?;
        }
        program.wait(pid).await?;
    }
    Ok(format!("{} pipes are closed", usize::from(ROUNDS) * PIPES))
}

async fn fork(program: SimProgram, board: u8) -> Result<String, Errno> {
    let mut good = 0;
    for number in 0..FORKS {
        let pid = program.fork_on(board, move |_| async move { number }).await?;
        let (_, status) = program.wait(pid).await?;
        good += u32::from(status == u32::from(number) << 8);
    }
    Ok(format!("{good} of {FORKS} ended well"))
}

async fn write(program: SimProgram) -> Result<String, Errno> {
    for round in 0..REPEATS {
        let file = program.open(FILE, Open::Truncate).await?;
        program.write_all(file, &[round; FILE_BYTES]).await?;
        program.sync(file).await?;
        program.close(file).await?;
    }
    Ok(format!("{REPEATS} times {FILE_BYTES} bytes are on the medium"))
}

async fn read(program: SimProgram) -> Result<String, Errno> {
    let mut bytes = 0;
    for _ in 0..REPEATS {
        let file = program.open(FILE, Open::Read).await?;
        bytes += program.read_all(file, STEP_BYTES).await?.len();
        program.close(file).await?;
    }
    Ok(format!("{bytes} bytes"))
}

async fn tree(program: SimProgram) -> Result<String, Errno> {
    let folder = format!("/tree{}", program.pid().await);
    program.make_directory(&folder).await?;
    for number in 0..FILES {
        let file = program.open(&format!("{folder}/{number}"), Open::Create).await?;
        program.write_all(file, &[number; 100]).await?;
        program.close(file).await?;
        program.rename(&format!("{folder}/{number}"), &format!("{folder}/file{number}")).await?;
    }
    let names = program.list(&folder, LISTING_BYTES).await?.into_iter().filter(|name| name.starts_with("file")).count();
    for number in 0..FILES {
        program.unlink(&format!("{folder}/file{number}")).await?;
    }
    program.remove_directory(&folder).await?;
    Ok(format!("{names} names were there"))
}
