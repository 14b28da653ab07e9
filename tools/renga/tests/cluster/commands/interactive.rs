//! A session at the console, here with a file in the person's place.

use crate::support::{Renga, clusters_can_run};

fn session(typed: &[u8], status: i32) -> String {
    Renga::run().input(typed).end().expect_status(status).text()
}

/// Holds: run-shell.
#[test]
fn session_typed_command_runs() {
    if !clusters_can_run() {
        return;
    }
    let text = session(b"echo hi $((40 + 2))\ncd /usr/share; pwd\nremote -b b uname -n\nexit 3\n", 3);
    for expected in ["\nhi 42\n", "\n/usr/share\n", "\nb\n"] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
}

/// Holds: run-shell.
#[test]
fn session_end_of_input_ends_shell() {
    if !clusters_can_run() {
        return;
    }
    let text = session(b"echo last; false\n", 1);
    assert!(text.contains("\nlast\n"), "{text}");
    session(b"", 0);
}

#[test]
fn session_line_editing_works() {
    if !clusters_can_run() {
        return;
    }
    // Erasing a character, cursor left and insertion, and the previous line.
    let text = session(b"echo wrongg\x7f\necho ac\x1b[Db\n\x1b[A\nexit\n", 0);
    assert!(text.contains("\nwrong\n"), "{text}");
    assert_eq!(text.matches("\nabc\n").count(), 2, "{text}");
}

#[test]
fn session_program_reads_edited_line() {
    if !clusters_can_run() {
        return;
    }
    // `cat` leaves the terminal as it is: echo, erase and ^D are the system's.
    let text = session(b"cat; echo over\nfirxst\x7f\x7f\x7fst\n\x04\nstty size\nexit\n", 0);
    assert!(text.contains("\nfirst\n"), "{text}");
    assert!(text.contains("\nover\n"), "{text}");
}

/// Holds: window-size.
#[test]
fn session_window_change_signals_programs_of_both_boards() {
    if !clusters_can_run() {
        return;
    }
    // A terminal's report when its window is of 100 columns and 40 rows (RFC 1073).
    let window = [255, 250, 31, 0, 100, 0, 40, 255, 240];
    let typed = b"stty size; remote -b b stty size\n\
        sh -c 'trap \"echo changed\" WINCH; remote -b b stty rows 33 cols 90; sleep 0.1; stty size; exit 0'\n\
        remote -b b sh -c 'trap \"echo noted\" WINCH; stty rows 20; sleep 0.1; stty size; exit 0'\nexit\n";
    let text = session(&[&window[..], typed].concat(), 0);
    assert!(text.contains("\n40 100\n40 100\n"), "{text}");
    assert!(text.contains("\nchanged\n33 90\n"), "{text}");
    assert!(text.contains("\nnoted\n20 90\n"), "{text}");
}
