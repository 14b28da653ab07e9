//! A session on a pseudo-terminal: what it prints, and what a person's lines do.

use crate::support::{Renga, Scratch, TerminalSession, clusters_can_run};

/// Holds: kill-session, session-orders.
#[test]
fn session_on_terminal_says_how_to_leave_and_obeys() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("terminal");
    let trace = scratch.join("part.trace");
    let mut session = TerminalSession::start(Renga::session());
    let first = "renga: `exit` ends the session, Ctrl-] then `quit` too; Ctrl-] then `help` lists commands\r\n";
    session.after("", &[first, "a:/# "]);
    // The program reads lines from here on: a longer one than Linux takes loses its end, and many wait.
    session.after("echo $((40 + 2)); wc -c\r", &["\r\n42\r\n"]);
    session.after(&format!("{}\r\x04", "x".repeat(5000)), &["\r\n4096\r\n"]);
    session.after("echo $((40 + 3)); sleep 0.3; wc -c\r", &["\r\n43\r\n"]);
    let lines: String = (0..1500).map(|number| format!("{number:07}\r")).collect();
    session.after(&format!("{lines}\x04"), &["\r\n12000\r\n"]);
    session.after("\x1dstatus\r", &["board a runs, started once", "board b runs, started once"]);
    session
        .after("\x1dtop\r", &["s of virtual time, until", "of it itself\r\n", "  wc  ", "calls served\r\n", "console"]);
    session.after(&format!("\x1dtrace on {}\r", trace.display()), &["is written into"]);
    session.after("remote -b b uname -n\r", &["\r\nb\r\n"]);
    session.after("\x1dtrace off\r", &["shows the trace"]);
    session.after("\x1dkill a\r", &["board a has lost its power"]);
    let way_on = "no board runs: Ctrl-] then `restart a` starts one, Ctrl-] then `quit` leaves";
    session.after("\x1dkill b\r", &["board b has lost its power", way_on]);
    assert_eq!(session.end_after("\x1dquit\r"), 0);
    let summary = Renga::command(&["trace"]).with([&trace]).end().expect_status(0).text();
    assert!(summary.contains("procs, Spawn"), "a program was started on the other board: {summary}");

    let mut without = TerminalSession::start(Renga::session().with(["--escape", "none"]));
    without.after("", &["renga: `exit` ends the session; --escape none: there are no commands of renga's own\r\n"]);
}
