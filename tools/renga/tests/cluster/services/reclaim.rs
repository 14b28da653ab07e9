//! How page frames are reclaimed (docs/design/memory-and-page-cache.md): what the command says and does, on two boards.

use crate::support::{Renga, Scratch, clusters_can_run};
use std::fs;

/// What can be seen and set, and what is refused.
const SETTINGS: &str = r#"
cd /proc/renga/reclaim; ls -1; cat batching
reclaimctl --batching yes; echo "$? $(cat batching)"
reclaimctl --threshold requests 0; echo "$?"
reclaimctl --threshold free_pages 9; echo "$?"
reclaimctl --threshold requests 9 pages 4; echo "$? $(head -n 1 thresholds)"
(echo on off > batching) 2> /dev/null; echo "$? $(cat batching)"
(echo 3 > state) 2> /dev/null; echo "$?"
reclaimctl --other 2> /dev/null; echo "$?"
reclaimctl --threshold requests 9 batch_pages 4000; cat thresholds | grep -v free_pages
echo on > batching; reclaimctl --batching; remote -b b reclaimctl --batching
remote -b b reclaimctl --batching on; remote -b b cat /proc/renga/reclaim/batching
reclaimctl --batching off; cat batching; remote -b b cat /proc/renga/reclaim/batching
reclaimctl | sed -n '1p;3,5p'
"#;

const SETTINGS_SAYS: &str = "batching
state
thresholds
off
reclaimctl: batching is on or off
1 off
reclaimctl: no such threshold, or its value is not allowed; nothing is changed
1
reclaimctl: no such threshold, or its value is not allowed; nothing is changed
1
reclaimctl: no such threshold, or its value is not allowed; nothing is changed
1 requests 1500
1 off
1
2
requests 9
batch_pages 4000
on
off
on
off
on
pages free low high
by begun steps pages us
reclaimer 0 0 0 0
batcher 0 0 0 0
";

/// Holds: proc-writes.
#[test]
fn reclaim_settings_written_by_command_are_read_back() {
    if clusters_can_run() {
        let ended = Renga::script(SETTINGS).end().expect_status(0);
        assert_eq!(ended.text(), SETTINGS_SAYS, "{}", ended.report());
    }
}

/// On two boards with 16 MiB each, programs read and write files of 18: memory is kept above its low mark by the
/// ordinary reclaimer, or by the batcher, and what is read is what was written.
const STREAMS: &str = r#"
cd /tmp
counts() { set -- $(cat /proc/renga/reclaim/state); [ $6 -ge $(($7 / 2)) ] || echo "few are free: $6"; echo ${17} ${22}; }
dd if=/dev/urandom of=big bs=64k count=288 2> /dev/null; sync
sum=$(md5sum < big); far() { remote -b b "$@"; }
set -- $(far cat /proc/renga/reclaim/state); free=$6
[ "$(far dd if=big bs=64k 2> /dev/null | md5sum)" = "$sum" ] || echo "another sum from b"
set -- $(counts); [ $1 -gt 4000 -a $2 = 0 ] || echo "a: $*"
# Of 4,608 pages b keeps what it has frames for; its reclaimer has returned all others before an allocation found none free.
far cat /proc/renga/reclaim/state | { set -- $(cat); [ ${17} -gt 500 -a $((${17} + free - $6)) -ge 4600 ] || echo "b: $free $*"; }
# Two seconds pass before a second's requests are known; from then on only the batcher works, beside 1,280 pages a second.
reclaimctl --threshold requests 500 free_pages 2000 batch_pages 2000; reclaimctl --batching on
before=$1; for i in 1 2 3; do iospeed --rate 20 --period 1000 dd if=big of=/dev/null bs=256k 2> /dev/null; done
set -- $(counts); [ $2 -ge 6000 ] || echo "no batches: $*"
[ $(($1 - before)) -le 3000 ] || echo "the ordinary one worked beside it: $before $*"
# Memory is short, and not because of files.
before=$2; (ulimit -u 4096; dd if=/dev/zero of=/dev/null bs=12M count=1 2> /dev/null; sleep 2)
set -- $(counts); [ $2 = $before ] || echo "a batch for nothing: $before $*"
"#;

/// Holds: reclaim-marks.
#[test]
fn reclaim_files_larger_than_memory_work_on_both_boards() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("reclaim");
    let pair = fs::read_to_string("../../sysprocs/systems/pair.toml").unwrap();
    let limited = pair.replace("message_kib = 1536 }", "message_kib = 1536, memory_mib = 16 }");
    assert_eq!(limited.matches("memory_mib").count(), 2, "{limited}");
    let file = scratch.join("limited.toml");
    fs::write(&file, limited).unwrap();
    let ended = Renga::script(STREAMS).with(["--system"]).with([file.as_os_str()]).end().expect_status(0);
    assert_eq!(ended.text(), "", "{}", ended.report());
}
