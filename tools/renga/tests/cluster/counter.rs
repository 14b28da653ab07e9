//! The counter of `docs/tutorial.md`: the system file is built as the page builds it, and programs of both boards use
//! the counter.

use crate::support::{Renga, Scratch, clusters_can_run};
use std::fs;
use std::path::PathBuf;

/// So begins the line of the system file that the new one goes before.
const NEXT_LINE: &str = "\nregulator";

/// The pair with a counter on `board`.
fn with_counter(scratch: &Scratch, board: &str) -> PathBuf {
    let pair = fs::read_to_string("../../sysprocs/systems/pair.toml").expect("the pair is there");
    let system = pair.replacen(NEXT_LINE, &format!("\ncounter = {{ on = \"{board}\" }}{NEXT_LINE}"), 1);
    assert_ne!(system, pair, "the pair has no such line");
    scratch.write("counter.toml", system.as_bytes())
}

const BOTH_BOARDS_ADD: &str = r#"
cd /proc/renga; cat counter; echo 5 > counter; cat counter
remote -b b sh -c 'cat /proc/renga/counter; echo -2 > /proc/renga/counter; cat /proc/renga/counter'
add() { for i in 1 2 3 4 5 6 7 8 9 10; do echo 1 > /proc/renga/counter; done; }
add & remote -b b sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do echo 1 > /proc/renga/counter; done' & wait
cat counter
(echo many > counter) 2> /dev/null || echo "refused: many"
(echo 9223372036854775807 > counter) 2> /dev/null || echo "refused: too large"
cat counter; remote -b b cat /proc/renga/counter
"#;

#[test]
fn counter_programs_of_both_boards_add_and_read_one_sum() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("counter");
    for board in ["a", "b"] {
        let system = with_counter(&scratch, board);
        let ended = Renga::script(BOTH_BOARDS_ADD).with(["--system"]).with([system.as_os_str()]).end().expect_status(0);
        assert_eq!(
            ended.text(),
            "0\n5\n5\n3\n23\nrefused: many\nrefused: too large\n23\n23\n",
            "placed on {board}: {}",
            ended.report()
        );
    }
}

#[test]
fn counter_system_without_one_answers_no_device() {
    if clusters_can_run() {
        let ended = Renga::script("cat /proc/renga/counter").end().expect_status(1);
        assert!(
            ended.stderr.contains("No such device") || ended.text().contains("No such device"),
            "{}",
            ended.report()
        );
    }
}
