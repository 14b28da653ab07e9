//! Typed access to a TOML table that knows its lines.
//!
//! Invariant: every value that is missing, superfluous or of another type is reported with the place and
//! the type wanted. Not here: what the keys mean (`parse.rs`).

use crate::PlacementError;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// One table of the file, or the whole file.
pub(crate) struct TableReader<'t> {
    text: &'t str,
    table: &'t DeTable<'t>,
    /// What messages call it.
    pub name: String,
    /// Its line.
    pub line: usize,
}

/// The line, from 1, of byte `offset` of `text`.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
}

impl<'t> TableReader<'t> {
    /// The whole file.
    pub fn root(text: &'t str, table: &'t DeTable<'t>) -> Self {
        TableReader { text, table, name: "the file".into(), line: 1 }
    }

    /// Refuses keys that are not `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), PlacementError> {
        for key in self.table.keys() {
            if !known.contains(&key.get_ref().as_ref()) {
                let (line, found) = (line_of(self.text, key.span().start), key.get_ref().to_string());
                return Err(PlacementError::UnknownKey {
                    line,
                    place: self.name.clone(),
                    found,
                    known: known.join(", "),
                });
            }
        }
        Ok(())
    }

    /// All keys with their values and lines, in the file's order.
    pub fn entries(&self) -> Vec<(String, usize, &'t Spanned<DeValue<'t>>)> {
        let mut all: Vec<_> = self.table.iter().collect();
        all.sort_by_key(|(key, _)| key.span().start);
        let with_line = |(key, value): (&Spanned<_>, _)| -> (String, usize, _) {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.to_string(), line_of(self.text, key.span().start), value)
        };
        all.into_iter().map(with_line).collect()
    }

    /// `value` as a table called `name`.
    pub fn table(&self, value: &'t Spanned<DeValue<'t>>, name: &str) -> Result<TableReader<'t>, PlacementError> {
        let table = value.get_ref().as_table().ok_or_else(|| self.wrong(value, name, "a table"))?;
        Ok(TableReader { text: self.text, table, name: name.into(), line: self.line_at(value) })
    }

    /// The table under `key`.
    pub fn table_at(&self, key: &str, example: &'static str) -> Result<TableReader<'t>, PlacementError> {
        self.table(self.required(key, example)?, &format!("[{key}]"))
    }

    /// The table under `key`, if there is one.
    pub fn table_if(&self, key: &str) -> Result<Option<TableReader<'t>>, PlacementError> {
        self.get(key).map(|value| self.table(value, &format!("[{key}]"))).transpose()
    }

    /// The array under `key`.
    pub fn array(&self, key: &str, example: &'static str) -> Result<&'t DeArray<'t>, PlacementError> {
        let value = self.required(key, example)?;
        value.get_ref().as_array().ok_or_else(|| self.wrong(value, key, "an array"))
    }

    /// The text under `key`.
    pub fn text(&self, key: &str, example: &'static str) -> Result<(&'t str, usize), PlacementError> {
        let value = self.required(key, example)?;
        Ok((self.as_text(value, key)?, self.line_at(value)))
    }

    /// The text under `key`, if there is one.
    pub fn text_if(&self, key: &str) -> Result<Option<(&'t str, usize)>, PlacementError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        Ok(Some((self.as_text(value, key)?, self.line_at(value))))
    }

    /// `value` as text.
    pub fn as_text(&self, value: &'t Spanned<DeValue<'t>>, key: &str) -> Result<&'t str, PlacementError> {
        value.get_ref().as_str().ok_or_else(|| self.wrong(value, key, "a string"))
    }

    /// The number under `key`, or `default`.
    pub fn number(&self, key: &str, default: i64) -> Result<i64, PlacementError> {
        let Some(value) = self.get(key) else { return Ok(default) };
        let number = value.get_ref().as_integer();
        let number = number.and_then(|digits| i64::from_str_radix(digits.as_str(), digits.radix()).ok());
        number.ok_or_else(|| self.wrong(value, key, "a whole number"))
    }

    /// The truth value under `key`, or `default`.
    pub fn flag(&self, key: &str, default: bool) -> Result<bool, PlacementError> {
        let Some(value) = self.get(key) else { return Ok(default) };
        value.get_ref().as_bool().ok_or_else(|| self.wrong(value, key, "true or false"))
    }

    /// The whole numbers under `key` and where they are, if there are any.
    pub fn numbers_if(&self, key: &str) -> Result<Option<(Vec<i64>, usize)>, PlacementError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = |item: &Spanned<DeValue<'t>>| {
            let digits = item.get_ref().as_integer()?;
            i64::from_str_radix(digits.as_str(), digits.radix()).ok()
        };
        let numbers =
            value.get_ref().as_array().and_then(|items| items.iter().map(number).collect::<Option<Vec<i64>>>());
        let numbers = numbers.ok_or_else(|| self.wrong(value, key, "an array of whole numbers"))?;
        Ok(Some((numbers, self.line_at(value))))
    }

    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    fn required(&self, key: &str, example: &'static str) -> Result<&'t Spanned<DeValue<'t>>, PlacementError> {
        let missing =
            || PlacementError::MissingKey { line: self.line, place: self.name.clone(), missing: key.into(), example };
        self.get(key).ok_or_else(missing)
    }

    /// That `key` should have had `wanted`.
    pub fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, wanted: &'static str) -> PlacementError {
        PlacementError::WrongType {
            line: self.line_at(value),
            place: self.name.clone(),
            key: key.into(),
            wanted,
            found: value.get_ref().type_str(),
        }
    }

    fn line_at(&self, value: &Spanned<DeValue<'_>>) -> usize {
        line_of(self.text, value.span().start)
    }
}
