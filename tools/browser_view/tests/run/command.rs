//! `renga view`: where it writes, and what it refuses.

use crate::support::{TestFolder, events, header, trace, trace_of};
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

#[test]
fn view_out_that_is_an_input_is_refused_with_force_too() {
    let folder = TestFolder::new("input");
    let [one, other] = ["one", "other"].map(|name| folder.file(name, &trace(&events())));
    let link = folder.0.join("link");
    std::os::unix::fs::symlink(&other, &link).expect("a link can be made");
    let other_name = other.to_str().expect("a plain name");
    for out in [&one, &other, &link, &folder.0.join("../").join(folder.0.file_name().expect("a name")).join("one")] {
        let out = out.to_str().expect("a plain name");
        let output = view(&[&one], &["--diff", other_name, "--force", "--out", out]);
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert!(said(&output).contains("--out names another file"), "{}", said(&output));
    }
    for file in [one, other] {
        assert_eq!(fs::read(file).expect("it is there"), trace(&events()));
    }
}

/// Files of at most 4 KiB stand for a disk that is full.
#[test]
fn view_page_that_cannot_be_written_leaves_the_old_one() {
    let folder = TestFolder::new("full");
    let file = folder.file("x.trace", &trace(&events()));
    let page = folder.file("x.trace.html", b"the old page");
    let mut bash = Command::new("bash");
    bash.args([
        "-c",
        "trap '' XFSZ; ulimit -f 4; exec \"$0\" view \"$1\" --force",
        env!("CARGO_BIN_EXE_renga-browser-view"),
    ]);
    bash.env("RENGA_ROOT", Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let output = bash.arg(&file).output().expect("bash starts");
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    assert!(said(&output).contains("cannot write"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&page).ok().as_deref(), Some("the old page"));
    assert_eq!(fs::read_dir(&folder.0).expect("it is there").count(), 2, "nothing is left behind");
}

#[test]
fn view_difference_names_each_event_by_its_own_run() {
    let folder = TestFolder::new("names");
    let (mut later, mut names, page) = (events(), header(), folder.0.join("both.html"));
    later.iter_mut().for_each(|timed| timed.time_ns += 1);
    names.kinds[0].name = "guest".to_string();
    let one = folder.file("one", &trace(&events()));
    for (header, named, differ) in [(header(), "user", false), (names, "guest", true)] {
        let other = folder.file("other", &trace_of(&header, &later));
        let [other, out] = [&other, &page].map(|file| file.to_str().expect("a plain name"));
        let output = view(&[&one], &["--diff", other, "--force", "--out", out]);
        assert!(output.status.success(), "{}", said(&output));
        let page = fs::read_to_string(&page).expect("it is written");
        let (_, first) = page.split_once("\"events\":[").expect("they differ");
        let (first, _) = first.split_once(']').expect("it ends");
        let [one, other] = first.split("\",\"").collect::<Vec<_>>()[..] else { panic!("{first}") };
        assert!(one.contains("user") && other.contains(named), "{first}");
        assert!(page.contains(&format!("\"other_names\":{differ}")));
    }
}
