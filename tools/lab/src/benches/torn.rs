//! Results, counts and kept runs that were cut or changed: each reader says so, or takes them, and none panics.

use super::result::tests::sample;
use super::store::ResultStore;
use super::{RowResult, counts, html, markdown};
use crate::sweep::Kept;
use renga_damage::torn_files;
use std::fs;
use std::path::{Path, PathBuf};

const SEED: u64 = 1;
/// Damaged forms of each file.
const FORMS: usize = 150;

/// A folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("renga-torn-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Calls `read` with each damaged form of the file; how many it refused, each with the file's name.
fn refused<T>(file: &Path, read: impl Fn() -> anyhow::Result<T>, accepted: impl Fn(T)) -> usize {
    let whole = fs::read(file).unwrap();
    let forms = torn_files(&whole, FORMS, SEED);
    let is_refused = |torn: &renga_damage::TornFile| {
        fs::write(file, &torn.bytes).unwrap();
        match read() {
            Ok(read) => {
                accepted(read);
                false
            }
            Err(error) => {
                let said = format!("{error:#}");
                assert!(said.contains(&file.display().to_string()), "{}: {said}", torn.damage);
                true
            }
        }
    };
    forms.iter().filter(|torn| is_refused(torn)).count()
}

/// Holds: files-damaged.
#[test]
fn torn_result_is_refused_by_name_or_becomes_a_page() {
    let folder = folder("result");
    let result = sample();
    result.write(&folder).unwrap();
    let file = folder.join(result.file_name());
    let page = |results: Vec<RowResult>| {
        // Figures that no page can show are an error.
        let _ = html(&results, None);
        let _ = markdown(&results, None);
    };
    let count = refused(&file, || RowResult::read_all(&folder), page);
    assert!((FORMS / 2..FORMS).contains(&count), "{count} of {FORMS}");
    fs::remove_dir_all(folder).unwrap();
}

/// Holds: files-damaged.
#[test]
fn torn_counts_allow_nothing() {
    let folder = folder("counts");
    let file = folder.join("counts.json");
    fs::write(&file, include_bytes!("../../../../bench/counts.json")).unwrap();
    let whole = counts::read(&file).unwrap();
    assert!(refused(&file, || counts::read(&file), |_| ()) >= FORMS / 3);
    assert!(!whole.is_empty() && counts::read(&folder.join("none")).unwrap().is_empty());
    fs::remove_dir_all(folder).unwrap();
}

/// Holds: files-damaged.
#[test]
fn torn_kept_run_is_run_again() {
    let folder = folder("store");
    let store = ResultStore::new(folder.join("runs"));
    let facts = super::RunFacts {
        label: "pair".to_string(),
        key: "one".to_string(),
        parts: [("seed".to_string(), "1".to_string())].into(),
        hashes: [("console".to_string(), "0123456789abcdef".to_string())].into(),
    };
    let keep = || {
        let run = folder.join("run");
        fs::create_dir_all(&run).unwrap();
        fs::write(run.join("trace"), "t").unwrap();
        store.keep(&run, &facts, "said").unwrap()
    };
    keep();
    let file = folder.join("runs/one/run.json");
    let whole = fs::read(&file).unwrap();
    for torn in torn_files(&whole, FORMS, SEED) {
        fs::write(&file, &torn.bytes).unwrap();
        // What still is a run's facts is taken as it is.
        if store.remembered("one").is_none() {
            assert_eq!(keep().1.text, "said", "{}", torn.damage);
        }
    }
    fs::write(folder.join("runs/one/console.txt"), [0xff, 0xfe]).unwrap();
    assert!(store.remembered("one").is_none(), "no text");
    fs::remove_dir_all(folder.join("runs/one")).unwrap();
    fs::write(folder.join("runs/one"), "no folder").unwrap();
    assert!(store.remembered("one").is_none());
    assert_eq!(keep().1.text, "said", "a file in its place gives way");
    fs::remove_dir_all(folder).unwrap();
}

/// Holds: files-damaged.
#[test]
fn torn_kept_result_of_a_sweep_is_refused_by_name() {
    let folder = folder("kept");
    let kept = Kept::new(&folder).unwrap();
    kept.keep("one", |path| Ok(fs::write(path, serde_json::to_string_pretty(&sample())?)?)).unwrap();
    let count = refused(&kept.path("one"), || kept.read::<RowResult>("one"), |_| ());
    assert!((FORMS / 2..FORMS).contains(&count), "{count} of {FORMS}");
    fs::remove_dir_all(folder).unwrap();
}
