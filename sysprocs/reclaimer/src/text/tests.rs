//! Every printed setting can be written; a refused one changes nothing.

use super::{changed, format_setting};
use crate::machine::ReclaimMachine;
use crate::settings::{ReclaimSettings, ReclaimThreshold};
use renga_proto::memory::MemoryFacts;
use renga_proto::settings::Setting;
use std::string::{String, ToString};

const MEMORY: MemoryFacts = MemoryFacts { total: 16_384, free: 9 };

fn text(setting: Setting, settings: &ReclaimSettings) -> String {
    format_setting(setting, settings, &ReclaimMachine::default(), MEMORY).to_string()
}

#[test]
fn reclaim_settings_printed_parse_back() {
    let mut settings = ReclaimSettings::of(MEMORY.total);
    settings.batching = true;
    assert!(
        settings.thresholds.set(ReclaimThreshold::Requests as usize, 7)
            && settings.thresholds.set(ReclaimThreshold::BatchPages as usize, 8_192)
    );
    let mut again = ReclaimSettings::of(MEMORY.total);
    for setting in [Setting::Mode, Setting::Thresholds] {
        let printed = text(setting, &settings);
        let Some(new) = changed(setting, &again, printed.as_bytes()) else { panic!("{printed}") };
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
fn reclaim_settings_invalid_text_changes_nothing() {
    let settings = ReclaimSettings::of(MEMORY.total);
    for (setting, text) in [
        (Setting::Mode, ""),
        (Setting::Mode, "ON"),
        (Setting::Mode, "on off"),
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
    assert_eq!((both.get(ReclaimThreshold::FreePages), both.get(ReclaimThreshold::Requests)), (513, 9));
}

#[test]
fn reclaim_settings_defaults_are_within_bounds() {
    for frames in [0, 1, 2, 31, 32, 64, 2_048, 1 << 20] {
        let mut settings = ReclaimSettings::of(frames);
        for threshold in [ReclaimThreshold::Requests, ReclaimThreshold::FreePages, ReclaimThreshold::BatchPages] {
            let value = settings.get(threshold);
            assert!(settings.thresholds.set(threshold as usize, value), "{threshold:?} of {frames} frames");
        }
    }
}
