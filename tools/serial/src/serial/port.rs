//! One serial port.

use anyhow::{Context, Result, bail};
use renga_cli::PortName;
use rustix::fs::OFlags;
use rustix::termios::{ControlModes, OptionalActions, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::mpsc::Sender;

/// Bits a second: the kernel's, and `config.txt`'s.
pub const RATE_BPS: u32 = 115_200;
/// Bytes read at a time.
const CHUNK_BYTES: usize = 512;

/// An open port.
pub struct SerialPort {
    /// What it is called.
    pub name: String,
    file: File,
}

impl SerialPort {
    /// Opens it: raw, 8 bits, no parity, [`RATE_BPS`].
    ///
    /// # Errors
    /// If it is not there, is none, or is not ours to open.
    pub fn open(port: &PortName) -> Result<SerialPort> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32);
        let file = options.open(&port.path).with_context(|| {
            format!("cannot open {} (./renga doctor lists serial ports and who may use them)", port.path.display())
        })?;
        if !file.is_terminal() {
            bail!("{} is no serial port", port.path.display());
        }
        let mut settings = tcgetattr(&file).context("a serial port has no settings")?;
        settings.make_raw();
        settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        settings.set_speed(RATE_BPS).with_context(|| format!("{} cannot do {RATE_BPS} bit/s", port.path.display()))?;
        tcsetattr(&file, OptionalActions::Now, &settings).context("a serial port does not take its settings")?;
        Ok(SerialPort { name: port.name.clone(), file })
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// If it is gone.
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).with_context(|| format!("{} is gone", self.name))
    }
}

/// What was heard on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// These bytes, on the port of this number.
    Bytes(usize, Vec<u8>),
    /// Nothing more: the port is gone.
    Gone(usize),
}

/// Listens to `port` from now on; what is heard goes to `sender` under `number`.
///
/// # Errors
/// If the host gives no second handle on it.
pub fn listen(port: &SerialPort, number: usize, sender: Sender<Input>) -> Result<()> {
    let mut file = port.file.try_clone().context("cannot listen to a serial port")?;
    // It ends with the port, with its receiver, or with the process.
    std::thread::spawn(move || {
        let mut chunk = [0; CHUNK_BYTES];
        loop {
            let input = match file.read(&mut chunk) {
                Ok(count @ 1..) => Input::Bytes(number, chunk[..count].to_vec()),
                Ok(0) | Err(_) => Input::Gone(number),
            };
            let last = matches!(input, Input::Gone(_));
            if sender.send(input).is_err() || last {
                return;
            }
        }
    });
    Ok(())
}
