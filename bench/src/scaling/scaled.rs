//! A load on all clusters: its speed-up on more boards, and the causes of a smaller one.
//!
//! Invariant: what is said of why is counted in the trace of what was measured.

use super::cluster::ScalingCluster;
use super::load::ScalingLoad;
use crate::rows::ms;
use crate::run::RunOutcome;
use crate::spent::{Spent, spent};
use crate::thrice::quicker;
use anyhow::{Context, Result, ensure};

/// A load on a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OnCluster {
    pub(super) boards: u8,
    pub(super) ns: u64,
    pub(super) spent: Spent,
}

/// A load on clusters, from the smallest, which has one board, to the largest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    pub(super) load: ScalingLoad,
    pub(super) clusters: Vec<OnCluster>,
}

impl OnCluster {
    fn read(load: ScalingLoad, cluster: ScalingCluster, outcome: &RunOutcome) -> Result<OnCluster> {
        let (label, found) = quicker(outcome, &load.name())?;
        let spent = spent(outcome, &[label])?.pop().context("nothing was measured")?;
        Ok(OnCluster { boards: cluster.boards, ns: found.ns, spent })
    }

    /// The core of the board with the disk was not idle, ns.
    pub(super) fn first_core_ns(&self) -> u64 {
        self.spent.busy_ns.first().copied().unwrap_or(0)
    }

    /// The same of that of the other boards that was idle least, if there are others.
    pub(super) fn other_core_ns(&self) -> Option<u64> {
        self.spent.busy_ns.iter().skip(1).max().copied()
    }

    /// Of all boards together, ns.
    pub(super) fn cores_ns(&self) -> u64 {
        self.spent.busy_ns.iter().sum()
    }

    /// What was at work longest, and how long, ns.
    fn busiest(&self) -> (&'static str, u64) {
        let all = [
            ("a's core", self.first_core_ns()),
            ("the busiest other core", self.other_core_ns().unwrap_or(0)),
            ("the wire", self.spent.wire_ns),
            ("the disk", self.spent.disk_ns),
        ];
        all.into_iter().max_by_key(|(_, ns)| *ns).unwrap_or(("nothing", 0))
    }
}

impl Scaled {
    /// From the outcomes of its runs, one for each cluster.
    ///
    /// # Errors
    /// If something was not measured, or there is no trace.
    pub(super) fn read(load: ScalingLoad, clusters: &[ScalingCluster], outcomes: &[RunOutcome]) -> Result<Scaled> {
        ensure!(outcomes.len() == clusters.len(), "a run on each cluster is needed");
        let both = clusters.iter().zip(outcomes);
        let clusters =
            both.map(|(cluster, outcome)| OnCluster::read(load, *cluster, outcome)).collect::<Result<_>>()?;
        Ok(Scaled { load, clusters })
    }

    fn alone_ns(&self) -> u64 {
        self.clusters.first().map_or(0, |alone| alone.ns)
    }

    /// The cluster with so many boards.
    pub(super) fn on(&self, boards: u8) -> Option<&OnCluster> {
        self.clusters.iter().find(|cluster| cluster.boards == boards)
    }

    /// The speed-up over one board.
    pub(super) fn fold(&self, cluster: &OnCluster) -> f64 {
        self.alone_ns() as f64 / cluster.ns.max(1) as f64
    }

    /// What is saved against one board, %.
    pub(super) fn saves_percent(&self, cluster: &OnCluster) -> f64 {
        100.0 - 100.0 / self.fold(cluster)
    }

    /// Where the time on the largest cluster goes.
    pub(super) fn why(&self) -> Option<String> {
        let (alone, largest) = (self.clusters.first()?, self.clusters.last()?);
        let (busiest, busy_ns) = largest.busiest();
        Some(format!(
            "Why: {} on {} boards takes {} ms, for a fair share of {}. Busiest is {busiest}, for {} ms: fully used, it \
             permits a speed-up of {:.1}. It makes {}.",
            self.load.title(),
            largest.boards,
            ms(largest.ns),
            ms(alone.ns / u64::from(largest.boards.max(1))),
            ms(busy_ns),
            self.alone_ns() as f64 / busy_ns.max(1) as f64,
            largest.spent.calls_words()
        ))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{OnCluster, Scaled};
    use crate::scaling::load::ScalingLoad;
    use crate::spent::Spent;
    use crate::workload::CC_49797;

    /// A load that took `ns` on a cluster, whose boards worked so long, and the wire.
    pub(crate) fn on_cluster(ns: u64, busy_ns: &[u64], wire_ns: u64) -> OnCluster {
        let spent = Spent { ns, busy_ns: busy_ns.to_vec(), wire_ns, ..Spent::default() };
        OnCluster { boards: busy_ns.len() as u8, ns, spent }
    }

    /// Holds: bench-report.
    #[test]
    fn scaling_report_names_saving_and_bottleneck() {
        let clusters = vec![
            on_cluster(80_000_000, &[80_000_000], 0),
            on_cluster(50_000_000, &[48_000_000, 44_000_000], 20_000_000),
        ];
        let scaled = Scaled { load: ScalingLoad::Make(CC_49797), clusters };
        let two = scaled.on(2).unwrap();
        assert_eq!((scaled.fold(two), scaled.saves_percent(two)), (1.6, 37.5));
        assert!(scaled.on(4).is_none());
        let why = scaled.why().unwrap();
        for said in [
            "on 2 boards takes 50.00 ms, for a fair share of 40.00.",
            "Busiest is a's core, for 48.00 ms",
            "a speed-up of 1.7",
        ] {
            assert!(why.contains(said), "{said}: {why}");
        }
        let of_wire = Scaled {
            clusters: vec![scaled.clusters[0].clone(), on_cluster(50_000_000, &[30_000_000, 40_000_000], 45_000_000)],
            ..scaled
        };
        assert!(of_wire.why().unwrap().contains("Busiest is the wire"));
    }
}
