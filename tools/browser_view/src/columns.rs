//! Numbers as columns of bytes: small, and quick to read in a browser.
//!
//! A number is written seven bits a byte, the lowest first (LEB128). A column of times has their differences.
//! Invariant: what is written can be read again; the page reads it (`page/columns.js`).

use serde::Serialize;

/// How the numbers of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnForm {
    /// As they are.
    Plain,
    /// The difference from the one before: none is less than that.
    Rising,
}

/// Where a column is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnPlace {
    /// Its name: table and field.
    pub name: &'static str,
    /// How its numbers are written.
    pub form: ColumnForm,
    /// Whether a number may have more than 31 bits.
    pub wide: bool,
    /// How many numbers.
    pub count: usize,
    /// Where it begins, bytes.
    pub at: usize,
}

/// Columns one after the other.
#[derive(Clone, Debug, Default)]
pub struct PackedColumns {
    /// Where each is.
    pub places: Vec<ColumnPlace>,
    /// Their bytes.
    pub bytes: Vec<u8>,
}

impl PackedColumns {
    /// Adds a column of numbers below 2^31.
    pub fn small(&mut self, name: &'static str, numbers: impl Iterator<Item = u32>) {
        self.add(name, ColumnForm::Plain, false, numbers.map(u64::from));
    }

    /// Adds a column of any numbers.
    pub fn wide(&mut self, name: &'static str, numbers: impl Iterator<Item = u64>) {
        self.add(name, ColumnForm::Plain, true, numbers);
    }

    /// Adds a column of times, in their order.
    pub fn rising(&mut self, name: &'static str, numbers: impl Iterator<Item = u64>) {
        self.add(name, ColumnForm::Rising, true, numbers);
    }

    fn add(&mut self, name: &'static str, form: ColumnForm, wide: bool, numbers: impl Iterator<Item = u64>) {
        let (at, mut count, mut before) = (self.bytes.len(), 0, 0);
        for number in numbers {
            let written = if form == ColumnForm::Rising { number - before } else { number };
            push(&mut self.bytes, written);
            (count, before) = (count + 1, number);
        }
        self.places.push(ColumnPlace { name, form, wide, count, at });
    }
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_bytes_are_differences_of_seven_bits() {
        let mut packed = PackedColumns::default();
        packed.small("a", [1, 300].into_iter());
        packed.rising("b", [1000, 1000, 1001].into_iter());
        assert_eq!(packed.bytes, [1, 0xac, 2, 0xe8, 7, 0, 1]);
        let places: Vec<_> = packed.places.iter().map(|place| (place.name, place.at, place.count)).collect();
        assert_eq!(places, [("a", 0, 2), ("b", 3, 3)]);
    }
}
