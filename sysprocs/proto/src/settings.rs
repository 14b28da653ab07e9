//! The services' settings: their protocol, and the parser of the words that programs write to files under
//! `/proc/renga`.
//!
//! Owns: the protocol, words, decimal numbers, choices by name, and tables of named numbers with bounds.
//! Invariant: a service applies a text as a whole or not at all; the text that it shows can be written back.
//! Called by: the regulator, the reclaimer, the governor. Not here: what a setting means.

use core::fmt::{Result as Written, Write};
use core::str::SplitAsciiWhitespace;
use renga_abi::Errno;
use renga_core::{Call, protocol, protocol_as, word_enum};

word_enum! {
    /// What can be read of a service; what can be set says its own module.
    pub enum Setting {
        /// What it has seen and done.
        State,
        /// How it works, one of its words.
        Mode,
        /// When, and how much: names and numbers.
        Thresholds,
        /// Programs whose use does not count.
        Ignored,
        /// Background jobs: written, a pid.
        Jobs,
        /// What was seen of the boards since there are jobs.
        Totals,
    }
}

protocol! {
    /// A service with settings.
    pub Settings = 33, SettingsCall {
        /// The text of a setting, as far as there is room; how many bytes.
        0 ReadSetting { setting: Setting } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Changes a setting as a text says, all of it or nothing. `EINVAL`: it says nothing that is allowed. Of
        /// `Jobs`: makes the process a background job; `ESRCH`: it is gone; `EPERM`: it is init.
        1 WriteSetting { setting: Setting } (&'a [u8]) -> Result<(), Errno>;
    }
}
protocol_as! {
    /// The regulator of background jobs, one of the cluster.
    pub Regulation = 28 as Settings
}
protocol_as! {
    /// The reclaimer, one of each board.
    pub Reclaiming = 29 as Settings
}

/// Replies to `call` with as much of `text` as has room; how many bytes.
pub fn show(call: &mut Call<ReadSetting>, text: &str) -> u32 {
    let out = call.lent();
    let bytes = text.len().min(out.len());
    out[..bytes].copy_from_slice(&text.as_bytes()[..bytes]);
    call.set_taken_used(bytes);
    bytes as u32
}

/// Bytes of a setting's text, at most.
pub const TEXT_BYTES_MAX: usize = 1024;

/// The words of a text.
#[derive(Clone, Debug)]
pub struct SettingWords<'a>(SplitAsciiWhitespace<'a>);

impl<'a> SettingWords<'a> {
    /// The words of `text`; `None`: it is too long, or not UTF-8.
    pub fn of(text: &'a [u8]) -> Option<SettingWords<'a>> {
        let text = core::str::from_utf8(text).ok().filter(|text| text.len() <= TEXT_BYTES_MAX)?;
        Some(SettingWords(text.split_ascii_whitespace()))
    }
    /// The next word, as the number that it must be.
    pub fn number(&mut self) -> Option<u32> {
        number(self.next()?)
    }
    /// What the next word names.
    pub fn choice<T: Copy>(&mut self, named: &[(&str, T)]) -> Option<T> {
        let word = self.next()?;
        named.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
    }
    /// `value`, unless words are left over.
    pub fn end<T>(mut self, value: T) -> Option<T> {
        self.next().is_none().then_some(value)
    }
}

impl<'a> Iterator for SettingWords<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}

/// A decimal number without a sign.
pub fn number(word: &str) -> Option<u32> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

/// The name of `value`.
pub fn name_of<'a, T: PartialEq>(named: &[(&'a str, T)], value: T) -> &'a str {
    named.iter().find(|(_, named)| *named == value).map_or("", |(name, _)| name)
}

/// The name, the bounds and the first value of a number that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberSetting {
    name: &'static str,
    default: u32,
    least: u32,
    most: u32,
}

impl NumberSetting {
    /// At first `default`, always between `least` and `most`.
    pub const fn new(name: &'static str, default: u32, [least, most]: [u32; 2]) -> NumberSetting {
        NumberSetting { name, default, least, most }
    }
}

/// Numbers that can be set, by their places in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberSettings<const N: usize> {
    fixed: [NumberSetting; N],
    values: [u32; N],
}

impl<const N: usize> NumberSettings<N> {
    /// The first values.
    pub fn new(fixed: [NumberSetting; N]) -> Self {
        NumberSettings { fixed, values: fixed.map(|number| number.default.clamp(number.least, number.most)) }
    }
    /// The value at `place`.
    pub fn get(&self, place: usize) -> u32 {
        self.values[place]
    }
    /// Sets it; whether the bounds allow `value`.
    pub fn set(&mut self, place: usize, value: u32) -> bool {
        let allowed = (self.fixed[place].least..=self.fixed[place].most).contains(&value);
        if allowed {
            self.values[place] = value;
        }
        allowed
    }
    /// The numbers with what names and values in `words` say; `None`: one is not allowed, or the text says nothing.
    pub fn changed(&self, words: &mut SettingWords<'_>) -> Option<Self> {
        let (mut new, mut any) = (self.clone(), None);
        // Each pass takes two words.
        while let Some(name) = words.next() {
            let place = self.fixed.iter().position(|number| number.name == name)?;
            any = new.set(place, words.number()?).then_some(());
            any?;
        }
        any.map(|()| new)
    }
    /// Writes a line for each number.
    pub fn show(&self, text: &mut impl Write) -> Written {
        self.fixed.iter().zip(&self.values).try_for_each(|(number, value)| writeln!(text, "{} {value}", number.name))
    }
}

#[cfg(test)]
mod tests {
    use super::{NumberSetting, NumberSettings, SettingWords, number};

    #[test]
    fn number_sign_or_overflow_is_refused() {
        assert_eq!([number("0"), number("4294967295")], [Some(0), Some(u32::MAX)]);
        assert_eq!(["", "-1", "+1", "1 ", "4294967296"].map(number), [None; 5]);
    }

    #[test]
    fn number_settings_text_changes_all_or_nothing() {
        let settings = NumberSettings::new([NumberSetting::new("a", 1, [0, 5]), NumberSetting::new("b", 9, [0, 5])]);
        let changed =
            |text: &str| settings.changed(&mut SettingWords::of(text.as_bytes())?).map(|new| [new.get(0), new.get(1)]);
        assert_eq!([changed("a 2\n a 3 "), changed("b 0")], [Some([3, 5]), Some([1, 0])]);
        assert_eq!(["", "a", "a 1 a", "a x", "c 1", "a 1 c 2", "a 1 b 6"].map(changed), [None; 7]);
    }
}
