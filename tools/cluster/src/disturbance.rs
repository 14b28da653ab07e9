//! What is to go wrong in a run: boards that are cut, hung and started again, faults of the link; by hand or by seed.
//!
//! Not here: how that is done (`renga_emu::power`, `renga_emu::faults`).

use crate::event_instants::EventMoment;
use anyhow::{Context, Result, bail};
use renga_cli::RunArgs;
use renga_emu::{EmulatedWireFault, FaultConfig, PowerChange, PowerOrder};
use renga_images::system::SystemFile;
use renga_phy::pins::wiring::{PinName, TERMINATED, Width};
use renga_random::Random;

const NS_PER_MS: u64 = 1_000_000;
/// Parts in a million of one per mille.
const PPM_PER_MILLE: f64 = 1000.0;
/// Every so many seeds of chaos, the boards with the disk and the file system are cut as well.
const DISK_CUT_EVERY: u64 = 5;

/// What goes wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disturbance {
    /// What happens to boards.
    pub power: Vec<PowerOrder>,
    /// What happens to boards at events, whose instants a rehearsal finds.
    pub at_events: Vec<EventOrder>,
    /// What happens to frames and the token.
    pub faults: FaultConfig,
    /// Boards that attack the others.
    pub hostile: Vec<u8>,
    /// Wires between the boards' pins that are broken.
    pub wires: Vec<EmulatedWireFault>,
}

/// What happens to which board at which of its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventOrder {
    /// Which board, and whose event.
    pub board: u8,
    /// At which of them; it does not happen any more.
    pub moment: EventMoment,
    /// What.
    pub change: PowerChange,
}

/// When something is to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At this time, ns.
    Time(u64),
    /// At this event.
    Event(EventMoment),
}

impl Disturbance {
    /// What the options of a run ask for.
    ///
    /// # Errors
    /// If one of them makes no sense.
    pub fn of(options: &RunArgs, system: &SystemFile) -> Result<Disturbance> {
        let names: Vec<&str> = system.checked.boards.iter().map(|board| board.name.as_str()).collect();
        let file_board = usize::from(system.checked.file_board());
        let disk_board = system.checked.boards.iter().position(|board| board.owns_disk).unwrap_or(file_board);
        let mut disturbance =
            options.chaos.map_or_else(Disturbance::default, |seed| chaos(seed, names.len(), &[file_board, disk_board]));
        for (change, options) in [
            (PowerChange::Cut, &options.kill),
            (PowerChange::Hang, &options.hang),
            (PowerChange::Start, &options.restart),
        ] {
            for text in options {
                match moment(&names, text)? {
                    (board, Moment::Time(time_ns)) => disturbance.power.push(PowerOrder { board, time_ns, change }),
                    (board, Moment::Event(moment)) => disturbance.at_events.push(EventOrder { board, moment, change }),
                }
            }
        }
        for name in &options.hostile {
            disturbance.hostile.push(hostile(&names, name, file_board)?);
        }
        disturbance.wires = options.wire.iter().map(|text| wire(&names, text)).collect::<Result<_>>()?;
        disturbance.power.sort_by_key(|order| order.time_ns);
        if let Some(text) = &options.faults {
            disturbance.faults = faults(text)?;
        }
        Ok(disturbance)
    }
}

/// Reads `BOARD@MILLISECONDS`.
///
/// # Errors
/// If it is none.
pub fn at(names: &[&str], text: &str) -> Result<(u8, u64)> {
    let (name, at_ms) = text.split_once('@').with_context(|| format!("`{text}` is no board and time, as in b@200"))?;
    Ok((board(names, name)?, at_ms.parse().with_context(|| format!("`{at_ms}` is no number of milliseconds"))?))
}

/// Reads `BOARD@MILLISECONDS`, `BOARD@NANOSECONDSns` or `BOARD@EVENT:NUMBER`.
///
/// # Errors
/// If it is none.
pub fn moment(names: &[&str], text: &str) -> Result<(u8, Moment)> {
    let Some((name, when)) = text.split_once('@').filter(|(_, when)| when.contains(':') || when.ends_with("ns")) else {
        let (board, at_ms) = at(names, text)?;
        return Ok((board, Moment::Time(at_ms * NS_PER_MS)));
    };
    let board = board(names, name)?;
    let Some(at_ns) = when.strip_suffix("ns") else { return Ok((board, Moment::Event(EventMoment::parse(when)?))) };
    Ok((board, Moment::Time(at_ns.parse().with_context(|| format!("`{at_ns}` is no number of nanoseconds"))?)))
}

/// The board called `name`.
///
/// # Errors
/// If there is none.
pub fn board(names: &[&str], name: &str) -> Result<u8> {
    let number = names.iter().position(|other| *other == name);
    let number = number.with_context(|| format!("there is no board `{name}`; boards are {}", names.join(", ")))?;
    Ok(number as u8)
}

/// Reads the name of a board that attacks the others.
fn hostile(names: &[&str], name: &str, file_board: usize) -> Result<u8> {
    let board = board(names, name)?;
    if usize::from(board) == file_board {
        bail!("board {name} has the file system and runs the first program: it is the one to be attacked");
    }
    Ok(board)
}

/// Reads `D3=low` or `b:D3=open`.
fn wire(names: &[&str], text: &str) -> Result<EmulatedWireFault> {
    let broken = || format!("`{text}` is no broken wire, as in D3=low or b:D3=open");
    let (place, fault) = text.split_once('=').with_context(broken)?;
    let (at, name) = place.split_once(':').map_or((None, place), |(at, name)| (Some(at), name));
    let shared = TERMINATED | Width::Sixteen.pins();
    let called = |pin: &u8| shared >> pin & 1 != 0 && PinName(*pin).on_harness() == Some(name);
    let pin = (0..u32::BITS as u8).find(called);
    let pin = pin.with_context(|| format!("`{name}` is no wire that all boards share, as D3 or BUSY#"))?;
    match (at, fault) {
        (None, "low") => Ok(EmulatedWireFault::HeldLow { pin }),
        (Some(at), "open") => Ok(EmulatedWireFault::Open { board: board(names, at)?, pin }),
        _ => bail!(broken()),
    }
}

/// Reads `loss=20,corrupt=5`, in frames of a thousand.
fn faults(text: &str) -> Result<FaultConfig> {
    let mut config = FaultConfig::default();
    let mut sum_ppm = 0;
    for part in text.split(',') {
        let (name, per_mille) = part.split_once('=').with_context(|| format!("`{part}` is no fault, as in loss=20"))?;
        let place = match name.trim() {
            "loss" => &mut config.loss_ppm,
            "corrupt" => &mut config.corrupt_ppm,
            "duplicate" => &mut config.duplicate_ppm,
            "delay" => &mut config.delay_ppm,
            "token" => &mut config.token_ppm,
            "collision" => &mut config.collision_ppm,
            _ => bail!("there is no fault `{name}`: known ones are loss, corrupt, duplicate, delay, token, collision"),
        };
        let frames: f64 = per_mille.trim().parse().with_context(|| format!("`{per_mille}` is no number"))?;
        if !(0.0..=1000.0).contains(&frames) {
            bail!("`{part}` is not between 0 and 1000 frames of a thousand");
        }
        *place = (frames * PPM_PER_MILLE) as u32;
        sum_ppm += *place;
    }
    if sum_ppm > 1_000_000 {
        bail!("more than 1000 of a thousand frames are to be faulty");
    }
    Ok(config)
}

/// What `seed` draws: faults of the link, and in the first four seconds cuts, hangs and resets, of one board at a time,
/// with a start after each.
pub fn chaos(seed: u64, boards: usize, spared: &[usize]) -> Disturbance {
    let mut random = Random::new(seed);
    let mut ppm = |most: u64| if random.below(3) == 0 { 0 } else { random.below(most) as u32 };
    let faults = FaultConfig {
        loss_ppm: ppm(40_000),
        corrupt_ppm: ppm(20_000),
        duplicate_ppm: ppm(20_000),
        delay_ppm: ppm(20_000),
        token_ppm: ppm(5_000),
        collision_ppm: ppm(5_000),
    };
    let victims: Vec<usize> = if seed.is_multiple_of(DISK_CUT_EVERY) {
        (0..boards).collect()
    } else {
        (0..boards).filter(|board| !spared.contains(board)).collect()
    };
    let mut power = Vec::new();
    let mut time_ns = 0;
    for _ in 0..random.below(4) {
        let Some(&victim) = victims.get(random.below(victims.len() as u64) as usize) else { break };
        time_ns += (100 + random.below(500)) * NS_PER_MS + random.below(NS_PER_MS);
        let board = victim as u8;
        let change = [PowerChange::Cut, PowerChange::Cut, PowerChange::Hang][random.below(3) as usize];
        power.push(PowerOrder { board, time_ns, change });
        time_ns += [0, random.below(50), random.below(600)][random.below(3) as usize] * NS_PER_MS;
        power.push(PowerOrder { board, time_ns, change: PowerChange::Start });
    }
    Disturbance { power, faults, ..Disturbance::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds: run-wrong-board.
    #[test]
    fn disturbance_options_are_parsed_or_refused() {
        assert_eq!(at(&["a", "b"], "b@200").unwrap(), (1, 200));
        assert_eq!(at(&["a", "b"], "c@200").unwrap_err().to_string(), "there is no board `c`; boards are a, b");
        assert_eq!(at(&["a"], "a").unwrap_err().to_string(), "`a` is no board and time, as in b@200");
        assert_eq!(moment(&["a", "b"], "b@2").unwrap(), (1, Moment::Time(2_000_000)));
        assert_eq!(moment(&["a", "b"], "b@340176975ns").unwrap(), (1, Moment::Time(340_176_975)));
        let ninth = Moment::Event(EventMoment::parse("write:9").unwrap());
        assert_eq!(moment(&["a", "b"], "a@write:9").unwrap(), (0, ninth));
        for bad in ["a@write", "a@write:", "a@:1", "c@write:1", "a@1.5ns", "a@-1"] {
            assert!(moment(&["a", "b"], bad).is_err(), "{bad}");
        }
        let config = faults("loss=20, token=0.5").unwrap();
        assert_eq!((config.loss_ppm, config.token_ppm, config.delay_ppm), (20_000, 500, 0));
        assert_eq!(hostile(&["a", "b"], "b", 0).unwrap(), 1);
        let refused = hostile(&["a", "b"], "a", 0).unwrap_err().to_string();
        assert!(refused.contains("has the file system"), "{refused}");
        assert_eq!(wire(&["a", "b"], "b:D3=open").unwrap(), EmulatedWireFault::Open { board: 1, pin: 19 });
        assert_eq!(wire(&["a", "b"], "BUSY#=low").unwrap(), EmulatedWireFault::HeldLow { pin: 4 });
        for bad in ["D3", "D3=open", "b:D3=low", "c:D3=open", "TOK_IN#=low", "D16=low"] {
            assert!(wire(&["a", "b"], bad).is_err(), "{bad}");
        }
        for bad in ["loss", "loss=x", "lost=1", "loss=1001", "loss=600,delay=600", ""] {
            assert!(faults(bad).is_err(), "{bad}");
        }
    }

    /// Holds: chaos.
    #[test]
    fn chaos_same_seed_repeats_and_every_fifth_includes_disk_board() {
        let mut cuts = [0; 3];
        for seed in 0..500 {
            let disturbance = chaos(seed, 3, &[0]);
            assert_eq!(disturbance, chaos(seed, 3, &[0]));
            assert!(disturbance.power.is_sorted_by_key(|order| order.time_ns));
            for pair in disturbance.power.chunks(2) {
                assert_eq!((pair[0].board, pair[1].change), (pair[1].board, PowerChange::Start));
                assert!(pair[0].board != 0 || seed % DISK_CUT_EVERY == 0);
                cuts[usize::from(pair[0].board)] += 1;
            }
        }
        assert!(cuts.iter().all(|cuts| *cuts > 20), "{cuts:?}");
    }
}
