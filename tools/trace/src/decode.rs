//! From a probe that was reached to what happened.

use crate::event::{NUMBERS_MAX, ProbeEventKind, TraceEvent};
use renga_emu_probes::{Hit, ProbeNote, Probes};

/// What the probes of one kernel mean, by their place among the notes.
pub struct Decoder {
    meanings: Vec<Option<Meaning>>,
}

#[derive(Clone)]
struct Meaning {
    kind: ProbeEventKind,
    /// Of each operand, its bytes.
    sizes: Vec<u8>,
}

impl Decoder {
    /// For a kernel with these probes.
    ///
    /// # Errors
    /// The name of a probe that has no meaning, or other operands.
    pub fn new(probes: &Probes) -> Result<Decoder, String> {
        let count = probes.probes.iter().map(|probe| usize::from(probe.index) + 1).max().unwrap_or(0);
        let mut meanings = vec![None; count];
        for probe in &probes.probes {
            meanings[usize::from(probe.index)] = Some(meaning(probe).ok_or_else(|| format!("probe {probe:?}"))?);
        }
        Ok(Decoder { meanings })
    }

    /// What happened; none of a probe that this kernel does not have.
    pub fn event(&self, hit: &Hit) -> Option<TraceEvent> {
        let meaning = self.meanings.get(usize::from(hit.probe))?.as_ref()?;
        let (mut numbers, mut rest) = ([0; NUMBERS_MAX], hit.operands());
        for (number, size) in numbers.iter_mut().zip(&meaning.sizes) {
            let (bytes, others) = rest.split_at_checked(usize::from(*size))?;
            rest = others;
            let mut value = [0; 8];
            value[..bytes.len()].copy_from_slice(bytes);
            *number = u64::from_le_bytes(value);
        }
        Some(TraceEvent::of(meaning.kind, &numbers[..meaning.sizes.len()]))
    }
}

fn meaning(probe: &ProbeNote) -> Option<Meaning> {
    let kind = ProbeEventKind::named(&probe.name)?;
    let sizes: Vec<u8> = probe.operands.iter().map(|operand| operand.bytes).collect();
    (sizes.len() == kind.numbers().len()).then_some(Meaning { kind, sizes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use renga_abi::ProcId;
    use renga_emu_probes::Operand;

    fn probe(name: &str, sizes: &[u8]) -> Probes {
        let operands = sizes.iter().map(|bytes| Operand { bytes: *bytes, register: 0, offset: None }).collect();
        Probes { linear_base: 0, probes: vec![ProbeNote { index: 2, name: name.to_string(), address: 8, operands }] }
    }

    #[test]
    fn decode_operands_become_event_fields() {
        let decoder = Decoder::new(&probe("call", &[4, 4, 4])).unwrap();
        let hit = Hit::new(9, (0, 2), &[[7, 0, 1, 0], [3, 1, 0, 0], [5, 0, 0, 0]].concat());
        let event = TraceEvent::Call { caller: ProcId::new(1, 7), server: ProcId::new(0, 259), op: 5 };
        assert_eq!(decoder.event(&hit), Some(event));
        assert_eq!(decoder.event(&Hit::new(9, (0, 1), &[])), None);
        assert_eq!(decoder.event(&Hit::new(9, (0, 2), &[0; 11])), None);
    }

    #[test]
    fn decode_unknown_probe_is_refused() {
        assert!(Decoder::new(&probe("hello", &[])).is_err());
        assert!(Decoder::new(&probe("call", &[4, 4])).is_err());
    }
}
