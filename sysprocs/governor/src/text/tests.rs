//! Texts that can be written, and that every printed pace can be.

use super::{PaceChange, format_pace};
use crate::machine::tests::a_pace;
use proptest::prelude::*;
use renga_abi::pace::Pace;

/// Holds: iospeed-control.
#[test]
fn pace_text_written_is_parsed_or_refused() {
    let time = |factor, spins| Pace::Time { factor, spins };
    let count = |most, period_ms, own_period| Pace::Count { most, period_ms, own_period };
    let cases: &[(&str, Option<Pace>)] = &[
        ("24 wait 10\n", Some(time(10_000, false))),
        ("24 loop 2.5", Some(time(2_500, true))),
        ("24 wait 1", Some(time(1_000, false))),
        ("24 wait 1.001", Some(time(1_001, false))),
        ("24 wait 1000", Some(time(1_000_000, false))),
        (" 24  fixed 50 ", Some(count(50, 1_000, false))),
        ("24 variable 5 100", Some(count(5, 100, true))),
        ("24 off", Some(Pace::Free)),
        ("24 wait 0.999", None),
        ("24 wait 0", None),
        ("24 wait -2", None),
        ("24 wait 1000.001", None),
        ("24 wait 1.0001", None),
        ("24 wait 1.", None),
        ("24 wait .5", None),
        ("24 wait 1e3", None),
        ("24 wait 99999999999", None),
        ("24 wait", None),
        ("24 wait 10 10", None),
        ("24 fixed 0", None),
        ("24 fixed 10000", None),
        ("24 fixed 50 15", None),
        ("24 fixed 50 0", None),
        ("24 fixed 50 10010", None),
        ("24 fixed 50 100 1", None),
        ("24 off 1", None),
        ("24 sleep 1", None),
        ("24", None),
        ("0 off", None),
        ("x off", None),
        ("-1 off", None),
        ("", None),
    ];
    for (text, pace) in cases {
        assert_eq!(PaceChange::of(text.as_bytes()), pace.map(|pace| PaceChange { pid: 24, pace }), "{text}");
    }
    assert_eq!(PaceChange::of(b"24 off \xff"), None);
}

proptest! {
    #[test]
    fn pace_text_printed_parses_back(pid in 1..u32::MAX, pace in a_pace()) {
        let text = std::format!("{pid} {}\n", format_pace(pace));
        prop_assert_eq!(PaceChange::of(text.as_bytes()), Some(PaceChange { pid, pace }));
        prop_assert_eq!(Pace::from_word(pace.to_word()), Some(pace));
    }

    #[test]
    fn pace_text_any_bytes_are_handled(text in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Some(PaceChange { pid, pace }) = PaceChange::of(&text) {
            prop_assert!(pid != 0 && Pace::from_word(pace.to_word()) == Some(pace));
        }
    }
}
