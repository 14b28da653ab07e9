//! What serves programs by their page frames on other cores than the programs' home: page cache, memory, open files.

use crate::support::{Renga, Scratch, clusters_can_run, root};
use std::fs;

/// Each kind that may be elsewhere since frames, sessions and cards are of all cores, and its core; `user` is on core
/// 0.
const APART: [(&str, u8); 7] = [
    ("memory", 2),
    ("reclaimer", 2),
    ("page_cache", 1),
    ("data_writeback", 1),
    ("file", 3),
    ("references", 2),
    ("name_cache", 3),
];

/// The text of `solo4` with these lines changed.
fn system() -> String {
    let mut text = fs::read_to_string(root().join("sysprocs/systems/solo4.toml")).expect("it is there");
    for (kind, core) in APART {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(kind)).expect("a line of its own");
        assert!(!line.contains("core ="), "{line}");
        text = text.replacen(line, &line.replacen("on = \"a\"", &format!("on = \"a\", core = {core}"), 1), 1);
    }
    text
}

/// Files that are written, mapped and read by programs side by side; programs that alternate by one page; forks, pipes,
/// a mapping that its program reads and writes as a file, the view of /proc on programs' memory while they end.
const SCRIPT: &str = r#"
S=/usr/lib/renga/sharing; cd /tmp
cp /bin/busybox b; cmp /bin/busybox b && echo same
$S self own; $S memory 50
for way in map file; do $S alternate $way b 0 30 & $S alternate $way b 1 30; wait; echo $?; done; cp /bin/busybox b
for i in 1 2 3 4; do (for j in 1 2; do cat b | md5sum > sum$i; cmp b /bin/busybox; done; sync) & done; wait
cat sum* | uniq | wc -l
for i in 1 2 3; do sh -c 'true; true' & for pid in /proc/[0-9]*; do cat $pid/cmdline $pid/maps 2>&-; done > list; done; wait
grep -c '\[heap\]' list | sed 's/.*/heaps/'
truncate -s 100 b; cat b | wc -c; rm b own sum* list; ls /tmp
"#;
const SAYS: &str = "same\n256 256 256 0\nmemory 50 child 0\n0\n0\n1\nheaps\n100\n";

#[test]
fn placement_frame_servers_on_other_cores_serve_programs() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("apart");
    let file = scratch.join("apart.toml");
    fs::write(&file, system()).expect("the scratch folder takes files");
    let options = ["--system".as_ref(), file.as_os_str()];
    assert_eq!(Renga::script(SCRIPT).with(options).end().expect_status(0).text(), SAYS);
}
