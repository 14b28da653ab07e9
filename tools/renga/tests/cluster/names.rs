//! Names and status that a board without the disk caches: a repeated lookup there sends no frame.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Does `what` `times` times on b; the frames of the whole run.
fn frames(what: &str, times: u32) -> u32 {
    let session = format!("remote -b b sh -c 'n={times}; while [ $n -gt 0 ]; do {what}; n=$((n - 1)); done'; exit 4");
    Renga::script(&session).with(["--stats"]).end().expect_status(4).frames()
}

/// Holds: lookup-cached.
#[test]
fn name_cache_repeated_lookup_sends_no_frame() {
    if !clusters_can_run() {
        return;
    }
    // No program is run for it.
    let lookups = "[ -f /etc/passwd ]; [ -L /bin/sh ]; [ -d /usr/lib/renga/.. ]; [ -e /root/none ] && exit 5";
    let (few, many) = (frames(lookups, 10), frames(lookups, 510));
    println!("{few} frames for 10 rounds of lookups, {many} for 510");
    // Time goes on meanwhile: what boards say to each other now and then.
    assert!(many <= few + 20, "{few} frames for 10 rounds of lookups, {many} for 510");
}

/// Holds: lookup-cached.
#[test]
fn name_cache_repeated_exec_sends_no_frame() {
    if !clusters_can_run() {
        return;
    }
    let runs = "/usr/lib/renga/nothing; cat /dev/null; read line < /etc/passwd; cd /usr; cd /";
    let (few, many) = (frames(runs, 5), frames(runs, 55));
    println!("{few} frames for 5 rounds of runs, {many} for 55");
    assert!(many <= few + 40, "{few} frames for 5 rounds of runs, {many} for 55");
}

#[test]
fn name_cache_repeated_dynamic_exec_sends_no_frame() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let frames = |times: u32| {
        let session = format!("remote -b b sh -c 'n={times}; while [ $n -gt 0 ]; do lua5.4 -e 1; n=$((n - 1)); done'");
        Renga::script(&session).with(["--image", "dev", "--stats"]).end().expect_status(0).frames()
    };
    let (few, many) = (frames(5), frames(55));
    println!("{few} frames for 5 runs of lua, {many} for 55");
    // Three calls a run are left; a mapping of a library makes none.
    assert!(many <= few + 50 * 3 * 2 + 40, "{few} frames for 5 runs of lua, {many} for 55");
}

#[test]
fn name_cache_change_by_other_board_is_seen_at_once() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
mkdir /root/d; echo 1 > /root/d/f; ln -s d /root/l
cat > /root/list << 'end'
for path in /root/d/f /root/l/f /root/e/f; do stat -c '%n %A %s %h' $path 2> /dev/null || echo $path none; done
end
show() { echo "$1"; remote -b b sh /root/list > /root/seen; sh /root/list | cmp - /root/seen; remote -b b sh /root/list; }
show begun; chmod 600 /root/d/f; show chmod; echo 22 >> /root/d/f; show grown; ln /root/d/f /root/x; show linked
mv /root/d /root/e; show moved; rm /root/l; ln -s e /root/l; show turned; rm /root/e/f; show removed
remote -b b touch /root/e/f; sh /root/list | cut -d ' ' -f 1,3-
"#;
    let said = |step: &str, files: [&str; 3]| {
        let [d, l, e] = files;
        format!("{step}\n/root/d/f {d}\n/root/l/f {l}\n/root/e/f {e}\n")
    };
    let (small, private) = ("-rw-r--r-- 2 1", "-rw------- 2 1");
    let (grown, linked) = ("-rw------- 5 1", "-rw------- 5 2");
    let wanted = [
        said("begun", [small, small, "none"]),
        said("chmod", [private, private, "none"]),
        said("grown", [grown, grown, "none"]),
        said("linked", [linked, linked, "none"]),
        said("moved", ["none", "none", linked]),
        said("turned", ["none", linked, linked]),
        said("removed", ["none"; 3]),
        "/root/d/f \n/root/l/f 0 1\n/root/e/f 0 1\n".into(),
    ];
    let found = Renga::script(session).end().expect_status(0).text();
    assert_eq!(found, wanted.concat());
}

#[test]
fn name_cache_existence_and_open_status_send_no_frame() {
    if !clusters_can_run() {
        return;
    }
    // An existing directory is created again; `id` queries its open files.
    let lookups = "[ -d /usr/lib ]; mkdir /usr/lib 2>&-; [ -x /bin/sh ]; [ -w /etc/passwd ]; u=$(id -un)";
    let (few, many) = (frames(lookups, 5), frames(lookups, 55));
    println!("{few} frames for 5 rounds, {many} for 55");
    assert!(many <= few + 40, "{few} frames for 5 rounds, {many} for 55");
}

#[test]
fn name_cache_stat_of_remotely_written_file_moves_no_page() {
    if !clusters_can_run() {
        return;
    }
    let asked = |times| {
        frames(&format!("echo x > /tmp/f; n={times}; while [ $n -gt 0 ]; do [ -s /tmp/f ]; n=$((n - 1)); done"), 1)
    };
    let (few, many) = (asked(5), asked(55));
    println!("{few} frames for 5 lookups, {many} for 55");
    // Two calls: of the lookup worker, and of the page cache that has the file.
    assert!(many - few <= 50 * 7, "{few} frames for 5 lookups, {many} for 55");
}

/// Holds: lookup-cached.
#[test]
fn name_cache_refusals_send_no_frame() {
    if !clusters_can_run() {
        return;
    }
    // `readlink` is a builtin of no shell, but runs again without a frame.
    let lookups = "[ -x /etc/passwd ] && exit 5; [ -x /usr/lib ]; readlink /etc/passwd && exit 6; [ -x /bin/sh ]";
    let (few, many) = (frames(lookups, 5), frames(lookups, 55));
    println!("{few} frames for 5 rounds, {many} for 55");
    assert!(many <= few + 40, "{few} frames for 5 rounds, {many} for 55");
}

#[test]
fn link_partial_page_sends_valid_bytes_only() {
    if !clusters_can_run() {
        return;
    }
    let frames = |files: u32| {
        let session = format!(
            "mkdir /root/d; i=0; while [ $i -lt {files} ]; do echo short $i > /root/d/$i; i=$((i + 1)); done; \
             remote -b b sh -c 'cat /root/d/* | tail -n 1; exit 4'"
        );
        let end = Renga::script(&session).with(["--stats"]).end();
        end.expect_status(4).frames()
    };
    let (few, many) = (frames(10), frames(60));
    println!("{few} frames to read 10 short files elsewhere, {many} for 60");
    // Three calls a file, none of which carries a page.
    assert!(many <= few + 50 * 9, "{few} frames to read 10 short files, {many} for 60");
}
