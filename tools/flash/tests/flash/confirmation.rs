//! Only typing the end of the serial number continues.

use crate::composed_host::ComposedHost;
use renga_flash::{FlashError, Person, confirm};

/// A person who types this.
struct TypedPerson<'a>(Option<&'a str>, String);

impl Person for TypedPerson<'_> {
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
        assert!(confirm(&card, &mut TypedPerson(Some(typed), String::new())).is_ok(), "{typed}");
    }
    for typed in [Some(""), Some("y"), Some("yes"), Some("537"), Some("2536"), Some("/dev/sdb"), None] {
        let error = confirm(&card, &mut TypedPerson(typed, String::new())).expect_err("not confirmed");
        assert!(matches!(error, FlashError::NotConfirmed(_)) && error.status() == 4, "{typed:?}");
    }
    let mut typed = TypedPerson(None, String::new());
    let _ = confirm(&card, &mut typed);
    assert!(typed.1.contains("/dev/sdb will be lost") && typed.1.contains("serial number"), "{}", typed.1);
}

/// Holds: flash-confirmed.
#[test]
fn confirmation_without_serial_number_uses_model_or_path() {
    let host = ComposedHost::with_card();
    let mut card = host.device("sdb");
    card.serial.clear();
    assert!(confirm(&card, &mut TypedPerson(Some("class"), String::new())).is_ok());
    card.model.clear();
    assert!(confirm(&card, &mut TypedPerson(Some("/sdb"), String::new())).is_ok());
    assert!(confirm(&card, &mut TypedPerson(Some("/sdc"), String::new())).is_err());
}
