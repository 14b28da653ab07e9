//! `renga cluster new` as a person at a terminal, and as a script, has it.

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that does not exist; what is made there is gone when dropped.
struct NewFolder(PathBuf);

impl NewFolder {
    fn new(name: &str) -> NewFolder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("new-cluster-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        NewFolder(path)
    }

    fn read(&self, name: &str) -> String {
        let path = self.0.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn renga(words: &[&str], out: Option<&NewFolder>) -> Command {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga"));
    renga.args(["cluster", "new"]).args(words);
    if let Some(NewFolder(out)) = out {
        renga.arg("--out").arg(out);
    }
    renga
}

/// Status, and output of both kinds.
fn ended(mut renga: Command, input: Stdio) -> (i32, String) {
    let output = renga.stdin(input).output().expect("renga starts");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The same with this typed at a terminal.
fn typed(renga: Command, keys: &str) -> (i32, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("this host has pseudo-terminals");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a new one can be opened");
    let name = ptsname(&master, Vec::new()).expect("it has a name").into_string().expect("a plain name");
    let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it was unlocked");
    File::from(master.try_clone().expect("a descriptor")).write_all(keys.as_bytes()).expect("there is room");
    ended(renga, Stdio::from(slave))
}

/// What `renga check` says of a system file.
fn checked(file: &Path) -> (i32, String) {
    let mut check = Command::new(env!("CARGO_BIN_EXE_renga"));
    check.arg("check").arg(file);
    ended(check, Stdio::null())
}

/// Holds: cluster-new.
#[test]
fn cluster_new_asks_at_terminal_and_makes_folder() {
    let place = NewFolder::new("asked");
    // Name, boards, three models, cores, link, disk, folder, cards.
    let keys = format!("lab\n3\npi3\nzero2w\n\n\nspi\nb\n{}\nno\n", place.0.display());
    let (status, said) = typed(renga(&[], None), &keys);
    assert_eq!(status, 0, "{said}");
    let questions = [
        "Name of the cluster [renga]?",
        "How many boards, 1 to 8 [2]?",
        "Model of board a: pi3, zero2w, pi4 [pi3]?",
        "Model of board c: pi3, zero2w, pi4 [zero2w]?",
        "1 or 4 [1]?",
        "What joins the boards: pins, pins4, spi [pins]?",
        "Which board owns the disk [a]?",
        "New folder for all files [lab]?",
        "Make the card images now, yes or no [yes]?",
    ];
    questions.iter().for_each(|question| assert!(said.contains(question), "no {question}: {said}"));
    let file = place.read("cluster.toml");
    assert!(
        file.contains("link = \"spi\"") && file.contains("a = \"pi3\"\nb = \"zero2w\"\nc = \"zero2w\"\n"),
        "{file}"
    );
    assert!(place.read("system.toml").contains("{ name = \"b\", disk = true, message_kib = "));
    let (status, report) = checked(&place.0.join("system.toml"));
    assert!(status == 0 && report.contains("no cycle"), "{report}");
    let plan = place.read("wiring.md");
    assert!(plan.contains("| DATA | 19 (GPIO10) and 38 (GPIO20) | 19 (GPIO10) and 38 (GPIO20) |"), "{plan}");
    assert!(plan.contains("![Which place of which header is joined to which](wiring.svg)"), "{plan}");
    assert!(place.read("wiring.svg").starts_with("<svg "));
    let file = place.0.join("cluster.toml").display().to_string();
    let next = [format!("./renga image --cluster {file} --out"), format!("./renga flash --cluster {file} --cards")];
    next.iter().for_each(|command| assert!(said.contains(command), "no {command}: {said}"));
    assert!(said.contains("/dev/ttyUSB0=a /dev/ttyUSB1=b /dev/ttyUSB2=c"), "{said}");
    assert!(!said.contains("./renga run"), "the emulator has no SPI between boards: {said}");
}

/// Holds: cluster-new.
#[test]
fn cluster_new_without_terminal_names_options_that_are_missing() {
    let place = NewFolder::new("nobody");
    let (status, said) = ended(renga(&["--name", "lab", "--board", "pi3"], Some(&place)), Stdio::null());
    assert_eq!(status, 125, "{said}");
    let wanted = "there is no terminal to ask on: say --boards, --cores, --link, --disk-board, --no-cards, or --yes";
    assert!(said.contains(wanted), "{said}");
    assert!(!place.0.exists(), "nothing was made");
    let (status, said) = ended(renga(&["--name", "lab", "--no-cards", "--yes"], Some(&place)), Stdio::null());
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("./renga run --system"), "{said}");
    assert_eq!(place.read("system.toml").matches("{ name = ").count(), 2);
}

/// Holds: cluster-new.
#[test]
fn cluster_new_of_eight_boards_is_accepted_and_one_has_no_link() {
    for (boards, cores) in [("8", "1"), ("8", "4"), ("1", "4")] {
        let place = NewFolder::new("counts");
        let words = ["--name", "lab", "--boards", boards, "--cores", cores, "--no-cards", "--yes"];
        let (status, said) = ended(renga(&words, Some(&place)), Stdio::null());
        assert_eq!(status, 0, "{words:?}: {said}");
        let (status, report) = checked(&place.0.join("system.toml"));
        assert_eq!(status, 0, "{report}");
        let plan = place.read("wiring.md");
        assert_eq!(plan.contains("| token, h to a | h 3 (GPIO2) | a 21 (GPIO9) |"), boards == "8", "{plan}");
        assert_eq!(plan.contains("One board alone has no link"), boards == "1", "{plan}");
    }
}

/// Holds: cluster-new.
#[test]
fn cluster_new_never_writes_over_files_unless_forced() {
    let place = NewFolder::new("exists");
    fs::create_dir_all(&place.0).expect("a folder can be made");
    fs::write(place.0.join("cluster.toml"), "mine").expect("it can be written");
    let words = ["--name", "lab", "--no-cards", "--yes"];
    let (status, said) = ended(renga(&words, Some(&place)), Stdio::null());
    assert!(status == 125 && said.contains("exists: choose a new folder, or --force"), "{status} {said}");
    assert_eq!((place.read("cluster.toml").as_str(), place.0.join("system.toml").exists()), ("mine", false));
    let (status, said) = ended(renga(&[&words[..], &["--force"]].concat(), Some(&place)), Stdio::null());
    assert_eq!(status, 0, "{said}");
    assert!(place.read("cluster.toml").contains("name = \"lab\""));
}
