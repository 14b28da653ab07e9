//! The scripts of `userland/scripts` on board a, on board b and on the host with the same busybox: the same output, the
//! same status, the same files.

use crate::support::{Busybox, Disk, Scratch, clusters_can_run, compare, difference, root, snapshot};
use std::fs;
use std::path::{Path, PathBuf};

/// There are at least so many.
const SCRIPTS_MIN: usize = 60;
/// Where everything is on a board's disk.
const SUITE: &str = "/host/suite";

/// Runs each script in a folder of its own; paths in complaints are the same everywhere because they are relative.
const DRIVER: &str = r#"
umask 022
export LC_ALL=C TZ=UTC HOME=/root
unset OLDPWD
mkdir work said
for script in scripts/*.sh; do
  name=${script##*/}; name=${name%.sh}
  mkdir work/$name
  cd work/$name
  sh ../../scripts/$name.sh > ../../said/$name.out 2>&1 < /dev/null
  echo $? > ../../said/$name.status
  cd ../..
done
"#;

fn scripts() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("userland/scripts")).expect("the scripts are there").flatten();
    let mut scripts: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sh"));
    scripts.sort();
    scripts
}

fn name(script: &Path) -> String {
    script.file_stem().expect("it has a name").to_string_lossy().into_owned()
}

/// The suite as the host's busybox leaves it.
fn on_the_host() -> Scratch {
    let suite = Scratch::new("suite");
    for script in scripts() {
        suite.write(&format!("scripts/{}.sh", name(&script)), &fs::read(&script).expect("it was listed"));
    }
    Busybox::new().run(suite.path(), DRIVER).expect_status(0);
    suite
}

fn on_board(name: &str, how: &str) {
    if !clusters_can_run() {
        return;
    }
    assert!(scripts().len() >= SCRIPTS_MIN, "{} scripts", scripts().len());
    let content = |script: &PathBuf| {
        let file = script.file_name().expect("it has a name").to_string_lossy();
        (format!("{SUITE}/scripts/{file}"), fs::read(script).expect("it was listed"))
    };
    let mut files: Vec<_> = scripts().iter().map(content).collect();
    files.push((format!("{SUITE}/driver.sh"), DRIVER.as_bytes().to_vec()));
    let disk = Disk::new(&format!("applets-{name}"), &format!("cd {SUITE} && {how} sh ./driver.sh"), &files);
    let ended = disk.run().expect_status(0);
    disk.expect_clean(&ended);
    let (expected, found) = (on_the_host(), disk.tree().join(&SUITE[1..]));
    let differences: Vec<String> = scripts().iter().flat_map(|script| judge(script, expected.path(), &found)).collect();
    assert!(
        differences.is_empty(),
        "{} scripts differ from the host's busybox\n{}\n{}",
        differences.len(),
        differences.join("\n"),
        ended.report()
    );
}

/// How a script's results differ, if they do.
fn judge(script: &Path, expected: &Path, found: &Path) -> Option<String> {
    let name = name(script);
    let said = |suite: &Path| {
        let read = |ending: &str| fs::read(suite.join(format!("said/{name}.{ending}"))).unwrap_or_default();
        let (out, status) = (read("out"), read("status"));
        format!("{}\nstatus {}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&status))
    };
    let (expected_said, found_said) = (said(expected), said(found));
    let work = |suite: &Path| suite.join("work").join(&name);
    let files = match work(found).is_dir() {
        true => compare(&snapshot(&work(expected)), &snapshot(&work(found))),
        false => vec!["it did not run".to_string()],
    };
    if expected_said == found_said && files.is_empty() {
        return None;
    }
    Some(format!("{}{}\n", difference(&name, &expected_said, &found_said), files.join("\n")))
}

/// Otherwise a script would judge the host, not the boards.
#[test]
fn scripts_depend_on_nothing_but_busybox() {
    if !clusters_can_run() {
        return;
    }
    let (one, other) = (on_the_host(), on_the_host());
    let differences: Vec<String> =
        scripts().iter().flat_map(|script| judge(script, one.path(), other.path())).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for script in scripts() {
        let out = fs::read(one.join(&format!("said/{}.out", name(&script)))).expect("each script ran");
        let text = String::from_utf8_lossy(&out);
        let folder = one.path().to_string_lossy();
        assert!(!text.contains(folder.as_ref()), "{} prints where it runs:\n{text}", name(&script));
        assert!(!text.contains(": not found"), "{} uses what busybox does not have:\n{text}", name(&script));
    }
}

#[test]
fn applets_on_board_a_are_as_on_the_host() {
    on_board("a", "");
}

#[test]
fn applets_on_board_b_are_as_on_the_host() {
    on_board("b", "remote -b b");
}
