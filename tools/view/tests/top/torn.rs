//! Traces that were cut or changed: every report of `renga trace` and `renga top` says so, or is made; none panics.

use crate::composed::{TraceFile, written};
use renga_cli::TraceArgs;
use renga_damage::torn_files;
use renga_view::plain::{PlainOptions, once};
use renga_view::table::Scale;
use renga_view::{TracePlayer, ViewKind, trace_command};
use std::fs;
use std::path::PathBuf;

const SEED: u64 = 1;
const FORMS: usize = 120;
const INTERVAL_NS: u64 = 100_000_000;

/// The ways to ask, each with an output in `folder`.
fn questions(file: &TraceFile, out: PathBuf) -> [TraceArgs; 5] {
    let plain =
        TraceArgs { file: file.0.clone(), perfetto: None, path: None, waits_at_ns: None, diff: None, json: None };
    [
        TraceArgs { perfetto: Some(out.clone()), ..plain.clone() },
        TraceArgs { path: Some("longest".into()), ..plain.clone() },
        TraceArgs { waits_at_ns: Some(500_000_000), ..plain.clone() },
        TraceArgs { diff: Some(file.0.clone()), ..plain.clone() },
        TraceArgs { json: Some(out), ..plain },
    ]
}

/// Holds: files-damaged.
#[test]
fn torn_trace_is_refused_by_name_or_reported() {
    let whole = written();
    let file = TraceFile::new(None);
    let out = file.0.with_extension("out");
    let mut refused = 0;
    // The header is short beside the events, and says what they mean.
    let mut forms = torn_files(&whole, FORMS, SEED);
    for torn in torn_files(&whole[..whole.len().min(600)], FORMS, SEED) {
        let bytes = [&torn.bytes[..], &whole[whole.len().min(600)..]].concat();
        forms.push(renga_damage::TornFile { damage: format!("{} of its head", torn.damage), bytes });
    }
    for torn in forms {
        fs::write(&file.0, &torn.bytes).expect("it can be written");
        for question in questions(&file, out.clone()) {
            if let Err(error) = trace_command::trace(&question) {
                let said = format!("{error:#}");
                let named = said.contains(&file.0.display().to_string()) || said.contains("no such system call");
                assert!(named, "{}: {said}", torn.damage);
                refused += 1;
            }
        }
        for json in [false, true] {
            let wanted = PlainOptions { views: ViewKind::ALL.to_vec(), board: None, json, scale: Scale::Sums };
            let Ok(mut player) = TracePlayer::open(&file.0, INTERVAL_NS) else { continue };
            // Whether it is whole, or an error, or printed: it ends.
            let _ = once(&mut player, &wanted, &mut Vec::new());
        }
    }
    assert!(refused > FORMS, "{refused} refusals");
    let _ = fs::remove_file(out);
}
