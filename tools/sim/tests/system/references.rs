//! References that boards keep: whatever becomes of a session, what has no name and is open nowhere is free.

use crate::hang::over_a_hang;
use crate::machine::possible;
use renga_sim::program::{Open, SimProgram};

const MS: u64 = 1_000_000;
/// As many as a board of the small system keeps references to: two files and a program.
const FILES: [&str; 2] = ["/one", "/two"];
const TOOL: &str = "/tool";
const CONTENT: [u8; 5000] = [7; 5000];
/// Times that each is opened after the session's end: by processes that have not learned of that, and by some that
/// have.
const ROUNDS: u32 = 4;

async fn make(program: &SimProgram, path: &str, content: &[u8], mode: u16) {
    let file = program.open(path, Open::Truncate).await.unwrap();
    program.write_all(file, content).await.unwrap();
    program.close(file).await.unwrap();
    program.change_mode(path, mode).await.unwrap();
}

async fn read(program: &SimProgram, file: u64) {
    assert!(program.read_at(file, 0, CONTENT.len()).await.as_deref() == Ok(&CONTENT[..]));
}

/// Opens and reads each file, and runs the program.
async fn use_all(program: &SimProgram) {
    let mut open = Vec::new();
    for path in FILES {
        for _ in 0..2 {
            open.push(program.open(path, Open::Read).await.unwrap());
        }
    }
    for &file in &open {
        read(program, file).await;
    }
    for file in open {
        program.close(file).await.unwrap();
    }
    let child = |child: SimProgram| async move { panic!("{:?}", child.execute(TOOL, &[TOOL]).await) };
    let pid = program.fork(child).await.unwrap();
    assert_eq!(program.wait(pid).await, Ok((pid, 5 << 8)));
}

#[test]
fn reference_opened_after_session_end_is_released() {
    if !possible() {
        return;
    }
    let free = std::rc::Rc::new(std::cell::Cell::new((0, 0)));
    let (before, there) = (free.clone(), free.clone());
    over_a_hang(
        move |program, step| {
            let free = there.clone();
            async move {
                let tool = program.open("/bin/tool", Open::Read).await.unwrap();
                let code = program.read_all(tool, 4096).await.unwrap();
                program.close(tool).await.unwrap();
                program.sync_all().await.unwrap();
                free.set(program.free().await.unwrap());
                for path in FILES {
                    make(&program, path, &CONTENT, 0o644).await;
                }
                make(&program, TOOL, &code, 0o755).await;
                program.sync_all().await.unwrap();
                use_all(&program).await;
                let early = program.open(FILES[0], Open::Read).await.unwrap();
                step.set(1);
                while step.get() < 3 {
                    program.sleep(MS).await.unwrap();
                }
                while program.free().await.is_err() {
                    program.sleep(MS).await.unwrap();
                }
                for _ in 0..ROUNDS {
                    use_all(&program).await;
                }
                read(&program, early).await;
                program.close(early).await.unwrap();
                step.set(4);
            }
        },
        |_| async {},
        move |init, step| {
            let before = before.clone();
            async move {
                while step.get() < 4 {
                    init.sleep(MS).await.unwrap();
                }
                for path in FILES {
                    init.unlink(path).await.unwrap();
                }
                init.unlink(TOOL).await.unwrap();
                init.sync_all().await.unwrap();
                assert_eq!(init.free().await.unwrap(), before.get());
            }
        },
        |programs| programs.add("/bin/tool", |_| async { 5 }),
    );
}
