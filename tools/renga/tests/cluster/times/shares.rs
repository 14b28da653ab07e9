//! Policies of programs on booted boards, by the commands of the image: `nice`, `chrt`. In virtual time.

use crate::support::{Renga, clusters_can_run};

/// All is on one core of board a. Defines `count NAME COMMAND...`: COMMAND runs a loop, which counts until it is ended.
const COUNT: &str = r#"
taskset -p 1 $$ > /dev/null
counts='trap "echo $0 \$i; exit" TERM; i=0; while :; do i=$((i+1)); done'
count() { name=$1; shift; "$@" sh -c "$counts" $name & all="$all $!"; }
loop='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
m=/usr/lib/renga/measure
"#;

fn said(script: &str) -> String {
    if !clusters_can_run() {
        return String::new();
    }
    Renga::script(&format!("{COUNT}{script}")).end().expect_status(0).text()
}

/// The figure behind `name` at the beginning of a line.
fn figure(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let word = line.and_then(|rest| rest.split(' ').next()).and_then(|word| word.parse().ok());
    word.unwrap_or_else(|| panic!("no {name} in\n{text}"))
}

/// How long what `measure` calls `name` took, ns.
fn taken_ns(text: &str, name: &str) -> f64 {
    figure(text, &format!("measured {name} status 0 ns"))
}

/// Holds: fair-shares.
#[test]
fn scheduler_shares_follow_nice() {
    if !clusters_can_run() {
        return;
    }
    let text = said("count zero env; count five nice -n 5; count more nice -n 5; sleep 2; kill $all; wait");
    // Linux's weights of nice 0 and 5.
    let wanted = 1024.0 / 335.0;
    for name in ["five", "more"] {
        let found = figure(&text, "zero") / figure(&text, name);
        assert!((found / wanted - 1.0).abs() <= 0.02, "{found} instead of {wanted}:\n{text}");
    }
}

/// Holds: signals-fair.
#[test]
fn scheduler_signals_give_no_time() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        r#"signals='trap : USR1; p=$$; while kill -USR1 $p; do :; done & while :; do :; done'
        sh -c "$signals" & all=$!; count counts env; sleep 0.1
        $m beside sleep 0.03; kill -9 $all; wait"#,
    );
    // Three others, of which each may go first for a sleeper's credit and a slice; and what starting a program takes.
    let bound_ns = 30e6 + 3.0 * 5e6 + 5e6;
    assert!(taken_ns(&text, "beside") <= bound_ns, "{text}");
}

#[test]
fn scheduler_idle_class_takes_nothing() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        r#"$m alone sh -c "$loop"
        count idle chrt -i 0; sleep 0.1; $m beside sh -c "$loop"; sleep 0.3; kill $all; wait"#,
    );
    let (alone, beside) = (taken_ns(&text, "alone"), taken_ns(&text, "beside"));
    assert!(beside <= 1.02 * alone, "{beside} ns instead of {alone}");
    assert!(figure(&text, "idle") > 1000.0, "it runs when no other program does: {text}");
}

#[test]
fn scheduler_real_time_preempts_fair() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        r#"$m alone sh -c "$loop"
        count one env; count two nice -n -20
        chrt -f -p 20 $$
        count three chrt -r 5; sleep 0.1
        chrt -f 10 $m beside sh -c "$loop"
        kill $all; wait"#,
    );
    let (alone, beside) = (taken_ns(&text, "alone"), taken_ns(&text, "beside"));
    assert!(beside <= 1.02 * alone, "{beside} ns instead of {alone}");
}

#[test]
fn scheduler_round_robin_shares_equally() {
    if !clusters_can_run() {
        return;
    }
    let text = said(
        r#"count fair env
        chrt -r -p 20 $$
        count one chrt -r 10; count two chrt -r 10; sleep 2; kill $all; wait"#,
    );
    let (one, two) = (figure(&text, "one"), figure(&text, "two"));
    assert!((one / two - 1.0).abs() <= 0.02, "{text}");
    let twentieth = (one + two) / 19.0;
    let fair = figure(&text, "fair");
    assert!((fair / twentieth - 1.0).abs() <= 0.2, "{fair} instead of {twentieth}, a twentieth:\n{text}");
}

#[test]
fn scheduler_real_time_spinner_is_killable_from_both_boards() {
    if !clusters_can_run() {
        return;
    }
    // Neither the shell nor the killer on b has a real-time policy.
    let text = said(
        r#"chrt -f 50 sh -c 'while :; do :; done' & p=$!
        remote -b b sh -c "sleep 0.1; ls /bin >/dev/null; kill -9 $p; echo from b"
        wait $p; echo first $?
        chrt -r 99 sh -c 'while :; do :; done' & p=$!
        sleep 0.1; ls /bin >/dev/null; kill -9 $p; wait $p; echo second $?"#,
    );
    for said in ["from b\n", "first 137\n", "second 137\n"] {
        assert!(text.contains(said), "no {said:?}:\n{text}");
    }
}
