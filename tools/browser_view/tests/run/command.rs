//! `renga view`: where it writes, and what it refuses.

use crate::support::{TestFolder, events, trace};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

pub fn view(arguments: &[&Path], more: &[&str]) -> Output {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-browser-view"));
    renga.env("RENGA_ROOT", Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    renga.arg("view").args(arguments).args(more).output().expect("renga starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

#[test]
fn view_existing_page_is_kept_without_force() {
    let folder = TestFolder::new("force");
    let file = folder.file("x.trace", &trace(&events()));
    let page = folder.0.join("x.trace.html");
    let first = view(&[&file], &[]);
    assert!(first.status.success(), "{}", said(&first));
    let length = fs::metadata(&page).expect("it is written").len();
    assert!(said(&first).contains(&format!("{length} bytes in {}", page.display())));
    fs::write(&page, "mine").expect("it can be");
    let again = view(&[&file], &[]);
    assert_eq!(again.status.code(), Some(125), "{}", said(&again));
    assert!(said(&again).contains("is there already: --force overwrites it"), "{}", said(&again));
    assert_eq!(fs::read_to_string(&page).ok().as_deref(), Some("mine"));
    assert!(view(&[&file], &["--force"]).status.success());
    assert_eq!(fs::metadata(&page).expect("it is there").len(), length);
}

#[test]
fn view_damaged_trace_is_refused_with_its_place() {
    let folder = TestFolder::new("damaged");
    let mut damaged = trace(&events());
    let length = damaged.len();
    damaged[length - 20..].fill(100); // no kind of event
    let damaged = folder.file("damaged.trace", &damaged);
    let wrong = folder.file("wrong.trace", b"a letter");
    for (file, message) in [(&damaged, "no such kind of event"), (&wrong, "this is no trace of Renga's")] {
        let output = view(&[file], &[]);
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert!(said(&output).contains(message), "{}", said(&output));
        assert!(said(&output).contains("of the trace"), "the place: {}", said(&output));
        assert!(!file.with_extension("trace.html").exists());
    }
    let missing = view(&[Path::new("/no/such/trace")], &[]);
    assert!(said(&missing).contains("cannot read /no/such/trace"), "{}", said(&missing));
}

#[test]
fn view_cut_trace_is_shown_and_said_to_be_cut() {
    let folder = TestFolder::new("cut");
    let whole = trace(&events());
    let cut = folder.file("cut.trace", &whole[..whole.len() - 3]);
    let output = view(&[&cut], &[]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("has no end"), "{}", said(&output));
    let page = fs::read_to_string(folder.0.join("cut.trace.html")).expect("it is written");
    assert!(page.contains("\"is_cut\":true"));
}
