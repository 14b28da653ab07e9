//! The other cores of a board come up and run its processes: under QEMU's own time, and in the emulator's, where they
//! run side by side and every run is the same; Linux's cores too.

use crate::support::{Facts, Renga, Scratch, clusters_can_run, root, under_load};
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Lines that a board says at most before it has come up or died.
const LINES_MAX: usize = 40;

/// Boots the board of `solo4` with so many cores; what it says until its shell is there, or its last.
fn said(scratch: &Scratch, cores: u8) -> String {
    let mut environment = Environment::read().expect("the environment can be read");
    environment.root = root();
    let solo = SystemFile::find(&environment, "solo4").expect("the system is placed").checked.to_blob();
    let tables = scratch.write("solo4.bin", &solo);
    // The command has built the kernel by then.
    Renga::script("true").end().expect_status(0);
    let mut qemu = Command::new(environment.qemu().expect("clusters can run"));
    qemu.args(["-M", "raspi3b", "-display", "none", "-nodefaults", "-monitor", "none", "-no-reboot"]);
    qemu.args(["-icount", "shift=0,sleep=off", "-chardev", "stdio,id=console", "-serial", "chardev:console"]);
    qemu.arg("-global").arg(format!("bcm2837.enabled-cpus={cores}")).args(["-append", "nowatchdog"]);
    let disk = scratch.join("disk.img");
    Renga::command(&["image", "--out"]).with([&disk]).end().expect_status(0);
    qemu.arg("-drive").arg(format!("if=sd,format=raw,snapshot=on,file={}", disk.display()));
    qemu.arg("-kernel").arg(environment.work().join("kernels/plain/kernel8.img")).arg("-initrd").arg(tables);
    let mut board = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("QEMU starts");
    let lines = BufReader::new(board.stdout.take().expect("it is piped")).lines();
    let mut said = String::new();
    for line in lines.map_while(Result::ok).take(LINES_MAX) {
        said += &format!("{}\n", line.trim_end());
        if line.contains("built-in shell") || line.contains("came up") {
            break;
        }
    }
    board.kill().and_then(|()| board.wait()).expect("it was started here");
    said
}

#[test]
fn cores_four_wake_by_timer_and_ipi_and_run_system() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("cores");
    let all = said(&scratch, 4);
    assert!(all.contains("renga: 4 cores\n") && all.contains("built-in shell"), "{all}");
    let one = said(&scratch, 1);
    assert!(one.ends_with("renga: of 4 cores 1 came up\n"), "{one}");
}

/// Files, whose side of the system is on other cores than the programs'.
const FILES: &str = "cp /bin/busybox /tmp/b; cmp /bin/busybox /tmp/b && echo same; mkdir /tmp/d; cd /tmp/d; \
    for i in 1 2 3 4; do echo $i > f$i; done; sync; cat f* | sort -r; rm -r /tmp/d /tmp/b; ls /tmp";

/// Programs' information on cores; the cost of a null system call on two of them; and how long loops take, in
/// hundredths of a second: one; four; two that are sent to one core; four whose parent may use one only.
const SHARE: &str = r#"
nproc; grep -c ^processor /proc/cpuinfo; grep -c '^cpu[0-9]' /proc/stat
taskset -p $$ | sed 's/.* //'; taskset 6 sh -c 'nproc; taskset -p $$ | sed "s/.* //"'; taskset 30 true 2>&- || echo refused
loop() { i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; }
now() { cut -d ' ' -f 1 /proc/uptime | tr -d . | sed 's|^0*||'; }
took() { begin=$(now); "$@"; echo $(($(now) - begin)); }
four() { loop & loop & loop & loop & wait; }
two() { loop & a=$!; loop & b=$!; taskset -p 4 $a >&-; taskset -p 4 $b >&-; wait; }
for core in 1 2; do taskset $core /usr/lib/renga/nullcall | sed 's/.* //'; done
one=$(took loop); all=$(took four); same=$(took two); taskset -p 8 $$ >&-; echo $one $all $same $(took four)
"#;

/// Holds: cores-programs.
#[test]
fn cores_programs_respect_affinity_and_share() {
    if !clusters_can_run() {
        return;
    }
    let text = Renga::script(SHARE).with(["--system", "solo4"]).end().expect_status(0).text();
    let figures = text.strip_prefix("4\n4\n4\nf\n2\n6\nrefused\n").unwrap_or_else(|| panic!("{text}"));
    println!(
        "null system calls on the first core and on another, ns; one, four, two on a core, four on a core: {figures}"
    );
    let figures: Vec<f64> = figures.split_whitespace().map(|figure| figure.parse().expect("a number")).collect();
    let [here, elsewhere, one, all, same, pinned] = figures[..] else { panic!("{text}") };
    // An instruction takes a nanosecond, and a clock of another core is read with up to a slice of difference.
    assert!(here <= 430.0 && elsewhere <= 1500.0, "null system calls: {text}");
    // A hundredth is the resolution; a start of a program takes some of the first core.
    assert!(all <= 1.1 * one + 2.0, "four on four cores: {text}");
    assert!((1.8 * one - 2.0..2.2 * one + 2.0).contains(&same), "two on one core: {text}");
    assert!((3.6 * one - 2.0..4.4 * one + 2.0).contains(&pinned), "four on one core: {text}");
}

/// On a board whose home is core 1 and whose programs run on core 0: their information on cores; files; a pipe; a
/// signal to one that computes, whose time is core 0's, in tenths of a second.
const ELSEWHERE: &str = r#"
nproc; grep -c ^processor /proc/cpuinfo; taskset -p $$ | sed 's/.* //'; taskset 2 true 2>&- || echo refused
ls / | sort -r | tail -n 1; echo kept > /tmp/f; sync; cat /tmp/f; rm /tmp/f
while :; do :; done & sleep 0.3; kill $!; wait $!; echo $?
while read name user rest; do [ $name = cpu0 ] && echo $((user / 10)); done < /proc/stat; true
"#;

/// Holds: cores-programs.
#[test]
fn cores_program_with_other_home_runs_on_core_0() {
    if clusters_can_run() {
        let ended = Renga::script(ELSEWHERE).with(["--system", "p5-gathered-spread"]).end().expect_status(0);
        assert_eq!(ended.text(), "1\n1\n1\nrefused\nbin\nkept\n143\n3\n");
    }
}

fn spread() -> Facts {
    let ended = Renga::script(FILES).with(["--system", "solo4", "--stats"]).end().expect_status(0);
    assert_eq!(ended.text(), "same\n4\n3\n2\n1\n");
    Facts::of(&ended)
}

/// Holds: cores-spread.
#[test]
fn cores_spread_system_repeats_identically() {
    if clusters_can_run() {
        assert_eq!(under_load(spread), spread());
    }
}

/// Programs on both boards, files, a pipe, time.
const SCRIPT: &str =
    "ls / | remote -b b sort | head -n 3; remote -b b sh -c 'echo $$ > /tmp/f; date +%s'; cat /tmp/f; sleep 1";
/// On each of Linux's cores 20 million instructions, once what belongs to the start is over: the loopback's timers too.
const LOOPS: &str = "sync; sleep 3; /usr/lib/renga/p5 loops 20000000 0 1 2 3";
/// What they may take, ns. Linux' own interrupts fall into it, fewer or more of them by when the loops begin, so a
/// twentieth is theirs. Two loops that share a core take twice as long.
const LOOP_NS: std::ops::Range<u64> = 20_000_000..21_000_000;

fn pair() -> Facts {
    let ended = Renga::script(SCRIPT).with(["--system", "pair4", "--stats"]).end().expect_status(0);
    assert_eq!(ended.figures(&["cores' slice"]).len(), 1, "{}", ended.report());
    Facts::of(&ended)
}

/// What Linux writes, and when.
fn linux() -> (Vec<u8>, Vec<String>) {
    let ended = Renga::linux().with(["--cores", "4", "--stats", "-c", LOOPS]).end().expect_status(0);
    let took = |line: &str| line.strip_prefix("loop ").and_then(|rest| rest.split(' ').nth(1)?.trim().parse().ok());
    let took: Vec<u64> = String::from_utf8_lossy(&ended.stdout).lines().filter_map(took).collect();
    assert!(took.len() == 4 && took.iter().all(|ns| LOOP_NS.contains(ns)), "{took:?}: {}", ended.report());
    let figures = ended.figures(&["virtual time", "cores' slice", "console hash"]);
    assert_eq!(figures.len(), 3, "{}", ended.report());
    (ended.stdout, figures)
}

/// A parent and its child, and then two programs, that alternate and yield the processor between: by memory that both
/// map, and by a file.
const ALTERNATING: &str = "/usr/lib/renga/sharing memory 50; cd /tmp; cp /bin/busybox f; for way in map file; do \
    /usr/lib/renga/sharing alternate $way f 0 50 & /usr/lib/renga/sharing alternate $way f 1 50; wait; echo $?; done";

#[test]
fn cores_mutual_yield_makes_progress() {
    if clusters_can_run() {
        let ended = Renga::script(ALTERNATING).with(["--system", "solo4"]).end().expect_status(0);
        assert_eq!(ended.text(), "memory 50 child 0\n0\n0\n", "{}", ended.report());
    }
}

#[test]
fn cores_core_without_processes_sleeps() {
    if clusters_can_run() {
        let ended =
            Renga::script("echo up").with(["--system", "solo", "--cores", "2", "--stats"]).end().expect_status(0);
        assert_eq!((ended.text().as_str(), ended.figures(&["cores' slice"]).len()), ("up\n", 1), "{}", ended.report());
    }
}

/// Holds: run-repeats.
#[test]
fn cores_two_boards_of_four_repeat_identically() {
    if clusters_can_run() {
        assert_eq!(under_load(pair), pair());
    }
}

/// Holds: linux-cores.
#[test]
fn cores_of_linux_compute_in_parallel_time() {
    if clusters_can_run() {
        linux();
    }
}

/// Holds: run-repeats.
#[test]
#[ignore = "minutes: renga test --long=cores"]
fn cores_four_runs_under_host_load_are_identical() {
    if clusters_can_run() {
        let (boards, mono) = (pair(), linux());
        for _ in 0..2 {
            assert_eq!((under_load(pair), under_load(linux)), (pair(), linux()));
        }
        assert_eq!((pair(), linux()), (boards, mono));
    }
}
