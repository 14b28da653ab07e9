//! A program that misbehaves is killed or refused, and its board goes on.

use crate::support::{Renga, clusters_can_run};

/// Each way to misbehave, with the status that its shell sees: 139 is death by an invalid access, 132 by an
/// instruction, 0 is that the program came to its end (`calls` closes its output on its way).
const WAYS: [(&str, i32); 9] = [
    ("read-kernel", 139),
    ("read-null", 139),
    ("write-text", 139),
    ("jump", 139),
    ("jump-kernel", 139),
    ("jump-stack", 139),
    ("jump-heap", 139),
    ("debugger", 132),
    ("calls", 0),
];

fn script(how: &str) -> String {
    let run = |(way, _): &(&str, i32)| {
        format!("{how} /usr/lib/renga/wild {way} < /dev/null > /dev/null 2>&1; echo \"{way} $?\"; {how} echo alive\n")
    };
    WAYS.iter().map(run).collect()
}

fn expected() -> String {
    WAYS.iter().map(|(way, status)| format!("{way} {status}\nalive\n")).collect()
}

/// Holds: wild-programs.
#[test]
fn protection_wild_programs_on_board_a_are_killed() {
    if clusters_can_run() {
        Renga::script(&script("")).end().expect_status(0).expect_text(&expected());
    }
}

/// Holds: wild-programs.
#[test]
fn protection_wild_programs_on_board_b_are_killed() {
    if clusters_can_run() {
        Renga::script(&script("remote -b b")).end().expect_status(0).expect_text(&expected());
    }
}

/// Every system call with bad addresses and lengths, while a program on each board has a pattern in memory, and a file
/// is open. Those programs go on to their end after the calls have. `HERE` is how to run on the board.
const NUMBERS: &str = r#"
cd /tmp; seq 5000 > known; begin=$(date +%s)
wild=/usr/lib/renga/wild
{ { HERE $wild numbers < /dev/null 2> /dev/null 3< known 4<> own 5>&-; echo "numbers $?" >&5; } |
  { $wild keep; echo "kept at a $?" >&5; } |
  { remote -b b $wild keep; echo "kept at b $?" >&5; }
} 5> said
cat said
seq 5000 | cmp - known && echo 'the file is whole'
for how in '' 'remote -b b'; do $how sh -c 'echo alive; seq 2000 | sort -n | tail -n 1'; done
took=$(($(date +%s) - begin)); if [ $took -lt 60 ]; then echo 'in time'; else echo "took $took s"; fi
"#;
const NUMBERS_SAYS: &str =
    "numbers 0\nkept at a 0\nkept at b 0\nthe file is whole\nalive\n2000\nalive\n2000\nin time\n";

/// Holds: user-pointers.
#[test]
fn protection_bad_arguments_on_board_a_are_refused() {
    if clusters_can_run() {
        Renga::script(&NUMBERS.replace("HERE", "")).end().expect_status(0).expect_text(NUMBERS_SAYS);
    }
}

/// Holds: user-pointers.
#[test]
fn protection_bad_arguments_on_board_b_are_refused() {
    if clusters_can_run() {
        Renga::script(&NUMBERS.replace("HERE", "remote -b b")).end().expect_status(0).expect_text(NUMBERS_SAYS);
    }
}

/// One call that would take seconds, or hours, without having to wait for anything: other programs of the board go on,
/// and it can be killed. The sparse file has nearly two gigabytes.
const ENDLESS: &str = r#"
cd /tmp; printf x | dd of=sparse bs=1 seek=2000000000 2> /dev/null
for how in '' 'remote -b b'; do
  for way in 'fill < /dev/zero' 'send < sparse > /dev/null'; do
    $how sh -c "
      /usr/lib/renga/wild $way & sleep 0.1
      seq 2000 | sort -n | tail -n 1
      kill \$!; wait \$!; echo \$?" 2> /dev/null
  done
done
"#;

/// Holds: wild-programs.
#[test]
fn protection_long_calls_are_preempted_and_killable() {
    if clusters_can_run() {
        Renga::script(ENDLESS).end().expect_status(0).expect_text(&"2000\n143\n".repeat(4));
    }
}

/// Where programs have four cores, what is done for one at its home lets others run there, too.
#[test]
fn protection_long_call_leaves_home_core_to_others() {
    if clusters_can_run() {
        let session = r#"
sh -c '/usr/lib/renga/wild fill < /dev/zero & sleep 0.1; seq 2000 | sort -n | tail -n 1; kill $!; wait $!; echo $?' 2> /dev/null"#;
        Renga::script(session).with(["--system", "pair4"]).end().expect_status(0).expect_text("2000\n143\n");
    }
}

/// Memory comes back: the second time is as the first.
const GREED: &str = r#"
for how in '' 'remote -b b'; do
  for time in 1 2; do
    $how /usr/lib/renga/wild memory > /tmp/said 2> /dev/null; status=$?
    case "$status $(cat /tmp/said)" in
      '0 refused' | '137 ') echo stopped ;;
      *) echo "status $status, said $(cat /tmp/said)" ;;
    esac
    $how sh -c 'echo alive; seq 2000 | sort -n | tail -n 1'
  done
done
"#;

#[test]
fn protection_memory_hog_is_killed_and_frames_return() {
    if clusters_can_run() {
        let expected = "stopped\nalive\n2000\n".repeat(4);
        Renga::script(GREED).end().expect_status(0).expect_text(&expected);
    }
}

/// More processes than a board has slots: the next are refused, and slots come back.
const FORKS: &str = r#"
for how in '' 'remote -b b'; do
  $how sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do sleep 5 & done; wait; exit 0' 2> /dev/null
  sleep 10
  $how sh -c 'for i in 1 2 3 4 5 6; do sh -c : & done; wait; echo alive'
done
"#;

#[test]
fn protection_too_many_processes_are_refused_and_slots_return() {
    if clusters_can_run() {
        Renga::script(FORKS).end().expect_status(0).expect_text("alive\nalive\n");
    }
}
