//! The way from a block's index in its file to its pointer: direct, or through one to three indirect blocks.
//!
//! Owns: one line of pointers of an indirect block. Not here: reading pointers (`block_map.rs`).

pub(crate) use renga_proto::stat::{DIRECT, PER_BLOCK};
use renga_rt::Errno;

/// Pointers of an indirect block that are read at a time.
pub(crate) const LINE: usize = 32;

pub(crate) struct PointerLine {
    pub(super) block: u32,
    pub(super) first: u32,
    pub(super) bytes: [u8; LINE * 4],
}

impl PointerLine {
    pub(crate) const NONE: PointerLine = PointerLine { block: 0, first: 0, bytes: [0; LINE * 4] };
}

/// The way to a block of a file: a pointer of the inode, and one in each of `depth` indirect blocks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) root: usize,
    pub(crate) depth: usize,
    pub(crate) at: [u32; 3],
}

pub(crate) fn route(index: u64) -> Result<Route, Errno> {
    let [one, two, three] = [PER_BLOCK, PER_BLOCK * PER_BLOCK, PER_BLOCK * PER_BLOCK * PER_BLOCK];
    if index < DIRECT {
        return Ok(Route { root: index as usize, depth: 0, at: [0; 3] });
    }
    let index = index - DIRECT;
    let digit = |index: u64, unit: u64| (index / unit % PER_BLOCK) as u32;
    if index < one {
        return Ok(Route { root: 12, depth: 1, at: [digit(index, 1), 0, 0] });
    }
    let index = index - one;
    if index < two {
        return Ok(Route { root: 13, depth: 2, at: [digit(index, one), digit(index, 1), 0] });
    }
    let index = index - two;
    if index < three {
        return Ok(Route { root: 14, depth: 3, at: [digit(index, two), digit(index, one), digit(index, 1)] });
    }
    Err(Errno::EFBIG)
}

#[cfg(test)]
mod tests {
    use super::{Route, route};

    #[test]
    fn block_route_depth_changes_at_level_bounds() {
        let all = [
            (11, 11, 0, [0, 0, 0]),
            (12, 12, 1, [0, 0, 0]),
            (1035, 12, 1, [1023, 0, 0]),
            (1036, 13, 2, [0, 0, 0]),
            (1036 + 1024 * 1024 - 1, 13, 2, [1023, 1023, 0]),
            (1036 + 1024 * 1024, 14, 3, [0, 0, 0]),
            (1036 + 1024 * 1024 + 1025, 14, 3, [0, 1, 1]),
        ];
        for (index, root, depth, at) in all {
            assert_eq!(route(index), Ok(Route { root, depth, at }), "{index}");
        }
    }
}
