//! Alternatives: of several packages that bring the same command, whose it is.
//!
//! Debian's packages say it in the script that runs after they are installed, by `update-alternatives --install LINK
//! NAME PATH PRIORITY --slave LINK NAME PATH`. The script is not run: such commands are read from it, as far as their
//! words are plain. Invariant: of the programs that are there, the one with the highest priority gets the link.

use std::collections::BTreeMap;

use super::ImageError;
use super::tree::ImageTree;

const COMMAND: &str = "update-alternatives";

/// A program that could be what `name` stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    name: String,
    priority: i32,
    /// Link and what it leads to; the first is the program, the others come along with it.
    links: Vec<(String, String)>,
}

/// Those that a script would register.
pub(super) fn read(script: &str) -> Vec<Alternative> {
    let mut found = Vec::new();
    for line in joined(script) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let called = words.iter().position(|word| *word == COMMAND);
        found.extend(called.and_then(|at| parse(&words[at + 1..])));
    }
    found
}

/// Lines as the shell sees them: without comments, and with those joined that end in a backslash.
fn joined(script: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut whole = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (part, more) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        whole.push_str(part);
        whole.push(' ');
        if !more {
            lines.push(std::mem::take(&mut whole));
        }
    }
    lines.push(whole);
    lines
}

/// Reads the words behind the command. One with a variable in it would need a shell.
fn parse(words: &[&str]) -> Option<Alternative> {
    let end = words.iter().position(|word| ["||", "&&", "|", ";"].contains(word)).unwrap_or(words.len());
    let words: Vec<&str> = words[..end].iter().map(|word| word.trim_end_matches(';')).collect();
    if words.iter().any(|word| word.contains(['$', '"', '\'', '`'])) {
        return None;
    }
    let at = words.iter().position(|word| *word == "--install")?;
    let [link, name, path, priority] = words.get(at + 1..at + 5)? else { return None };
    let mut links = vec![(link.to_string(), path.to_string())];
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "--slave") {
        let [link, _, path] = words.get(at + 1..at + 4)? else { return None };
        links.push((link.to_string(), path.to_string()));
    }
    Some(Alternative { name: name.to_string(), priority: priority.parse().ok()?, links })
}

/// Makes the links of the best of each name.
pub(super) fn choose(alternatives: &[Alternative], tree: &mut ImageTree) -> Result<(), ImageError> {
    let mut best: BTreeMap<&str, &Alternative> = BTreeMap::new();
    for alternative in alternatives.iter().filter(|alternative| tree.holds(&alternative.links[0].1)) {
        let chosen = best.entry(&alternative.name).or_insert(alternative);
        if alternative.priority > chosen.priority {
            *chosen = alternative;
        }
    }
    for (link, path) in best.values().flat_map(|alternative| &alternative.links) {
        // Manual pages in languages that were left out.
        if tree.holds(path) {
            tree.insert_link_to(link, path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tree::{FileContent, ImageTree, TreeNode};
    use super::{choose, read};

    const GAWK: &str = "
update-alternatives --quiet --install /usr/bin/awk awk /usr/bin/gawk 10 \\
  --slave /usr/share/man/man1/awk.1.gz awk.1.gz /usr/share/man/man1/gawk.1.gz \\
  --slave /usr/bin/nawk nawk /usr/bin/gawk
";
    const MAWK: &str = "
case $1 in
  configure)
    # update-alternatives --install /usr/bin/awk awk /usr/bin/old 99
    update-alternatives --install /usr/bin/awk awk /usr/bin/mawk 5 || true
    update-alternatives --install \"$BIN\"/w w \"$BIN\"/w.procps 50
    update-alternatives --remove ex /usr/bin/mawk
esac";

    fn tree(files: &[&str]) -> ImageTree {
        let mut tree = ImageTree::default();
        for path in files {
            tree.insert(path, TreeNode::File(FileContent::Bytes(Vec::new())), 0o755).unwrap();
        }
        tree
    }

    fn target(tree: &ImageTree, path: &str) -> Option<String> {
        tree.entries().find(|(at, _)| *at == path).map(|(_, entry)| format!("{:?}", entry.node))
    }

    #[test]
    fn alternatives_plain_registrations_are_parsed() {
        assert_eq!(read(GAWK).len(), 1);
        assert_eq!(read(GAWK)[0].links.len(), 3);
        let mawk = read(MAWK);
        assert_eq!(mawk.len(), 1, "{mawk:?}");
        assert_eq!((mawk[0].name.as_str(), mawk[0].priority), ("awk", 5));
        assert!(read("update-alternatives --install /a").is_empty());
    }

    /// Holds: images-alternatives.
    #[test]
    fn alternatives_highest_priority_present_wins() {
        let both = [read(MAWK), read(GAWK)].concat();
        let mut with_both = tree(&["/usr/bin/gawk", "/usr/bin/mawk", "/usr/bin/awk"]);
        choose(&both, &mut with_both).unwrap();
        assert!(target(&with_both, "/usr/bin/awk").unwrap().contains("\"gawk\""));
        assert!(target(&with_both, "/usr/bin/nawk").unwrap().contains("\"gawk\""));
        assert!(target(&with_both, "/usr/share/man/man1/awk.1.gz").is_none());
        let mut without = tree(&["/usr/bin/mawk"]);
        choose(&both, &mut without).unwrap();
        assert!(target(&without, "/usr/bin/awk").unwrap().contains("\"mawk\""));
        assert!(target(&without, "/usr/bin/nawk").is_none());
    }
}
