//! What a person may have meant who wrote what is no command line.

use clap::error::ErrorKind;

/// The way to run a command on the cluster, if `words` (of the command line, without the program's name) are `run` and a
/// command as one would type it there.
pub fn hint(error: &clap::Error, words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    let (command, rest) = words.split_first()?;
    if error.kind() != ErrorKind::UnknownArgument || !matches!(command.as_str(), "run" | "linux") {
        return None;
    }
    let first = rest.first().filter(|word| !word.starts_with('-'))?;
    let script = rest.join(" ").replace('\'', "'\\''");
    Some(format!("to run {first} there: ./renga {command} -c '{script}'"))
}

#[cfg(test)]
mod tests {
    use super::hint;
    use crate::Cli;
    use clap::Parser;

    fn of(words: &[&str]) -> Option<String> {
        let error = Cli::try_parse_from(std::iter::once(&"renga").chain(words)).unwrap_err();
        hint(&error, words.iter().map(ToString::to_string))
    }

    #[test]
    fn a_command_behind_run_is_shown_as_a_script() {
        assert_eq!(of(&["run", "ls"]).as_deref(), Some("to run ls there: ./renga run -c 'ls'"));
        assert_eq!(of(&["linux", "ls", "-l"]).as_deref(), Some("to run ls there: ./renga linux -c 'ls -l'"));
        assert_eq!(of(&["run", "it's"]).as_deref(), Some("to run it's there: ./renga run -c 'it'\\''s'"));
        assert_eq!(of(&["run", "--nope"]), None);
        assert_eq!(of(&["bench", "nope"]), None);
    }
}
