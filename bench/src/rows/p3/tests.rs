//! Experiments of P3 from synthetic outcomes.

use super::{P3Experiment, ReclaimThresholds, claims, evaluate};
use crate::rows::{OF_RECLAIM, RowPlan};
use crate::run::{ALONE, BenchMachine, CostProfile, OURS, RunOutcome};

const EXPERIMENT: P3Experiment = P3Experiment {
    title: "t",
    systems: [OURS, ALONE],
    places: &["here", "b"],
    pinned: ["", "taskset 1 "],
    stream: "read",
    board: "b",
    thresholds: ReclaimThresholds { requests: 7, free_pages: 8, batch_pages: 9 },
    lead_s: 3,
    steps: [5, 2],
    sweeps: 6,
    streamed_mib: [20, 10],
    published: Some((9.0, Some(2.0))),
    linux: true,
};
const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: false };

/// What a run says whose steps take so many ms, and what the reclaimer and the batcher did meanwhile: begun, steps,
/// pages, us.
fn outcome(ms: [u64; 4], did: [[u64; 4]; 2]) -> RunOutcome {
    let [[b, s, p, u], batches] = did;
    let ordinary = [b + 1, s + 2, p + 3, u + 4];
    let [ordinary, batches] = [ordinary, batches].map(|[b, s, p, u]| format!("{b} {s} {p} {u}"));
    let steps = ms.map(|ms| format!(" {ms}000000")).concat();
    let text = format!(
        "before 100 50 3 6 1 2 3 4 0 0 0 0\nsteps 900000000{steps}\nsum 77\nafter 100 40 3 6 {ordinary} {batches}\nstreamed 5000000 0 2000000000\n"
    );
    RunOutcome { text, trace: None }
}

/// Of Linux: what kswapd gave back.
fn on_linux(ms: [u64; 4], pages: u64) -> RunOutcome {
    let steps = ms.map(|ms| format!(" {ms}000000")).concat();
    let text = format!(
        "before 9 10 1 20 60000\nsteps 900000000{steps}\nsum 78\nafter 8 {} 3 {} {}\nstreamed 5000000 0 2000000000\n",
        pages + 10,
        2 * pages + 20,
        6000 * (pages + 10)
    );
    RunOutcome { text, trace: None }
}

const NONE: [u64; 4] = [0; 4];

/// Alone 400 ms, beside the stream 440.
fn outcomes(small: [u64; 4], large: [u64; 4]) -> Vec<RunOutcome> {
    vec![
        outcome([100; 4], [NONE; 2]),
        outcome([110; 4], [NONE; 2]),
        outcome(small, [[5, 50, 1600, 3200], NONE]),
        outcome(large, [NONE, [2, 8, 2000, 3000]]),
        on_linux([100; 4], 0),
        on_linux([120; 4], 0),
        on_linux([130; 4], 500),
    ]
}

/// Holds: bench-forms.
#[test]
fn p3_forms_differ_in_settings() {
    let runs = EXPERIMENT.runs(PLAN);
    let [alone, unreclaimed, small, large, linux @ ..] = &runs[..] else { panic!("{}", runs.len()) };
    let system = |run: &crate::run::BenchRun| match run.machine {
        BenchMachine::Cluster(system) => system.base,
        _ => "Linux",
    };
    assert_eq!([alone, unreclaimed, small, large].map(system), ["solo", "pair", "solo", "solo"]);
    assert_eq!(linux.iter().map(system).collect::<Vec<_>>(), ["Linux"; 3]);
    let streams = "remote -b b taskset 1 ./stream read /var/streamed > streamed & stream=$!\nsleep 3\n# phase: up to 1000 ms later\nstate before\n./stencil 5 6 here b || exit 1\n";
    assert!(!alone.script.contains("stream=") && alone.script.contains("state before\n./stencil 5 6 here b"));
    assert!([unreclaimed, small, large].iter().all(|run| run.script.contains(streams)), "{}", small.script);
    let batching = "remote -b b reclaimctl --threshold requests 7 free_pages 8 batch_pages 9 || exit 1\nremote -b b reclaimctl --batching on";
    assert!(large.script.contains(batching) && !small.script.contains("reclaimctl"), "{}", large.script);
    assert!(linux[2].script.contains("./stream read /var/streamed 400 25000 >"), "{}", linux[2].script);
    let short = EXPERIMENT.runs(RowPlan { short: true, ..PLAN });
    assert_eq!((short.len(), runs[0].streamed_mib, short[0].streamed_mib), (4, 20, 10));
}

/// Holds: reclaim-cost.
#[test]
fn p3_steps_report_reclaimed_pages() {
    let found = evaluate(PLAN, &EXPERIMENT, &outcomes([110, 150, 110, 114], [110, 110, 110, 111])).unwrap();
    let steps = &found.tables[0].rows;
    assert_eq!(steps[2], ["noise", "121.00", "110.00", "150.00", "13.90", "484.00", "900.00", "21.00", "10.00", "2.5"]);
    assert_eq!(steps[3][5..], ["441.00", "900.00", "10.25", "0.23", "2.5"]);
    assert_eq!(steps[4][7], "9");
    assert_eq!(found.tables[1].rows[2], ["noise", "50", "1600", "5", "3.20", "0", "0", "0.00"]);
    assert_eq!(found.tables[1].rows[3][5..], ["2000", "2", "3.00"]);
    let pages = &found.tables[3].rows;
    // Of 1,603 and 2,000 pages since the start.
    assert_eq!(pages[0][1..], ["1999", "31", "500"]);
    assert_eq!(pages[1][1..], ["1500", "250", "667"]);
    let said = "(510 pages of 1020 scanned, 500 of them while it computed; 3 more by direct reclaim)";
    assert_eq!((pages[2][0].contains(said), pages[2][1].as_str()), (true, "6000"), "{}", pages[2][0]);
    assert!(found.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
    assert_eq!(found.figures["ordinary reclaimer: instructions a page"], 1999);
    assert_eq!(found.tables[2].rows[2][5..], ["30.00", "8.33"]);
    let said = "The stream itself makes the steps 10.00 % longer. Small batches, begun 5 times, freed 1600 pages in 3.2 ms, and the steps took \
                44.0 ms longer than without reclamation. 2 large ones freed 2000 pages in 3.0 ms, and the steps took 1.0 ms longer, of 400 ms.";
    assert!(found.notes[0].starts_with(said), "{}", found.notes[0]);
    let [each, all, linux] = &found.plots[..] else { panic!("three plots") };
    assert_eq!((each.curves[2].points[1], all.curves[2].points[3]), ((3.0, 50.0), (5.0, 41.0)));
    assert_eq!(linux.curves.len(), 3);
}

#[test]
fn p3_quantities_follow_steps() {
    let measured = |small, large| evaluate(PLAN, &EXPERIMENT, &outcomes(small, large)).unwrap().measured;
    let found = measured([110, 110, 110, 154], [110, 110, 110, 132]);
    let near = |id: &str, wanted: f64| (found[id].clone().unwrap() - wanted).abs() < 1e-9;
    assert!(near("noise", 10.0) && near("noise-longest-step", 154.0 / 121.0), "{found:?}");
    assert!(near("batching-remains", 0.5) && near("batching-spread", 121.0 / 231.0), "{found:?}");
    assert!(near("batching-to-alone", 15.5) && near("batching-longest-step", 132.0 / 154.0), "{found:?}");
    assert!(near("batching-to-stream", 5.0) && near("batching-to-small-batches", 100.0 * (462.0 / 484.0 - 1.0)));
    assert_eq!(found.len(), claims(&EXPERIMENT).len());
    let absent = measured([110; 4], [110; 4]);
    let untested = ["batching-remains", "batching-to-stream", "batching-spread"];
    assert!(untested.iter().all(|id| absent[*id].is_err()), "{absent:?}");
}

/// Holds: bench-verdicts.
#[test]
fn p3_missing_measurement_is_an_error() {
    let good = || outcomes([120; 4], [110; 4]);
    let fails = |change: fn(&mut Vec<RunOutcome>), why: &str| {
        let mut outcomes = good();
        change(&mut outcomes);
        let error = format!("{:#}", evaluate(PLAN, &EXPERIMENT, &outcomes).expect_err(why));
        assert!(error.contains(why), "{error}");
    };
    assert!(evaluate(PLAN, &EXPERIMENT, &good()).is_ok());
    fails(|all| all[3].text = all[3].text.replace("sum 77", "sum 76"), "the results differ");
    fails(|all| all[2].text = all[2].text.replace("5000000 0 ", "5000000 1 "), "began again");
    fails(|all| all[2] = outcome([120; 4], [NONE; 2]), "nothing to do");
    fails(|all| all[3] = outcome([120; 4], [NONE; 2]), "no batch");
    fails(|all| all[1] = outcome([120; 4], [[1, 1, 1, 1], NONE]), "memory for all");
    fails(|all| all[6] = on_linux([130; 4], 0), "kswapd had nothing to do");
    fails(|all| all.truncate(3), "a run of each form");
    fails(|all| all[0].text = all[0].text.replace("000000\nsum", "000000 5\nsum"), "not all steps");
}

/// Holds: bench-forms.
#[test]
fn p3_rows_run_four_forms_and_linux_once() {
    let runs: Vec<usize> = OF_RECLAIM.iter().map(|row| (row.runs)(PLAN).len()).collect();
    assert_eq!(runs, [7, 4, 4, 4, 4, 4]);
    for row in OF_RECLAIM {
        for run in (row.runs)(RowPlan { short: true, ..PLAN }) {
            let BenchMachine::Cluster(system) = run.machine else { panic!("short is without Linux") };
            let base = std::fs::read_to_string(format!("../sysprocs/systems/{}.toml", system.base)).unwrap();
            assert!(system.text(&base).is_ok(), "{}", row.id);
        }
    }
}
