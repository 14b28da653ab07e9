//! Kinds that may be moved by their line of the system file work where they are moved to.

use crate::support::{Renga, Scratch, clusters_can_run, root};
use std::fs;

/// What of the file system may be where the disk is not: each inode of a calls them on b.
const MOVED: [&str; 2] = ["buffer_directory", "buffer"];

const SCRIPT: &str = r#"
mkdir /tmp/d && cd /tmp/d
for n in 1 2 3 4; do echo $n > own-$n; done
remote -b b sh -c 'cp /bin/busybox big; for n in 1 2 3 4; do echo $n > far-$n; done; rm own-1; sync'
cmp /bin/busybox big && ls | sort | tr '\n' ' '
remote -b b cat own-2; cat far-2
rm -r /tmp/d; remote -b b ls /tmp/d 2>&1 | sed 's/.*: *//'
"#;

#[test]
fn placement_metadata_on_other_board_works() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("moved");
    let file = scratch.join("moved.toml");
    let mut text = fs::read_to_string(root().join("sysprocs/systems/pair.toml")).expect("the pair is there");
    for kind in MOVED {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(kind)).expect("a line of its own");
        text = text.replacen(line, &line.replacen("on = \"a\"", "on = \"b\"", 1), 1);
    }
    assert_eq!(text.matches("on = \"b\"").count(), MOVED.len());
    // More callers of a's are proxies then, which is what `renga check` would say.
    let bound = "name = \"a\", disk = true, message_kib = 1536";
    assert!(text.contains(bound), "the bound of board a");
    text = text.replacen(bound, "name = \"a\", disk = true, message_kib = 1664", 1);
    fs::write(&file, text).expect("the scratch folder takes files");
    let says = "big far-1 far-2 far-3 far-4 own-2 own-3 own-4 2\n2\nNo such file or directory\n";
    let system = ["--system".as_ref(), file.as_os_str()];
    Renga::script(SCRIPT).with(system).end().expect_status(0).expect_text(says);
}
