//! Pipelines that span both boards.

use crate::machine::{possible, run};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::program::SimProgram;

const BYTES: usize = 1 << 20;
const ANY: u64 = u64::MAX;

/// Makes the child's standard input and output of two ends, and closes all others.
async fn plumb(child: &SimProgram, input: u64, output: u64) {
    for (end, standard) in [(input, 20), (output, 21)] {
        child.duplicate(end, standard).await.unwrap();
    }
    for end in 0..12 {
        let _ = child.close(end).await;
    }
    for (standard, end) in [(20, 0), (21, 1)] {
        child.duplicate(standard, end).await.unwrap();
        child.close(standard).await.unwrap();
    }
}

/// `feed | pass | collect`, the middle one on another board, each by exec.
#[test]
fn pipe_of_1_mb_through_other_board_is_whole() {
    if !possible() {
        return;
    }
    let mut data = vec![0; BYTES];
    Random::new(1).fill(&mut data);
    let (fed, wanted) = (data.clone(), data.iter().map(|byte| !byte).collect::<Vec<u8>>());
    let finished = run(
        |init| async move {
            let null = init.call(renga_sim::program::numbers::DUP3, &[0, 0, 0]).await;
            assert_eq!(null, Err(Errno::EINVAL));
            let (first_out, first_in) = init.pipe().await.unwrap();
            let (second_out, second_in) = init.pipe().await.unwrap();
            let stages = [
                (0, "/bin/feed", second_out, first_in),
                (1, "/bin/pass", first_out, second_in),
                (0, "/bin/collect", second_out, first_in),
            ];
            for (board, path, input, output) in stages {
                let child = move |child: SimProgram| async move {
                    plumb(&child, input, output).await;
                    if path == "/bin/collect" {
                        child.close(1).await.unwrap();
                    } else if path == "/bin/feed" {
                        child.close(0).await.unwrap();
                    }
                    panic!("{path}: {:?}", child.execute(path, &[path]).await)
                };
                init.fork_on(board, child).await.unwrap();
            }
            for end in [first_out, first_in, second_out, second_in] {
                init.close(end).await.unwrap();
            }
            for _ in 0..3 {
                assert_eq!(init.wait(ANY).await.unwrap().1, 0);
            }
            assert_eq!(init.wait(ANY).await, Err(Errno::ECHILD));
            0
        },
        |programs| {
            programs.add("/bin/feed", move |program| {
                let fed = fed.clone();
                async move {
                    program.write_all(1, &fed).await.unwrap();
                    0
                }
            });
            programs.add("/bin/pass", |program| async move {
                loop {
                    let mut part = program.read(0, 30_000).await.unwrap();
                    if part.is_empty() {
                        return 0;
                    }
                    part.iter_mut().for_each(|byte| *byte = !*byte);
                    program.write_all(1, &part).await.unwrap();
                }
            });
            programs.add("/bin/collect", move |program| {
                let wanted = wanted.clone();
                async move {
                    let got = program.read_all(0, 50_000).await.unwrap();
                    assert!(got == wanted, "{} bytes", got.len());
                    0
                }
            });
        },
    );
    let bus = finished.system.cluster.bus().count();
    assert!(bus.bytes > 2 * BYTES as u64, "it did cross: {bus:?}");
}

/// A writer on the other board whose reader has gone.
#[test]
fn pipe_without_reader_ends_writer() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            let (output, input) = init.pipe().await.unwrap();
            let endless = move |child: SimProgram| async move {
                child.close(output).await.unwrap();
                child.write_all(input, &[1; 300_000]).await.unwrap();
                1
            };
            let pid = init.fork_on(1, endless).await.unwrap();
            init.close(input).await.unwrap();
            assert_eq!(init.read(output, 1000).await.unwrap(), [1; 1000]);
            init.close(output).await.unwrap();
            assert_eq!(init.wait(pid).await.unwrap(), (pid, 13)); // SIGPIPE
            0
        },
        |_| (),
    );
}
