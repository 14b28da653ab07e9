//! Forks onto the other board.

use crate::machine::{possible, run};
use renga_abi::Errno;
use renga_sim::program::numbers::GETPPID;
use renga_sim::program::{Open, SimProgram};

#[test]
fn remote_fork_shares_offset_memory_and_status() {
    if !possible() {
        return;
    }
    let place = 0x58_0000; // in the data of every program
    let finished = run(
        move |init| async move {
            let file = init.open("/shared", Open::Create).await.unwrap();
            init.write_all(file, b"parent ").await.unwrap();
            init.store(place, b"before").await;
            let parent = init.pid().await;
            let child = move |child: SimProgram| async move {
                assert_eq!(child.load(place, 6).await, b"before");
                child.store(place, b"after!").await;
                child.write_all(file, b"child ").await.unwrap();
                assert_eq!(child.call(GETPPID, &[]).await, Ok(parent));
                // A child of its own, on its parent's board again.
                let last = move |last: SimProgram| async move {
                    assert_eq!(last.load(place, 6).await, b"after!");
                    last.write_all(file, b"grandchild ").await.unwrap();
                    9
                };
                let pid = child.fork_on(0, last).await.unwrap();
                assert_eq!(child.wait(pid).await.unwrap(), (pid, 9 << 8));
                6
            };
            let pid = init.fork_on(1, child).await.unwrap();
            assert_eq!(pid % 8, 1, "a pid names its board");
            assert_eq!(init.wait(pid).await.unwrap(), (pid, 6 << 8));
            init.write_all(file, b"parent").await.unwrap();
            assert_eq!(init.seek(file, 0, 1).await, Ok(30));
            assert_eq!(init.load(place, 6).await, b"before");
            assert_eq!(init.fork_on(2, |_| async { 0 }).await, Err(Errno::EINVAL));
            0
        },
        |_| (),
    );
    assert_eq!(finished.files["/shared"], b"parent child grandchild parent");
}

#[test]
fn remote_exec_loads_program_from_disk_board() {
    if !possible() {
        return;
    }
    let become_tool = |board| {
        move |child: SimProgram| async move {
            panic!("on {board}: {:?}", child.execute("/bin/tool", &["/bin/tool", "a b", "17"]).await)
        }
    };
    run(
        move |init| async move {
            for round in 0..3 {
                for board in 0..2 {
                    let pid = init.fork_on(board, become_tool(board)).await.unwrap();
                    assert_eq!(init.wait(pid).await.unwrap(), (pid, 17 << 8), "round {round}");
                }
            }
            assert_eq!(init.execute("/bin/none", &[]).await, Errno::ENOENT);
            assert_eq!(init.execute("/etc", &[]).await, Errno::EACCES);
            0
        },
        |programs| {
            programs.add("/bin/tool", |tool| async move {
                assert_eq!(tool.arguments().await, ["/bin/tool", "a b", "17"]);
                17
            })
        },
    );
}
