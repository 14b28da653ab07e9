//! `renga linux`: Debian's Linux on the same emulated board, with the same disk.

use crate::support::{Renga, Scratch, clusters_can_run};

/// Holds: linux-beside.
#[test]
fn linux_script_returns_output_status_and_files() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("linux");
    let put = scratch.write("given", b"from the host\n");
    let tree = scratch.join("tree");
    let script = "uname -sn; cat /host/given; echo kept > /host/kept; tty > /dev/null && echo a terminal; \
                  while read -r name kb unit; do [ $name = MemTotal: ] && [ $kb -lt 98304 ] && echo in 96 MiB; done < /proc/meminfo; \
                  printf half; exit 3";
    let ended = Renga::linux()
        .with(["--memory-mib", "96", "-c", script])
        .with(["--put".as_ref(), put.as_os_str(), "--extract".as_ref(), tree.as_os_str()])
        .end()
        .expect_status(3)
        .expect_text("Linux a\nfrom the host\na terminal\nin 96 MiB\nhalf");
    assert_eq!(std::fs::read(tree.join("host/kept")).ok().as_deref(), Some(b"kept\n".as_slice()), "{}", ended.report());
}

/// Holds: run-limit.
#[test]
fn linux_without_script_is_refused_and_limit_ends_run() {
    if !clusters_can_run() {
        return;
    }
    let nothing = Renga::linux().end().expect_status(125);
    assert!(nothing.stderr.contains("say what Linux is to run"), "{}", nothing.report());
    let long = Renga::linux().with(["--host-limit-s", "1", "-c", "sleep 100000"]).end().expect_status(125);
    assert!(long.stderr.contains("did not end within 1 s (--host-limit-s)"), "{}", long.report());
}

/// A write that is synced waits for the card's time at least once, and the disk has it afterwards.
#[test]
#[ignore = "a minute: renga test --long=debian"]
fn linux_timed_card_takes_its_time_and_keeps_files() {
    if !clusters_can_run() {
        return;
    }
    const REQUEST_MS: u64 = 2;
    let scratch = Scratch::new("linux-card");
    let tree = scratch.join("tree");
    let script = "echo kept > /root/kept; /usr/lib/renga/measure sync sync";
    let ended = Renga::linux()
        .with(["--card-us", &(REQUEST_MS * 1000).to_string(), "--card-mb-s", "100", "-c", script])
        .with(["--extract".as_ref(), tree.as_os_str()])
        .end()
        .expect_status(0);
    let taken = ended.text().split_whitespace().skip_while(|word| *word != "ns").nth(1).map(str::parse::<u64>);
    assert!(matches!(taken, Some(Ok(ns)) if ns >= REQUEST_MS * 1_000_000), "{}", ended.report());
    assert_eq!(std::fs::read(tree.join("root/kept")).ok().as_deref(), Some(b"kept\n".as_slice()), "{}", ended.report());
}
