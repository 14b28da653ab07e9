//! The cluster of a page, natively.

use renga_sim::system::{Pages, image};
use renga_sim_browser::programs::{COMMANDS, programs};
use renga_sim_browser::{Action, PageSession, SessionSetup, system_text};

const MS: u64 = 1_000_000;
/// By then the shell waits for its first line.
const BOOTED_NS: u64 = 1_000 * MS;
/// Time between two reads of the console.
const STEP_NS: u64 = 10_000;
/// Longer than any command takes.
const COMMAND_NS: u64 = 20_000 * MS;
const DISK_MEBIBYTES: u32 = 12;

/// The page's disk, if there are the tools that make one.
fn disk() -> Option<Pages> {
    if !image::tools_present() {
        renga_skip::skipped("no mke2fs, e2fsck, debugfs here (package e2fsprogs)");
        return None;
    }
    Some(image::make(DISK_MEBIBYTES, &programs().files()).unwrap())
}

fn boot(system: String, disk: &Pages) -> PageSession {
    PageSession::boot(&SessionSetup { system, seed: 7, medium: "sd".into() }, disk).unwrap()
}

fn act(session: &mut PageSession, action: &str) {
    session.act(&action.parse().unwrap()).unwrap();
}

fn pass(session: &mut PageSession, ns: u64) {
    let until_ns = session.state().now_ns + ns;
    assert!(session.run(until_ns, u64::MAX));
}

#[test]
fn session_commands_say_their_results_from_each_board() {
    let Some(disk) = disk() else { return };
    let mut session = boot(system_text(3).unwrap(), &disk);
    pass(&mut session, BOOTED_NS);
    for board in ["a", "c"] {
        for command in &COMMANDS {
            act(&mut session, &format!("type {} {board}", command.name));
            pass(&mut session, COMMAND_NS);
        }
    }
    let console = session.console();
    for said in
        ["600000 bytes came through", "60 pipes are closed", "20 of 20", "4 times 65536", "262144 bytes", "12 names"]
    {
        assert_eq!(console.matches(said).count(), 2, "{said}: {console}");
    }
    assert!(session.state().boards.iter().all(|board| board.alive));
}

#[test]
fn session_in_pieces_has_the_hash_of_one_piece() {
    let Some(disk) = disk() else { return };
    let run = |piece_ns: u64, events: u64| {
        let mut session = boot(system_text(2).unwrap(), &disk);
        session.watch(if events == u64::MAX { 0 } else { 100 });
        let until = |session: &mut PageSession, until_ns: u64| {
            while session.state().now_ns < until_ns {
                let next_ns = (session.state().now_ns + piece_ns).min(until_ns);
                while !session.run(next_ns, events) {
                    session.step(next_ns);
                }
            }
        };
        until(&mut session, BOOTED_NS);
        act(&mut session, "faults 40 20 10");
        act(&mut session, "type pipe b &");
        until(&mut session, BOOTED_NS + 20 * MS);
        act(&mut session, "kill 1");
        until(&mut session, BOOTED_NS + 500 * MS);
        act(&mut session, "boot 1");
        until(&mut session, BOOTED_NS + 2_000 * MS);
        let state = session.state();
        (state.hash, state.events, state.console_bytes)
    };
    let whole = run(u64::MAX / 2, u64::MAX);
    assert_eq!(run(3_333_333, u64::MAX), whole);
    assert_eq!(run(17 * MS, 7), whole);
}

#[test]
fn session_asynchronous_edge_ends_sooner() {
    let Some(disk) = disk() else { return };
    let took_ns = |mode: &str| {
        let text = system_text(2).unwrap();
        let text = text.replacen("[edges]", &format!("[edges]\n\"user -> pipe\" = \"{mode}\""), 1);
        let mut session = boot(text, &disk);
        pass(&mut session, BOOTED_NS);
        act(&mut session, "type ends b");
        for _ in 0..COMMAND_NS / STEP_NS {
            pass(&mut session, STEP_NS);
            if session.console().contains("are closed") {
                let state = session.state();
                return (state.now_ns, state.boards[1].link[1]);
            }
        }
        panic!("{mode}: {}", session.console());
    };
    let ((sync_ns, none), (async_ns, released)) = (took_ns("sync"), took_ns("async"));
    assert_eq!((none, released), (0, 120), "calls of board b whose callers were released");
    assert!(async_ns < sync_ns, "{async_ns} {sync_ns}");
}

#[test]
fn session_killed_board_comes_back_to_work() {
    let Some(disk) = disk() else { return };
    let mut session = boot(system_text(2).unwrap(), &disk);
    pass(&mut session, BOOTED_NS);
    act(&mut session, "kill 1");
    pass(&mut session, BOOTED_NS);
    act(&mut session, "type fork b");
    pass(&mut session, BOOTED_NS);
    assert!(session.console().contains("fork: EHOSTDOWN"), "{}", session.console());
    act(&mut session, "boot 1");
    pass(&mut session, BOOTED_NS);
    act(&mut session, "type fork b");
    pass(&mut session, COMMAND_NS);
    assert!(session.console().contains("20 of 20"), "{}", session.console());
}

#[test]
fn session_action_that_is_none_is_refused() {
    for text in ["", "kill", "kill x", "kill 300", "faults 1 2", "faults 1 2 1001", "fly 1"] {
        assert!(text.parse::<Action>().is_err(), "{text}");
    }
    assert_eq!("type a b".parse(), Ok(Action::Type("a b".into())));
}
