//! `renga run`: a shell on a cluster, or one script.

use super::stats;
use anyhow::{Context, Result, bail};
use renga_boot_card::{LinkMode, Model};
use renga_cli::{EscapeKey, LinkName, ProgramName, RunArgs};
use renga_cluster::console_lines::{ConsoleLines, ScreenPart};
use renga_cluster::deferred_error_output::DeferredErrorOutput;
use renga_cluster::disturbance::{self, Disturbance};
use renga_cluster::escape::Typed;
use renga_cluster::garbage;
use renga_cluster::link_calls::LinkCalls;
use renga_cluster::listener::Listener;
use renga_cluster::observation::{Observation, ObservationOrder};
use renga_cluster::rehearsal;
use renga_cluster::session::ClusterSession;
use renga_cluster::session_disk::{self, SessionDisk};
use renga_cluster::terminal::Terminal;
use renga_cluster::trace::{self, TraceFile};
use renga_emu::{FrameEvent, Recording};
use renga_emu_probes::Hit;
use renga_images::artifacts::{self, KernelArtifact, KernelFlavour};
use renga_images::card::{self, CardBoot};
use renga_images::disk_image;
use renga_images::system::SystemFile;
use renga_profile::{Profile, ProfileSetting};
use renga_workspace::environment::Environment;
use renga_workspace::output;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

/// Runs a cluster.
///
/// # Errors
/// If something cannot be built, the cluster cannot start, or it fails.
pub fn run(environment: &Environment, options: &RunArgs) -> Result<u8> {
    let (system, script) =
        (SystemFile::find(environment, &options.machine.system)?, session_disk::script(&options.job)?);
    let (disturbance, kept) = (Disturbance::of(options, &system)?, expect_files(options)?);
    let progress = ProgressLine::start();
    let flavour = if disturbance.hostile.is_empty() { KernelFlavour::Plain } else { KernelFlavour::Hostile };
    let qemu = environment.qemu()?.to_path_buf();
    let scratch = Scratch::make(environment)?;
    let kernel = artifacts::kernel(environment, flavour, &progress)?;
    let cards = cards(options, &system, script.as_deref(), &kernel, &scratch)?;
    let job = (&options.job, options.cores);
    let disk = match (kept, &cards) {
        (None, Some(_)) => SessionDisk::default(),
        (kept, _) => session_disk::make(kept, environment, job, script.as_deref(), &scratch, &progress)?,
    };
    let written = written_disk(cards.as_deref(), &disk, &system);
    let garbled =
        options.garbage.then(|| with_garbage(environment, &kernel, options.machine.seed, &scratch, &progress));
    let kernel = garbled.transpose()?.unwrap_or(kernel);
    let plugin = artifacts::plugin(environment, &progress)?;
    progress.finish();
    let program = options.program.or_else(|| cards.as_deref()?.first()?.program);
    let interactive = script.is_none() && options.replay.is_none() && program.is_none();
    let (terminal, keys) = interactive.then(|| take_terminal(options.escape)).transpose()?.unzip();
    let log_unknown = cards.as_deref().map_or(Ok(None), |cards| old_kernel(cards, &kernel))?.is_some();
    let observed = interactive && options.escape != EscapeKey(None) && !log_unknown;
    let machine = options.machine.profile.machine();
    announce(&options.machine.profile.profile.name, &machine.unusual());
    let machine = match link(options, cards.as_deref(), program)? {
        Some(wired) => machine.with_pins(wired),
        None => machine,
    };
    let tables = options.tables.clone().map_or_else(|| artifacts::tables(&system, &scratch.folder), Ok)?;
    let seed = options.chaos.unwrap_or(options.machine.seed);
    let (emulator, disk_path) = ((qemu, plugin), disk.path.clone());
    let session = ClusterSession::new(emulator, &kernel, (&system, tables), disk_path, (machine, seed));
    let mut session = ClusterSession {
        models: models(options, &system, cards.as_deref())?,
        log_unknown,
        cards,
        bare: options.bare,
        card_write_ns: options.card_write_ms.map(|ms| ms * 1_000_000),
        cores: options.cores,
        frames: options.trace.is_some() || options.stats || options.json.is_some() || observed,
        probes: options.trace.is_some() || observed,
        pace: interactive && !options.no_pace && std::io::stdin().is_terminal(),
        limit_ns: options.limit_s.map(|seconds| seconds * 1_000_000_000),
        record: options.record.clone(),
        replay: options.replay.clone(),
        panic: options.panic.as_deref().map(|text| panic(&system, text)).transpose()?,
        program,
        disturbance,
        revive: options.revive,
        keys,
        escape: options.escape,
        ..session
    };
    rehearsal::resolve_events(&mut session, &scratch.folder)?;
    let mut screen = Screen::new(options, (&system, &machine), &kernel, terminal.as_ref())?;
    screen.observation = observed.then(|| Observation::new((&system, &machine), &kernel.elf)).transpose()?;
    let outcome = session.run(&mut screen);
    screen.end_consoles();
    drop(terminal);
    // Also of a run that failed: its trace is wanted most.
    let traced = screen.finish_traces();
    let outcome = outcome?;
    traced.and(disk.finish()).and(screen.finish())?;
    if let Some(folder) = &options.job.extract {
        disk_image::extract_tree(&written, folder)?;
    }
    stats::report(&outcome, screen.calls.counted(), options)?;
    Ok(outcome.status)
}

/// Refuses files that the run could not read, or not write at its end, before it begins; the kept disk.
fn expect_files(options: &RunArgs) -> Result<Option<SessionDisk>> {
    for file in [&options.json, &options.trace, &options.record] {
        output::expect_file(file.as_deref())?;
    }
    if let Some(folder) = &options.job.extract {
        output::expect_folder(folder)?;
    }
    options.replay.as_deref().map(Recording::load).transpose()?;
    session_disk::kept(&options.job)
}

/// Takes the terminal for a session, and says there how to leave and how to get help.
fn take_terminal(key: EscapeKey) -> Result<(Terminal, Receiver<Typed>)> {
    let (terminal, keys) = Terminal::take(key)?;
    if terminal.is_raw() {
        say_how_to_leave(key);
    }
    Ok((terminal, keys))
}

/// Says how a person leaves and gets help. The terminal is raw.
fn say_how_to_leave(key: EscapeKey) {
    match key.0 {
        Some(_) => {
            eprint!("renga: `exit` ends the session, {key} then `quit` too; {key} then `help` lists commands\r\n")
        }
        None => eprint!("renga: `exit` ends the session; --escape none: there are no commands of renga's own\r\n"),
    }
}

/// Says in which parameters the machine is not the usual one.
fn announce(name: &str, unusual: &[ProfileSetting]) {
    if !unusual.is_empty() {
        let settings: Vec<String> = unusual.iter().map(ToString::to_string).collect();
        eprintln!("renga: profile {name}: {}", settings.join(" "));
    }
}

/// What the boards' pins are wired for, if the link is on them: cards say it, for real boards have no other link; nor
/// have programs that run in place of the system.
fn link(options: &RunArgs, cards: Option<&[CardBoot]>, program: Option<ProgramName>) -> Result<Option<LinkMode>> {
    let wired = cards.and_then(|cards| Some(cards.first()?.link)).or(match options.link {
        LinkName::Emulator => None,
        LinkName::Pins => Some(LinkMode::Pins),
        LinkName::Pins4 => Some(LinkMode::Pins4),
    });
    let wired = wired.or(program.map(|_| LinkMode::Pins));
    if wired.is_none() && !options.wire.is_empty() {
        bail!("--wire breaks a wire between the boards' pins, which only --link pins has");
    }
    Ok(wired)
}

/// What the boards are, by their numbers.
fn models(options: &RunArgs, system: &SystemFile, cards: Option<&[CardBoot]>) -> Result<Vec<Model>> {
    if let Some(cards) = cards {
        return Ok(cards.iter().map(|card| card.model).collect());
    }
    let names: Vec<&str> = system.checked.boards.iter().map(|board| board.name.as_str()).collect();
    card::models::of_boards(&names, &options.board, Some(Model::Pi3))
}

/// What the boards boot from their cards, if they are to.
fn cards(
    options: &RunArgs,
    system: &SystemFile,
    script: Option<&[u8]>,
    kernel: &KernelArtifact,
    scratch: &Scratch,
) -> Result<Option<Vec<CardBoot>>> {
    let Some(folder) = &options.cards else { return Ok(None) };
    let cards = card::boot_cards(folder, system, &scratch.folder)?;
    if options.bare && cards.iter().any(|card| card.program.is_some()) {
        bail!("these cards run a program in place of the system, which --bare does not end");
    }
    if let Some(old) = old_kernel(&cards, kernel)? {
        expect_old_kernel_runs(&system.checked.boards[old].name, options)?;
    }
    let owner = owner_card(&cards, system);
    if let Some((script, card)) = script.zip(owner) {
        card::put_on_disk(card, session_disk::SCRIPT_PATH, script, &scratch.folder)?;
    }
    let placed = session_disk::placed_in_host(&options.job.put)?;
    if let Some(card) = owner.filter(|_| !placed.is_empty()) {
        card::place_on_disk(card, &placed)?;
    }
    Ok(Some(cards))
}

/// The first card whose kernel is not that of the sources.
fn old_kernel(cards: &[CardBoot], kernel: &KernelArtifact) -> Result<Option<usize>> {
    let now = fs::read(&kernel.image)?;
    let is_now = |bytes: Vec<u8>| bytes.starts_with(&now) && bytes[now.len()..].iter().all(|byte| *byte == 0);
    Ok(cards.iter().position(|card| fs::read(&card.kernel).is_ok_and(|bytes| !is_now(bytes))))
}

/// Refuses a kernel on the card of `board` whose log and probes cannot be read, where somebody needs them.
fn expect_old_kernel_runs(board: &str, options: &RunArgs) -> Result<()> {
    let needs = [(!options.bare, "a run without --bare"), (options.log, "--log"), (options.trace.is_some(), "--trace")];
    if let Some((_, what)) = needs.into_iter().find(|(is_needed, _)| *is_needed) {
        bail!("the card of board {board} has an old kernel, whose log {what} cannot read: make the cards again");
    }
    Ok(())
}

/// The copy of the card of the board that owns the disk.
fn owner_card<'a>(cards: &'a [CardBoot], system: &SystemFile) -> Option<&'a Path> {
    let owner = system.checked.boards.iter().position(|board| board.owns_disk)?;
    Some(&cards.get(owner)?.card)
}

/// What the owner of the disk writes to.
fn written_disk(cards: Option<&[CardBoot]>, disk: &SessionDisk, system: &SystemFile) -> PathBuf {
    cards.and_then(|cards| owner_card(cards, system)).unwrap_or(&disk.path).to_path_buf()
}

/// The kernel, behind a program that fills the board with garbage.
fn with_garbage(
    environment: &Environment,
    kernel: &KernelArtifact,
    seed: u64,
    scratch: &Scratch,
    progress: &ProgressLine,
) -> Result<KernelArtifact> {
    let program = artifacts::garbage(environment, &scratch.folder, progress)?;
    let image = scratch.folder.join("garbage.img");
    let raw = fs::read(&kernel.image).with_context(|| format!("cannot read {}", kernel.image.display()))?;
    fs::write(&image, garbage::image(&program, &raw, seed)?)
        .with_context(|| format!("cannot write {}", image.display()))?;
    Ok(KernelArtifact { image, elf: kernel.elf.clone() })
}

/// Reads `BOARD@MILLISECONDS`.
fn panic(system: &SystemFile, text: &str) -> Result<(usize, u32)> {
    let names: Vec<&str> = system.checked.boards.iter().map(|board| board.name.as_str()).collect();
    let (board, at_ms) = disturbance::at(&names, text)?;
    Ok((usize::from(board), u32::try_from(at_ms)?))
}

/// The person's screen: the terminal's board on standard output, the others' consoles on standard error.
struct Screen {
    /// Displayed until the boards' first output.
    starting: Option<ProgressLine>,
    log: bool,
    trace: Option<TraceFile>,
    /// Of a session with an escape key.
    observation: Option<Observation>,
    calls: LinkCalls,
    lines: ConsoleLines,
    out: DeferredErrorOutput<std::io::Stdout>,
    err: DeferredErrorOutput<std::io::Stderr>,
    line_end: &'static str,
}

impl Screen {
    fn new(
        options: &RunArgs,
        (system, profile): (&SystemFile, &Profile),
        kernel: &KernelArtifact,
        terminal: Option<&Terminal>,
    ) -> Result<Screen> {
        Ok(Screen {
            starting: Some(ProgressLine::of("the boards run")),
            log: options.log,
            trace: options
                .trace
                .as_deref()
                .map(|path| TraceFile::create(path, (system, profile), &kernel.elf))
                .transpose()?,
            observation: None,
            calls: LinkCalls::new(trace::header(system, profile)),
            line_end: if terminal.is_some_and(Terminal::is_raw) { "\r\n" } else { "\n" },
            out: DeferredErrorOutput::new(std::io::stdout()),
            err: DeferredErrorOutput::new(std::io::stderr()),
            lines: ConsoleLines::new(system.checked.console_board(), options.bare),
        })
    }

    fn show(&mut self, line: &str) {
        self.end_start();
        self.err.put(format!("{line}{}", self.line_end).as_bytes());
    }

    fn finish_traces(&mut self) -> Result<()> {
        let traced = self.trace.take().map_or(Ok(()), TraceFile::finish);
        traced.and(self.observation.take().map_or(Ok(()), Observation::finish))
    }

    fn finish(&mut self) -> Result<()> {
        self.out.finish("standard output").and(self.err.finish("standard error"))
    }

    fn end_consoles(&mut self) {
        self.end_start();
        let rest = self.lines.finish();
        self.err.put(&rest);
    }

    fn end_start(&mut self) {
        if let Some(progress) = self.starting.take() {
            progress.finish();
        }
    }
}

impl Listener for Screen {
    fn console(&mut self, board: u8, time_ns: u64, bytes: &[u8]) {
        self.end_start();
        for part in self.lines.take(board, time_ns, bytes) {
            match part {
                ScreenPart::Own(bytes) => self.out.put(&bytes),
                ScreenPart::Others(bytes) => self.err.put(&bytes),
            }
        }
    }
    fn log(&mut self, line: &str) {
        if self.log {
            self.show(line);
        }
    }
    fn started(&mut self, board: u8, time_ns: u64) {
        if let Some(trace) = &mut self.trace {
            trace.started(board, time_ns);
        }
        if let Some(observation) = &mut self.observation {
            observation.started(board, time_ns);
        }
    }
    fn stopped(&mut self, board: u8, time_ns: u64) {
        if let Some(trace) = &mut self.trace {
            trace.stopped(board, time_ns);
        }
        if let Some(observation) = &mut self.observation {
            observation.stopped(board, time_ns);
        }
    }
    fn news(&mut self, line: &str) {
        self.show(line);
    }
    fn observe(&mut self, time_ns: u64, order: &ObservationOrder) -> Result<String> {
        self.observation.as_mut().context("this run is not observed")?.obey(time_ns, order)
    }
    fn probe(&mut self, board: u8, hit: &Hit) {
        if let Some(trace) = &mut self.trace {
            trace.probe(board, hit);
        }
        if let Some(observation) = &mut self.observation {
            observation.probe(board, hit);
        }
    }
    fn frame(&mut self, frame: &FrameEvent) {
        self.calls.take(frame);
        if let Some(trace) = &mut self.trace {
            trace.frame(frame);
        }
        if let Some(observation) = &mut self.observation {
            observation.frame(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expect_old_kernel_runs;
    use clap::Parser;
    use renga_cli::{Cli, RengaCommand};

    #[test]
    fn run_of_cards_with_old_kernel_is_refused_where_its_log_is_needed() {
        let refusal = |words: &str| {
            let words = ["renga", "run", "--cards", "cards"].into_iter().chain(words.split_whitespace());
            let RengaCommand::Run(options) = Cli::try_parse_from(words).expect("it parses").command else { panic!() };
            expect_old_kernel_runs("b", &options).err().map(|error| error.to_string())
        };
        assert_eq!(refusal("--bare --put new.kernel"), None, "as a kernel is brought to a cluster");
        for (words, what) in [("", "a run without --bare"), ("--bare --log", "--log"), ("--bare --trace t", "--trace")]
        {
            let wanted = format!("the card of board b has an old kernel, whose log {what} cannot read");
            assert!(refusal(words).is_some_and(|refusal| refusal.starts_with(&wanted)), "{words}");
        }
    }
}
