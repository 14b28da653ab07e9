//! The clusters: so many boards, of which the first has the disk.

use crate::run::{ALONE, OURS, System};

/// A cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) boards: u8,
    pub(super) system: System,
}

/// All, from the smallest to the largest.
pub(super) const CLUSTERS: [Cluster; 4] = [
    Cluster { boards: 1, system: ALONE },
    Cluster { boards: 2, system: OURS },
    Cluster { boards: 4, system: System { label: "leases", base: "quad", edits: &[] } },
    Cluster { boards: 8, system: System { label: "leases", base: "octet", edits: &[] } },
];

#[cfg(test)]
mod tests {
    use super::CLUSTERS;

    #[test]
    fn scaling_cluster_has_stated_boards() {
        for cluster in CLUSTERS {
            let base = std::fs::read_to_string(format!("../sysprocs/systems/{}.toml", cluster.system.base)).unwrap();
            let text = cluster.system.text(&base).unwrap();
            assert_eq!(text.matches("{ name = \"").count(), usize::from(cluster.boards), "{}", cluster.system.base);
        }
    }
}
