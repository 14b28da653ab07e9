//! Changes of a tree of names: random but possible ones, applied to the model, and executed by a program.

use super::tree::{Id, Node, Tree};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::program::{Open, SimProgram};
use std::collections::BTreeMap;

/// Where names are: three directories that move about, a link to one of them, and the place of all.
const PLACES: [&str; 5] = ["", "/d0", "/d1", "/d2", "/l"];
/// More names than the disk's board of the small system has slots for.
const FILES: u64 = 20;

/// Bits that fresh files have not.
const UMASK: u32 = 0o022;

/// The mode of files that an open creates.
const OPENED: u32 = 0o644;

/// Most bytes that are appended at once: files stay within a page.
const BYTES_MAX: u64 = 100;

/// Of so many appends one is synced.
const SYNC_SHARE: u64 = 4;

/// One change; paths from the place of all.
#[derive(Clone, Debug)]
pub enum Change {
    MakeFile(String, u32),
    /// By opening it.
    OpenFile(String),
    MakeDirectory(String),
    MakeLink(String, String),
    Link(String, String),
    Unlink(String),
    RemoveDirectory(String),
    Rename(String, String),
    SetMode(String, u32),
    /// So many bytes, all alike.
    Append(String, u64, u8),
}

fn name(random: &mut Random) -> String {
    match random.below(8) {
        kind @ 0..=2 => format!("/d{kind}"),
        3 => "/l".into(),
        _ => format!("{}/f{}", random.one(&PLACES), random.below(FILES)),
    }
}

/// A path to check, and whether a link at its end is followed.
pub fn draw_path(random: &mut Random) -> (String, bool) {
    let path = match random.below(6) {
        0 => format!("{}/../f{}", random.one(&PLACES[1..]), random.below(FILES)),
        1 => format!("{}/../d{}", random.one(&PLACES[1..]), random.below(3)),
        _ => name(random),
    };
    (path, random.occurs(80))
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl Change {
    pub fn draw(random: &mut Random) -> Change {
        let (path, mode) = (name(random), random.below(0o1000) as u32);
        match random.below(16) {
            0 => Change::MakeFile(path, mode & !UMASK),
            1 | 2 => Change::OpenFile(path),
            3 => Change::MakeDirectory(format!("/d{}", random.below(3))),
            4 => Change::MakeLink(format!("d{}", random.below(3)), "/l".into()),
            5 => Change::Link(path, name(random)),
            6 | 7 => Change::Unlink(path),
            8 => Change::RemoveDirectory(path),
            9 | 10 => Change::Rename(path, name(random)),
            11 => Change::SetMode(path, mode),
            _ => Change::Append(path, random.between(1, BYTES_MAX), 0),
        }
    }

    /// Applies the change; `None`: it is impossible. The file's number is its content.
    pub fn apply(&mut self, tree: &mut Tree) -> Option<()> {
        match self {
            Change::MakeFile(path, mode) => tree.make(path, Node::File { mode: *mode, links: 1, bytes: 0 }),
            Change::OpenFile(path) => tree.make(path, Node::File { mode: OPENED, links: 1, bytes: 0 }),
            Change::MakeDirectory(path) => {
                let parent = tree.find(split(path).0, true).ok()?;
                tree.make(path, Node::Directory { parent, names: BTreeMap::new() })
            }
            Change::MakeLink(target, path) => tree.make(path, Node::Link { target: target.clone() }),
            Change::Link(from, to) => tree.link(from, to),
            Change::Unlink(path) => tree.unlink(path),
            Change::RemoveDirectory(path) => tree.remove_directory(path),
            Change::Rename(from, to) => tree.rename(from, to),
            Change::SetMode(path, new) => {
                let id = tree.find(path, true).ok()?;
                match &mut tree.nodes[id] {
                    Node::File { mode, .. } => *mode = *new,
                    // No call reports that; lookups of its names stay valid.
                    Node::Directory { .. } => {}
                    Node::Link { .. } => return None,
                }
                Some(())
            }
            Change::Append(path, more, byte) => {
                let id = tree.find(path, true).ok()?;
                let Node::File { bytes, .. } = &mut tree.nodes[id] else { return None };
                *bytes += *more;
                *byte = id as u8;
                Some(())
            }
        }
    }

    /// Makes it below `place`.
    pub async fn make(&self, program: &SimProgram, place: &str) {
        let at = |path: &str| format!("{place}{path}");
        let made = match self {
            Change::MakeFile(path, mode) => program.make_file(&at(path), *mode as u16).await,
            Change::OpenFile(path) => match program.open(&at(path), Open::Create).await {
                Ok(file) => program.close(file).await,
                Err(errno) => Err(errno),
            },
            Change::MakeDirectory(path) => program.make_directory(&at(path)).await,
            Change::MakeLink(target, path) => program.make_link(target, &at(path)).await,
            Change::Link(from, to) => program.link(&at(from), &at(to)).await,
            Change::Unlink(path) => program.unlink(&at(path)).await,
            Change::RemoveDirectory(path) => program.remove_directory(&at(path)).await,
            Change::Rename(from, to) => program.rename(&at(from), &at(to)).await,
            Change::SetMode(path, mode) => program.change_mode(&at(path), *mode as u16).await,
            Change::Append(path, bytes, byte) => append(program, &at(path), *bytes, *byte).await,
        };
        assert_eq!(made, Ok(()), "{self:?}");
    }
}

async fn append(program: &SimProgram, path: &str, bytes: u64, byte: u8) -> Result<(), Errno> {
    let file = program.open(path, Open::Append).await?;
    program.write_all(file, &vec![byte; bytes as usize]).await?;
    // What has no name any more is freed by a commit, and its number may be another's.
    if bytes.is_multiple_of(SYNC_SHARE) {
        program.sync(file).await?;
    }
    program.close(file).await
}

impl Tree {
    /// The directory in which the last name of `path` is, and that name.
    fn place_of<'a>(&self, path: &'a str) -> Option<(Id, &'a str)> {
        let (directory, last) = split(path);
        let directory = self.find(directory, true).ok()?;
        matches!(self.nodes[directory], Node::Directory { .. }).then_some((directory, last))
    }

    fn make(&mut self, path: &str, node: Node) -> Option<()> {
        let (directory, last) = self.place_of(path)?;
        if self.names(directory).contains_key(last) {
            return None;
        }
        let id = self.add(node);
        self.names(directory).insert(last.into(), id);
        Some(())
    }

    fn add_links(&mut self, id: Id, add: i32) {
        if let Node::File { links, .. } = &mut self.nodes[id] {
            *links = links.wrapping_add_signed(add);
        }
    }

    fn link(&mut self, from: &str, to: &str) -> Option<()> {
        let id = self.find(from, false).ok()?;
        let (directory, last) = self.place_of(to)?;
        let is_file = matches!(self.nodes[id], Node::File { .. });
        if !is_file || self.names(directory).contains_key(last) {
            return None;
        }
        self.names(directory).insert(last.into(), id);
        self.add_links(id, 1);
        Some(())
    }

    fn unlink(&mut self, path: &str) -> Option<()> {
        let (directory, last) = self.place_of(path)?;
        let id = *self.names(directory).get(last)?;
        if matches!(self.nodes[id], Node::Directory { .. }) {
            return None;
        }
        self.names(directory).remove(last);
        self.add_links(id, -1);
        Some(())
    }

    fn remove_directory(&mut self, path: &str) -> Option<()> {
        let (directory, last) = self.place_of(path)?;
        let id = *self.names(directory).get(last)?;
        let empty = matches!(&self.nodes[id], Node::Directory { names, .. } if names.is_empty());
        empty.then(|| self.names(directory).remove(last)).map(drop)
    }

    fn rename(&mut self, from: &str, to: &str) -> Option<()> {
        let ((old, name), (new, as_name)) = (self.place_of(from)?, self.place_of(to)?);
        let id = *self.names(old).get(name)?;
        let moves = matches!(self.nodes[id], Node::Directory { .. });
        if moves && self.contains(id, new) {
            return None;
        }
        if let Some(&there) = self.names(new).get(as_name) {
            let empty = matches!(&self.nodes[there], Node::Directory { names, .. } if names.is_empty());
            let directory = matches!(self.nodes[there], Node::Directory { .. });
            if there == id || directory != moves || (directory && !empty) {
                return None;
            }
            self.add_links(there, -1);
        }
        self.names(old).remove(name);
        self.names(new).insert(as_name.into(), id);
        if let Node::Directory { parent, .. } = &mut self.nodes[id] {
            *parent = new;
        }
        Some(())
    }
}
