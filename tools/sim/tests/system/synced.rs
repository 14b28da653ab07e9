//! What is written to a file that was opened with O_SYNC or O_DSYNC is on the medium when the call returns.

use crate::machine::{LIMIT_NS, possible, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::numbers::{FCNTL, OPENAT};
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::image::FileContents;
use renga_sim::system::{SimSystem, image};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const WRITEV: u64 = 66;
const PWRITEV: u64 = 70;
const SENDFILE: u64 = 71;
const COPY_FILE_RANGE: u64 = 285;
const AT_FDCWD: u64 = -100i64 as u64;
const F_GETFL: u64 = 3;
const F_SETFL: u64 = 4;
const RDWR_CREATE: u64 = 0o102;
const APPEND: u64 = 0o2000;
const DSYNC: u64 = 0o10_000;
const SYNC: u64 = 0o4_010_000;
/// Where a program of these tests keeps what it has for calls that take addresses.
const VECTOR: u64 = 8192;
const TEXT: u64 = 12288;
const BYTES: u64 = 9_000;

/// A call that writes `BYTES` bytes to `file`, which is empty.
type Write = (&'static str, u64, [u64; 6]);

/// The calls; `source` is a file with as much.
fn writes(base: u64, file: u64, source: u64) -> [Write; 7] {
    let (text, vector) = (base + TEXT, base + VECTOR);
    [
        ("write", 64, [file, text, BYTES, 0, 0, 0]),
        ("little", 64, [file, text, 100, 0, 0, 0]),
        ("pwrite", 68, [file, text, BYTES, 0, 0, 0]),
        ("writev", WRITEV, [file, vector, 2, 0, 0, 0]),
        ("pwritev", PWRITEV, [file, vector, 2, 0, 0, 0]),
        ("sendfile", SENDFILE, [file, source, 0, BYTES, 0, 0]),
        ("copy", COPY_FILE_RANGE, [source, 0, file, 0, BYTES, 0]),
    ]
}

async fn open(program: &SimProgram, path: &str, flags: u64) -> u64 {
    let at = program.data();
    program.store(at, &[path.as_bytes(), b"\0"].concat()).await;
    program.call(OPENAT, &[AT_FDCWD, at, RDWR_CREATE | flags, 0o644]).await.unwrap()
}

/// Makes each call to a file of its own, opened with `flags`, after F_SETFL has tried to clear them.
async fn write_each(program: &SimProgram, kind: &str, flags: u64) {
    let base = program.data();
    program.store(base + TEXT, &vec![b'x'; BYTES as usize]).await;
    for word in [(0, base + TEXT), (8, 100), (16, base + TEXT), (24, BYTES - 100)] {
        program.store(base + VECTOR + word.0, &word.1.to_le_bytes()).await;
    }
    let source = program.open("/source", Open::Read).await.unwrap();
    for place in 0..writes(base, 0, 0).len() {
        program.seek(source, 0, 0).await.unwrap();
        let path = format!("/{kind}-{}", writes(base, 0, 0)[place].0);
        let file = open(program, &path, flags).await;
        program.call(FCNTL, &[file, F_SETFL, flags & APPEND]).await.unwrap();
        let left = program.call(FCNTL, &[file, F_GETFL]).await.unwrap();
        assert_eq!(left & (SYNC | APPEND), flags, "{path}");
        let (name, call, arguments) = writes(base, file, source)[place];
        if name == "copy" && flags & APPEND != 0 {
            continue; // refused, as on Linux
        }
        let written = program.call(call, &arguments).await;
        assert!(written == Ok(BYTES) || name == "little" && written == Ok(100), "{path}: {written:?}");
        program.close(file).await.unwrap();
    }
}

/// The medium's content if the disk's board loses its power as soon as a program of `board` has finished its calls.
fn left_by(board: u8) -> FileContents {
    let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, boots) = (progress.clone(), all_boots.clone());
    let init = move |init: SimProgram| {
        let (step, boots) = (step.clone(), boots.clone());
        async move {
            boots.set(boots.get() + 1);
            if boots.get() > 1 {
                return 0;
            }
            let source = init.open("/source", Open::Create).await.unwrap();
            init.write_all(source, &vec![b'x'; BYTES as usize]).await.unwrap();
            let writer = move |program: SimProgram| async move {
                for (kind, flags) in [("sync", SYNC), ("data", DSYNC), ("end", SYNC | APPEND), ("none", 0)] {
                    write_each(&program, kind, flags).await;
                }
                step.set(1);
                0
            };
            init.fork_on(board, writer).await.unwrap();
            init.sleep(u64::MAX >> 2).await.unwrap();
            1
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 4_000 * MS);
    system.cluster.kill(0);
    system.cluster.run_until(system.cluster.now_ns() + 1_000 * MS);
    system.reboot(0);
    assert_eq!(system.run(LIMIT_NS), Some(0), "{:?}", SimSystem::log());
    image::check(&system.disk.content()).unwrap()
}

/// Holds: open-flags.
#[test]
fn o_sync_writes_survive_power_cut() {
    if !possible() {
        return;
    }
    for board in [0, 1] {
        let files = left_by(board);
        for (name, ..) in writes(0, 0, 0) {
            let bytes = if name == "little" { 100 } else { BYTES as usize };
            for kind in ["sync", "data", "end"] {
                let content = files.get(&format!("/{kind}-{name}")).map(Vec::len);
                let expected = if kind == "end" && name == "copy" { content } else { Some(bytes) };
                assert_eq!(content, expected, "{kind}-{name} of board {board}");
            }
        }
        assert_eq!(files.get("/none-copy"), None, "nothing else has synced meanwhile");
    }
}
