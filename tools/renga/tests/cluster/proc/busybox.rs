//! busybox' own tools, which read `/proc`.

use crate::support::{Renga, clusters_can_run};

/// Holds: proc-tools.
#[test]
fn procfs_busybox_ps_and_kill_reach_both_boards() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
sleep 1001 & remote -b b sleep 1002 &
sleep 0.1
for where in a b; do
  remote -b $where sh -c 'ps -o comm,args | grep "^sleep  *sleep" | sort; pidof sleep | wc -w
    top -b -n 1 | grep -c " sleep 100.$"; free | awk "/Mem/ { print (\$2 > 100000), (\$3 < \$2) }"
    uptime | grep -c "load average"'
done
kill $(ps -o pid,comm,args | awk '$2 == "sleep" && $4 == 1002 { print $1 }'); sleep 0.1; pidof sleep | wc -w
killall sleep; sleep 0.1; pidof sleep | wc -w
"#;
    let each = "sleep            sleep 1001\nsleep            sleep 1002\n2\n3\n1 1\n1\n";
    Renga::script(session).end().expect_status(0).expect_text(&format!("{each}{each}1\n0\n"));
}
