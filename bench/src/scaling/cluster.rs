//! The clusters: so many boards, of which the first has the disk.

use crate::run::{ALONE, BenchSystem, OURS};

/// A cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScalingCluster {
    pub(super) boards: u8,
    pub(super) system: BenchSystem,
}

/// All, from the smallest to the largest.
pub(super) const CLUSTERS: [ScalingCluster; 4] = [
    ScalingCluster { boards: 1, system: ALONE },
    ScalingCluster { boards: 2, system: OURS },
    ScalingCluster { boards: 4, system: BenchSystem { label: "leases", base: "quad", edits: &[] } },
    ScalingCluster { boards: 8, system: BenchSystem { label: "leases", base: "octet", edits: &[] } },
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
