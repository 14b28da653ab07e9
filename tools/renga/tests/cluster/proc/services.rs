//! What the services refuse, by their commands and by their files: they say why, and nothing is changed.

use crate::support::{Renga, clusters_can_run};

const USAGE: &str = "usage:";
const PID: &str = "background: there is no such process to be a job";
const GONE: &str = "there is no such process";
const NAMES: &str = "background: too many names, or one that no program can have; nothing is changed";
const POLICY: &str = "background: a policy is off, eii or ipd";
const THRESHOLD: &str = "no such threshold, or its value is not allowed; nothing is changed";
const PACE: &str = "iospeed: a factor is 1 to 1000, a rate 1 to 9999, a period 10 to 10000 ms in steps of 10, a pid a number; nothing is changed";
const BATCHING: &str = "reclaimctl: batching is on or off";

/// The request, and the message. `$gone` and `$far` were programs of a and of b, `$there` is one.
const REFUSED: &[(&str, &str)] = &[
    ("background --pid $gone", GONE),
    ("background --pid $far", GONE),
    ("background --pid 0", PID),
    ("background --pid -5", PID),
    ("background --pid 18446744073709551616", PID),
    ("background --pid", USAGE),
    ("background --pid $there $there", USAGE),
    ("background --policy EII", POLICY),
    ("background --policy eii ipd", POLICY),
    ("background --threshold cpu 101", THRESHOLD),
    ("background --threshold cpu -1", THRESHOLD),
    ("background --threshold cpu", THRESHOLD),
    ("background --threshold cpu 80 disk 101", THRESHOLD),
    ("background --threshold disk 4294967296", THRESHOLD),
    ("background --threshold eii_first_ms 9", THRESHOLD),
    ("background --threshold eii_most_ms 600001", THRESHOLD),
    ("background --threshold cpu 80x", THRESHOLD),
    ("background --ignore a b c d e f g h i j k l m n o p q r s t", NAMES),
    ("background --ignore $(printf %0256d 0)", NAMES),
    ("iospeed --factor 0 true", PACE),
    ("iospeed --factor 0.999 true", PACE),
    ("iospeed --factor -2 true", PACE),
    ("iospeed --factor 1000.001 true", PACE),
    ("iospeed --factor nan true", PACE),
    ("iospeed --factor 1.0001 true", PACE),
    ("iospeed --factor 99999999999999999999 true", PACE),
    ("iospeed --factor 0.5 --pid $there", PACE),
    ("iospeed --factor 2 --pid $gone", GONE),
    ("iospeed --factor 2 --pid $far", GONE),
    ("iospeed --off --pid $gone", GONE),
    ("iospeed --rate 10000 true", PACE),
    ("iospeed --rate 1 --period 10001 true", PACE),
    ("iospeed --rate 1 --period 0 true", PACE),
    ("reclaimctl --threshold requests 10000001", THRESHOLD),
    ("reclaimctl --threshold free_pages 999999999", THRESHOLD),
    ("reclaimctl --threshold batch_pages 0", THRESHOLD),
    ("reclaimctl --threshold requests 9 batch_pages", THRESHOLD),
    ("reclaimctl --batching on off", BATCHING),
    ("reclaimctl --status x", USAGE),
];

/// What `echo` writes into a file and is refused: nothing, and what is too long, is so everywhere.
const FILES: &[(&str, &str)] = &[
    ("background/policy", "fast"),
    ("background/thresholds", "cpu 80 cpu"),
    ("background/jobs", "1"),
    ("background/state", "eii"),
    ("reclaim/batching", "perhaps"),
    ("reclaim/thresholds", "requests -3"),
    ("reclaim/state", "0"),
    ("iospeed/programs", "$there wait 0.9"),
    ("mark", "two words"),
];

/// Settings, jobs and paces of b and of a, before all and after each.
const HEAD: &str = r#"
sleep 0.01 & gone=$!; wait $gone
remote -b b sh -c 'sleep 0.01 & echo $! > /tmp/far; wait'; far=$(cat /tmp/far)
sleep 1000 & there=$!; long=$(head -c 5000 /dev/zero | tr '\0' x)
cd /proc/renga; background --pid $there; iospeed --factor 3 --pid $there
all() { cat background/policy background/thresholds background/ignored background/jobs reclaim/batching reclaim/thresholds iospeed/programs; }
all > /tmp/before; grep -c sleep /tmp/before
same() { all > /tmp/after; cmp /tmp/before /tmp/after; }
by() { "$@" > /tmp/said 2>&1; [ $? = 1 -o $? = 2 ] || echo "it is done: $*"; head -n 1 /tmp/said; same; }
to() { (echo "$2" > $1) 2> /dev/null && echo "$1 takes $2"; same; }
"#;

/// Holds: proc-writes.
#[test]
fn services_refused_setting_changes_nothing() {
    if !clusters_can_run() {
        return;
    }
    let mut script = HEAD.to_string();
    REFUSED.iter().for_each(|(command, _)| script += &format!("by {command}\n"));
    for (file, text) in FILES {
        script += &format!("to {file} \"{text}\"; to {file} ''; to {file} $long\n");
    }
    let ended = Renga::script(&script).end().expect_status(0);
    let text = ended.text();
    let said: Vec<&str> = text.lines().collect();
    let (first, said) = said.split_first().expect("how often the program is listed");
    assert_eq!(*first, "2", "the job, which is paced\n{}", ended.report());
    for ((command, wanted), said) in REFUSED.iter().zip(said) {
        assert!(said.contains(wanted), "{command}: {said}\n{}", ended.report());
    }
    assert_eq!(said.len(), REFUSED.len(), "{}", ended.report());
}
