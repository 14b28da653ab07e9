//! The files themselves: their form is Linux's, they agree on both boards, what has ended is not there.

use crate::support::{Renga, clusters_can_run, system};

/// What a script prints on a, and on b.
fn on_both(script: &str) -> [String; 2] {
    let one = |run: String| Renga::script(&run).end().expect_status(0).text();
    let there = format!("remote -b b sh -c '{}'", script.replace('\'', "'\\''"));
    [one(script.into()), one(there)]
}

/// The form of a text: digits become 9, runs of them one.
fn form(text: &str) -> String {
    let mut form = String::new();
    for character in text.chars() {
        match character {
            '0'..='9' if form.ends_with('9') => {}
            '0'..='9' => form.push('9'),
            other => form.push(other),
        }
    }
    form
}

/// Holds: proc-tools.
#[test]
fn procfs_system_files_have_linux_form() {
    if !clusters_can_run() {
        return;
    }
    let session = "cat /proc/uptime /proc/loadavg; head -n 3 /proc/stat; head -n 3 /proc/meminfo; \
        cat /proc/filesystems /proc/mounts /proc/sys/kernel/ostype /proc/sys/kernel/pid_max";
    let wanted = "9.9 9.9\n9.9 9.9 9.9 9/9 9\n\
        cpu  9 9 9 9 9 9 9 9 9 9\ncpu9 9 9 9 9 9 9 9 9 9 9\ncpu9 9 9 9 9 9 9 9 9 9 9\n\
        MemTotal:        9 kB\nMemFree:         9 kB\nMemAvailable:    9 kB\n\
        nodev\tproc\n\text9\n/dev/mmcblk9p9 / ext9 rw,relatime 9 9\nproc /proc proc rw,nosuid,nodev,noexec,relatime 9 9\n\
        Linux\n9\n";
    for found in on_both(session) {
        let spaces = form(&found).replace("         9 kB", " 9 kB").replace("        9 kB", " 9 kB");
        let wanted = wanted.replace("         9 kB", " 9 kB").replace("        9 kB", " 9 kB");
        let squeezed = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(&spaces), squeezed(&wanted), "{found}");
    }
}

/// Holds: proc-files.
#[test]
fn procfs_paths_cross_both_ways() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
mkdir /tmp/w; cd /tmp/w; ln -s /proc/self p; ln -s ../../proc/sys/kernel k; echo out > f
cat k/ostype; cat /tmp/../proc/sys/kernel/ostype; cat /proc/self/cwd/f; cat p/cwd/../w/f
readlink /proc/self/cwd; readlink /proc/self/root; readlink /proc/mounts
cd /proc/sys/kernel; cat ostype; pwd; cat ../../../tmp/w/f; cd ..; cd ..; cd ..; pwd
stat -c '%F %a' /proc /proc/uptime /proc/self; stat -L -c %F /proc/self
[ "$(readlink /proc/self)" -gt 8 ] && echo number
ls -1d /proc/sys/kernel/random /proc/renga; ls /proc/sys/vm
for f in mkdir touch rm rmdir; do $f /proc/new 2> /dev/null || echo no $f; done
echo 1 2> /dev/null > /proc/uptime || echo no write
cat /proc/nothing /proc/999999/stat 2> /dev/null || echo none
"#;
    let wanted = "Linux\nLinux\nout\nout\n/tmp/w\n/\nself/mounts\nLinux\n/proc/sys/kernel\nout\n/\n\
        directory 555\nregular empty file 444\nsymbolic link 777\ndirectory\nnumber\n\
        /proc/renga\n/proc/sys/kernel/random\novercommit_memory\nno mkdir\nno touch\nno rm\nno rmdir\nno write\nnone\n";
    for found in on_both(session) {
        assert_eq!(found, wanted);
    }
}

/// Holds: proc-tools.
#[test]
fn procfs_programs_of_both_boards_are_read_from_both() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
sleep 100 & one=$!
remote -b b sleep 200 & sleep 0.1
two=$(grep -l '^sleep.200' /proc/[0-9]*/cmdline | cut -d/ -f3)
for where in a b; do
  remote -b $where sh -c 'for p in $0 $1; do
    tr "\0" " " < /proc/$p/cmdline; grep -E "^(Name|State|PPid):" /proc/$p/status | tr "\n\t" "  "
    set -- $(cat /proc/$p/stat); [ $1 = $p ] && [ $# = 52 ] && echo stat $3
    readlink /proc/$p/cwd; grep "open files" /proc/$p/limits | tr -s " "
    tr "\0" "\n" < /proc/$p/environ | grep -c ^PATH=
  done' $one $two
done
kill -STOP $one; cut -d' ' -f3 /proc/$one/stat; kill -CONT $one
kill $one $two; wait; ls /proc/$one 2> /dev/null || echo gone
"#;
    let one = |seconds: &str| {
        format!("sleep {seconds} Name: sleep State: S (sleeping) PPid: 9 stat S\n/\nMax open files 9 9 files \n9\n")
    };
    let both = one("100").replace("100", "9") + &one("200").replace("200", "9");
    let found = Renga::script(session).end().expect_status(0).text();
    assert_eq!(form(&found), format!("{both}{both}T\ngone\n"), "{found}");
}

/// Holds: proc-files.
#[test]
fn procfs_maps_lists_memory_areas() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
sleep 100 & one=$!; remote -b b sleep 200 & sleep 0.1
two=$(grep -l '^sleep.200' /proc/[0-9]*/cmdline | cut -d/ -f3)
ino=$(stat -c %i /bin/busybox)
for p in $one $two; do
  awk -v ino=$ino '$5 == ino && $2 == "r-xp" { print "text", $4, $6 } /\[heap\]$/ { print $2, $6 } /\[stack\]$/ { print $2, $6 }
    { split($1, a, "-"); if (a[1] < last) print "order"; last = a[2] }' /proc/$p/maps
  set -- $(cat /proc/$p/statm); [ $1 -gt $2 ] && echo size
done
"#;
    let each = "text b3:01 /bin/sleep\nrw-p [heap]\nrw-p [stack]\nsize\n";
    Renga::script(session).end().expect_status(0).expect_text(&format!("{each}{each}"));
}

#[test]
fn procfs_self_shows_paths_and_signals() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
mkdir /tmp/w; cd /tmp/w; ln -s /bin/busybox readlink
printf '#!/bin/sh\nreadlink /proc/$$/exe; cat /proc/$$/comm\n' > script; chmod +x script
./readlink /proc/self/exe; ./script; cd ..; w/readlink /proc/self/exe; cd /; tmp/w/readlink /proc/self/exe
(trap "" HUP; grep Sig[IC] /proc/self/status); sh -c 'trap : USR1; grep SigCgt /proc/$$/status'
"#;
    // A static program of the C library aborts when its path does not begin with a slash.
    let paths = "/tmp/w/readlink\n/bin/sh\nscript\n/tmp/w/readlink\n/tmp/w/readlink\n";
    let signals = "SigIgn:\t0000000000000001\nSigCgt:\t0000000000000000\nSigCgt:\t0000000000010202\n";
    for found in on_both(session) {
        assert_eq!(found, format!("{paths}{signals}"));
    }
}

/// Holds: proc-files.
#[test]
fn procfs_programs_of_failed_board_vanish() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
remote -b b sleep 100 2> /dev/null & sleep 0.1
pid=$(grep -l '^sleep.100' /proc/[0-9]*/cmdline | cut -d/ -f3)
exec 5< /proc/$pid/stat; cd /proc/$pid
cut -d' ' -f1 /proc/renga/boards | tr '\n' ' '
remote -b b sh -c 'while :; do cat /proc/*/stat > /dev/null 2>&1; done' 2> /dev/null &
sleep 0.7
ls /proc | grep -cx $pid; cat stat <&5 2> /dev/null || echo lost; ls /proc/$pid 2> /dev/null || echo none
grep -c ' down ' /proc/renga/boards; grep -c ^processor /proc/cpuinfo; ps > /dev/null && echo ps
"#;
    let run = Renga::script(session).with(["--kill", "b@600"]);
    let found = run.end().expect_status(0).text();
    let boards = system::boards();
    let left = |board: &usize| boards[*board] != "b";
    let processors: u32 = (0..boards.len()).filter(left).map(system::processors).sum();
    let wanted = format!("board {} 0\nlost\nnone\n1\n{processors}\nps\n", boards.join(" "));
    assert!(found.ends_with(&wanted), "{found}");
}

#[test]
fn procfs_program_ending_during_read_is_harmless() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
churn() { for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4; do true | cat & done; wait; done; }
sample() { for i in 1 2 3 4 5 6 7 8; do cat /proc/[0-9]*/stat /proc/[0-9]*/cmdline /proc/[0-9]*/status > /dev/null 2>&1; done; }
churn & sample & remote -b b sh -c 'for i in 1 2 3 4 5 6; do cat /proc/[0-9]*/stat /proc/[0-9]*/environ > /dev/null 2>&1; done' &
wait; echo done; ls /proc | grep -c '^[0-9]'
"#;
    let found = Renga::script(session).end().expect_status(0).text();
    assert!(found.starts_with("done\n"), "{found}");
    let left: u32 = found.trim_start_matches("done\n").trim().parse().expect("a number");
    assert!(left <= 6, "{left} programs are left");
}
