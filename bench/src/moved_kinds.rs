//! Kinds of system process that a run has on other boards than its system's file says.
//!
//! Invariant: what else a line says stays. Not here: whether the result is a system (`renga-placement`).

use anyhow::{Context, Result, ensure};

/// A kind, and the boards on which it is, one of each name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedKind {
    /// As the system's file calls it.
    pub kind: &'static str,
    /// The boards' names.
    pub boards: Vec<&'static str>,
}

/// What the board with the disk says of itself.
const OWNS_DISK: &str = ", disk = true";

/// The system `text` with kinds moved.
///
/// # Errors
/// If a kind or a board has no line.
pub(crate) fn moved(text: &str, kinds: &[MovedKind]) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for MovedKind { kind, boards } in kinds {
        let of_kind = |line: &&mut String| line.split_once('=').is_some_and(|(key, _)| key.trim() == *kind);
        let line = lines.iter_mut().find(of_kind).with_context(|| format!("no line places `{kind}`"))?;
        *line = moved_line(kind, boards, line)?;
        if let ("disk", [board]) = (*kind, &boards[..]) {
            move_flag(board, &mut lines)?;
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// The line of `kind`, which is on `boards`.
fn moved_line(kind: &str, boards: &[&str], line: &str) -> Result<String> {
    let table = line.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(table, _)| table);
    let table = table.with_context(|| format!("`{kind}` is not placed by one table: {line}"))?;
    let more: Vec<&str> = table.split(',').map(str::trim).filter(|part| !part.starts_with("on ")).collect();
    let table = |board: &&str| {
        let parts = std::iter::once(format!("on = \"{board}\"")).chain(more.iter().map(|part| (*part).to_string()));
        format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "))
    };
    Ok(format!("{kind} = [{}]", boards.iter().map(table).collect::<Vec<_>>().join(", ")))
}

/// `board` owns the disk.
fn move_flag(board: &str, lines: &mut [String]) -> Result<()> {
    let name = format!("{{ name = \"{board}\"");
    ensure!(lines.iter().any(|line| line.contains(&name)), "no board is called {board}");
    for line in lines {
        let without = line.replace(OWNS_DISK, "");
        *line = without.replace(&name, &format!("{name}{OWNS_DISK}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MovedKind, moved};

    const TEXT: &str = "boards = [\n    { name = \"a\", disk = true, message_kib = 8 },\n    { name = \"b\" },\n]\n\
                        disk    = { on = \"a\" }\nbuffer  = { on = \"a\", count = 480 }   # blocks\n\
                        buffers = { on = \"every\" }\n";

    #[test]
    fn moved_kinds_keep_counts_and_take_disk_along() {
        let kinds =
            [MovedKind { kind: "disk", boards: vec!["b"] }, MovedKind { kind: "buffer", boards: vec!["a", "b"] }];
        let wanted = "boards = [\n    { name = \"a\", message_kib = 8 },\n    { name = \"b\", disk = true },\n]\n\
                      disk = [{ on = \"b\" }]\n\
                      buffer = [{ on = \"a\", count = 480 }, { on = \"b\", count = 480 }]\n\
                      buffers = { on = \"every\" }\n";
        assert_eq!(moved(TEXT, &kinds).unwrap(), wanted);
        assert_eq!(moved(TEXT, &[]).unwrap(), TEXT);
    }

    #[test]
    fn moved_kinds_unknown_names_are_refused() {
        let refused = |kind, board| moved(TEXT, &[MovedKind { kind, boards: vec![board] }]).unwrap_err().to_string();
        assert!(refused("inode", "a").contains("no line places `inode`"));
        assert!(refused("disk", "c").contains("no board is called c"));
    }
}
