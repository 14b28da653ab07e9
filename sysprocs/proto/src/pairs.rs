//! Settings as lines of a name and a number, as files under `/proc/renga` have them.
//!
//! Not here: which names and values are allowed.

/// Calls `set` with each name and number of `text`; `None`: it is no such text, says nothing, or `set` refuses something.
pub fn pairs(text: &str, mut set: impl FnMut(&str, u32) -> Option<()>) -> Option<()> {
    let mut words = text.split_ascii_whitespace();
    let (mut name, mut any) = (words.next(), None);
    // Each turn takes two words.
    while let Some(named) = name {
        set(named, number(words.next()?)?)?;
        (name, any) = (words.next(), Some(()));
    }
    any
}

/// A decimal number without a sign.
pub fn number(word: &str) -> Option<u32> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{number, pairs};

    #[test]
    fn numbers_have_no_sign_and_fit() {
        assert_eq!([number("0"), number("4294967295")], [Some(0), Some(u32::MAX)]);
        assert_eq!(["", "-1", "+1", "1 ", "4294967296"].map(number), [None; 5]);
    }

    #[test]
    fn a_text_of_pairs_is_understood_as_a_whole() {
        let sum = |text| {
            let mut sum = 0;
            pairs(text, |name, value| (name == "a").then(|| sum += value)).map(|()| sum)
        };
        assert_eq!(sum("a 1\n a 2 "), Some(3));
        assert_eq!(["", "a", "a 1 a", "a x", "b 1", "a 1 b 2"].map(sum), [None; 6]);
    }
}
