//! Scripts in one place: how they are run there, and how each one's end compares with that on Linux.

use super::go;
use super::script::{self, PackageScript};
use crate::support::{Disk, Renga, difference, work};
use renga_images::disk_image::DiskChoice;
use std::fs;
use std::time::Duration;

/// Where scripts run; the first one is the measure.
pub(super) const PLACES: [&str; 3] = ["linux", "a", "b"];
/// How long the host may take for the scripts of a group in one place.
const LIMIT: Duration = Duration::from_secs(3600);
/// Virtual seconds for each script; the driver ends it earlier.
const LIMIT_S: usize = 400;
/// The status of `timeout` when it ends a script.
const LATE: &str = "status 124";
const PLACE: &str = "/host/packages";
const PACKAGES: &str = "/etc/renga/packages";

/// How a script ended in one place.
pub(super) struct PackageRun {
    /// What the script printed, and its status, if it ended.
    pub(super) said: String,
    /// The package's version.
    version: String,
}

impl PackageRun {
    /// A word for it, beside `linux`.
    fn verdict(&self, linux: &PackageRun) -> &'static str {
        match status(&self.said) {
            None => "board fails",
            Some(LATE) => "no end",
            Some(_) if self.said == linux.said => "same",
            Some(_) => "differs",
        }
    }
}

/// Runs the scripts one after another at `place`; those behind one that a board does not survive in another run.
pub(super) fn run(scripts: &[PackageScript], place: &str, image: &DiskChoice) -> Vec<PackageRun> {
    let mut runs = Vec::new();
    // Each turn adds one at least.
    while runs.len() < scripts.len() {
        runs.extend(run_from(&scripts[runs.len()..], place, image));
    }
    runs
}

/// Runs the scripts up to one that does not end.
fn run_from(scripts: &[PackageScript], place: &str, image: &DiskChoice) -> Vec<PackageRun> {
    let how = if place == "b" { "remote -b b" } else { "" };
    let names: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
    let command = format!("cd {PLACE} && {how} sh ./driver.sh {place} {}", names.join(" "));
    let file = |name: &str, content: &[u8]| (format!("{PLACE}/{name}"), content.to_vec());
    let mut files: Vec<_> =
        scripts.iter().map(|script| file(&format!("{}.sh", script.name), script.text.as_bytes())).collect();
    for script in scripts {
        files.extend(script.go.iter().map(|source| file(&script.name, &go::build(source))));
    }
    files.push(file("driver.sh", &script::driver()));
    let disk = Disk::of(&format!("packages-{}-{place}", names[0]), image.clone(), &command, &files);
    let list = String::from_utf8_lossy(&disk.file(PACKAGES)).into_owned();
    let limit_s = (LIMIT_S * names.len()).to_string();
    let renga = match place {
        "linux" => Renga::command(&["linux"]),
        _ => Renga::command(&["run", "--log", "--system", "pair", "--limit-s", &limit_s]),
    };
    let ended = renga.with(["--disk".as_ref(), disk.image().as_os_str()]).within(LIMIT).end();
    let said = parts(&ended.text(), &names);
    let runs = said.into_iter().zip(scripts).map(|(said, script)| {
        let of_go = script.go.as_ref().and_then(|_| go::version());
        let run = PackageRun { said, version: of_go.unwrap_or_else(|| version(&list, &script.package)) };
        keep(&format!("{}-{place}", script.name), &run.said, &ended.stderr);
        run
    });
    runs.collect()
}

/// What each script printed, up to one without a status.
fn parts(text: &str, names: &[&str]) -> Vec<String> {
    let mut parts = Vec::new();
    for name in names {
        let heading = format!("== {name}\n");
        // From the heading's line end on, behind which another heading may stand.
        let said = text.find(&heading).map_or("", |at| &text[at + heading.len() - 1..]);
        let said = said.split("\n== ").next().unwrap_or_default().trim_matches('\n').to_string();
        let has_ended = status(&said).is_some();
        parts.push(said);
        if !has_ended {
            break;
        }
    }
    parts
}

/// The last line, if it is a status.
fn status(said: &str) -> Option<&str> {
    said.lines().last().filter(|line| line.starts_with("status "))
}

/// The version of `package` in an image's list of packages.
fn version(list: &str, package: &str) -> String {
    let fields = list.lines().map(|line| line.split('_').collect::<Vec<_>>());
    // A colon is written so in the names of files.
    let mut of_package = fields.filter(|fields| fields[0] == package);
    let version = of_package.find_map(|fields| Some(fields.get(1)?.replace("%3a", ":")));
    version.unwrap_or_else(|| panic!("no package {package} in\n{list}"))
}

/// Keeps what a run printed, to be read by a person.
fn keep(name: &str, said: &str, log: &str) {
    let folder = work().join("packages");
    fs::create_dir_all(&folder).expect("target/ can be written");
    for (ending, content) in [("out", said), ("log", log)] {
        fs::write(folder.join(format!("{name}.{ending}")), content).expect("target/ can be written");
    }
}

/// What the report says of a package.
pub(super) struct PackageRow {
    name: String,
    version: String,
    what: String,
    verdicts: [&'static str; PLACES.len()],
    reason: String,
    /// How what the boards printed differs from what Linux did, for a person.
    pub(super) differences: String,
}

impl PackageRow {
    pub(super) fn of(script: &PackageScript, runs: [&PackageRun; PLACES.len()]) -> PackageRow {
        let [linux, a, b] = runs;
        let [a, b] = [a, b].map(|run| run.verdict(linux));
        let on_linux = if linux.said.contains(&script.expected) { "done" } else { "not done" };
        let said = PLACES.iter().zip(runs).skip(1).map(|(place, run)| difference(place, &linux.said, &run.said));
        PackageRow {
            name: script.name.clone(),
            version: linux.version.clone(),
            what: script.what.clone(),
            verdicts: [on_linux, a, b],
            reason: script.reason.clone().unwrap_or_default(),
            differences: said.collect(),
        }
    }

    /// Whether the boards do what Linux does.
    fn is_same(&self) -> bool {
        self.verdicts == ["done", "same", "same"]
    }

    /// What is missing from the script or is not so any more; `None` if nothing is.
    pub(super) fn fault(&self) -> Option<String> {
        match (self.is_same(), self.reason.is_empty()) {
            (true, false) => Some(format!("{}: ends as on Linux, so `Differs` is not so", self.name)),
            (false, true) => Some(format!("{}: no reason (`Differs`)\n{}", self.name, self.differences)),
            _ => None,
        }
    }

    /// The row of the table.
    pub(super) fn line(&self) -> String {
        let [linux, a, b] = self.verdicts;
        format!("| `{}` | {} | {} | {linux} | {a} | {b} | {} |", self.name, self.version, self.what, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::{PackageRow, PackageRun, PackageScript, parts, version};

    fn row(expected: &str, reason: Option<&str>, said: [&str; 3]) -> PackageRow {
        let text = |text: &str| text.to_string();
        let script = PackageScript {
            name: text("n"),
            package: text("p"),
            what: text("w"),
            expected: text(expected),
            reason: reason.map(text),
            text: text(""),
            go: None,
        };
        let run = |said: &str| PackageRun { said: text(said), version: text("1") };
        PackageRow::of(&script, said.map(run).each_ref())
    }

    #[test]
    fn package_row_compares_boards_with_linux() {
        let done = "x\nstatus 0\n";
        let same = row("x", None, [done; 3]);
        assert_eq!((same.line().as_str(), same.fault()), ("| `n` | 1 | w | done | same | same |  |", None));
        let other = row("x", Some("r"), [done, "y\nstatus 0\n", "x\nstatus 124\n"]);
        assert_eq!((other.line().as_str(), other.fault()), ("| `n` | 1 | w | done | differs | no end | r |", None));
        let dead = row("y", Some("r"), [done, done, "x\n"]);
        assert_eq!(dead.line(), "| `n` | 1 | w | not done | same | board fails | r |");
        assert!(row("x", Some("r"), [done; 3]).fault().is_some(), "nothing differs");
        assert!(row("x", None, [done, done, "x\n"]).fault().is_some(), "without a reason");
        assert!(row("y", None, [done; 3]).fault().is_some(), "all fail alike");
    }

    #[test]
    fn package_run_ends_at_script_without_status() {
        let text = "x\r\n== a\nsaid\nstatus 0\n== b\n== c\n\nstatus 1\n".replace('\r', "");
        assert_eq!(parts(&text, &["a", "b", "c"]), ["said\nstatus 0", ""]);
        assert_eq!(parts(&text, &["a", "c"]), ["said\nstatus 0", "status 1"]);
        assert_eq!(parts("no end", &["a"]), [""]);
    }

    #[test]
    fn package_version_is_that_of_whole_name() {
        assert_eq!(version("tmux-x_1_arm64\ntmux_1%3a3.3a-3_arm64\n", "tmux"), "1:3.3a-3");
    }
}
