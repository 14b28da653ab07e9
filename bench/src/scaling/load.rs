//! The loads: eight parts each, distributed cyclically over the boards.
//!
//! Invariant: what is done does not hang on the number of boards; only where does.

use super::cluster::ScalingCluster;
use crate::rows::RowPlan;
use crate::run::{BenchMachine, BenchRun, CostProfile};
use crate::thrice;
use crate::workload::{CC_49797, CC_96413, GCC_6876, WorkloadProgram};
use std::fmt::Write;

/// Parts of a load, as many as the largest cluster has boards.
pub(super) const PARTS: u8 = 8;
/// What make works from.
const MAKEFILE: &str = "/p1/Makefile";

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalingLoad {
    /// Eight compiles of the same source at once.
    Compiles(WorkloadProgram),
    /// Eight parts of a program are compiled from this source, then linked.
    Make(WorkloadProgram),
}

const ALL: [ScalingLoad; 4] = [
    ScalingLoad::Compiles(CC_96413),
    ScalingLoad::Compiles(GCC_6876),
    ScalingLoad::Make(CC_49797),
    ScalingLoad::Make(GCC_6876),
];

/// `command` on one of so many boards, cyclically; on a without `remote`.
fn on_board(part: u8, boards: u8, command: &str) -> String {
    match part % boards {
        0 => command.to_string(),
        board => format!("remote -b {board} {command}"),
    }
}

/// Rules for a program of eight parts and a main one; the compiler of each part's board builds it from the source of
/// `program`.
fn makefile(program: &WorkloadProgram, boards: u8) -> String {
    let (compiler, rest) = program.command.split_once(" -o ").unwrap_or((program.command, ""));
    let source = rest.rsplit(' ').next().unwrap_or("");
    let objects: String = (0..PARTS).map(|part| format!(" part{part}.o")).collect();
    let mut text = format!("made: main.o{objects}\n\t{compiler} -o made main.o{objects}\n");
    let _ = write!(text, "main.o:\n\t{compiler} -c -o main.o /p1/30.c\n");
    for part in 0..PARTS {
        let compile = format!("{compiler} -c -Dmain=part{part} -o part{part}.o {source}");
        let _ = write!(text, "part{part}.o:\n\t{}\n", on_board(part, boards, &compile));
    }
    text
}

impl ScalingLoad {
    /// Those of a plan.
    pub(super) fn of(plan: RowPlan) -> Vec<ScalingLoad> {
        let runs = |load: &ScalingLoad| {
            let (ScalingLoad::Compiles(program) | ScalingLoad::Make(program)) = load;
            match plan {
                RowPlan { short: true, .. } => *load == ALL[0],
                RowPlan { profile: CostProfile::Pi3, .. } => true,
                RowPlan { profile: CostProfile::Paper1989, .. } => !program.heavy,
            }
        };
        ALL.into_iter().filter(runs).collect()
    }

    /// A word, in labels.
    pub(super) fn name(self) -> String {
        match self {
            ScalingLoad::Compiles(program) => program.name.to_string(),
            ScalingLoad::Make(program) => format!("make-{}", program.name),
        }
    }

    /// What tables call it.
    pub(super) fn title(self) -> String {
        match self {
            ScalingLoad::Compiles(program) => format!("{PARTS} x {}", program.title),
            ScalingLoad::Make(program) => format!("make, {PARTS} x {}", program.title),
        }
    }

    /// What a shell of a does on so many boards.
    fn command(self, boards: u8) -> String {
        match self {
            ScalingLoad::Compiles(WorkloadProgram { name, command, .. }) => {
                let part = |part: u8| {
                    let command = command.replacen(&format!("-o {name}"), &format!("-o {name}-{part}"), 1);
                    on_board(part, boards, &command) + " & "
                };
                (0..PARTS).map(part).collect::<String>() + "wait"
            }
            ScalingLoad::Make(_) => format!("make -s -B -j {PARTS} -f {MAKEFILE}"),
        }
    }

    /// Its run on a cluster.
    pub(super) fn run(self, plan: RowPlan, cluster: ScalingCluster) -> BenchRun {
        let script = thrice::script(&self.name(), &self.command(cluster.boards));
        let run = BenchRun::new(BenchMachine::Cluster(cluster.system), plan.profile, "dev", &script).traced();
        match self {
            ScalingLoad::Compiles(_) => run,
            ScalingLoad::Make(program) => {
                run.with(vec![(MAKEFILE.to_string(), makefile(&program, cluster.boards).into_bytes())])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, ScalingLoad, makefile};
    use crate::rows::RowPlan;
    use crate::run::CostProfile;
    use crate::workload::GCC_6876;

    /// Holds: scale-load.
    #[test]
    fn scaling_load_is_equal_on_any_number_of_boards() {
        let without = |text: String| (1..8).fold(text, |text, board| text.replace(&format!("remote -b {board} "), ""));
        for load in ALL {
            for boards in [2, 4, 8] {
                assert_eq!(without(load.command(boards)), load.command(1), "{load:?}");
                assert_eq!(without(makefile(&GCC_6876, boards)), makefile(&GCC_6876, 1));
            }
        }
        let alone = makefile(&GCC_6876, 1);
        assert!(alone.contains("\npart7.o:\n\tgcc -O1 -c -Dmain=part7 -o part7.o /p1/6876.c\n"), "{alone}");
        assert!(alone.starts_with("made: main.o part0.o ") && alone.contains("\tgcc -O1 -o made main.o part0.o "));
    }

    /// Holds: scale-load.
    #[test]
    fn scaling_load_parts_are_dealt_in_order() {
        let parts = |text: &str, board: u8| text.matches(&format!("remote -b {board} ")).count();
        for text in [ALL[0].command(4), ALL[1].command(4), makefile(&GCC_6876, 4)] {
            assert_eq!([0, 1, 2, 3, 4].map(|board| parts(&text, board)), [0, 2, 2, 2, 0]);
        }
        assert!(ALL[0].command(2).contains("remote -b 1 tcc -o tcc-96413-7 /p1/96413.c & wait"));
    }

    #[test]
    fn scaling_load_for_paper_1989_is_reduced() {
        let names = |profile, short| {
            ScalingLoad::of(RowPlan { profile, short }).into_iter().map(ScalingLoad::name).collect::<Vec<_>>()
        };
        assert_eq!(names(CostProfile::Pi3, false), ["tcc-96413", "gcc-6876", "make-tcc-49797", "make-gcc-6876"]);
        assert_eq!(names(CostProfile::Paper1989, false), ["tcc-96413", "make-tcc-49797"]);
        assert_eq!(names(CostProfile::Pi3, true), ["tcc-96413"]);
    }
}
