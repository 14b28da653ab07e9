//! Programs whose homes are all cores of their board behave, and are informed, as programs of one home.

use crate::support::{Renga, clusters_can_run};

/// Programs that end, are stopped, caught and killed by others, whose homes are other cores; what /proc says of them;
/// schedules; pipes, files, fifos between them.
const SCRIPT: &str = r#"
loop() { i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; }
all=; for n in 1 2 3 4 5 6 7; do (loop; exit $n) & all="$all $!"; done
for one in $all; do wait $one; echo $?; done
sleep 100 & kill $!; wait $!; echo $?
for n in 1 2 3 4; do
    sh -c 'trap "echo caught; exit 3" USR1; while :; do :; done' & one=$!
    sleep 0.01; cut -d ' ' -f 3 /proc/$one/stat; taskset -p 4 $one | sed 's/.* //'
    sleep 0.01; kill -STOP $one; sleep 0.01; cut -d ' ' -f 3 /proc/$one/stat; kill -CONT $one
    kill -USR1 $one; wait $one; echo $?
done
sleep 1 & sleep 0.01; cut -d ' ' -f 3 /proc/$!/stat; kill $!
seq 3000 | sort -rn | head -n 2 | tail -n 1
dd if=/dev/zero bs=64k count=20 2>&- | gzip -1 | gunzip | wc -c
for n in 1 2 3 4 5 6; do seq $n 20 > /tmp/f$n & done; wait; cat /tmp/f? | wc -l
mkfifo /tmp/p; (seq 5 > /tmp/p) & tail -n 1 /tmp/p; wait
many() { i=0; while [ $i -lt 120 ]; do /bin/true; i=$((i + 1)); done; }; many & many & many & many & wait
while read name _ _ system _; do case $name in cpu?) [ $system -gt 0 ] && echo $name;; esac; done < /proc/stat
"#;

/// Of each of four: it computes, may use all cores, then the third one only, is stopped, is caught, ends.
const OF_ONE: &str = "R\nf\n4\nT\ncaught\n3\n";

/// Holds: cores-homes.
#[test]
fn homes_four_match_results_of_one() {
    if !clusters_can_run() {
        return;
    }
    let figures = format!("1\n2\n3\n4\n5\n6\n7\n143\n{}S\n2999\n1310720\n105\n5\n", OF_ONE.repeat(4));
    let ended = Renga::script(SCRIPT).with(["--system", "homes4"]).end().expect_status(0);
    let text = ended.text().replace("Terminated\n", "");
    let served = text.strip_prefix(figures.as_str()).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(served, "cpu0\ncpu1\ncpu2\ncpu3\n", "system calls are served on all cores");
}
