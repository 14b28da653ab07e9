//! Debian's procps, unmodified, on the image `dev`.

use crate::images::{dev, packages_can_be_had};
use crate::support::{Disk, clusters_can_run};

/// What runs on a board, while `sleep 1001` runs on a and `sleep 1002` on b.
const SESSION: &str = r#"
export LC_ALL=C TERM=linux
ps -eo stat,tty,args | awk '$3 == "sleep" { $1 = $1; print }' | sort; echo ps $?
ps -ef | head -n 1 | tr -s ' '; echo ps-ef $?
ps aux | awk '/[s]leep 1001/ { print $1, $8, $11, $12 }'; echo aux $?
top -b -n 1 | sed -n '2s/  *[0-9]\+/ 9/gp' | cut -d, -f 1; echo top $?
top -b -n 1 | grep -c ' sleep$'; echo top $?
free -b | awk '/^Mem/ { print ($2 > 100000000), ($3 < $2) }'; echo free $?
uptime | grep -c 'load average'; echo uptime $?
script -qc 'ps -o stat=,tty= -p $$; exit' /dev/null | tr -d '0-9\r' | awk '{ print $1, $2 }'; echo terminal $?
python3 -c 'import ctypes; ctypes.CDLL(None).prctl(38, 1, 0, 0, 0); print(open("/proc/self/status").read().split("NoNewPrivs:")[1][:2])'; echo privileges $?
pgrep -c -f '^sleep 100'; echo pgrep $?
vmstat | wc -l; echo vmstat $?
pmap $$ | awk 'NR > 1 { print $1 == "total", $NF ~ /^[0-9]+K$/ }' | tail -n 1; echo pmap $?
bash -c 'cat <(echo one) <(echo two)'; echo bash $?
"#;

const EXPECTED: &str = "S console sleep 1001
S console sleep 1002
ps 0
UID PID PPID C STIME TTY TIME CMD
ps-ef 0
root S sleep 1001
aux 0
Tasks: 9 total
top 0
2
top 0
1 1
free 0
1
uptime 0
Ss+ pts/
terminal 0
	1
privileges 0
2
pgrep 0
3
vmstat 0
1 1
pmap 0
one
two
bash 0
";

/// Holds: proc-tools.
#[test]
fn procfs_procps_works_on_both_boards() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let session = "sleep 1001 & one=$!; remote -b b sleep 1002 & sleep 0.2; sh /host/session.sh; remote -b b sh /host/session.sh; \
        pkill -f 'sleep 1002'; kill $one; wait; pgrep sleep; echo left $?";
    let files = [("/host/session.sh".to_string(), SESSION.as_bytes().to_vec())];
    let disk = Disk::of("procps", dev(), session, &files);
    disk.run_on("pair").expect_status(0).expect_text(&format!("{EXPECTED}{EXPECTED}left 1\n"));
}
