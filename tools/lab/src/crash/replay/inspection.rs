//! The oracle on several states in one boot: the files of a state are put in place, the oracle runs, then the next.
//!
//! Invariant: a state's folders have the names, contents, permissions, owners and hard links that the recovered disk
//! has, not the times. What does not fit in is booted from the disk of the cut itself.

use super::cut_state::{CutState, Replay};
use super::tree::{Content, Ext2Reader, FileTree, TreeFile};
use crate::crash::bench::{ConsoleRecorder, FOLDER, placed_text};
use crate::crash::trial::{SHOWN_BYTES_MAX, verdict_of};
use anyhow::{Context, Result};
use renga_cluster::session_disk::SCRIPT_PATH;
use renga_images::disk_image::Placed;
use renga_workspace::shell::quoted;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// States of one boot.
const STATES_MAX: usize = 24;
/// Data of a state's files that are put in place.
const BYTES_MAX: u64 = 4 << 20;
const BEGIN: &str = "crash: state ";
const END: &str = "crash: the oracle ends with status ";

/// Some states for one boot.
pub struct OracleBoot<'a> {
    replay: &'a Replay<'a>,
    /// The states.
    pub states: Vec<&'a CutState>,
    folders: Vec<String>,
}

/// Divides the states among boots.
pub fn batches<'a>(replay: &'a Replay<'a>, states: &[&'a CutState], workers: usize) -> Vec<OracleBoot<'a>> {
    let folders = outermost(states.iter().flat_map(|state| state.changed.iter().cloned()).collect());
    let count = states.len().div_ceil(workers.max(1)).clamp(1, STATES_MAX);
    let part = |states: &[&'a CutState]| OracleBoot { replay, states: states.to_vec(), folders: folders.clone() };
    states.chunks(count).map(part).collect()
}

/// The folders that lie in none of the others.
fn outermost(folders: BTreeSet<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for folder in folders {
        if !kept.iter().any(|above| is_within(&folder, above)) {
            kept.push(folder);
        }
    }
    kept
}

fn is_within(path: &str, folder: &str) -> bool {
    folder == "/" || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl OracleBoot<'_> {
    /// What is wrong with each of the states; `name` is of a folder for files.
    ///
    /// # Errors
    /// If a disk cannot be made.
    pub fn carry_out(&self, name: &str) -> Result<Vec<Option<String>>> {
        let together = if self.folders.iter().any(|folder| folder == "/") { None } else { self.together(name)? };
        if let Some(verdicts) = together {
            return Ok(verdicts);
        }
        self.states.iter().map(|state| self.alone(state, name)).collect()
    }

    /// Boots the disk of the cut, whose recovery is the board's.
    fn alone(&self, state: &CutState, name: &str) -> Result<Option<String>> {
        let Replay { bench, rehearsed, .. } = self.replay;
        let folder = bench.folder(name)?;
        let disk = folder.join("disk.img");
        self.replay.disk(state.number)?.write_to(&bench.disk, 0, &disk)?;
        let verdict = verdict_of((bench, rehearsed), &disk, &state.input)?;
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        Ok(verdict)
    }

    /// `None`: they do not fit, or the boot did not come to its end.
    fn together(&self, name: &str) -> Result<Option<Vec<Option<String>>>> {
        let Replay { bench, rehearsed, .. } = self.replay;
        let mut placed = vec![placed_text(SCRIPT_PATH.into(), self.boot_script().into_bytes())];
        for (number, state) in self.states.iter().enumerate() {
            let Some(files) = self.placed(number, state)? else { return Ok(None) };
            placed.extend(files);
        }
        let folder = bench.folder(name)?;
        let disk = folder.join("disk.img");
        bench.build_disk(placed, &disk)?;
        let mut heard = ConsoleRecorder::new(bench.system.checked.console_board());
        let session = bench.session(disk, Vec::new(), b"", rehearsed.limit_ns() * self.states.len() as u64);
        let ended = session.run(&mut heard);
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        let complete = ended.is_ok_and(|outcome| outcome.status == 0);
        Ok(verdicts(&heard.end(usize::MAX), self.states.len()).filter(|_| complete))
    }

    fn boot_script(&self) -> String {
        let numbers: String = (0..self.states.len()).map(|number| format!(" {number}")).collect();
        format!(
            "stty -echo
here=$PWD
for state in{numbers}; do
    cd / && sh -e {FOLDER}/$state/apply || exit 1
    cd \"$here\" || exit 1
    echo \"{BEGIN}$state\"
    sh {FOLDER}/oracle < {FOLDER}/$state/input
    echo \"{END}$?\"
done
"
        )
    }

    /// What the disk has for a state: its files, and the script that puts them in place; `None`: it does not fit.
    fn placed(&self, number: usize, state: &CutState) -> Result<Option<Vec<Placed>>> {
        let reader = Ext2Reader::new(&state.disk, self.replay.start_bytes)?;
        let tree = reader.tree(FOLDER)?;
        let here = |path: &str| self.folders.iter().any(|folder| is_within(path, folder));
        let files: FileTree = tree.into_iter().filter(|(path, _)| here(path)).collect();
        let fits = |file: &TreeFile| file.content != Content::Other;
        if !files.values().all(fits) || files.values().map(|file| file.bytes).sum::<u64>() > BYTES_MAX {
            return Ok(None);
        }
        let at = |name: &str| format!("{FOLDER}/{number}/{name}");
        let mut script: Vec<String> = self.folders.iter().map(|folder| format!("rm -rf {}", quoted(folder))).collect();
        let (mut placed, mut first_names) = (Vec::new(), BTreeMap::new());
        for (place, (path, file)) in files.iter().enumerate() {
            let (name, kept) = (quoted(path), at(&place.to_string()));
            let first = first_names.get(&file.ino);
            script.push(command(file, &name, &kept, first));
            if file.content == Content::File && first.is_none() {
                placed.push(Placed { mode: file.mode.into(), ..placed_text(kept, reader.data(file)?) });
                first_names.insert(file.ino, name.clone());
            }
            if let (user, group) = file.owners
                && file.owners != (0, 0)
            {
                script.push(format!("chown -h {user}:{group} {name}"));
            }
        }
        placed.push(placed_text(at("apply"), (script.join("\n") + "\n").into_bytes()));
        placed.push(placed_text(at("input"), state.input.clone()));
        Ok(Some(placed))
    }
}

/// Puts a file in place: as a link to the `first` of its names, or from where it is `kept`.
fn command(file: &TreeFile, name: &str, kept: &str, first: Option<&String>) -> String {
    match (&file.content, first) {
        (Content::Folder, _) => format!("mkdir {name}\nchmod {:o} {name}", file.mode),
        (Content::Link(target), _) => format!("ln -s {} {name}", quoted(&String::from_utf8_lossy(target))),
        (_, Some(first)) => format!("ln {first} {name}"),
        (_, None) => format!("mv {kept} {name}"),
    }
}

/// What the console says of each state; `None`: not of all.
fn verdicts(console: &str, count: usize) -> Option<Vec<Option<String>>> {
    let parts: Vec<&str> = console.split(BEGIN).skip(1).collect();
    let verdict = |part: &&str| {
        let (said, rest) = part.rsplit_once(END)?;
        let status: u32 = rest.split_whitespace().next()?.parse().ok()?;
        let said = said.split_once('\n').map_or("", |(_, said)| said);
        let shown = said.get(said.len().saturating_sub(SHOWN_BYTES_MAX)..).unwrap_or(said);
        Some((status != 0).then(|| format!("the oracle ends with status {status}:\n{shown}")))
    };
    let all: Option<Vec<Option<String>>> = parts.iter().map(verdict).collect();
    all.filter(|all| all.len() == count)
}

#[cfg(test)]
mod tests {
    use super::{outermost, verdicts};

    #[test]
    fn crash_states_have_verdicts_or_are_booted_alone() {
        let console = "boot\ncrash: state 0\r\ncrash: the oracle ends with status 0\r\ncrash: state 1\r\nlost\r\n\
            crash: the oracle ends with status 1\r\n";
        let lost = "the oracle ends with status 1:\nlost\r\n".to_string();
        assert_eq!(verdicts(console, 2), Some(vec![None, Some(lost)]));
        assert_eq!(verdicts(console, 3), None);
        assert_eq!(verdicts("crash: state 0\r\n", 1), None);
    }

    #[test]
    fn crash_changed_folders_are_the_outermost() {
        let folders = ["/root/a", "/root", "/root-2", "/var/x"].map(String::from);
        assert_eq!(outermost(folders.into_iter().collect()), ["/root", "/root-2", "/var/x"]);
    }
}
