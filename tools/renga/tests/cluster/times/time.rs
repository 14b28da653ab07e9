//! Time: shares, policies, and programs' information on their own use. All in virtual time.

use crate::images::packages_can_be_had;
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

/// Holds: fair-shares.
#[test]
fn scheduler_two_computing_programs_share_halves() {
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

/// Holds: charged-everywhere.
#[test]
fn scheduler_remote_caller_gets_its_share() {
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

/// Programs of b that ask board a all the time for names and files.
const ASKING: &[(&str, &str)] = &[
    ("open", "while :; do : < /etc/passwd; done"),
    ("stat", "while :; do [ -e /etc/nothing ]; done"),
    ("write", "while :; do echo line; done > /tmp/written"),
    ("commit", "while :; do echo line > /tmp/synced; sync; done"),
    ("make", "while :; do mkdir /tmp/made; rmdir /tmp/made; done"),
];
/// And those that do much of their own.
const BUSY: &[(&str, &str)] = &[
    ("read", "while :; do read line < /etc/passwd; done"),
    ("cut", "while :; do dd if=/dev/zero of=/tmp/cut bs=65536 count=8 2>/dev/null; done"),
    ("fork", "while :; do (:); done"),
    ("pipe", "while :; do echo line | cat >/dev/null; done"),
    ("map", "while :; do /bin/busybox true; done"),
];

/// A loop on a has at least one share of two beside each of `programs` of b.
fn shares_with(programs: &[(&str, &str)]) {
    let beside = |(name, what): &(&str, &str)| {
        format!(
            "remote -b b sh -c '{what}' & p=$!\nsleep 0.1; m {name} \"$short\"; kill $p; wait $p 2>/dev/null; true\n"
        )
    };
    let script: String = programs.iter().map(beside).collect();
    let short = "short='i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done'";
    let text = measured(&format!("{short}\nm alone \"$short\"\n{script}"));
    let alone = figure(&text, "alone", "real");
    for (name, _) in programs {
        let beside = figure(&text, name, "real");
        assert!(beside <= 2.07 * alone, "{name}: {beside} s instead of {alone}\n{text}");
    }
}

#[test]
fn scheduler_remote_work_is_charged_by_share() {
    if clusters_can_run() {
        shares_with(ASKING);
    }
}

#[test]
fn scheduler_remote_load_leaves_half() {
    if clusters_can_run() {
        shares_with(BUSY);
    }
}

/// Six programs of b that rename all the time: what the link brings of that is a third of what a has.
const RENAMING: &str = r#"
cat > /tmp/rename <<'END'
$SIG{TERM} = sub { print "$name $count\n"; exit }; $name = shift; chdir "/tmp/$name"; open F, '>', 'x'; close F;
while (1) { rename 'x', 'y'; rename 'y', 'x'; $count += 2 }
END
spin() { begun=$(date +%s%N); perl -e 'for ($i = 0; $i < 600000; $i++) { $s += $i }'; echo $1 $(($(date +%s%N) - begun)); }
spin warm; spin alone
for name in 1 2 3 4 5 6; do
    mkdir /tmp/$name; remote -b b sh -c "echo \$\$ > /tmp/$name/pid; exec nice -n 19 perl /tmp/rename $name" &
    until [ -e /tmp/$name/x -o -e /tmp/$name/y ]; do sleep 0.1; done
done
spin beside; kill $(cat /tmp/*/pid); wait
"#;

#[test]
fn scheduler_remote_nice_callers_follow_weights() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let text = Renga::script(RENAMING).with(["--image", "dev"]).end().expect_status(0).text();
    let figure = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|figure| figure.parse::<f64>().ok()).unwrap_or_else(|| panic!("no {name}:\n{text}"))
    };
    // Linux's weights: 15 each of six beside 1,024. Uncharged, they take a third of the core.
    let share = 6.0 * 15.0 / 1024.0;
    let more = figure("beside") / figure("alone") - 1.0;
    assert!((share - 0.03..share + 0.03).contains(&more), "{more} instead of {share}:\n{text}");
    assert!((1..=6).all(|name| figure(&name.to_string()) > 300.0), "they ask for much:\n{text}");
}

#[test]
fn scheduler_nice_program_gives_way() {
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

/// Holds: charged-everywhere.
#[test]
fn accounts_include_work_of_other_boards() {
    if !clusters_can_run() {
        return;
    }
    let text = measured(
        r#"m here "$loop"; echo there; time remote -b b sh -c 'i=0; while [ $i -lt 60 ]; do sync; i=$((i+1)); done'"#,
    );
    let (real, user) = (figure(&text, "here", "real"), figure(&text, "here", "user"));
    assert!((user - real).abs() <= 0.1 * real, "a loop is its own time: {user} s of {real}");
    assert!(figure(&text, "there", "sys") > 0.0, "{text}");
}

/// What `time -v` of busybox says behind `what`, in the part that begins with the line `name`.
fn figure_of(text: &str, name: &str, what: &str) -> u64 {
    let text = format!("\n{text}");
    let part = text.split_once(&format!("\n{name}\n")).unwrap_or_else(|| panic!("no {name} in {text}")).1;
    let line = part.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("no {what}: {part}"));
    line.rsplit(' ').next().and_then(|figure| figure.parse().ok()).unwrap_or_else(|| panic!("no figure: {line}"))
}

#[test]
fn accounts_of_children_include_blocks_and_switches() {
    if !clusters_can_run() {
        return;
    }
    // `time` is a parent: its figures come from `wait4`. Of the second a child's child writes.
    let text = measured(
        r#"writes='dd if=/dev/zero of=/tmp/f bs=4096 count=64 conv=fsync 2>/dev/null'
        echo here; time -v sh -c "$writes" 2>&1
        echo below; time -v sh -c "sh -c '$writes'; :" 2>&1
        echo there; time -v remote -b b sh -c "$writes; sleep 0.01" 2>&1"#,
    );
    for name in ["here", "below", "there"] {
        let (blocks, switches) =
            (figure_of(&text, name, "File system outputs"), figure_of(&text, name, "Voluntary context"));
        assert!((64 * 8..100 * 8).contains(&blocks), "{name}: {blocks} sectors of 512, with metadata\n{text}");
        assert!(switches > 0, "{name}: {switches} switches\n{text}");
    }
}

#[test]
fn accounts_of_children_include_peak_memory() {
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
        // Beside the block: pages of the program, a file of 1,804 KiB, and its stack.
        assert!((mib << 10..(mib << 10) + 2048).contains(&kib), "{name}: {kib} KiB of {mib} MiB\n{text}");
    }
}
