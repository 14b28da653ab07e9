//! The session of `docs/guides/measure-your-workload.md`, with one rate of the link: what it prints is what the page
//! says.

use crate::support::{Scratch, clusters_can_run, root};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

const PAGE: &str = "../../docs/guides/measure-your-workload.md";
/// The rates of the page, and the one whose rows it shows.
const RATES: &str = "link.rate_mbit_s=4,18,100";
const RATE: &str = "link.rate_mbit_s=18";
/// How far a time may be off: each change of the kernel changes times a little.
const OFF_MOST: f64 = 0.1;
/// Columns of a row before its times, and how many times follow.
const TIMES: std::ops::Range<usize> = 3..7;

/// The blocks of the page that a shell runs, in order.
fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("a block ends").to_string()).collect()
}

/// The cells of the table's rows.
fn rows(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().map(|line| line.split(['|', ' ']).filter(|cell| !cell.is_empty()).map(String::from));
    let rows = rows.map(Iterator::collect::<Vec<String>>);
    rows.filter(|row| row.first().is_some_and(|cell| cell.ends_with("cached.toml"))).collect()
}

/// Holds: compare-session.
#[test]
fn compare_session_of_the_guide_finds_what_it_says() {
    if !clusters_can_run() {
        return;
    }
    let page = fs::read_to_string(PAGE).expect("the guide is there");
    let scratch = Scratch::new("compare");
    let [load, systems, comparison] = &blocks(&page)[..] else { panic!("a load, its systems, a comparison") };
    scratch.write("work.sh", load.as_bytes());
    symlink(env!("CARGO_BIN_EXE_renga"), scratch.join("renga")).expect("a link to the command");
    assert!(comparison.contains(RATES), "{comparison}");
    let script = format!("set -e\n{systems}{}", comparison.replace(RATES, RATE));
    let run = || {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&script).env("RENGA_ROOT", root()).current_dir(scratch.path());
        let output = shell.output().expect("a shell");
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success(), "{out}{err}");
        fs::remove_file(scratch.join("cached.toml")).expect("it was written");
        (out, err)
    };
    let (out, _) = run();
    let (found, said) = (rows(&out), rows(&page));
    assert_eq!((found.len(), said.len()), (4, 4), "{out}");
    for (found, said) in found.iter().zip(&said) {
        assert_eq!(found[..TIMES.start], said[..TIMES.start]);
        for (found, said) in found[TIMES].iter().zip(&said[TIMES]) {
            let [found, said] = [found, said].map(|time| time.parse::<f64>().expect("a time, ms"));
            assert!((found / said - 1.0).abs() <= OFF_MOST, "{said} ms, but here {found}:\n{out}");
        }
    }
    for file in ["compare.html", "compare.md", "compare.svg", "compare.csv", "compare.json"] {
        assert!(scratch.join("results").join(file).is_file(), "{file}");
    }
    let (again, progress) = run();
    assert!(again == out && progress.contains("4 were there, 0 were carried out"), "{again}{progress}");
}
