//! Scripts that run in folders of their own, somewhere; what they said, their status, their files; how two such runs
//! differ.

use super::{Scratch, compare, difference, root, snapshot};
use std::fs;
use std::path::{Path, PathBuf};

/// Where everything is on a board's disk.
const PLACE: &str = "/host/suite";

/// Runs each script in a folder of its own; paths in complaints are the same everywhere because they are relative.
pub const DRIVER: &str = r#"
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

/// The scripts of a folder, sorted.
pub struct Suite {
    scripts: Vec<PathBuf>,
}

impl Suite {
    /// The scripts in this folder of the project, but not in folders in it.
    pub fn of(folder: &str) -> Suite {
        let entries = fs::read_dir(root().join(folder)).expect("the scripts are there").flatten();
        let mut scripts: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sh"));
        scripts.sort();
        Suite { scripts }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.scripts.len()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.scripts.iter().map(|script| name(script))
    }

    /// What a disk needs: the scripts and the driver.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let content = |script: &PathBuf| (format!("{PLACE}/scripts/{}.sh", name(script)), read(script));
        let mut files: Vec<_> = self.scripts.iter().map(content).collect();
        files.push((format!("{PLACE}/driver.sh"), DRIVER.as_bytes().to_vec()));
        files
    }

    /// A folder of the host with the scripts, in which the driver may run.
    pub fn scratch(&self) -> Scratch {
        let suite = Scratch::new("suite");
        for script in &self.scripts {
            suite.write(&format!("scripts/{}.sh", name(script)), &read(script));
        }
        suite
    }

    /// How the results in two folders differ; a text for each script whose do.
    pub fn differences(&self, expected: &Path, found: &Path) -> Vec<String> {
        self.names().filter_map(|name| differences(&name, expected, found)).collect()
    }
}

/// The command that runs a suite on a disk, as it is run by `how`.
pub fn command(how: &str) -> String {
    format!("cd {PLACE} && {how} sh ./driver.sh")
}

/// Where a suite is in the tree of a disk.
pub fn place(tree: &Path) -> PathBuf {
    tree.join(&PLACE[1..])
}

/// Where further files of a suite go on a disk.
pub fn path(name: &str) -> String {
    format!("{PLACE}/{name}")
}

fn read(script: &Path) -> Vec<u8> {
    fs::read(script).expect("it was listed")
}

fn name(script: &Path) -> String {
    script.file_stem().expect("it has a name").to_string_lossy().into_owned()
}

/// How a script's results differ, if they do.
fn differences(name: &str, expected: &Path, found: &Path) -> Option<String> {
    let said = |suite: &Path| {
        let read = |ending: &str| fs::read(suite.join(format!("said/{name}.{ending}"))).unwrap_or_default();
        let (out, status) = (read("out"), read("status"));
        format!("{}\nstatus {}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&status))
    };
    let (expected_said, found_said) = (said(expected), said(found));
    let work = |suite: &Path| suite.join("work").join(name);
    let files = match work(found).is_dir() {
        true => compare(&snapshot(&work(expected)), &snapshot(&work(found))),
        false => vec!["it did not run".to_string()],
    };
    if expected_said == found_said && files.is_empty() {
        return None;
    }
    Some(format!("{}{}\n", difference(name, &expected_said, &found_said), files.join("\n")))
}
