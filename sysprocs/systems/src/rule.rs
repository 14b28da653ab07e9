//! A rule that tables keep, and the test of one.

/// A rule, as a sentence.
pub type Rule = &'static str;

pub(crate) fn hold(holds: bool, rule: Rule) -> Result<(), Rule> {
    if holds { Ok(()) } else { Err(rule) }
}
