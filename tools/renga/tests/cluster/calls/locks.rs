//! Locks on files between boards.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Each board adds one to a number in a file, many times; without the lock additions get lost.
#[test]
fn flock_between_boards_excludes() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = r#"
        echo 0 > /tmp/number
        cat > /tmp/add <<'END'
i=0; while [ $i -lt 20 ]; do
flock /tmp/lock sh -c 'read n < /tmp/number; echo $((n+1)) > /tmp/number'
i=$((i+1)); done
END
        sh /tmp/add & remote -b b sh /tmp/add; wait
        cat /tmp/number
        flock -o /tmp/lock sleep 3 & p=$!; sleep 0.2
        remote -b b flock -n /tmp/lock true; echo locked $?
        kill -9 $p
        remote -b b flock -n /tmp/lock true; echo free $?
    "#;
    let text = Renga::script(script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("Killed") && !line.is_empty()).collect();
    assert_eq!(lines, ["40", "locked 1", "free 0"], "{text}");
}

/// Two programs that add rows to one database through its write-ahead log, which both map: none gets lost.
#[test]
fn sqlite_two_writers_lose_no_row() {
    add_rows("sh add p & sh add q &");
}

/// The same on two boards.
#[test]
fn sqlite_writers_on_two_boards_lose_no_row() {
    add_rows("sh add p & remote -b b sh add q &");
}

fn add_rows(writers: &str) {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let script = r#"
        cd /tmp
        sqlite3 rows.db 'pragma journal_mode=wal; create table rows(number, writer);'
        cat > add <<'END'
i=0; while [ $i -lt 25 ]; do echo "insert into rows values($i, '$1');"; i=$((i+1)); done | sqlite3 -cmd '.timeout 60000' rows.db
END
        WRITERS wait
        sqlite3 rows.db 'select count(*), count(distinct writer) from rows; pragma integrity_check;'
    "#;
    let script = script.replace("WRITERS", writers);
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["wal", "50|2", "ok"], "{text}");
}
