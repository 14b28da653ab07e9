//! `renga console`: the serial lines of real boards, on one screen.

use crate::serial::{Input, Interleaver, RATE_BPS, SerialPort, listen};
use anyhow::{Context, Result, bail};
use renga_cli::{ConsoleArgs, EscapeKey, PortName};
use renga_cluster::escape::Typed;
use renga_cluster::kernel_log::{BoardLog, LogTable};
use renga_cluster::terminal::Terminal;
use renga_images::artifacts::{self, KernelFlavour};
use renga_workspace::environment::Environment;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How often the keyboard is polled while no board prints anything.
const KEYS_POLL: Duration = Duration::from_millis(20);

/// Joins the terminal with the boards' serial lines, until all are gone or the person leaves.
///
/// # Errors
/// If a port cannot be opened, or a file cannot be written.
pub fn console(environment: &Environment, options: &ConsoleArgs) -> Result<u8> {
    let ports: Vec<&PortName> = options.port.iter().chain(&options.log_port).collect();
    let table = if options.log_port.is_empty() { None } else { Some(log_table(environment, options)?) };
    let names: Vec<String> = ports.iter().map(|port| port.name.clone()).collect();
    let (sender, input) = channel();
    let mut open = Vec::new();
    for (number, name) in ports.iter().enumerate() {
        let port = SerialPort::open(name)?;
        listen(&port, number, sender.clone())?;
        open.push(port);
    }
    drop(sender);
    let files = options.out.as_deref().map(|folder| record_files(folder, options)).transpose()?;
    let (terminal, keys) = Terminal::take(EscapeKey::USUAL)?;
    eprint!("{} at {RATE_BPS} bit/s. Ctrl-] then a board's name types there, `quit` leaves.\r\n", names.join(", "));
    let mut desk = Desk {
        consoles: options.port.len(),
        logs: table
            .as_ref()
            .map_or_else(Vec::new, |table| options.log_port.iter().map(|port| table.board(&port.name)).collect()),
        lines: Interleaver::new(names),
        files,
        ports: open,
        typing_to: 0,
        line_end: if terminal.is_raw() { "\r\n" } else { "\n" },
    };
    let end = desk.run(&input, &keys);
    show_on_screen(&desk.lines.finish())?;
    end.map(|()| 0)
}

/// How to read the log: from the named kernel, or the one that is built.
fn log_table(environment: &Environment, options: &ConsoleArgs) -> Result<LogTable> {
    if let Some(elf) = &options.elf {
        return LogTable::read(elf);
    }
    let kernel = artifacts::kernel_if_built(environment, KernelFlavour::Plain);
    let kernel = kernel.context("the kernel that could explain the log is not built: name its ELF with --elf FILE")?;
    LogTable::read(&kernel.elf)
}

/// What consoles say goes into files as it comes, what logs say as decoded lines.
fn record_files(folder: &Path, options: &ConsoleArgs) -> Result<Vec<File>> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let consoles = options.port.iter().map(|port| format!("{}.serial", port.name));
    let logs = options.log_port.iter().map(|port| format!("{}.log", port.name));
    let create = |name: String| {
        let path = folder.join(name);
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))
    };
    consoles.chain(logs).map(create).collect()
}

/// Where everything comes together.
struct Desk<'a> {
    /// The first so many ports are consoles, the others logs.
    consoles: usize,
    logs: Vec<BoardLog<'a>>,
    lines: Interleaver,
    files: Option<Vec<File>>,
    ports: Vec<SerialPort>,
    typing_to: usize,
    line_end: &'static str,
}

impl Desk<'_> {
    fn run(&mut self, input: &Receiver<Input>, keys: &Receiver<Typed>) -> Result<()> {
        let mut left = self.ports.len();
        while left > 0 {
            match input.recv_timeout(KEYS_POLL) {
                Ok(Input::Bytes(number, bytes)) => self.show(number, &bytes)?,
                Ok(Input::Gone(number)) => {
                    left -= 1;
                    eprint!("{} is gone{}", self.ports[number].name, self.line_end);
                }
                Err(_) => show_on_screen(&self.lines.flush(Instant::now()))?,
            }
            while let Ok(typed) = keys.try_recv() {
                match typed {
                    Typed::Keys(bytes) => self.ports[self.typing_to].send(&bytes)?,
                    Typed::Line(line) if line.trim() == "quit" => return Ok(()),
                    Typed::Line(line) => self.type_to(line.trim()),
                }
            }
        }
        Ok(())
    }

    fn type_to(&mut self, name: &str) {
        match self.ports[..self.consoles].iter().position(|port| port.name == name) {
            Some(number) => self.typing_to = number,
            None => eprint!("there is no console `{name}`{}", self.line_end),
        }
    }

    fn show(&mut self, number: usize, bytes: &[u8]) -> Result<()> {
        if number < self.consoles {
            self.keep(number, bytes)?;
            return show_on_screen(&self.lines.take(number, bytes, Instant::now()));
        }
        let Some(log) = self.logs.get_mut(number - self.consoles) else { bail!("a log without a reader") };
        for line in log.take(bytes) {
            self.keep(number, format!("{line}\n").as_bytes())?;
            eprint!("{line}{}", self.line_end);
        }
        Ok(())
    }

    fn keep(&mut self, number: usize, bytes: &[u8]) -> Result<()> {
        match &mut self.files {
            Some(files) => files[number].write_all(bytes).context("cannot record what a board says"),
            None => Ok(()),
        }
    }
}

fn show_on_screen(text: &[u8]) -> Result<()> {
    let mut out = std::io::stdout();
    out.write_all(text).and_then(|()| out.flush()).context("cannot write to standard output")
}
