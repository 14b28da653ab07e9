//! What is shown can be written; what is not allowed changes nothing.

use super::{Known, changed};
use crate::machine::{Orders, Samples};
use crate::settings::{Policy, Settings, Threshold};
use crate::totals::Totals;
use renga_proto::regulation::{Sample, Setting};
use renga_rt::BOARDS_MAX;
use std::string::{String, ToString};

fn text(setting: Setting, settings: &Settings) -> String {
    shown(setting, settings, &[None; BOARDS_MAX], &[0; BOARDS_MAX])
}

fn shown(setting: Setting, settings: &Settings, samples: &Samples, orders: &Orders) -> String {
    super::shown(setting, &Known { settings, samples, orders, totals: &Totals::default() }).to_string()
}

#[test]
fn what_is_shown_can_be_written() {
    let mut settings = Settings::of(Policy::Ipd);
    assert!(
        settings.set(Threshold::Cpu, 80) && settings.ignore(b"a-name-of-more-than-sixteen") && settings.ignore(b"sh")
    );
    let mut again = Settings::default();
    for setting in [Setting::Policy, Setting::Thresholds, Setting::Ignored] {
        let shown = text(setting, &settings);
        let Some(new) = changed(setting, &again, shown.as_bytes()) else { panic!("{shown}") };
        again = new;
    }
    assert_eq!(again, settings);
    assert_eq!(text(Setting::Policy, &settings), "ipd\n");
    assert_eq!(text(Setting::Ignored, &settings), "a-name-of-more-\nsh\n");
}

#[test]
fn texts_that_change_something() {
    let settings = Settings::default();
    let set = |setting, text: &str| changed(setting, &settings, text.as_bytes());
    assert_eq!(set(Setting::Policy, " off\n").map(|new| new.policy), Some(Policy::Off));
    let both = set(Setting::Thresholds, "cpu 80\nperiod_ms 50\n");
    assert_eq!(both.map(|new| (new.get(Threshold::Cpu), new.get(Threshold::PeriodMs))), Some((80, 50)));
    assert_eq!(set(Setting::Ignored, "\n").map(|new| new.ignored().len()), Some(0));
}

/// Holds: proc-writes.
#[test]
fn texts_that_change_nothing() {
    let settings = Settings::default();
    let (many, long) = ("x ".repeat(17), "x".repeat(256));
    assert!(changed(Setting::Ignored, &settings, &long.as_bytes()[1..]).is_some(), "a file may be called that");
    for (setting, text) in [
        (Setting::Policy, ""),
        (Setting::Policy, "eii ipd"),
        (Setting::Policy, "fast"),
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
    assert_eq!(changed(Setting::Policy, &settings, b"\xff"), None);
}

#[test]
fn the_state_has_a_line_for_each_board() {
    let (mut samples, mut orders) = ([None; BOARDS_MAX], [0; BOARDS_MAX]);
    let (foreground, background) = ([75, 0, 3], [25, 0, 1]);
    let sample =
        Sample { elapsed_ns: 200, idle_ns: 50, foreground, background, jobs: 2, held: 1, front_used_ago_ns: 0 };
    (samples[1], orders[1]) = (Some(sample), 0b101);
    let shown = shown(Setting::State, &Settings::default(), &samples, &orders);
    assert_eq!(shown.as_str(), "board idle cpu disk link jobs held holds\nb 25 25 - 25 2 1 cpu,link\n");
}
