//! Boards on a harness that test their wires, each once.

use renga_phy::pins::Width;
use renga_phy::pins::model::{HarnessFault, HarnessModel, ModelSetup, Rule, Speed, Tasks, Violation};
use renga_phy::pintest::{Finding, Harness, PinReport, Tester, turn_bound_ns};
use std::cell::RefCell;
use std::rc::Rc;

/// The reports of `rounds` rounds of each board of `present`, in the order of time; no wire floats or is fought for.
pub fn run(setup: &ModelSetup, present: &[u8], rounds: usize) -> Vec<PinReport> {
    run_numbered(setup, present, |board| board, rounds)
}

/// The same, with boards that take themselves for others.
pub fn run_numbered(setup: &ModelSetup, present: &[u8], number: fn(u8) -> u8, rounds: usize) -> Vec<PinReport> {
    let (model, boards) = (HarnessModel::new(setup), setup.boards.len() as u8);
    let reports: Rc<RefCell<Vec<PinReport>>> = Rc::default();
    let mut tasks = Tasks::new(&model);
    for board in present.iter().copied() {
        let (seen, harness) = (reports.clone(), harness(setup, board));
        tasks.begin(board, move |pins| {
            let mut tester = Tester::begin(pins, harness, number(board), boards);
            loop {
                let report = *tester.round();
                seen.borrow_mut().push(report);
            }
        });
    }
    let (mut until_ns, step_ns) = (0, 1_000_000);
    let rounds_of =
        |reports: &[PinReport], board: &u8| reports.iter().filter(|report| report.board == number(*board)).count();
    while present.iter().any(|board| rounds_of(&reports.borrow(), board) < rounds) {
        until_ns += step_ns;
        assert!(until_ns < (rounds as u64 + 1) * u64::from(boards) * turn_bound_ns(boards), "a round is bounded");
        tasks.run_until(until_ns);
    }
    drop(tasks);
    // The rules of frames do not bind a board that sends none.
    let electric = |broken: &&Violation| matches!(broken.rule, Rule::Contention { .. } | Rule::Floating { .. });
    assert_eq!(
        model.violations().iter().find(electric),
        None,
        "no board drives against another or reads a floating wire"
    );
    reports.take()
}

/// The wires of `board`.
pub fn harness(setup: &ModelSetup, board: u8) -> Harness {
    match setup.serial {
        Some(_) => Harness::over_spi(setup.boards[usize::from(board)].chip),
        None => Harness::on_pins(setup.width),
    }
}

/// The findings of each board of `setup` in its first round with all others, wire by wire.
pub fn found(setup: &ModelSetup) -> Vec<Vec<(&'static str, Finding)>> {
    let boards: Vec<u8> = (0..setup.boards.len() as u8).collect();
    let reports = run(setup, &boards, 1);
    let of = |board: u8| reports.iter().find(|report| report.board == board).expect("each board has led");
    boards.iter().map(|board| findings(of(*board))).collect()
}

/// The faults of a report, by the wire's name.
pub fn findings(report: &PinReport) -> Vec<(&'static str, Finding)> {
    let wires = report.harness.wires().iter().enumerate();
    wires.filter_map(|(number, wire)| Some((wire.name, report.finding(number)?))).collect()
}

/// Boards on pins, with these faults.
pub fn setup(boards: u8, speed: Speed, faults: &[HarnessFault]) -> ModelSetup {
    ModelSetup { width: Width::Sixteen, faults: faults.to_vec(), ..ModelSetup::of(boards, speed) }
}

/// The number of the wire called so, on sixteen data wires.
pub fn wire(name: &str) -> usize {
    Harness::on_pins(Width::Sixteen).named(name).expect("there is such a wire")
}

/// Three boards find what is `expected` of each of them; `case` chooses which kind they are.
pub fn each(case: u8, fault: HarnessFault, expected: impl Fn(u8) -> Vec<(&'static str, Finding)>) {
    let speed = Speed::ALL[usize::from(case) % Speed::ALL.len()];
    for (board, found) in found(&setup(3, speed, &[fault])).into_iter().enumerate() {
        assert_eq!(found, expected(board as u8), "board {board}, {fault:?}, {speed:?}");
    }
}
