//! What is measured, what is aimed at, and what the short form allows.
//!
//! A bound is what was reached, with a twentieth to spare: the same sources give the same figure to the
//! nanosecond, but each change of code moves it a little, and a test that fails for three instructions is useless.

/// The boards that are compared: the one with the disk, and one without.
pub(super) const BOARDS: [&str; 2] = ["a", "b"];

/// How a figure reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUnit {
    /// Time of one operation.
    Us,
    /// Time of one operation, or of the whole command.
    Ms,
    /// Millions of bytes a second.
    MegabytesASecond,
}

/// What is aimed at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// No goal.
    None,
    /// This, or better.
    Figure(f64),
    /// At most so many times the time of board a.
    TimesA(f64),
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct UnixRow {
    /// As the measuring program calls it.
    pub name: &'static str,
    /// For people.
    pub what: &'static str,
    /// How its figure reads.
    pub unit: FigureUnit,
    /// A shell command that is timed as a whole, in place of a measurement of the measuring program.
    pub command: Option<&'static str>,
    /// Most of its time are writes of the medium.
    pub writes_medium: bool,
    /// On board a and on board b.
    pub goals: [Goal; 2],
    /// What the short form allows, on board a and on board b.
    pub bounds: [Option<f64>; 2],
    /// So many times the time of board a is what it allows on board b.
    pub times_a: Option<f64>,
}

impl UnixRow {
    /// Whether the short form has it.
    pub fn is_bounded(&self) -> bool {
        self.times_a.is_some() || self.bounds.iter().any(Option::is_some)
    }

    const fn writes_medium(self) -> UnixRow {
        UnixRow { writes_medium: true, ..self }
    }
    /// On both boards.
    const fn goal(self, figure: f64) -> UnixRow {
        UnixRow { goals: [Goal::Figure(figure); 2], ..self }
    }
    const fn goal_a(self, figure: f64) -> UnixRow {
        UnixRow { goals: [Goal::Figure(figure), self.goals[1]], ..self }
    }
    const fn goal_b_times_a(self, times: f64) -> UnixRow {
        UnixRow { goals: [self.goals[0], Goal::TimesA(times)], ..self }
    }
    const fn bound_a(self, figure: f64) -> UnixRow {
        UnixRow { bounds: [Some(figure), self.bounds[1]], ..self }
    }
    const fn bound_b_times_a(self, times: f64) -> UnixRow {
        UnixRow { times_a: Some(times), ..self }
    }
    /// On both boards.
    const fn bound(self, figure: f64) -> UnixRow {
        UnixRow { bounds: [Some(figure); 2], ..self }
    }
}

const fn row(name: &'static str, what: &'static str, unit: FigureUnit) -> UnixRow {
    UnixRow {
        name,
        what,
        unit,
        command: None,
        writes_medium: false,
        goals: [Goal::None; 2],
        bounds: [None; 2],
        times_a: None,
    }
}

const fn call(name: &'static str, what: &'static str) -> UnixRow {
    row(name, what, FigureUnit::Us)
}

const fn rate(name: &'static str, what: &'static str) -> UnixRow {
    row(name, what, FigureUnit::MegabytesASecond)
}

const fn command(name: &'static str, what: &'static str, command: &'static str) -> UnixRow {
    UnixRow { command: Some(command), ..row(name, what, FigureUnit::Ms) }
}

/// All of them.
pub const ROWS: [UnixRow; 36] = [
    call("getppid", "null call").bound(0.36),
    call("clock", "clock_gettime").bound(0.89),
    call("pipe-round-trip", "1 byte to another program and back").goal(4.0).bound(3.85),
    call("pipe-one-way", "1 byte after the other, each").goal(2.0).bound(1.74),
    rate("pipe-64k", "pipe, blocks of 64 KB").bound(1530.0),
    call("fork", "fork + exit + wait, small program"),
    call("fork-8m", "the same, 8 MB touched").goal(350.0).bound(326.0),
    call("spawn-tiny", "fork + exec + wait, tiny program").goal_a(100.0).goal_b_times_a(1.05).bound_a(75.0),
    call("spawn-cat", "fork + exec + wait, cat").bound_a(144.0).goal_a(150.0).goal_b_times_a(1.05),
    call("page-zero", "page of fresh memory").bound(1.52),
    call("page-file", "page of a mapped file, cached").goal(1.0).bound(0.38),
    call("page-file-again", "page of a mapped file, second mapping"),
    call("stat", "stat, two names").goal_a(4.0).bound_a(2.42),
    call("stat-four", "stat, four names"),
    call("open-close", "open + close, two names").goal_a(6.0).bound_a(4.85),
    call("open-close-four", "open + close, four names"),
    call("sync", "sync, nothing dirty").goal_a(5.0).bound_a(5.0),
    call("pread-1", "pread 1 B"),
    call("pread-4k", "pread 4 KB").goal(1.8).bound(1.71),
    call("pread-64k", "pread 64 KB"),
    rate("read-1m-by-1k", "1 MB cached, blocks of 1 KB"),
    rate("read-1m-by-4k", "1 MB cached, blocks of 4 KB"),
    rate("read-1m-by-64k", "1 MB cached, blocks of 64 KB"),
    call("create", "create one of 1,000 files"),
    call("stat-many", "stat one of 1,000 files"),
    call("unlink", "unlink one of 1,000 files"),
    row("write-fsync", "4 KB write + fsync", FigureUnit::Ms).writes_medium(),
    call("fsync-used", "4 KB write + fsync, processor time").goal_a(60.0).bound_a(52.0),
    rate("read-16m-first", "16 MB read, the first time").goal_a(22.0).bound_a(22.0),
    rate("write-16m", "16 MB write").bound_a(632.0),
    rate("read-16m-again", "16 MB read, the second time").goal(700.0).bound(2430.0),
    command(
        "sh-cat",
        "a shell that runs cat 20 times",
        "for i in 1 2 3 4 5 6 7 8 9 10; do cat /dev/null; cat /dev/null; done",
    ),
    command("sort", "sort 1 MB", "sort /bench/text > /dev/null").goal_a(118.0).bound_a(119.0),
    command("wc", "wc 1 MB", "wc /bench/text > /dev/null").goal_b_times_a(1.05).bound(37.4),
    command("untar", "untar 96 sources", UNTAR).goal_b_times_a(3.0).bound_a(12.8).bound_b_times_a(2.4),
    command("ls-sort", "ls /bin | sort", "ls /bin | sort > /dev/null").bound_a(1.15),
];

const UNTAR: &str = "mkdir -p /tmp/tree; tar xf /bench/tree.tar -C /tmp/tree";
