//! A flattened device tree, as far as the kernel reads it: what the board is, `/chosen` `bootargs` and
//! `linux,initrd-*`, and the first range of `/memory`. Devicetree Specification 0.4, chapter 5.

use crate::arguments::{Arguments, text};

const MAGIC: u32 = 0xd00d_feed;
const HEADER_SIZE: usize = 4;
const HEADER_STRUCTURE: usize = 8;
const HEADER_STRINGS: usize = 12;

const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const NOP: u32 = 4;

/// Tokens read at most; a Pi's tree has some ten thousand.
const TOKENS_MAX: usize = 100_000;
/// Depth of the nodes that matter: the root's children.
const CHILD_DEPTH: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeviceTreeNode {
    Root,
    Chosen,
    Memory,
    Other,
}

/// How long a tree says that it is, by its first eight bytes; `None` when there is none.
pub fn length(header: [u8; 8]) -> Option<usize> {
    (word(&header, 0)? == MAGIC).then_some(word(&header, HEADER_SIZE)? as usize)
}

/// Reads a tree; `None` when there is none, or it is malformed.
pub fn parse(bytes: &[u8]) -> Option<Arguments<'_>> {
    if word(bytes, 0)? != MAGIC {
        return None;
    }
    let tree = bytes.get(..word(bytes, HEADER_SIZE)? as usize)?;
    let strings = tree.get(word(tree, HEADER_STRINGS)? as usize..)?;
    let mut reader = TreeReader { tree, at: word(tree, HEADER_STRUCTURE)? as usize };
    let mut arguments = Arguments::default();
    let mut depth = 0;
    let mut node = DeviceTreeNode::Other;
    // Words of an address and of a size in the root's children.
    let mut cells = (2, 1);
    let mut loaded = (0, 0);
    for _ in 0..TOKENS_MAX {
        match reader.word()? {
            BEGIN_NODE => {
                depth += 1;
                let name = reader.name()?;
                node = kind(depth, name);
            }
            END_NODE => {
                // A tree that ends more nodes than it starts is invalid.
                depth = usize::checked_sub(depth, 1)?;
                node = DeviceTreeNode::Other;
            }
            PROPERTY => {
                let length = reader.word()? as usize;
                let name = text(strings.get(reader.word()? as usize..)?)?;
                let value = reader.bytes(length)?;
                match (node, name) {
                    (DeviceTreeNode::Root, "#address-cells") => cells.0 = word(value, 0)? as usize,
                    (DeviceTreeNode::Root, "#size-cells") => cells.1 = word(value, 0)? as usize,
                    (DeviceTreeNode::Root, "compatible") => arguments.compatible = text(value),
                    (DeviceTreeNode::Chosen, "linux,initrd-start") => loaded.0 = address(value)?,
                    (DeviceTreeNode::Chosen, "linux,initrd-end") => loaded.1 = address(value)?,
                    (DeviceTreeNode::Chosen, "bootargs") => arguments.command_line = text(value),
                    (DeviceTreeNode::Memory, "reg") => {
                        let start = number(value, 0, cells.0)?;
                        let size = number(value, cells.0, cells.1)?;
                        arguments.memory = Some(start..start.checked_add(size)?);
                    }
                    _ => {}
                }
            }
            NOP => {}
            _ => {
                arguments.loaded = (loaded.1 > loaded.0).then_some(loaded.0..loaded.1);
                return Some(arguments);
            }
        }
    }
    None
}

fn kind(depth: usize, name: &str) -> DeviceTreeNode {
    match (depth, name.split('@').next()) {
        (1, _) => DeviceTreeNode::Root,
        (CHILD_DEPTH, Some("chosen")) => DeviceTreeNode::Chosen,
        (CHILD_DEPTH, Some("memory")) => DeviceTreeNode::Memory,
        _ => DeviceTreeNode::Other,
    }
}

/// Goes through the structure block.
struct TreeReader<'a> {
    tree: &'a [u8],
    at: usize,
}

impl<'a> TreeReader<'a> {
    fn word(&mut self) -> Option<u32> {
        let value = word(self.tree, self.at);
        self.at += 4;
        value
    }

    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let value = self.tree.get(self.at..self.at.checked_add(length)?);
        self.at = (self.at + length).next_multiple_of(4);
        value
    }

    fn name(&mut self) -> Option<&'a str> {
        let name = text(self.tree.get(self.at..)?)?;
        self.at = (self.at + name.len() + 1).next_multiple_of(4);
        Some(name)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// An address as boot loaders write it: of one or two words, however long addresses are elsewhere.
fn address(value: &[u8]) -> Option<u64> {
    number(value, 0, value.len() / 4)
}

/// A number of one or two words.
fn number(bytes: &[u8], first: usize, words: usize) -> Option<u64> {
    match words {
        1 => word(bytes, first * 4).map(u64::from),
        2 => Some(u64::from(word(bytes, first * 4)?) << 32 | u64::from(word(bytes, first * 4 + 4)?)),
        _ => None,
    }
}
