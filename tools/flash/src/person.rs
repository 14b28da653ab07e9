//! The person who confirms the device.

use super::device::BlockDevice;
use super::error::FlashError;
use std::path::Path;

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
    let what = match (device.serial.is_empty(), device.model.is_empty()) {
        (false, _) => "serial number",
        (true, false) => "model",
        (true, true) => "path",
    };
    let question = format!("Everything on {} will be lost.", device.path());
    ask_for_end(&question, &device.distinction(), &format!("its {what} (see above)"), person)
}

/// Has the person type the end of the path of a file that exists and will be emptied.
///
/// # Errors
/// If something else is typed, or nothing.
pub fn confirm_file(path: &Path, len_bytes: u64, person: &mut dyn Person) -> Result<(), FlashError> {
    let path = path.display().to_string();
    let question = format!("{path} exists: all of its {len_bytes} bytes will be lost.");
    ask_for_end(&question, &path, "its name", person)
}

fn ask_for_end(question: &str, whole: &str, what: &str, person: &mut dyn Person) -> Result<(), FlashError> {
    let letters = whole.chars().count().min(LETTERS);
    let typed = person.ask(&format!("{question} To go on, type the last {letters} characters of {what}: "));
    let typed = typed.unwrap_or_default();
    let typed = typed.trim();
    let enough = typed.chars().count() >= letters && letters > 0;
    if enough && whole.to_lowercase().ends_with(&typed.to_lowercase()) {
        return Ok(());
    }
    let what = what.split(" (").next().unwrap_or(what);
    Err(FlashError::NotConfirmed(format!("{typed:?} is not the end of {what}")))
}
