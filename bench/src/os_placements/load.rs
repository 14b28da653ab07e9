//! The load: a short job on each board, one after the other. What they do differs, so no two boards are alike.
//!
//! Not here: where the system's processes are.

use super::placement::{BOARDS, OsPlacement, SYSTEM};
use crate::run::{BenchMachine, BenchRun, CostProfile};

/// By board: names and attributes, data of files, lines for the terminal, changes of directories.
const JOBS: [&str; 4] = [
    "ls -l /usr/bin | sort -r | head -n 3; ls -l /usr/bin | wc -l",
    "cp /etc/passwd /tmp/p; cat /tmp/p /etc/group | wc; head -c 40000 /bin/busybox | md5sum",
    "i=0; while [ $i -lt 40 ]; do echo \"line $i\"; i=$((i+1)); done",
    "mkdir d; for i in 1 2 3 4; do echo $i > d/$i; done; mv d/1 d/7; ls d; rm -r d",
];

/// A run of the load where a placement has the system's processes.
pub(super) fn run(profile: CostProfile, placement: &OsPlacement) -> BenchRun {
    let job = |(board, job): (&&str, &&str)| format!("on {board} /usr/lib/renga/measure {board} sh -c '{job}'\n");
    let script: String = BOARDS.iter().zip(&JOBS).map(job).collect();
    BenchRun::new(BenchMachine::Cluster(SYSTEM), profile, "small", &script).with_moved(placement.moved())
}
