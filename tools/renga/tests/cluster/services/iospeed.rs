//! Control of a program's speed through its I/O (docs/decisions/0069-paced-io.md): what the command says and does, on
//! two boards.

use crate::images::{dev, packages_can_be_had};
use crate::support::{Disk, Ended, Renga, clusters_can_run};
use std::collections::BTreeMap;

/// What can be seen and set, and what is refused.
const SETTINGS: &str = r#"
cd /proc/renga/iospeed; ls -1; cat programs
iospeed --factor 0.9 true; echo "$?"
iospeed --rate 0 true; echo "$?"
iospeed --rate 5 --period 15 true; echo "$?"
iospeed --factor 2 --pid 99999; echo "$?"
iospeed --factor 2 --pid 1; echo "$?"
iospeed --factor 2 nosuch; echo "$?"
sleep 100 & sleep 0.1; echo "$! wait 2.5" > programs; iospeed | cut -d ' ' -f 1,4-
iospeed --rate 50 --period 100 --variable --pid $!; iospeed --status | cut -d ' ' -f 1,4-
(echo "$! wait 0.5" > programs) 2> /dev/null; echo "$?"
(echo "$! loop 2 or 3" > programs) 2> /dev/null; echo "$?"
iospeed --factor 1000.5 --pid $!; iospeed --status | cut -d ' ' -f 1,4-
iospeed --off --pid $!; cat programs; kill $!; wait $! 2> /dev/null
remote -b b iospeed --factor 2 sh -c 'remote -b a cat /proc/renga/iospeed/programs; true' | cut -d ' ' -f 1,4-
iospeed --factor 3 sh -c 'exit 7'; echo "$?"
for wrong in '--factor' '--factor 2 --rate 3 true' '--pid 5' '--off true --loop' '--rate 2 --loop true' '--factor 2'; do
  iospeed $wrong 2> /dev/null; echo "$?"
done
"#;

const SETTINGS_SAYS: &str = "programs
board pid delayed_ms pace name
iospeed: a factor is 1 to 1000, a rate 1 to 9999, a period 10 to 10000 ms in steps of 10, a pid a number; nothing is changed
1
iospeed: a factor is 1 to 1000, a rate 1 to 9999, a period 10 to 10000 ms in steps of 10, a pid a number; nothing is changed
1
iospeed: a factor is 1 to 1000, a rate 1 to 9999, a period 10 to 10000 ms in steps of 10, a pid a number; nothing is changed
1
iospeed: there is no such process
1
iospeed: init's I/O cannot be slowed down
1
iospeed: nosuch: not found
127
board pace name
a wait 2.500 sleep
board pace name
a variable 50 100 sleep
1
1
iospeed: a factor is 1 to 1000, a rate 1 to 9999, a period 10 to 10000 ms in steps of 10, a pid a number; nothing is changed
board pace name
a variable 50 100 sleep
board pid delayed_ms pace name
board pace name
a wait 2 cat
b wait 2 sh
b wait 2 remote
7
2
2
2
0
2
2
";

/// Holds: iospeed-control.
#[test]
fn iospeed_paces_written_by_command_are_read_back() {
    if clusters_can_run() {
        let ended = Renga::script(SETTINGS).end();
        assert_eq!(ended.text(), SETTINGS_SAYS, "{}", ended.report());
    }
}

/// Reads the disk: alone, at three paces at once, each beside a program that computes, and one whose pace changes
/// meanwhile.
const SPEEDS: &str = r#"
dread() { /usr/lib/renga/measure $1 dd if=/dev/root of=/dev/null bs=4096 skip=$2 count=$3 2> /dev/null; }
dread warm 8 1; dread nothing 9 0; dread once 300 100
while :; do :; done & load=$!
pace() { iospeed $1 /usr/lib/renga/measure $2 dd if=/dev/root of=/dev/null bs=4096 skip=$3 count=100 2> /dev/null; }
pace '--factor 4' four 400 > four & one=$!
pace '--factor 10' ten 600 > ten & two=$!
pace '--rate 10 --period 50' rate 800 > rate & three=$!
wait $one $two $three; cat four ten rate
pace '--factor 1000' changed 1000 > changed & sleep 0.2
while read -r board pid pace; do case $pace in *dd) iospeed --off --pid $pid;; esac; done < /proc/renga/iospeed/programs
wait $!; cat changed
pace '--factor 1000' killed 1200 & sleep 0.2
while read -r board pid pace; do case $pace in *dd) kill $pid;; esac; done < /proc/renga/iospeed/programs
wait $!; kill $load; wait $load 2> /dev/null; echo over
"#;

/// How long each measured command took, ms.
fn measured_ms(ended: &Ended) -> BTreeMap<String, f64> {
    let measured = |line: &str| {
        let mut words = line.strip_prefix("measured ")?.split(' ');
        Some((words.next()?.to_string(), words.nth(3)?.parse::<f64>().ok()? / 1e6))
    };
    ended.text().lines().filter_map(measured).collect()
}

/// Holds: iospeed-factor.
#[test]
fn iospeed_several_programs_keep_their_rates() {
    if clusters_can_run() {
        let ended = Renga::script(SPEEDS).end();
        let text = ended.text();
        let ms = measured_ms(&ended);
        let once = ms["once"] - ms["nothing"];
        for (name, factor) in [("four", 4.0), ("ten", 10.0)] {
            let achieved = (ms[name] - ms["nothing"]) / once;
            assert!((achieved / factor - 1.0).abs() < 0.01, "{name}: {achieved:.3}\n{}", ended.report());
        }
        // Ten periods of 50 ms, of which the first and the last are not whole.
        assert!((400.0..=510.0).contains(&ms["rate"]), "{}", ended.report());
        // One read took 1000 times as long, the others as long as any.
        assert!(ms["changed"] < 1500.0 && ms["killed"] < 1500.0, "{}", ended.report());
        assert!(text.ends_with("over\n"), "{}", ended.report());
    }
}

/// The paper's user library, compiled there and preloaded into a dynamic program that reads the disk 60 times, or not
/// at all: without a factor, with ours, with the paper's timer of 10 ms as version A and B; and into a static program,
/// which it does not concern.
const LIBRARY: &str = r#"
cd /tmp; tcc -shared -o iospeed.so /usr/lib/renga/iospeed.c || exit 1
reads() {
  IOSPEED_FACTOR=$2 IOSPEED_TIMER_US=$3 IOSPEED_SKIP=$4 LD_PRELOAD=./iospeed.so /usr/lib/renga/measure $1 perl -e '
    open F, "<", "/dev/root"; for ($i = 0; $i < $ARGV[1]; $i++) { sysseek F, ($ARGV[0] + $i) * 8192, 0; sysread F, $b, 1024 }' $5 $6
}
reads warm 1 0 0 2000 1
at=2100
for how in '1-0 1 0 0' '4-0 4 0 0' '10-10000-a 10 10000 0' '10-10000-b 10 10000 1'; do
  reads none-$how $at 0; reads some-$how $at 60; at=$((at + 100))
done
IOSPEED_FACTOR=4 LD_PRELOAD=./iospeed.so busybox cat /etc/hostname > /dev/null; echo "static $?"
"#;

/// Holds: iospeed-library.
#[test]
fn iospeed_library_slows_dynamic_program() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let ended = Disk::of("iospeed-library", dev(), LIBRARY, &[]).on("solo").end().expect_status(0);
    let ms = measured_ms(&ended);
    let each = |name: &str| (ms[&format!("some-{name}")] - ms[&format!("none-{name}")]) / 60.0;
    let once = each("1-0");
    assert!((0.3..1.0).contains(&once), "{once}\n{}", ended.report());
    assert!((each("4-0") / once / 4.0 - 1.0).abs() < 0.02, "{ms:?}");
    // A tenth of the timer, so that each sleep ends with it; too short for version B.
    assert!((each("10-10000-a") / 10.0 - 1.0).abs() < 0.02, "{ms:?}");
    assert!((each("10-10000-b") / once - 1.0).abs() < 0.02, "{ms:?}");
    assert!(ended.text().contains("static 0"), "{}", ended.report());
}
