//! What is shown can be written; what is not allowed changes nothing.

use super::{changed, shown};
use crate::machine::Machine;
use crate::settings::{Settings, Threshold};
use renga_proto::memory::MemoryFacts;
use renga_proto::reclaiming::Setting;
use std::string::{String, ToString};

const MEMORY: MemoryFacts = MemoryFacts { total: 16_384, free: 9 };

fn text(setting: Setting, settings: &Settings) -> String {
    shown(setting, settings, &Machine::default(), MEMORY).to_string()
}

#[test]
fn what_is_shown_can_be_written() {
    let mut settings = Settings::of(MEMORY.total);
    settings.batching = true;
    assert!(settings.set(Threshold::Requests, 7) && settings.set(Threshold::BatchPages, 8_192));
    let mut again = Settings::of(MEMORY.total);
    for setting in [Setting::Batching, Setting::Thresholds] {
        let shown = text(setting, &settings);
        let Some(new) = changed(setting, &again, shown.as_bytes()) else { panic!("{shown}") };
        again = new;
    }
    assert_eq!(again, settings);
    assert_eq!(text(Setting::Thresholds, &settings), "requests 7\nfree_pages 2048\nbatch_pages 8192\n");
    assert_eq!(
        text(Setting::State, &settings),
        "pages free low high\n16384 9 512 1024\nby begun steps pages us\nreclaimer 0 0 0 0\nbatcher 0 0 0 0\n"
    );
}

/// Holds: proc-writes.
#[test]
fn texts_that_change_nothing() {
    let settings = Settings::of(MEMORY.total);
    for (setting, text) in [
        (Setting::Batching, ""),
        (Setting::Batching, "ON"),
        (Setting::Batching, "on off"),
        (Setting::Thresholds, ""),
        (Setting::Thresholds, "requests"),
        (Setting::Thresholds, "requests 0"),
        (Setting::Thresholds, "requests -1"),
        (Setting::Thresholds, "requests 99999999999"),
        (Setting::Thresholds, "free_pages 512"), // the low mark
        (Setting::Thresholds, "free_pages 8193"),
        (Setting::Thresholds, "batch_pages 0"),
        (Setting::Thresholds, "batch_pages 8193"),
        (Setting::Thresholds, "requests 9 pages 5000"),
        (Setting::State, "on"),
    ] {
        assert_eq!(changed(setting, &settings, text.as_bytes()), None, "{text}");
    }
    let both = changed(Setting::Thresholds, &settings, b"free_pages 513\nrequests 9").unwrap();
    assert_eq!((both.get(Threshold::FreePages), both.get(Threshold::Requests)), (513, 9));
}

#[test]
fn settings_of_any_board_are_within_their_bounds() {
    for frames in [0, 1, 2, 31, 32, 64, 2_048, 1 << 20] {
        let mut settings = Settings::of(frames);
        for (name, threshold) in Threshold::NAMED {
            let value = settings.get(threshold);
            assert!(settings.set(threshold, value), "{name} of {frames} frames");
        }
    }
}
