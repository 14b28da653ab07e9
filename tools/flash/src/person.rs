//! The person who confirms the device.

use super::device::BlockDevice;
use super::error::FlashError;

/// Characters of the serial number or the model that have to be typed.
const LETTERS: usize = 4;

/// A person who can answer.
pub trait Person {
    /// Shows `text`, and what is typed then; none at the end of input.
    fn ask(&mut self, text: &str) -> Option<String>;
}

/// Has the person type the end of what distinguishes `device`.
///
/// # Errors
/// If something else is typed, or nothing.
pub fn confirm(device: &BlockDevice, person: &mut dyn Person) -> Result<(), FlashError> {
    let whole = device.distinction();
    let letters = whole.chars().count().min(LETTERS);
    let what = match (device.serial.is_empty(), device.model.is_empty()) {
        (false, _) => "serial number",
        (true, false) => "model",
        (true, true) => "path",
    };
    let question = format!(
        "Everything on {} will be lost. To go on, type the last {letters} characters of its {what} (see above): ",
        device.path()
    );
    let typed = person.ask(&question).unwrap_or_default();
    let typed = typed.trim();
    let enough = typed.chars().count() >= letters && letters > 0;
    if enough && whole.to_lowercase().ends_with(&typed.to_lowercase()) {
        return Ok(());
    }
    Err(FlashError::NotConfirmed(format!("{typed:?} is not the end of its {what}")))
}
