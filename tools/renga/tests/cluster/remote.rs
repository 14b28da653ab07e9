//! `remote`: a process on another board is a child like any other.

use crate::support::{Renga, Scratch, clusters_can_run, system};
use renga_emu::{BoardConfig, BusConfig, ClusterConfig, RecordedInput, RecordingHeader};
use renga_images::calendar::EPOCH_S;
use renga_placement::SystemBoard;
use std::path::{Path, PathBuf};

const SESSION: &str = r#"
remote -b b sh -c 'exit 9'; echo "status $?"
remote -b b sh -c 'kill -9 $$'; echo "killed $?"
remote -b b nosuch; echo "not found $?"
remote -b b /etc/passwd 2> /dev/null; echo "not executable $?"
remote -b 8 true; echo "no board $?"
remote -b a uname -n; remote uname -n
cd /usr/share; remote -b b pwd
cd /tmp; remote -b b sh -c 'cd /; echo here > /tmp/mark'; pwd; cat mark
X='a b' remote -b b sh -c 'echo "[$X]"'
remote -b b sh -c 'echo "$# $1 $2"' name 'x y' z
umask 027; remote -b b touch masked; stat -c %a masked; umask 022
printf 'one\ntwo\nthree\nfour\n' > lines
exec 3< lines
read -r line <&3; echo "a reads $line"
remote -b b sh -c 'read -r line <&3; echo "b reads $line"'
read -r line <&3; echo "a reads $line"
remote -b b sh -c 'read -r line; echo "b reads $line"' <&3
exec 3<&-
{ echo a1; remote -b b echo b1; echo a2; remote -b b echo b2; } > both; cat both
exec 4> both; echo first >&4; remote -b b sh -c 'echo second >&4'; echo third >&4; exec 4>&-; cat both
echo input | remote -b b cat
remote -b b sh -c 'sleep 1; exit 5' & wait $!; echo "background $?"
remote -b b sleep 1000 & far=$!; sleep 1; kill $far; wait $far; echo "terminated $?"
remote -b b sh -c 'remote -b a uname -n; uname -n'
for i in 1 2 3 4 5; do remote -b b sh -c "exit $i" & done; wait; echo "all $?"
remote -b b sh -c 'sh -c "sleep 1; echo orphan > /tmp/orphan" & exit 0'; sleep 2; cat /tmp/orphan
remote -b b test -t 0; echo "terminal $?"
"#;

const SESSION_SAYS: &str = "status 9
Killed
killed 137
remote: nosuch: not found
not found 127
not executable 126
remote: there is no such board
no board 126
a
b
/usr/share
/tmp
here
[a b]
2 x y z
640
a reads one
b reads two
a reads three
b reads four
a1
b1
a2
b2
first
second
third
input
background 5
Terminated
terminated 143
a
b
all 0
orphan
terminal 0
";

/// Holds: remote-child.
#[test]
fn remote_child_behaves_as_local_child() {
    if clusters_can_run() {
        Renga::script(SESSION).end().expect_status(0).expect_text(SESSION_SAYS);
    }
}

/// A recording of what a person types, each line at its second.
fn typed(scratch: &Scratch, keys: &[(u64, &str)]) -> PathBuf {
    let machine = renga_profile::usual();
    let cores = |board: &SystemBoard| BoardConfig { cores: board.cores, ..BoardConfig::default() };
    let boards = system::system().checked.boards.iter().map(cores).collect();
    let mut config = ClusterConfig::new(PathBuf::new(), PathBuf::new(), boards);
    (config.shift, config.slice_ns) = (machine.instruction_ns.ilog2() as u8, machine.core_slice_ns);
    config.bus = BusConfig { rate_bps: machine.link_rate_bps, ..BusConfig::gpio() };
    config.epoch_s = EPOCH_S;
    let mut lines = vec![serde_json::to_string(&RecordingHeader::of(&config)).expect("it can be written")];
    for (second, text) in keys {
        let bytes = text.as_bytes().to_vec();
        let input = RecordedInput { board: 0, time_ns: second * 1_000_000_000, bytes };
        lines.push(serde_json::to_string(&input).expect("it can be written"));
    }
    scratch.write("typed", lines.join("\n").as_bytes())
}

fn replay(recording: &Path) -> Renga {
    Renga::run().with(["--stats".as_ref(), "--replay".as_ref(), recording.as_os_str()])
}

/// Holds: remote-child.
#[test]
fn remote_interrupt_key_reaches_program() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("keys");
    let recording = typed(
        &scratch,
        &[
            (20, "remote -b b sleep 1000\r"),
            (23, "\x03"),
            (26, "echo far $?\r"),
            (29, "remote -b b sh -c 'trap \"echo caught; exit 6\" INT; sleep 1000'\r"),
            (32, "\x03"),
            (38, "sleep 1000\r"),
            (41, "\x03"),
            (44, "echo near $?\r"),
            (47, "remote -b b cat\r"),
            (50, "typed\r"),
            (53, "\x04"),
            (56, "exit 4\r"),
        ],
    );
    let ended = replay(&recording).end().expect_status(4);
    let text = ended.text();
    for expected in ["\nfar 130\n", "caught\n", "\nnear 130\n", "typed\ntyped\n"] {
        assert!(text.contains(expected), "no {expected:?} in the session\n{}", ended.report());
    }
    assert!(ended.virtual_s() < 100.0, "the sleeps were not cut short\n{}", ended.report());
}

#[test]
fn remote_interrupt_key_reaches_real_time_spinner() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("spins");
    // The shell has no real-time policy, so that what is typed waits for what spins; the console and the key's signal
    // do not.
    let recording = typed(
        &scratch,
        &[
            (20, "chrt -f 50 sh -c 'while :; do :; done'\r"),
            (21, "\x03"),
            (22, "echo near $?\r"),
            (23, "remote -b b chrt -r 99 sh -c 'trap \"echo caught; exit 6\" INT; while :; do :; done'\r"),
            (24, "\x03"),
            (25, "echo far $?; exit 4\r"),
        ],
    );
    let ended = replay(&recording).end().expect_status(4);
    let text = ended.text();
    for expected in ["\nnear 130\n", "caught\n", "\nfar 6\n"] {
        assert!(text.contains(expected), "no {expected:?} in the session\n{}", ended.report());
    }
    assert!(ended.virtual_s() < 26.0, "it spun on\n{}", ended.report());
}

#[test]
fn remote_job_control_stops_and_continues() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("jobs");
    let mut keys = Vec::new();
    for (start_s, command) in [(20, "sleep 300\r"), (60, "remote -b b sleep 300\r")] {
        let steps = [command, "\x1a", "jobs; bg; jobs\r", "fg\r", "\x03", "echo status $?\r"];
        keys.extend((start_s..).step_by(3).zip(steps));
    }
    keys.push((100, "remote -b b sh\r"));
    keys.push((103, "uname -n; exit 5\r"));
    keys.push((106, "exit $(($? + 1))\r"));
    let ended = replay(&typed(&scratch, &keys)).end().expect_status(6);
    let text = ended.text();
    for (expected, times) in [("Stopped  ", 4), ("Running  ", 2), ("\nstatus 130\n", 2), ("\nb\n", 1)] {
        assert_eq!(text.matches(expected).count(), times, "{expected:?} in\n{}", ended.report());
    }
}

/// Holds: run-wrong-board.
#[test]
fn remote_unknown_board_is_refused() {
    if !clusters_can_run() {
        return;
    }
    let text = Renga::script("remote -b z true; echo $?; remote -b 7x true; echo $?").end().expect_status(0).text();
    let none = "remote: there is no such board\n126\n";
    assert_eq!(text, format!("{none}remote: -b needs a board: a letter or a number\n2\n"));
}

/// What is sent to `remote` on board a is for its command on board b, and it ends by the signal that ended that.
const SENT: &str = r#"
for signal in HUP USR1 USR2 TERM; do
    remote -b b sh -c "trap 'echo caught $signal; exit 6' $signal; while :; do sleep .05; done" & far=$!
    sleep .3; kill -$signal $far; wait $far; echo "$signal $?"
done
remote -b b sh -c 'sleep 1; echo still alive' & far=$!
sleep .3; kill $far; wait $far; echo "ended $?"; sleep 1
remote -b b sh -c 'trap "echo goes on" CONT; for i in 1 2 3 4 5 6 7 8 9 10; do sleep .1; done; echo over' & far=$!
sleep .3; kill -TSTP $far; sleep 2; echo stands; kill -CONT $far; wait $far; echo "stopped $?"
remote -b b sh -c 'kill -TERM $$'; echo "died $?"
"#;

const SENT_SAYS: &str = "caught HUP
HUP 6
caught USR1
USR1 6
caught USR2
USR2 6
caught TERM
TERM 6
Terminated
ended 143
stands
goes on
over
stopped 0
Terminated
died 143
";

/// Holds: remote-child.
#[test]
fn remote_signal_is_forwarded_to_command() {
    if clusters_can_run() {
        Renga::script(SENT).end().expect_status(0).expect_text(SENT_SAYS);
    }
}
