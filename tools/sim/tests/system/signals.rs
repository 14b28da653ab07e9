//! Signals to programs on both boards, and faults of their own.

use crate::machine::{possible, run};
use renga_abi::Errno;
use renga_sim::program::{Open, SimProgram};
use std::cell::Cell;
use std::rc::Rc;

const SIGUSR1: u8 = 10;
const SIGTERM: u8 = 15;
const SIGSEGV: u32 = 11;

#[test]
fn signal_handler_runs_and_program_resumes() {
    if !possible() {
        return;
    }
    let handled = Rc::new(Cell::new(0));
    let seen = handled.clone();
    run(
        move |init| {
            let handled = handled.clone();
            async move {
                for board in 0..2 {
                    let (ready, go) = init.pipe().await.unwrap();
                    let handled = handled.clone();
                    let child = move |child: SimProgram| async move {
                        child
                            .on_signal(SIGUSR1, false, move |inside| {
                                let handled = handled.clone();
                                async move {
                                    // Calls and memory of its own, beside those it interrupts.
                                    assert!(inside.open("/none", Open::Read).await.is_err());
                                    handled.set(handled.get() + 1);
                                }
                            })
                            .await
                            .unwrap();
                        child.write_all(go, b"!").await.unwrap();
                        assert_eq!(child.sleep(3_600_000_000_000).await, Err(Errno::EINTR));
                        5
                    };
                    let pid = init.fork_on(board, child).await.unwrap();
                    assert_eq!(init.read(ready, 1).await.unwrap(), b"!");
                    init.sleep(10_000_000).await.unwrap();
                    init.kill(pid, SIGUSR1).await.unwrap();
                    assert_eq!(init.wait(pid).await.unwrap(), (pid, 5 << 8));
                    init.close(ready).await.unwrap();
                    init.close(go).await.unwrap();
                }
                0
            }
        },
        |_| (),
    );
    assert_eq!(seen.get(), 2);
}

#[test]
fn signal_handler_restarts_read() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            for board in 0..2 {
                let (output, input) = init.pipe().await.unwrap();
                let child = move |child: SimProgram| async move {
                    child.on_signal(SIGUSR1, true, |_| async {}).await.unwrap();
                    child.close(input).await.unwrap();
                    assert_eq!(child.read_all(output, 100).await.unwrap(), b"late");
                    3
                };
                let pid = init.fork_on(board, child).await.unwrap();
                for _ in 0..5 {
                    init.sleep(20_000_000).await.unwrap();
                    init.kill(pid, SIGUSR1).await.unwrap();
                }
                init.write_all(input, b"late").await.unwrap();
                init.close(input).await.unwrap();
                init.close(output).await.unwrap();
                assert_eq!(init.wait(pid).await.unwrap(), (pid, 3 << 8));
            }
            0
        },
        |_| (),
    );
}

#[test]
fn signal_ends_any_wait() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            let (output, _input) = init.pipe().await.unwrap();
            for board in 0..2 {
                let sleeps = |child: SimProgram| async move {
                    let _ = child.sleep(3_600_000_000_000).await;
                    1
                };
                let reads = move |child: SimProgram| async move {
                    let _ = child.read(output, 1).await;
                    1
                };
                let sleeper = init.fork_on(board, sleeps).await.unwrap();
                let reader = init.fork_on(board, reads).await.unwrap();
                init.sleep(50_000_000).await.unwrap();
                for pid in [sleeper, reader] {
                    init.kill(pid, SIGTERM).await.unwrap();
                    assert_eq!(init.wait(pid).await.unwrap(), (pid, u32::from(SIGTERM)));
                    assert_eq!(init.kill(pid, 0).await, Err(Errno::ESRCH));
                }
            }
            0
        },
        |_| (),
    );
}

#[test]
fn signal_ends_wild_program() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            for board in 0..2 {
                let jumps = |child: SimProgram| async move {
                    child.jump(0xffff_ffff_8008_0000).await;
                    0
                };
                let stores = |child: SimProgram| async move {
                    child.store(0x10_0000, b"x").await;
                    0
                };
                let writes_code = |child: SimProgram| async move {
                    child.store(0x40_0000, b"x").await;
                    0
                };
                let first = init.fork_on(board, jumps).await.unwrap();
                assert_eq!(init.wait(first).await.unwrap().1, SIGSEGV);
                let second = init.fork_on(board, stores).await.unwrap();
                assert_eq!(init.wait(second).await.unwrap().1, SIGSEGV);
                let third = init.fork_on(board, writes_code).await.unwrap();
                assert_eq!(init.wait(third).await.unwrap().1, SIGSEGV);
            }
            0
        },
        |_| (),
    );
}
