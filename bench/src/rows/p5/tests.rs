//! Figures of P5 from synthetic outcomes.

use super::{P5Figure, SHORT_FORMS, evaluate, forms, runs};
use crate::rows::RowPlan;
use crate::run::{CostProfile, RunOutcome};

const FIGURE: P5Figure = P5Figure { title: "t", computed: 7, published: [[14.0, 130.0], [14.0, 72.0]] };
const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: true };

fn outcomes(with_all_ms: [u64; SHORT_FORMS.len()]) -> Vec<RunOutcome> {
    let said = |name: &str, ms: u64| {
        format!("reads {name}-0 10000000 20000000\nreads {name}-10 {ms}000000\nreads {name}-10-2 60000000\n")
    };
    let of = |(form, ms): (&super::P5Form, u64)| RunOutcome { text: said(form.name, ms), trace: None };
    forms(PLAN).into_iter().zip(with_all_ms).map(of).collect()
}

/// Holds: bench-verdicts.
#[test]
fn p5_measurements_stand_beside_published_ones() {
    let measured = outcomes([150, 150, 60]);
    let found = evaluate(PLAN, &FIGURE, &measured).unwrap();
    let [by_load, by_pause] = &found.tables[..] else { panic!("two tables") };
    assert_eq!(by_load.rows[0], ["Linux, spread", "15.00", "150.00", "10.0"]);
    assert_eq!(by_load.rows[SHORT_FORMS.len()], ["published: Linux", "14", "130", "9.3"]);
    assert_eq!(by_pause.rows[2], ["APs gathered, OS spread", "150.0", "18.3", "20.0"]);
    assert_eq!(by_pause.rows[SHORT_FORMS.len() + 1], ["published: processes", "140.0", "15.3", ""]);
    assert_eq!(by_pause.rows[SHORT_FORMS.len() + 2][2..], ["9.0", "17.1"]);
    assert!(
        found
            .tables
            .iter()
            .flat_map(|table| table.rows.iter().map(|row| row.len() == table.columns.len()))
            .all(|fits| fits)
    );
    assert_eq!(found.figures["APs gathered, OS gathered, load 10 ms, ns"], 150_000_000);
    let quantities: Vec<_> = found.measured.values().cloned().collect();
    assert_eq!(quantities, [Ok(45.0 / 135.0), Ok(1.0)]);
    assert!(evaluate(PLAN, &FIGURE, &measured[1..]).is_err());
    // No read takes less than the medium.
    assert!(evaluate(PLAN, &FIGURE, &outcomes([150, 150, 12])).is_err());
}

/// Holds: bench-forms.
#[test]
fn p5_load_starts_before_sleep() {
    assert_eq!(runs(RowPlan { short: false, ..PLAN }, &FIGURE).len(), 6);
    let runs = runs(PLAN, &FIGURE);
    let linux = "reads linux-spread-10 /dev/nullb0 1048576 /dev/nullb0 1048576 1 100 7 10000000 1000000 0 1 1 ||";
    assert!(runs[0].script.contains(linux), "{}", runs[0].script);
    let ours = &runs[2];
    let spread = "reads gathered-spread-10-2 /var/p5.1 2048 /var/p5.2 16384 2 100 7 10000000 2000000 0 0 1 ||";
    assert!(ours.script.contains(spread), "{}", ours.script);
    assert!(ours.script.contains("dd if=/var/p5.2 of=/dev/null bs=4096 count=1 skip=16383"));
    let large = ours.files.iter().map(|(_, bytes)| bytes.len() >> 20).filter(|mib| *mib > 0);
    assert_eq!((ours.medium, large.collect::<Vec<_>>()), (Some("null"), vec![8, 64]));
}

/// Holds: bench-forms.
#[test]
fn p5_systems_differ_in_placement_only() {
    let lines = |form: &super::P5Form| {
        let crate::run::BenchMachine::Cluster(system) = form.machine else { return None };
        let text = std::fs::read_to_string(format!("../sysprocs/systems/{}.toml", system.base)).unwrap();
        let bare = |line: &str| {
            let line = line.split('#').next().unwrap_or("");
            let words = [", core = 1", ", core = 2", ", programs = [0]", ", programs = [0, 1]", ", programs = [0, 3]"];
            words.iter().fold(line.to_string(), |line, word| line.replace(word, "")).trim().to_string()
        };
        Some(text.lines().map(bare).filter(|line| !line.starts_with("name =")).collect::<Vec<_>>())
    };
    let all: Vec<_> = super::FORMS.iter().filter_map(lines).collect();
    assert!(all.len() == 4 && all.windows(2).all(|two| two[0] == two[1]), "{all:?}");
}
