//! A pipeline over half a megabyte of text that changes boards four times gives what it gives on the host.

use crate::support::{Busybox, Renga, Scratch, clusters_can_run, folder_of_package};
use std::fs;

/// The text is at least this long.
const TEXT_BYTES_MIN: usize = 500 * 1024;

/// The licence texts of Debian's base-files, as often as needed.
fn text() -> Vec<u8> {
    let folder = folder_of_package("arm64", "base-files").join("usr/share/common-licenses");
    let entries = fs::read_dir(folder).expect("base-files has licences").flatten();
    let mut paths: Vec<_> = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).collect();
    paths.sort_by_key(fs::DirEntry::file_name);
    let once: Vec<u8> = paths.iter().flat_map(|entry| fs::read(entry.path()).expect("it was listed")).collect();
    assert!(!once.is_empty(), "no licence texts");
    once.repeat(TEXT_BYTES_MIN.div_ceil(once.len()))
}

fn pipeline(remote: &str) -> String {
    format!("export LC_ALL=C; cat text | {remote} tr -cs A-Za-z '\\n' | sort | {remote} uniq -c | sort -rn | head -20")
}

/// Holds: remote-pipes.
#[test]
fn pipeline_across_boards_matches_host() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("text");
    let text = scratch.write("text", &text());
    let expected = Busybox::new().run(scratch.path(), &pipeline("")).expect_status(0);
    let script = format!("cd /host; {}", pipeline("remote -b b"));
    let ended = Renga::script(&script).with(["--put".as_ref(), text.as_os_str()]).end().expect_status(0);
    assert!(ended.stdout == expected.stdout, "expected:\n{}\n{}", expected.text(), ended.report());
    assert_eq!(expected.text().lines().count(), 20, "{}", expected.text());
}
