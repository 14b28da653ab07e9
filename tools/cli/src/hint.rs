//! Hints beside the message that refuses a command line.

use clap::error::ErrorKind;

/// Spellings of former versions: the command (with what is measured or swept), the option, its present name.
const RENAMED: [(&str, &str, &str); 18] = [
    ("run", "--disk-size", "--disk-size-mib"),
    ("linux", "--disk-size", "--disk-size-mib"),
    ("image", "--disk-size", "--disk-size-mib"),
    ("image", "--output", "--out"),
    ("linux", "--limit-s", "--host-limit-s"),
    ("linux", "--null-disk", "--null-disk-ns"),
    ("test", "--fuzz", "--fuzz-s"),
    ("bench", "--again", "--force"),
    ("console", "--log", "--log-port"),
    ("console", "--record", "--out"),
    ("flash", "--again", "--force"),
    ("flash", "--image", "--card"),
    ("flash", "--images", "--cards"),
    ("sweep", "--folder", "--results"),
    ("sweep", "--piece", "--job"),
    ("top", "--interval", "--interval-s"),
    ("trace", "--waits", "--waits-at-ns"),
    ("check", "--system", "a name or file without an option, as in `./renga check pair`"),
];

/// A hint for `words` (the command line without the program's name): the present name of an option, or the way to run a
/// command on the cluster, if the words are `run` and a command as typed there.
pub fn hint(error: &clap::Error, words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    let (command, rest) = words.split_first()?;
    if is_old_bench_diff(command, rest) {
        return Some("what changed between two sets of results is now: ./renga bench diff OLD NEW".to_string());
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let is_used = |old: &str| rest.iter().any(|word| word.split('=').next() == Some(old));
    if let Some((_, old, new)) = RENAMED.iter().find(|(of, old, _)| of == command && is_used(old)) {
        return Some(format!("{old} is now {new}"));
    }
    let first = rest.first().filter(|word| !word.starts_with('-'))?;
    if !matches!(command.as_str(), "run" | "linux") {
        return None;
    }
    let script = rest.join(" ").replace('\'', "'\\''");
    Some(format!("to run {first} there: ./renga {command} -c '{script}'"))
}

/// Whether the words are those by which `bench diff` was called before: two folders behind `compare`.
fn is_old_bench_diff(command: &str, rest: &[String]) -> bool {
    let is_folder = |word: &String| !word.starts_with('-');
    command == "bench" && matches!(rest, [what, old, new] if what == "compare" && is_folder(old) && is_folder(new))
}

#[cfg(test)]
mod tests {
    use super::{RENAMED, hint};
    use crate::Cli;
    use clap::{CommandFactory, Parser};

    fn of(words: &[&str]) -> Option<String> {
        let error = Cli::try_parse_from(std::iter::once(&"renga").chain(words)).unwrap_err();
        hint(&error, words.iter().map(ToString::to_string))
    }

    #[test]
    fn hint_command_behind_run_is_a_script() {
        assert_eq!(of(&["run", "ls"]).as_deref(), Some("to run ls there: ./renga run -c 'ls'"));
        assert_eq!(of(&["linux", "ls", "-l"]).as_deref(), Some("to run ls there: ./renga linux -c 'ls -l'"));
        assert_eq!(of(&["run", "it's"]).as_deref(), Some("to run it's there: ./renga run -c 'it'\\''s'"));
        assert_eq!(of(&["run", "--nope"]), None);
        assert_eq!(of(&["bench", "nope"]), None);
    }

    #[test]
    fn hint_compare_of_two_folders_is_bench_diff() {
        assert!(of(&["bench", "compare", "before", "after"]).is_some_and(|hint| hint.contains("bench diff")));
        assert_eq!(of(&["bench", "compare", "--nope"]), None);
    }

    #[test]
    fn hint_old_spelling_names_an_option_of_today() {
        for (command, old, new) in RENAMED {
            let words = match command {
                "bench" => vec!["bench", "p1", old],
                "sweep" => vec!["sweep", "map", old],
                _ => vec![command, old],
            };
            assert_eq!(of(&words), Some(format!("{old} is now {new}")));
            let cli = Cli::command();
            let mut of_command = cli.find_subcommand(command).unwrap();
            if let Some(below) = words.get(1).and_then(|name| of_command.find_subcommand(name)) {
                of_command = below;
            }
            let has =
                |command: &clap::Command| command.get_arguments().any(|a| a.get_long().is_some_and(|l| new[2..] == *l));
            assert!(!new.starts_with("--") || has(of_command) || has(cli.find_subcommand(command).unwrap()), "{new}");
        }
    }
}
