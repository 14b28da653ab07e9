//! Calls whose rules programs meet rarely: each answers as on Linux, on each board.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};
use std::path::{Path, PathBuf};

/// Compiled there, and run with what is checked in shell.
const PROGRAMS: [&str; 6] = ["arguments", "jobs", "whole", "packages", "threads", "network/interfaces"];
const SCRIPT: &str = "conformance.sh";

fn with_sources(renga: Renga) -> Renga {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/calls");
    let sources = PROGRAMS.map(|name| folder.join(name).with_extension("c"));
    let puts = sources.into_iter().chain([folder.join(SCRIPT)]).flat_map(|file| [PathBuf::from("--put"), file]);
    renga.with(["--image", "dev"]).with(puts)
}

fn compile() -> String {
    let names = PROGRAMS.map(|name| name.rsplit('/').next().unwrap_or(name));
    names.map(|name| format!("gcc -O1 -w -pthread -o /tmp/{name} /host/{name}.c || exit 1; ")).concat()
}

/// A program that runs on one board and is written on the other, in both orders.
const BETWEEN_BOARDS: &str = r#"
cd /tmp; cp /bin/sleep program
remote -b b ./program 2 & sleep 1; (true > program) 2>/dev/null; echo runs on b $?; wait
./program 2 & sleep 0.3; remote -b b sh -c '(true > program) 2>/dev/null; echo runs on a $?'; wait
remote -b b sh -c 'exec 7>>program; sleep 2' & sleep 1; ./program 0 2>/dev/null; echo written on b $?; wait
exec 7>>program; remote -b b sh -c './program 0 2>/dev/null; echo written on a $?'; exec 7>&-
remote -b b ./program 0; echo closed $?
"#;

#[test]
fn calls_with_rare_rules_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let compile = compile();
    let script = format!("{compile} sh /host/{SCRIPT} /tmp/on-linux 2>&1");
    let linux = with_sources(Renga::linux().with(["-c", &script])).end().expect_status(0).text();
    let script = format!(
        "{compile} sh /host/{SCRIPT} /tmp/on-a 2>&1; echo BOARD; \
         remote -b b sh /host/{SCRIPT} /tmp/on-b 2>&1; echo BOARD; {BETWEEN_BOARDS}"
    );
    let renga = with_sources(Renga::script(&script)).end().expect_status(0).text();
    let parts: Vec<&str> = renga.split("BOARD\n").collect();
    let [on_a, on_b, between] = parts[..] else { panic!("{renga}") };
    assert_eq!(on_a.trim(), linux.trim(), "on a");
    assert_eq!(on_b.trim(), linux.trim(), "on b");
    let lines: Vec<&str> = between.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["runs on b 2", "runs on a 2", "written on b 126", "written on a 126", "closed 0"], "{between}");
}
