//! How much of a page is sent to another board: a byte takes half a microsecond on the link, and the receiver of a page
//! has zeros there.
//!
//! Not here: who fills the rest with zeros (`Filled::clear_behind`).

/// Bytes of `page` up to its last one other than zero.
pub fn sent_bytes(page: &[u8]) -> usize {
    let (words, rest) = page.as_chunks::<8>();
    if let Some(last) = rest.iter().rposition(|byte| *byte != 0) {
        return words.len() * 8 + last + 1;
    }
    let last = words.iter().rposition(|word| *word != [0; 8]);
    last.map_or(0, |at| (at + 1) * 8 - u64::from_le_bytes(words[at]).leading_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::sent_bytes;

    #[test]
    fn trailing_zeros_page_sends_all_other_bytes() {
        for length in [0, 1, 7, 8, 9, 31] {
            let mut page = [0; 31];
            assert_eq!(sent_bytes(&page[..length]), 0, "{length}");
            for at in 0..length {
                page[0] = 1;
                page[at] = if at % 2 == 0 { 1 } else { 0x80 };
                assert_eq!(sent_bytes(&page[..length]), at + 1, "{length}, {at}");
                page[at] = 0;
            }
        }
    }
}
