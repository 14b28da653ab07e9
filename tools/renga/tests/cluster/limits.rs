//! What a board has room for, what it refuses, and what happens when there is no more of it.

use crate::support::system::count_on_b;
use crate::support::{Renga, clusters_can_run};

/// Takes much of something and says how much that was (`userland/src/bin/limits.rs`).
const LIMITS: &str = "L=/usr/lib/renga/limits\n";

/// Descriptors that a program may have unless it says otherwise.
const DESCRIPTORS: usize = 1024;
const ENFILE: u32 = 23;
const EMFILE: u32 = 24;
const EAGAIN: u32 = 11;

fn said(script: &str) -> String {
    Renga::script(&format!("{LIMITS}{script}")).end().expect_status(0).text()
}

/// Holds: pools.
#[test]
fn limits_many_programs_files_and_pipes_fit() {
    if !clusters_can_run() {
        return;
    }
    let (users, files, pipes) = (count_on_b("user"), count_on_b("file"), count_on_b("pipe"));
    // Descriptors 0 to 2 are taken. Where a board has fewer open files than a program may have descriptors, those of
    // the board end first, `open` of them before.
    let taken = |open: usize, children: usize| {
        let (files, refused) = if files < DESCRIPTORS { (files - open, ENFILE) } else { (DESCRIPTORS - 3, EMFILE) };
        format!("files {files} errno {refused}\npipes {pipes} errno {ENFILE}\nchildren {children} errno {EAGAIN}\n")
    };
    // Init, the shell and `limits` itself have three slots, and four are in reserve. The shell reads its script.
    let text = said("$L files 2000; $L pipes 400; $L children 200; ulimit -u unlimited; $L children 200");
    assert_eq!(text, format!("{}children {} errno {EAGAIN}\n", taken(1, users - 7), users - 3));
    // There is no init, and the shell becomes its last command.
    let text = said("remote -b b sh -c '$0 files 2000; $0 pipes 400; $0 children 200' $L");
    assert_eq!(text, taken(0, users - 5));
}

/// Holds: timers-locks.
#[test]
fn limits_arguments_stack_and_poll_match_linux() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        r#"/bin/echo $(seq 60000) | wc -c
        /bin/true "$(seq 40000)" 2>/dev/null || echo one string is too long
        /bin/true $(seq 400000) 2>/dev/null || echo all are too long
        $L poll 1000
        sh -c 'ulimit -s 1024; $0 stack 900; $0 stack 1100; echo $?' $L 2>/dev/null
        sh -c 'ulimit -s 32768; $0 stack 20000' $L"#,
    );
    let wanted = "348894\none string is too long\nall are too long\npoll 1000\nstack 900\n139\nstack 20000\n";
    assert_eq!(text, wanted);
}

/// Holds: pools.
#[test]
fn limits_long_pipelines_work() {
    if !clusters_can_run() {
        return;
    }
    let stages = "cat | ".repeat(8);
    let text = said(&format!("seq 1000 | {stages} tail -n 1; remote -b b sh -c 'seq 2000 | {stages} tail -n 1'"));
    assert_eq!(text, "1000\n2000\n");
}

/// Holds: fork-bomb.
#[test]
fn limits_fork_bomb_is_ended_from_shell() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        r#"setsid remote -b b $L bomb & bomb=$!
        sleep 0.5
        remote -b b true 2>/dev/null || echo full
        ulimit -u unlimited
        remote -b b sh -c "echo in; kill -9 -$bomb"
        wait
        remote -b b $L children 50"#,
    );
    assert_eq!(text, "full\nin\nchildren 50\n");
}

/// Holds: oom.
#[test]
fn limits_out_of_memory_kills_largest_program() {
    if !clusters_can_run() {
        return;
    }
    for how in ["", "remote -b b "] {
        let text = said(&format!(
            r#"{how}sh -c '
            i=0; while [ $i -lt 5 ]; do $0 memory 300 & i=$((i+1)); done
            wait; echo the shell goes on
            $0 memory 4000; echo status $?
            $0 memory 100' $L"#
        ));
        let behind = text.split_once("the shell goes on\n").unwrap_or_else(|| panic!("the shell ended: {text}")).1;
        assert!(behind.ends_with("status 137\nmemory 100\n"), "{text}");
        assert!(text.matches("300").count() >= 1, "not all of them have to end: {text}");
    }
}
