//! Time: shares, policies, and what programs are told that they used. All in virtual time.

use crate::support::{Renga, clusters_can_run};

/// Seconds behind `real` in the part of `text` that begins with the line `name`.
fn figure(text: &str, name: &str, what: &str) -> f64 {
    let text = format!("\n{text}");
    let part = text.split_once(&format!("\n{name}\n")).unwrap_or_else(|| panic!("no {name} in {text}")).1;
    let line = part.lines().find(|line| line.starts_with(what)).unwrap_or_else(|| panic!("no {what}: {part}"));
    let seconds = line.rsplit(' ').next().and_then(|word| word.trim_end_matches('s').parse().ok());
    seconds.unwrap_or_else(|| panic!("no time: {line}"))
}

/// Defines `m NAME COMMAND`, and programs that take a while.
const MEASURE: &str = r#"
m() { echo $1; time sh -c "$2"; }
pipes='for i in 1 2 3 4 5 6 7 8; do seq 2000 | sort | uniq | wc -l >/dev/null; done'
tests='i=0; while [ $i -lt 10000 ]; do [ -e /etc/passwd ]; i=$((i+1)); done'
loop='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
sh -c "$pipes"
"#;

fn measured(script: &str) -> String {
    let run = Renga::script(&format!("{MEASURE}{script}"));
    run.end().expect_status(0).text()
}

#[test]
fn beside_a_computing_program_others_take_twice_as_long() {
    if !clusters_can_run() {
        return;
    }
    let text = measured(
        r#"m pipes-alone "$pipes"; m tests-alone "$tests"
        while :; do :; done & p=$!
        m pipes-beside "$pipes"; m tests-beside "$tests"; kill $p"#,
    );
    for what in ["pipes", "tests"] {
        let (alone, beside) =
            (figure(&text, &format!("{what}-alone"), "real"), figure(&text, &format!("{what}-beside"), "real"));
        assert!(beside <= 2.2 * alone, "{what}: {beside} s instead of {alone}");
    }
}

#[test]
fn who_asks_another_board_all_the_time_has_its_share_there_and_no_more() {
    if !clusters_can_run() {
        return;
    }
    let text = measured(
        r#"m alone "$loop"
        remote -b b sh -c 'while :; do sync; done' & p=$!
        sleep 0.2; m beside "$loop"; kill $p"#,
    );
    let (alone, beside) = (figure(&text, "alone", "real"), figure(&text, "beside", "real"));
    assert!(beside <= 2.07 * alone, "{beside} s instead of {alone}");
}

#[test]
fn a_nice_program_gives_way() {
    if !clusters_can_run() {
        return;
    }
    let text = measured(
        r#"m alone "$loop"
        while :; do :; done & q=$!
        renice 19 $q >/dev/null; m beside "$loop"; kill -9 $q"#,
    );
    let (alone, beside) = (figure(&text, "alone", "real"), figure(&text, "beside", "real"));
    assert!(beside <= 1.06 * alone, "{beside} s instead of {alone}");
}

#[test]
fn a_program_is_told_what_other_boards_did_for_it() {
    if !clusters_can_run() {
        return;
    }
    let text = measured(
        r#"m here "$loop"; echo there; time remote -b b sh -c 'i=0; while [ $i -lt 20 ]; do sync; i=$((i+1)); done'"#,
    );
    let (real, user) = (figure(&text, "here", "real"), figure(&text, "here", "user"));
    assert!((user - real).abs() <= 0.1 * real, "a loop is its own time: {user} s of {real}");
    assert!(figure(&text, "there", "sys") > 0.0, "{text}");
}

#[test]
fn a_program_is_told_how_much_memory_its_children_took() {
    if !clusters_can_run() {
        return;
    }
    let measured = Renga::script(
        r#"m() { echo $1; shift; "$@" 2>&1 | grep Maximum; }
        m here time -v dd if=/dev/zero of=/dev/null bs=8M count=1
        m there remote -b b time -v dd if=/dev/zero of=/dev/null bs=4M count=1
        m from-there time -v remote -b b dd if=/dev/zero of=/dev/null bs=6M count=1"#,
    );
    let text = format!("\n{}", measured.end().expect_status(0).text());
    for (name, mib) in [("here", 8), ("there", 4), ("from-there", 6)] {
        let line =
            text.split_once(&format!("\n{name}\n")).and_then(|(_, rest)| rest.lines().next()).unwrap_or_default();
        // This busybox takes the kernel's KiB for pages.
        let kib = line.rsplit(' ').next().and_then(|figure| figure.parse::<u64>().ok()).unwrap_or_default() / 4;
        assert!((mib << 10..(mib << 10) + 1024).contains(&kib), "{name}: {kib} KiB of {mib} MiB\n{text}");
    }
}
