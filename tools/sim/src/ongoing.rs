//! The incidents that are going on: begins and ends them in a cluster.
//!
//! Invariant: the known reachability follows from the commands to the cluster. Not here: the boot of a board.

use crate::cluster::SimCluster;
use crate::incident::Trouble;
use crate::reach::SimReach;
use renga_phy::loopback::Faults;

/// The board that has the disk.
pub const DISK_BOARD: u8 = 0;

/// What goes on.
pub struct Ongoing {
    /// What the link does when nothing makes it worse.
    link: Faults,
    /// Boards hear those of their own.
    groups: Vec<u8>,
    /// Which boards could reach each other.
    pub reach: SimReach,
}

impl Ongoing {
    /// Nothing yet, in a cluster of `boards`.
    pub fn new(boards: u8, link: Faults) -> Ongoing {
        Ongoing { link, groups: vec![0; usize::from(boards)], reach: SimReach::new(boards) }
    }

    fn boards(&self) -> u8 {
        self.groups.len() as u8
    }

    /// Trouble begins.
    pub fn begin(&mut self, cluster: &mut SimCluster, trouble: Trouble) {
        let now_ns = cluster.now_ns();
        match trouble {
            Trouble::Death(board) => {
                cluster.kill(board);
                self.reach.set_down(board, true, now_ns);
                self.reach.set_hung(board, false, now_ns);
            }
            Trouble::Hang(board) | Trouble::Wedge(board) => {
                if cluster.alive(board) {
                    cluster.hang(board);
                    self.reach.set_down(board, true, now_ns);
                    self.reach.set_hung(board, true, now_ns);
                }
            }
            Trouble::CutOff(board) => self.join(cluster, board, board + 1),
            Trouble::Parting(mask) => (0..self.boards()).for_each(|board| self.join(cluster, board, mask >> board & 1)),
            Trouble::TokenLost => cluster.bus().lose_next_token(),
            Trouble::TokenDoubled(board) => cluster.bus().offer_token(board),
            Trouble::Burst(faults) => cluster.bus().set_faults(faults),
            Trouble::Slow(board, times) => cluster.set_cost(board, times),
            // What it does to the medium is the system's affair.
            Trouble::DiskCut(_) => self.begin(cluster, Trouble::Death(DISK_BOARD)),
            Trouble::FrameCut(board, _) => self.begin(cluster, Trouble::Death(board)),
            Trouble::DiskErrors(_) => {}
        }
    }

    /// Trouble ends; the board that has to boot now, if one has: then [`Ongoing::booted`].
    pub fn end(&mut self, cluster: &mut SimCluster, trouble: Trouble) -> Option<u8> {
        match trouble {
            Trouble::Death(board) => return (!cluster.alive(board)).then_some(board),
            Trouble::Wedge(board) => return cluster.alive(board).then_some(board),
            Trouble::Hang(board) if cluster.alive(board) => {
                cluster.resume(board);
                self.reach.set_down(board, false, cluster.now_ns());
                self.reach.set_hung(board, false, cluster.now_ns());
            }
            Trouble::CutOff(board) => self.join(cluster, board, 0),
            Trouble::Parting(_) => (0..self.boards()).for_each(|board| self.join(cluster, board, 0)),
            Trouble::Burst(_) => cluster.bus().set_faults(self.link),
            Trouble::Slow(board, _) => cluster.set_cost(board, 1),
            Trouble::DiskCut(_) => return self.end(cluster, Trouble::Death(DISK_BOARD)),
            Trouble::FrameCut(board, _) => return self.end(cluster, Trouble::Death(board)),
            Trouble::Hang(_) | Trouble::TokenLost | Trouble::TokenDoubled(_) | Trouble::DiskErrors(_) => {}
        }
        None
    }

    /// A board boots.
    pub fn booted(&mut self, board: u8, now_ns: u64) {
        self.reach.set_down(board, false, now_ns);
        self.reach.set_hung(board, false, now_ns);
    }

    fn join(&mut self, cluster: &SimCluster, board: u8, group: u8) {
        self.groups[usize::from(board)] = group;
        cluster.bus().part(&self.groups);
        self.reach.set_group(board, group, cluster.now_ns());
    }
}
