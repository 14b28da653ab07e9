//! Only typing the end of the serial number continues.

use crate::composed_host::ComposedHost;
use renga_flash::{FlashError, Person, confirm};

/// A person who types this.
struct Typist<'a>(Option<&'a str>, String);

impl Person for Typist<'_> {
    fn ask(&mut self, text: &str) -> Option<String> {
        self.1.push_str(text);
        self.0.map(|typed| format!("{typed}\n"))
    }
}

/// Holds: flash-confirmed.
#[test]
fn confirmation_needs_end_of_serial_number() {
    let host = ComposedHost::with_card();
    let card = host.device("sdb");
    for typed in ["2537", "000000002537", " 002537 "] {
        assert!(confirm(&card, &mut Typist(Some(typed), String::new())).is_ok(), "{typed}");
    }
    for typed in [Some(""), Some("y"), Some("yes"), Some("537"), Some("2536"), Some("/dev/sdb"), None] {
        let error = confirm(&card, &mut Typist(typed, String::new())).expect_err("not confirmed");
        assert!(matches!(error, FlashError::NotConfirmed(_)) && error.status() == 4, "{typed:?}");
    }
    let mut typist = Typist(None, String::new());
    let _ = confirm(&card, &mut typist);
    assert!(typist.1.contains("/dev/sdb will be lost") && typist.1.contains("serial number"), "{}", typist.1);
}

/// Holds: flash-confirmed.
#[test]
fn confirmation_without_serial_number_uses_model_or_path() {
    let host = ComposedHost::with_card();
    let mut card = host.device("sdb");
    card.serial.clear();
    assert!(confirm(&card, &mut Typist(Some("class"), String::new())).is_ok());
    card.model.clear();
    assert!(confirm(&card, &mut Typist(Some("/sdb"), String::new())).is_ok());
    assert!(confirm(&card, &mut Typist(Some("/sdc"), String::new())).is_err());
}
