//! What was done to a cluster, in a file: JSON lines, a [`RecordingHeader`] first, then one [`RecordedInput`] or
//! [`PowerOrder`] each, last perhaps an end.
//!
//! Invariant: a run with the same images and a recording as its input is the recorded run.

use crate::config::ClusterConfig;
use crate::error::EmuError;
use crate::faults::FaultConfig;
use crate::power::PowerOrder;
use crate::wires::PinsConfig;
use renga_emu_device::EmulatedMachine;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The layout of the file.
const LAYOUT: u32 = 1;

/// What a run needs, besides input and images, to be the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// 1.
    pub renga_recording: u32,
    /// Boards in the cluster.
    pub boards: usize,
    /// As in [`ClusterConfig`].
    pub shift: u8,
    /// As in [`ClusterConfig`].
    pub seed: u64,
    /// As in [`ClusterConfig`].
    pub epoch_s: u64,
    /// As in [`crate::BusConfig`].
    pub rate_bps: u64,
    /// As in [`crate::BusConfig`].
    pub frame_overhead_ns: u64,
    /// As in [`crate::BusConfig`].
    pub interlocked_overhead_ns: u64,
    /// As in [`crate::BusConfig`].
    pub token_pass_ns: u64,
    /// As in [`ClusterConfig`].
    pub faults: FaultConfig,
    /// As in [`ClusterConfig`].
    #[serde(default)]
    pub pins: Option<PinsConfig>,
    /// What each board is, if any is another than the usual one.
    #[serde(default)]
    pub machines: Vec<EmulatedMachine>,
    /// Each board's cores, if any has several.
    #[serde(default)]
    pub cores: Vec<u8>,
    /// Their slice, ns.
    #[serde(default)]
    pub slice_ns: Option<u64>,
    /// As in [`ClusterConfig`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    /// The boards were started with a person at the console.
    pub interactive: bool,
}

impl RecordingHeader {
    /// Of a run with this configuration.
    pub fn of(config: &ClusterConfig) -> Self {
        Self {
            renga_recording: LAYOUT,
            boards: config.boards.len(),
            shift: config.shift,
            seed: config.seed,
            epoch_s: config.epoch_s,
            rate_bps: config.bus.rate_bps,
            frame_overhead_ns: config.bus.frame_overhead_ns,
            interlocked_overhead_ns: config.bus.interlocked_overhead_ns,
            token_pass_ns: config.bus.token_pass_ns,
            faults: config.faults,
            pins: config.pins,
            machines: machines(config),
            cores: config
                .slice()
                .map_or(Vec::new(), |_| config.boards.iter().map(|board| board.cores.max(1)).collect()),
            slice_ns: config.slice(),
            settings: config.settings.clone(),
            interactive: config.pace,
        }
    }
}

fn machines(config: &ClusterConfig) -> Vec<EmulatedMachine> {
    let machines = config.boards.iter().map(|board| board.machine);
    if machines.clone().all(|machine| machine == EmulatedMachine::default()) { Vec::new() } else { machines.collect() }
}

/// Input that came in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedInput {
    /// At which board.
    pub board: u8,
    /// When, ns.
    pub time_ns: u64,
    /// What, in two hexadecimal digits a byte.
    #[serde(with = "hexadecimal")]
    pub bytes: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct End {
    end_ns: u64,
    /// A person left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    left: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RecordingLine {
    Power(PowerOrder),
    Input(RecordedInput),
    End(End),
}

/// A recorded session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What the run was.
    pub header: RecordingHeader,
    /// What was typed, ordered by time.
    pub inputs: Vec<RecordedInput>,
    /// What happened to boards.
    pub power: Vec<PowerOrder>,
    /// When the session was ended from outside, if it was, ns.
    pub end_ns: Option<u64>,
    /// By a person who left.
    pub left: bool,
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is no recording.
    pub fn load(path: &Path) -> Result<Self, EmuError> {
        let text = fs::read_to_string(path).map_err(|error| EmuError::File { path: path.to_path_buf(), error })?;
        Self::parse(&text).map_err(|what| EmuError::Replay(format!("{}: {what}", path.display())))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Which line is wrong, and why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().ok_or("it is empty")?;
        let header: RecordingHeader = serde_json::from_str(first).map_err(|error| format!("line 1: {error}"))?;
        if header.renga_recording != LAYOUT {
            return Err(format!("layout {} is not known", header.renga_recording));
        }
        let mut recording = Self { header, inputs: Vec::new(), power: Vec::new(), end_ns: None, left: false };
        for (index, line) in lines {
            match serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))? {
                RecordingLine::Input(RecordedInput { board, .. }) | RecordingLine::Power(PowerOrder { board, .. })
                    if usize::from(board) >= recording.header.boards =>
                {
                    return Err(format!("line {}: there is no board {board}", index + 1));
                }
                RecordingLine::Input(input) => recording.inputs.push(input),
                RecordingLine::Power(order) => recording.power.push(order),
                RecordingLine::End(End { end_ns, left }) => (recording.end_ns, recording.left) = (Some(end_ns), left),
            }
        }
        recording.inputs.sort_by_key(|input| input.time_ns);
        Ok(recording)
    }

    /// Whether a run with `config` can be the recorded one; the boards' input comes from the recording.
    pub fn check(&self, config: &ClusterConfig) -> Result<(), EmuError> {
        let own = RecordingHeader::of(config);
        let actual = RecordingHeader { interactive: self.header.interactive, ..own };
        if actual == self.header {
            return Ok(());
        }
        Err(EmuError::Replay(format!("it was made with {:?}, this run has {actual:?}", self.header)))
    }
}

/// The file that a running cluster writes.
#[derive(Debug)]
pub struct RunRecorder {
    path: PathBuf,
    file: File,
}

impl RunRecorder {
    /// Begins a file.
    pub fn create(path: &Path, header: &RecordingHeader) -> Result<Self, EmuError> {
        let file = File::create(path).map_err(|error| EmuError::File { path: path.to_path_buf(), error })?;
        let mut recorder = Self { path: path.to_path_buf(), file };
        recorder.write(header)?;
        Ok(recorder)
    }

    /// Notes input.
    pub fn input(&mut self, input: &RecordedInput) -> Result<(), EmuError> {
        self.write(input)
    }

    /// Notes something that happens to a board.
    pub fn power(&mut self, order: &PowerOrder) -> Result<(), EmuError> {
        self.write(order)
    }

    /// Notes that the run was ended at this time, ns, perhaps by a person who `left`.
    pub fn end(&mut self, end_ns: u64, left: bool) -> Result<(), EmuError> {
        self.write(&End { end_ns, left })
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), EmuError> {
        let mut text = serde_json::to_string(line).map_err(|error| self.error(error.into()))?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).map_err(|error| self.error(error))
    }

    fn error(&self, error: io::Error) -> EmuError {
        EmuError::File { path: self.path.clone(), error }
    }
}

mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::fmt::Write;

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let mut digits = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            write!(digits, "{byte:02x}").map_err(serde::ser::Error::custom)?;
        }
        serializer.serialize_str(&digits)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        if !rest.is_empty() {
            return Err(D::Error::custom("an odd number of hexadecimal digits"));
        }
        let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        pairs.iter().map(byte).collect::<Option<_>>().ok_or_else(|| D::Error::custom("not hexadecimal"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::PowerChange;

    fn header() -> RecordingHeader {
        RecordingHeader::of(&ClusterConfig::new(PathBuf::new(), PathBuf::new(), vec![Default::default(); 2]))
    }

    #[test]
    fn recording_round_trips() {
        let path = std::env::temp_dir().join(format!("renga-recording-{}", std::process::id()));
        let input = RecordedInput { board: 1, time_ns: 77, bytes: b"ls\r\x00\xff".to_vec() };
        let mut recorder = RunRecorder::create(&path, &header()).unwrap();
        recorder.input(&input).unwrap();
        let cut = PowerOrder { board: 0, time_ns: 88, change: PowerChange::Cut };
        recorder.power(&cut).unwrap();
        recorder.end(99, true).unwrap();
        let read = Recording::load(&path);
        fs::remove_file(&path).unwrap();
        assert_eq!(
            read.unwrap(),
            Recording { header: header(), inputs: vec![input], power: vec![cut], end_ns: Some(99), left: true }
        );
    }

    #[test]
    fn recording_of_other_machines_differs() {
        let boards = |machine| vec![crate::BoardConfig { machine, ..Default::default() }; 2];
        let config = |machine| ClusterConfig::new(PathBuf::new(), PathBuf::new(), boards(machine));
        let recording =
            Recording { header: header(), inputs: Vec::new(), power: Vec::new(), end_ns: None, left: false };
        assert!(recording.check(&config(EmulatedMachine::Pi3B)).is_ok());
        assert!(matches!(recording.check(&config(EmulatedMachine::Pi4B)), Err(EmuError::Replay(_))));
    }

    #[test]
    fn recording_nonsense_is_refused_with_line() {
        let good = serde_json::to_string(&header()).unwrap();
        assert!(Recording::parse("").unwrap_err().contains("empty"));
        assert!(Recording::parse("{}").unwrap_err().contains("line 1"));
        let bad_digits = format!("{good}\n{{\"board\":0,\"time_ns\":1,\"bytes\":\"0g\"}}");
        assert!(Recording::parse(&bad_digits).unwrap_err().contains("line 2"));
        let bad_board = format!("{good}\n{{\"board\":2,\"time_ns\":1,\"bytes\":\"00\"}}");
        assert!(Recording::parse(&bad_board).unwrap_err().contains("no board 2"));
    }
}
