//! What a tree of names is, as programs see it: the model that every answer is compared with.

use std::collections::{BTreeMap, BTreeSet};

const LINKS_MAX: u32 = 40;

/// What a name stands for: the number of a node.
pub type Id = usize;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Directory { parent: Id, names: BTreeMap<String, Id> },
    File { mode: u32, links: u32, bytes: u64 },
    Link { target: String },
}

/// What an answer must say of a node: its type and, of a file, its permission bits, how many names it has, and its
/// size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    Nothing,
    NoDirectory,
    Loop,
    Directory,
    Link,
    File { mode: u32, links: u32, bytes: u64 },
}

#[derive(Clone)]
pub struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    pub const ROOT: Id = 0;

    pub fn new() -> Tree {
        Tree { nodes: vec![Node::Directory { parent: 0, names: BTreeMap::new() }] }
    }

    pub fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The names of a directory.
    pub fn names(&mut self, directory: Id) -> &mut BTreeMap<String, Id> {
        match &mut self.nodes[directory] {
            Node::Directory { names, .. } => names,
            other => panic!("{other:?} is no directory"),
        }
    }

    /// What a path of this tree leads to.
    pub fn find(&self, path: &str, follow: bool) -> Result<Id, Seen> {
        let (mut at, mut followed) = (Tree::ROOT, 0);
        let mut rest: Vec<String> = path.split('/').filter(|name| !name.is_empty()).rev().map(String::from).collect();
        while let Some(name) = rest.pop() {
            let Node::Directory { parent, names } = &self.nodes[at] else { return Err(Seen::NoDirectory) };
            let found = if name == ".." { *parent } else { *names.get(&name).ok_or(Seen::Nothing)? };
            match &self.nodes[found] {
                Node::Link { target } if follow || !rest.is_empty() => {
                    followed += 1;
                    if followed > LINKS_MAX {
                        return Err(Seen::Loop);
                    }
                    rest.extend(target.split('/').rev().map(String::from));
                }
                _ => at = found,
            }
        }
        Ok(at)
    }

    pub fn lookup(&self, path: &str, follow: bool) -> Seen {
        match self.find(path, follow).map(|id| &self.nodes[id]) {
            Err(seen) => seen,
            Ok(Node::Directory { .. }) => Seen::Directory,
            Ok(&Node::File { mode, links, bytes }) => Seen::File { mode, links, bytes },
            Ok(Node::Link { .. }) => Seen::Link,
        }
    }

    /// How many nodes have a name.
    pub fn count(&self) -> usize {
        let names = |node: &Node| match node {
            Node::Directory { names, .. } => names.values().copied().collect(),
            _ => Vec::new(),
        };
        let (mut todo, mut seen) = (vec![Tree::ROOT], BTreeSet::new());
        while let Some(id) = todo.pop() {
            let fresh = names(&self.nodes[id]).into_iter().filter(|id| seen.insert(*id));
            todo.extend(fresh.collect::<Vec<_>>());
        }
        seen.len()
    }

    /// Adds the paths of all links in a directory, which is at `path`.
    pub fn add_links_below(&self, directory: Id, path: &str, links: &mut Vec<String>) {
        let Node::Directory { names, .. } = &self.nodes[directory] else { return };
        for (name, &id) in names {
            let path = format!("{path}/{name}");
            match self.nodes[id] {
                Node::Link { .. } => links.push(path),
                _ => self.add_links_below(id, &path, links),
            }
        }
    }

    /// Whether `inner` is `outer`, or in it.
    pub fn contains(&self, outer: Id, mut inner: Id) -> bool {
        while inner != outer {
            match &self.nodes[inner] {
                Node::Directory { parent, .. } if inner != Tree::ROOT => inner = *parent,
                _ => return false,
            }
        }
        true
    }
}
