//! A system file for another number of boards, made of an existing one.
//!
//! Invariant: what [`generate`] returns is accepted by [`check`] in either mode, and each `message_kib` is the least
//! whole number of KiB that `check` demands then. Called by: `renga system new`. Not here: reading and writing files.

use crate::system::{MessageForm, ReleaseMode, SystemBoard, SystemDescription};
use crate::{BoardRule, Checked, KindFacts, PlacementError, check, parse};
use renga_abi::BOARDS_MAX;
use std::fmt::Write;
use thiserror::Error;

const BYTES_PER_KIB: u64 = 1024;
/// Above every bound: `check` reports what messages need instead of refusing it.
const UNBOUNDED_KIB: u32 = 1024 * 1024;
/// How a line introduces the kinds that only systems of several boards have.
const LINK_COMMENT: &str = "# Link";

/// What a new system file is to be.
#[derive(Clone, Copy, Debug)]
pub struct SystemForm<'a> {
    /// The system's name.
    pub name: &'a str,
    /// How many boards, 1 to [`BOARDS_MAX`].
    pub boards: usize,
    /// The system whose processes it has: its name, its text.
    pub from: (&'a str, &'a str),
    /// The board that owns the disk, if it is another than there. It exchanges all but its name with that one.
    pub disk_board: Option<&'a str>,
}

/// Why no system file was made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    /// The existing system, or what would have been made of it, breaks a rule.
    #[error(transparent)]
    Refused(#[from] PlacementError),
    /// One board has no processes for a link.
    #[error("`{0}` has one board and no processes for the link: give --from a system of several boards, such as pair")]
    NoLink(String),
    /// A cluster cannot have so many boards.
    #[error("a cluster has 1 to {BOARDS_MAX} boards, not {0}")]
    Boards(usize),
    /// The disk is to be on none of the boards.
    #[error("there is no board `{name}` for the disk: the boards are {known}")]
    NoDiskBoard {
        /// What was said.
        name: String,
        /// The boards' names.
        known: String,
    },
}

/// The text of a system file of `form`, for code with these kinds.
///
/// # Errors
/// If the existing system is refused, or its lines do not fit so many boards.
pub fn generate(form: SystemForm<'_>, kinds: &[KindFacts]) -> Result<String, GenerateError> {
    let (from, text) = form.from;
    let base = check(&parse(text)?, kinds)?;
    if !(1..=BOARDS_MAX).contains(&form.boards) {
        return Err(GenerateError::Boards(form.boards));
    }
    if base.boards.len() == 1 && form.boards > 1 {
        return Err(GenerateError::NoLink(from.to_string()));
    }
    let mut boards = boards(&base, form.boards);
    let rest = if form.boards == 1 { without_link(text, kinds) } else { behind_system(text) };
    let rest = match form.disk_board {
        Some(disk_board) => move_disk(&mut boards, disk_board, &rest)?,
        None => rest,
    };
    let file = |boards: &[SystemBoard]| format!("{}{rest}", head(form, &base, boards));
    let description = parse(&file(&boards))?;
    let needs = |mode| check(&SystemDescription { mode, ..description.clone() }, kinds);
    let (sync, asynchronous) = (needs(ReleaseMode::Sync)?, needs(ReleaseMode::Async)?);
    for (at, board) in boards.iter_mut().enumerate() {
        let bytes = [&sync, &asynchronous].map(|needs| needs.message_memory[at].total_bytes());
        board.message_kib = bytes[0].max(bytes[1]).div_ceil(BYTES_PER_KIB) as u32;
    }
    let file = file(&boards);
    check(&parse(&file)?, kinds)?;
    Ok(file)
}

/// `count` boards: those of `base`, and as many like its last one as are missing, with names that are free.
fn boards(base: &Checked, count: usize) -> Vec<SystemBoard> {
    let mut boards: Vec<SystemBoard> = base.boards.iter().take(count).cloned().collect();
    let mut free = ('a'..='z').map(String::from).filter(|name| base.boards.iter().all(|board| board.name != *name));
    while let (true, Some(last), Some(name)) = (boards.len() < count, boards.last(), free.next()) {
        boards.push(SystemBoard { name, ..last.clone() });
    }
    boards.into_iter().map(|board| SystemBoard { message_kib: UNBOUNDED_KIB, ..board }).collect()
}

/// Exchanges the board that owns the disk with the board `name`, in `boards` and in the text from `[place]` on, which
/// it returns.
fn move_disk(boards: &mut [SystemBoard], name: &str, rest: &str) -> Result<String, GenerateError> {
    let known = || boards.iter().map(|board| board.name.as_str()).collect::<Vec<_>>().join(", ");
    let to = boards.iter().position(|board| board.name == name);
    let to = to.ok_or_else(|| GenerateError::NoDiskBoard { name: name.to_string(), known: known() })?;
    let from = boards.iter().position(|board| board.owns_disk).unwrap_or(to);
    let [old, new] = [from, to].map(|at| boards[at].name.clone());
    boards.swap(from, to);
    (boards[from].name, boards[to].name) = (old.clone(), new.clone());
    // No board's name begins with a space.
    let on = |name: &str| format!("on = \"{name}\"");
    Ok(rest.replace(&on(&old), &on(" ")).replace(&on(&new), &on(&old)).replace(&on(" "), &on(&new)))
}

/// Everything before `[place]`.
fn head(form: SystemForm<'_>, base: &Checked, boards: &[SystemBoard]) -> String {
    let SystemForm { name, from: (from, _), disk_board, .. } = form;
    let disk = boards.iter().find(|board| board.owns_disk).map_or("?", |board| &board.name);
    let others: Vec<&str> = boards.iter().filter(|board| !board.owns_disk).map(|board| board.name.as_str()).collect();
    let mut text = match others.as_slice() {
        [] => format!("# One board, {disk}, with everything.\n"),
        [other] => format!("# Two boards: {disk} owns the disk, {other} is diskless.\n"),
        [others @ .., last] => {
            format!("# {} boards: {disk} owns the disk, {} and {last} are diskless.\n", boards.len(), others.join(", "))
        }
    };
    let disk_board = disk_board.map(|board| format!(" --disk-board {board}")).unwrap_or_default();
    text += &format!("# Made by `renga system new --boards {} --from {from}{disk_board}`.\n", boards.len());
    text += "#\n\
        # Each line of [place] says where a kind of system process runs: on which board (or on \"every\"), how many on\n\
        # each, on which core (0 unless said). `renga check FILE` lists the result and proves that no circle of waits\n\
        # exists.\n\n";
    let mode = base.mode.name();
    let _ = writeln!(text, "[system]\nname = \"{name}\"\nmode = \"{mode}\""); // a String takes everything
    if base.messages != MessageForm::TwoWay {
        let _ = writeln!(text, "messages = \"{}\"", base.messages.name());
    }
    if boards.len() > 1 {
        text += "# `message_kib` is what messages need at most in either mode, as `renga check` computes it.\n";
    }
    text += "boards = [                                       # in the order in which the token travels\n";
    boards.iter().for_each(|board| text += &board_line(board, boards.len() > 1));
    text + "]\n\n"
}

fn board_line(board: &SystemBoard, has_link: bool) -> String {
    let SystemBoard { name, owns_disk, leases, cores, program_cores, memory_mib, message_kib, .. } = board;
    let mut keys = vec![format!("name = \"{name}\"")];
    keys.extend(owns_disk.then(|| "disk = true".to_string()));
    keys.extend((!leases).then(|| "leases = false".to_string()));
    keys.extend((*cores != 1).then(|| format!("cores = {cores}")));
    keys.extend(program_cores.map(|mask| {
        let cores: Vec<String> = (0..8).filter(|core| mask >> core & 1 != 0).map(|core| core.to_string()).collect();
        format!("programs = [{}]", cores.join(", "))
    }));
    keys.extend((i64::from(*memory_mib) != crate::parse::MEMORY_MIB_MAX).then(|| format!("memory_mib = {memory_mib}")));
    keys.extend(has_link.then(|| format!("message_kib = {message_kib}")));
    format!("    {{ {} }},\n", keys.join(", "))
}

/// The text from `[place]` on.
fn behind_system(text: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with("[place]"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The same of a system of one board: no kinds and no settings of a link.
fn without_link(text: &str, kinds: &[KindFacts]) -> String {
    let is_linked = |line: &str| {
        let key = line.split('=').next().unwrap_or("").trim();
        kinds.iter().any(|kind| kind.name == key && kind.board == BoardRule::EveryLinked)
    };
    let place = behind_system(text);
    let lines = place.lines().enumerate().take_while(|(at, line)| *at == 0 || !line.starts_with('['));
    let kept = lines.filter(|(_, line)| !is_linked(line) && !line.starts_with(LINK_COMMENT));
    kept.map(|(_, line)| format!("{line}\n")).collect::<String>().trim_end().to_string() + "\n"
}
