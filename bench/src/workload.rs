//! The programs that rows run, as the paper ran them: compilers on sources of the published sizes, yacc, nroff.

use crate::text::{c_source, grammar, manual, program as elf};
use renga_random::Random;

/// Sizes of sources that the paper compiles.
const SOURCES: [usize; 6] = [30, 1011, 6876, 8012, 49_797, 96_413];

/// A program of the paper and what stands for it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkloadProgram {
    /// A word, in labels.
    pub name: &'static str,
    /// What tables call it.
    pub title: &'static str,
    /// The command.
    pub command: &'static str,
    /// So much slower than the others that it runs with [`crate::run::Profile::Pi3`] only.
    pub heavy: bool,
}

const fn program(name: &'static str, title: &'static str, command: &'static str) -> WorkloadProgram {
    WorkloadProgram { name, title, command, heavy: false }
}

const fn heavy(name: &'static str, title: &'static str, command: &'static str) -> WorkloadProgram {
    WorkloadProgram { name, title, command, heavy: true }
}

/// cc of 30 bytes.
pub const CC_30: WorkloadProgram = program("tcc-30", "cc, 30 bytes (tcc)", "tcc -o tcc-30 /p1/30.c");
/// cc of 1011 bytes.
pub const CC_1011: WorkloadProgram = program("tcc-1011", "cc, 1011 bytes (tcc)", "tcc -o tcc-1011 /p1/1011.c");
/// cc of 6876 bytes.
pub const CC_6876: WorkloadProgram = program("tcc-6876", "cc, 6876 bytes (tcc)", "tcc -o tcc-6876 /p1/6876.c");
/// cc of 8012 bytes.
pub const CC_8012: WorkloadProgram = program("tcc-8012", "cc, 8012 bytes (tcc)", "tcc -o tcc-8012 /p1/8012.c");
/// cc of 49797 bytes.
pub const CC_49797: WorkloadProgram = program("tcc-49797", "cc, 49797 bytes (tcc)", "tcc -o tcc-49797 /p1/49797.c");
/// cc of 96413 bytes.
pub const CC_96413: WorkloadProgram = program("tcc-96413", "cc, 96413 bytes (tcc)", "tcc -o tcc-96413 /p1/96413.c");
/// The same by a compiler of five programs, as the paper's was.
pub const GCC_30: WorkloadProgram = heavy("gcc-30", "cc, 30 bytes (gcc)", "gcc -O1 -o gcc-30 /p1/30.c");
/// cc of 1011 bytes.
pub const GCC_1011: WorkloadProgram = heavy("gcc-1011", "cc, 1011 bytes (gcc)", "gcc -O1 -o gcc-1011 /p1/1011.c");
/// cc of 6876 bytes.
pub const GCC_6876: WorkloadProgram = heavy("gcc-6876", "cc, 6876 bytes (gcc)", "gcc -O1 -o gcc-6876 /p1/6876.c");
/// yacc.
pub const YACC: WorkloadProgram = program("yacc", "yacc, 1178 bytes (byacc)", "byacc -o yacc.c /p1/1178.y");
/// nroff, one program.
pub const MANDOC: WorkloadProgram =
    program("mandoc", "nroff, 6612 bytes (mandoc)", "mandoc -T ascii /p1/6612.1 > mandoc.out");
/// nroff, a shell script that runs three programs.
pub const NROFF: WorkloadProgram = heavy("nroff", "nroff, 6612 bytes (groff)", "nroff -man /p1/6612.1 > nroff.out");
/// A pipe of two programs.
pub const LS_SORT: WorkloadProgram = program("ls-sort", "ls | sort", "ls -l /bin | sort > sorted");

impl WorkloadProgram {
    /// The command that measures it as `LABEL`.
    pub fn timed(&self, label: &str) -> String {
        let WorkloadProgram { command, .. } = self;
        let by_shell = command.contains(['|', '>']);
        let command = if by_shell { format!("sh -c '{command}'") } else { (*command).to_string() };
        format!("/usr/lib/renga/measure {label} {command}")
    }
}

/// Bytes that cannot be packed, none of which is 0: each page of them takes the link as long as any can.
pub fn noise(bytes: usize) -> Vec<u8> {
    let mut random = Random::new(0);
    (0..bytes).map(|_| random.between(1, 255) as u8).collect()
}

/// Files for single calls: one to hit, some to miss, programs; as `p1 calls` wants them.
pub fn files_for_calls() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("/p1/calls/hit".to_string(), noise(4096))];
    for number in 0..5 {
        files.push((format!("/p1/calls/miss{number}"), noise(4096)));
        files.push((format!("/p1/calls/tiny{number}"), elf(512)));
    }
    files.push(("/p1/program".to_string(), elf(10 << 10)));
    files
}

/// What they read.
pub fn files() -> Vec<(String, Vec<u8>)> {
    // Two compiles at once are of two files with the same content, as in the paper.
    let source = |bytes: &usize| ["", "-other"].map(|which| (format!("/p1/{bytes}{which}.c"), c_source(*bytes)));
    let mut files: Vec<_> = SOURCES.iter().flat_map(source).collect();
    files.push(("/p1/1178.y".to_string(), grammar(1178)));
    files.push(("/p1/6612.1".to_string(), manual(6612)));
    files
}
