//! A board's information on itself: its log, and the system as placed.

use crate::support::{Renga, clusters_can_run, system};

/// Holds: proc-files.
#[test]
fn procfs_log_is_read_on_its_board() {
    if !clusters_can_run() {
        return;
    }
    // A call that is not there is logged by the slot, once; so is the end of boot by the kernel.
    let session = r#"
swapon /dev/null 2> /dev/null; remote -b b sh -c 'swapon /dev/null 2> /dev/null; swapoff /dev/null 2> /dev/null'
for where in a b; do
  remote -b $where sh -c 'dmesg | grep -c "kernel: processes, bytes of boot memory left"
    dmesg | grep -o "user [0-9]*: system call not implemented: swap.*" | tr -d 0-9
    dmesg | cut -c2-11 | sort -c && echo sorted; dmesg -r | cmp - /proc/renga/log && echo same'
done
dmesg -c 2> /dev/null || echo kept
"#;
    let found = Renga::script(session).end().expect_status(0).text();
    let line = |name: &str| format!("user : system call not implemented: {name} xe x\n");
    let a = format!("1\n{}sorted\nsame\n", line("swapon"));
    let b = format!("1\n{}{}sorted\nsame\n", line("swapon"), line("swapoff"));
    let wanted = format!("{a}{b}kept\n");
    assert_eq!(found, wanted);
}

/// Holds: proc-files.
#[test]
fn procfs_edges_list_call_counts() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
calls() { awk '$1 == "b" && $2 == "user" && $4 == "path_lookup" { print $6 }' /proc/renga/edges; }
before=$(calls); remote -b b mkdir /tmp/counted; after=$(calls)
[ $after -gt $before ] && echo counted
awk '$1 == "a" && $2 == "lookup_worker" && $4 == "inode" { print $3, $5 ~ /Find/, $6 }' /proc/renga/edges
remote -b b awk '$1 == "a" { print $2, $4 }' /proc/renga/edges | grep revocations | sort
awk '$2 == "disk" || $2 == "router" { print }' /proc/renga/system
"#;
    let edges = "counted\na 1 -\nrevocations name_cache\nrevocations page_cache\n";
    let core = |kind: &str, board: usize| system::cores_of(kind, board).first().copied().expect("it has one");
    let routers = system::boards().into_iter().enumerate();
    let routers: String = routers.map(|(at, board)| format!("{board} router 1 {}\n", core("router", at))).collect();
    let placed = format!("a disk 1 {}\n{routers}", core("disk", 0));
    Renga::script(session).end().expect_status(0).expect_text(&format!("{edges}{placed}"));
}
