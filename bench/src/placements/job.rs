//! The jobs, and the scripts that run them: each alone on each board, and all at once where a placement has them.
//!
//! Invariant: alone and together a job starts in the same way, from a shell of a that continues meanwhile and waits for
//! the end.

use super::placement::Placement;
use crate::rows::RowPlan;
use crate::run::CostProfile;
use crate::thrice;
use crate::workload::{CC_1011, CC_49797, CC_96413, GCC_1011, MANDOC, NROFF, WorkloadProgram};

/// Four programs, of which no two are alike.
const JOBS: [WorkloadProgram; 4] = [GCC_1011, CC_96413, NROFF, CC_49797];
/// The same without those that take minutes of 1989.
const JOBS_OF_1989: [WorkloadProgram; 4] = [CC_1011, CC_96413, MANDOC, CC_49797];

/// A shell that starts nothing.
pub(super) const NOTHING: &str = "nothing";

/// The jobs.
pub(super) fn jobs(plan: RowPlan) -> [WorkloadProgram; 4] {
    match plan.profile {
        CostProfile::Pi3 => JOBS,
        CostProfile::Paper1989 => JOBS_OF_1989,
    }
}

/// A word of a shell's line that starts `job` on a board.
fn started(job: &WorkloadProgram, board: u8) -> String {
    let WorkloadProgram { command, .. } = job;
    match (board, command.contains(['|', '>'])) {
        (0, _) => format!("{command} &"),
        (board, false) => format!("remote -b {board} {command} &"),
        (board, true) => format!("remote -b {board} sh -c \"{command}\" &"),
    }
}

/// The label of `job` alone.
pub(super) fn alone_label(job: &WorkloadProgram) -> String {
    format!("{}-alone", job.name)
}

/// Measures each job alone on `board`, and what a shell takes that starts nothing.
pub(super) fn alone(jobs: &[WorkloadProgram], board: u8) -> String {
    let measured = |job: &WorkloadProgram| thrice::script(&alone_label(job), &format!("{} wait", started(job, board)));
    thrice::script(NOTHING, "wait") + &jobs.iter().map(measured).collect::<String>()
}

/// Measures all jobs at once, by the placement's name.
pub(super) fn together(jobs: &[WorkloadProgram], placement: &Placement) -> String {
    let started: String = jobs.iter().zip(placement.boards()).map(|(job, board)| started(job, *board) + " ").collect();
    thrice::script(&placement.to_string(), &format!("{started}wait"))
}

#[cfg(test)]
mod tests {
    use super::{alone, jobs, together};
    use crate::placements::placement::Placement;
    use crate::rows::RowPlan;
    use crate::run::CostProfile;

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

    #[test]
    fn job_starts_alike_alone_and_together() {
        let jobs = jobs(PLAN);
        let placement = Placement::all(4).find(|placement| placement.to_string() == "abba").unwrap();
        let all = together(&jobs, &placement);
        assert_eq!((all.lines().count(), all.matches("abba-").count()), (3, 3));
        for (job, board) in jobs.iter().zip(placement.boards()) {
            let alone = alone(&jobs, *board);
            let line = alone.lines().find(|line| line.contains(&format!("{}-alone-1 ", job.name))).unwrap();
            let started = line.split_once("sh -c '").unwrap().1.strip_suffix(" wait'").unwrap();
            assert!(all.contains(started), "{started}");
            assert_eq!(started.starts_with("remote -b 1 "), *board == 1);
        }
        assert!(all.contains("remote -b 1 sh -c \"nroff -man /p1/6612.1 > nroff.out\" &"));
    }
}
