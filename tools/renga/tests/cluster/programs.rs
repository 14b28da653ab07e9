//! Unmodified programs of all kinds, on both boards.

use crate::support::{Renga, clusters_can_run};

/// A static, a static-PIE and a shell program; `$1` is put before each.
const PROGRAMS: &str = r#"
run() {
  $1 uname -a | awk '{ print $1, $NF, $(NF - 1) }'
  $1 uname -n
  $1 bash-static -c 'declare -A n=([x]=1 [y]=2); for ((i = 0; i < 3; i++)); do printf "%s " $((n[y] ** i)); done; echo ${BASH_VERSION%%.*}'
  $1 /sbin/ldconfig --version | head -n 1 | cut -d' ' -f1
  $1 sh -c 'echo $((6 * 7)); exit 5'; echo "status $?"
  $1 busybox echo applet
}
"#;

/// What each board prints, after its name.
const OF_A_BOARD: &str = "1 2 4 5\nldconfig\n42\nstatus 5\napplet\n";

#[test]
fn run_programs_on_both_boards_works() {
    if !clusters_can_run() {
        return;
    }
    let script = format!("{PROGRAMS}\nrun ''\nrun 'remote -b b'\n");
    let ended = Renga::script(&script).end().expect_status(0);
    let text = ended.text();
    let boards: Vec<&str> = text.split_inclusive("applet\n").collect();
    assert_eq!(boards.len(), 2, "{}", ended.report());
    for (name, said) in ["a", "b"].into_iter().zip(boards) {
        let (system, rest) = said.split_once('\n').expect("a line");
        let known = system.contains("Linux") && system.contains("aarch64");
        assert!(known, "{system:?} is not Linux on aarch64\n{}", ended.report());
        assert_eq!(rest, format!("{name}\n{OF_A_BOARD}"), "{}", ended.report());
    }
}

/// Holds: run-status.
#[test]
fn run_exit_status_is_that_of_script() {
    if !clusters_can_run() {
        return;
    }
    Renga::script("exit 7").end().expect_status(7).expect_text("");
    // A shell that is killed ends with 128 and the signal's number, as in every shell.
    Renga::script("kill -TERM $$").end().expect_status(143);
}

/// Holds: one-board.
#[test]
fn run_solo_works() {
    if !clusters_can_run() {
        return;
    }
    let solo = Renga::script("uname -n; ls / | sort | head -n 1; remote -b b true; echo $?").with(["--system", "solo"]);
    solo.end().expect_status(0).expect_text("a\nbin\nremote: there is no such board\n126\n");
}

#[test]
fn run_script_file_and_put_files_exist() {
    if !clusters_can_run() {
        return;
    }
    let scratch = crate::support::Scratch::new("put");
    let script = scratch
        .write("script.sh", b"cat /host/folder/one /host/folder/below/two\ntest -x /host/folder/one || exit 3\n");
    scratch.write("folder/one", b"first\n");
    scratch.write("folder/below/two", b"second\n");
    let (folder, out) = (scratch.join("folder"), scratch.join("out"));
    let options = [script.as_os_str(), "--put".as_ref(), folder.as_os_str(), "--extract".as_ref(), out.as_os_str()];
    Renga::run().with(["-f"]).with(options).end().expect_status(3).expect_text("first\nsecond\n");
    assert_eq!(std::fs::read(out.join("host/folder/below/two")).expect("it was extracted"), b"second\n");
}

/// Holds: run-status.
#[test]
fn run_standard_error_is_printed() {
    if !clusters_can_run() {
        return;
    }
    Renga::script("echo out; echo err >&2; nosuch")
        .end()
        .expect_status(127)
        .expect_text("out\nerr\n/etc/renga/script: line 1: nosuch: not found\n");
}

/// Holds: profile-same-output.
#[test]
fn run_profile_paper_1989_prints_same_output() {
    if clusters_can_run() {
        let old = Renga::script("seq 20 | remote -b b sort -n | tail -n 1; cat /etc/hostname")
            .with(["--profile", "paper-1989"]);
        old.end().expect_status(0).expect_text("20\nrenga\n");
    }
}

/// Long argument lists, many processes one after the other, deep recursion.
const MUCH: &str = r#"
remote -b b echo $(seq 3000) | wc -c
echo $(seq 3000) | remote -b b wc -c
i=0; while [ $i -lt 50 ]; do remote -b b true || echo failed; i=$((i + 1)); done; echo $i
remote -b b sh -c 'i=0; while [ $i -lt 50 ]; do /bin/true || echo failed; i=$((i + 1)); done; echo $i'
bash-static -c 'f() { if (($1)); then f $(($1 - 1)); else echo deep; fi; }; f 400'
awk 'BEGIN { for (i = 0; i < 100000; i++) s[i] = i; n = 0; for (k in s) n += s[k]; print n }'
"#;

#[test]
fn run_large_workload_succeeds() {
    if clusters_can_run() {
        Renga::script(MUCH).end().expect_status(0).expect_text("13893\n13893\n50\n50\ndeep\n4999950000\n");
    }
}

/// Programs that compute beside each other, and children that go on with what their parents had in the registers, here
/// and there.
const FLOATS: &str = r#"
for how in '' 'remote -b b'; do
  for board in '' 0 1; do
    for n in 1 2 3; do { $how /usr/lib/renga/floats $board < /dev/null; echo "status $?"; } & done; wait
  done
done | sort | uniq -c | tr -s ' '
"#;

/// Holds: floating-point.
#[test]
fn floating_point_registers_are_private_and_inherited() {
    if clusters_can_run() {
        Renga::script(FLOATS).end().expect_status(0).expect_text(" 18 status 0\n");
    }
}
