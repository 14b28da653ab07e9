//! A file as a killed writer, a bad medium or another program leaves it.

use renga_random::Random;

/// A damaged file.
#[derive(Debug)]
pub struct TornFile {
    /// What has happened to it.
    pub damage: String,
    /// What it holds now.
    pub bytes: Vec<u8>,
}

/// The file `whole` in `count` damaged forms, by `seed`; the first is empty.
pub fn torn_files(whole: &[u8], count: usize, seed: u64) -> Vec<TornFile> {
    let mut random = Random::new(seed);
    let empty = TornFile { damage: "empty".into(), bytes: Vec::new() };
    let drawn = (1..count).map(|number| tear(whole, number, &mut random));
    std::iter::once(empty).chain(drawn).collect()
}

fn tear(whole: &[u8], number: usize, random: &mut Random) -> TornFile {
    let mut bytes = whole.to_vec();
    let len = whole.len().max(1) as u64;
    let at = random.below(len) as usize;
    let span = (random.spread(1, 64) as usize).min(bytes.len() - at.min(bytes.len()));
    let damage = match number % 5 {
        0 => {
            bytes.truncate(at);
            format!("cut at byte {at}")
        }
        1 => {
            let bit = random.below(8);
            bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << bit);
            format!("bit {bit} of byte {at} is another")
        }
        2 => {
            bytes.iter_mut().skip(at).take(span).for_each(|byte| *byte = 0);
            format!("{span} bytes from {at} on are zero")
        }
        3 => {
            let mut noise = vec![0; span];
            random.fill(&mut noise);
            bytes.splice(at.min(whole.len())..at + span, noise);
            format!("{span} bytes from {at} on are random")
        }
        _ => {
            bytes.extend_from_slice(&whole[at.min(whole.len())..]);
            format!("followed by its own end from byte {at} on")
        }
    };
    TornFile { damage, bytes }
}

#[cfg(test)]
mod tests {
    use super::torn_files;

    #[test]
    fn torn_files_are_drawn_from_the_seed() {
        let whole: Vec<u8> = (0..=255).collect();
        let bytes = |seed| torn_files(&whole, 40, seed).into_iter().map(|file| file.bytes).collect::<Vec<_>>();
        assert_eq!(bytes(1), bytes(1));
        assert_ne!(bytes(1), bytes(2));
        assert!(bytes(1)[0].is_empty());
        let same = bytes(1).iter().filter(|bytes| **bytes == whole).count();
        assert_eq!(same, 0, "each of them is damaged");
        assert!(torn_files(&[], 40, 1).iter().all(|file| file.bytes.len() <= 1));
    }
}
