//! Every printed setting can be written; a refused one changes nothing.

use super::{RegulatorView, changed};
use crate::machine::{Orders, Samples};
use crate::settings::{RegulationPolicy, RegulatorSettings, RegulatorThreshold};
use crate::totals::Totals;
use renga_proto::regulation::Sample;
use renga_proto::settings::Setting;
use renga_rt::BOARDS_MAX;
use std::string::{String, ToString};

fn text(setting: Setting, settings: &RegulatorSettings) -> String {
    format_setting(setting, settings, &[None; BOARDS_MAX], &[0; BOARDS_MAX])
}

fn format_setting(setting: Setting, settings: &RegulatorSettings, samples: &Samples, orders: &Orders) -> String {
    super::format_setting(setting, &RegulatorView { settings, samples, orders, totals: &Totals::default() }).to_string()
}

#[test]
fn regulation_settings_printed_parse_back() {
    let mut settings = RegulatorSettings::of(RegulationPolicy::Ipd);
    assert!(
        settings.thresholds.set(RegulatorThreshold::Cpu as usize, 80)
            && settings.ignore(b"a-name-of-more-than-sixteen")
            && settings.ignore(b"sh")
    );
    let mut again = RegulatorSettings::default();
    for setting in [Setting::Mode, Setting::Thresholds, Setting::Ignored] {
        let printed = text(setting, &settings);
        let Some(new) = changed(setting, &again, printed.as_bytes()) else { panic!("{printed}") };
        again = new;
    }
    assert_eq!(again, settings);
    assert_eq!(text(Setting::Mode, &settings), "ipd\n");
    assert_eq!(text(Setting::Ignored, &settings), "a-name-of-more-\nsh\n");
}

#[test]
fn regulation_settings_text_changes_values() {
    let settings = RegulatorSettings::default();
    let set = |setting, text: &str| changed(setting, &settings, text.as_bytes());
    assert_eq!(set(Setting::Mode, " off\n").map(|new| new.policy), Some(RegulationPolicy::Off));
    let both = set(Setting::Thresholds, "cpu 80\nperiod_ms 50\n");
    assert_eq!(
        both.map(|new| (new.get(RegulatorThreshold::Cpu), new.get(RegulatorThreshold::PeriodMs))),
        Some((80, 50))
    );
    assert_eq!(set(Setting::Ignored, "\n").map(|new| new.ignored().len()), Some(0));
}

/// Holds: proc-writes.
#[test]
fn regulation_settings_invalid_text_changes_nothing() {
    let settings = RegulatorSettings::default();
    let (many, long) = ("x ".repeat(17), "x".repeat(256));
    assert!(changed(Setting::Ignored, &settings, &long.as_bytes()[1..]).is_some(), "a file may be called that");
    for (setting, text) in [
        (Setting::Mode, ""),
        (Setting::Mode, "eii ipd"),
        (Setting::Mode, "fast"),
        (Setting::Thresholds, ""),
        (Setting::Thresholds, "cpu"),
        (Setting::Thresholds, "cpu 101"),
        (Setting::Thresholds, "cpu -1"),
        (Setting::Thresholds, "cpu +1"),
        (Setting::Thresholds, "cpu 80 disc 100"),
        (Setting::Thresholds, "cpu 99999999999"),
        (Setting::Thresholds, "period_ms 9"),
        (Setting::Thresholds, "eii_first_ms 0"),
        (Setting::Ignored, many.as_str()),
        (Setting::Ignored, long.as_str()),
        (Setting::Jobs, "12"),
        (Setting::State, "a"),
        (Setting::Totals, "a"),
    ] {
        assert_eq!(changed(setting, &settings, text.as_bytes()), None, "{setting:?} {text:?}");
    }
    assert_eq!(changed(Setting::Mode, &settings, b"\xff"), None);
}

#[test]
fn regulation_state_has_line_per_board() {
    let (mut samples, mut orders) = ([None; BOARDS_MAX], [0; BOARDS_MAX]);
    let (foreground, background) = ([75, 0, 3], [25, 0, 1]);
    let sample =
        Sample { elapsed_ns: 200, idle_ns: 50, foreground, background, jobs: 2, suspended: 1, front_used_ago_ns: 0 };
    (samples[1], orders[1]) = (Some(sample), 0b101);
    let printed = format_setting(Setting::State, &RegulatorSettings::default(), &samples, &orders);
    assert_eq!(printed.as_str(), "board idle cpu disk link jobs held holds\nb 25 25 - 25 2 1 cpu,link\n");
}
