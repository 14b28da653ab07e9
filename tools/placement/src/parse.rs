//! From the text of a system file to a [`SystemDescription`].
//!
//! Invariant: the form of the file is checked here completely (keys, types, names of boards), its
//! sense in `checked.rs`. Not here: TOML access with lines (`reader.rs`).

use crate::reader::{TableReader, line_of};
use crate::system::{
    AsyncPool, EdgeMode, MessageForm, On, ReleaseMode, SharedProxies, SystemBoard, SystemDescription, SystemPlace,
};
use crate::{CORES_MAX, POOL_PROXIES_MAX, POOL_SLOTS_MAX, PlacementError, SHARED_PROXIES_MAX};
use renga_abi::BOARDS_MAX;
use toml::de::DeTable;

/// Stands for all boards in `on = "every"`, so no board may have this name.
const EVERY: &str = "every";
/// Longest name of a system, bytes: what `NODE.TXT` on a card has room for.
pub const SYSTEM_NAME_BYTES_MAX: usize = 32;
/// Longest name of a board, bytes.
const BOARD_NAME_BYTES_MAX: usize = 16;
const MESSAGE_KIB_DEFAULT: i64 = 1024;
/// No board has more, so that it is no limit.
pub(crate) const MEMORY_MIB_MAX: i64 = 16 * 1024;
/// No board has more than 1 GiB for messages.
const MESSAGE_KIB_MAX: i64 = 1024 * 1024;
const POOL_DEFAULT: AsyncPool = AsyncPool { slots: 16, proxies: 4 };

/// Reads a system file.
///
/// # Errors
/// What does not have the form of a system file, with its line.
pub fn parse(text: &str) -> Result<SystemDescription, PlacementError> {
    let table = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let root = TableReader::root(text, table.get_ref());
    root.only(&["system", "place", "edges", "async", "shared"])?;
    let system = root.table_at("system", "[system]")?;
    system.only(&["name", "mode", "messages", "boards"])?;
    let (name, line) = system.text("name", "name = \"pair\"")?;
    check_system_name(name, line)?;
    let mode = system.text_if("mode")?.map_or(Ok(ReleaseMode::Sync), |(mode, line)| parse_mode(mode, line))?;
    let messages = system.text_if("messages")?;
    let messages = messages.map_or(Ok(MessageForm::TwoWay), |(form, line)| parse_messages(form, line))?;
    Ok(SystemDescription {
        name: name.into(),
        mode,
        messages,
        boards: boards(&system)?,
        places: places(&root.table_at("place", "[place]")?)?,
        edges: root.table_if("edges")?.map_or(Ok(Vec::new()), |edges| edge_modes(&edges))?,
        pool: root.table_if("async")?.map_or(Ok(POOL_DEFAULT), |pool| parse_pool(&pool))?,
        shared: root.table_if("shared")?.map_or(Ok(Vec::new()), |shared| parse_shared(&shared))?,
    })
}

fn syntax(text: &str, error: &toml::de::Error) -> PlacementError {
    let offset = error.span().map_or(0, |span| span.start);
    let source = text.lines().nth(line_of(text, offset) - 1).unwrap_or("").trim();
    PlacementError::Syntax { line: line_of(text, offset), source_line: source.into(), detail: error.message().into() }
}

/// Boards take the name from a card and from their tables, which have room for so much and for these letters.
fn check_system_name(name: &str, line: usize) -> Result<(), PlacementError> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if letters && (1..=SYSTEM_NAME_BYTES_MAX).contains(&name.len()) {
        return Ok(());
    }
    let begin: String = name.chars().take(SYSTEM_NAME_BYTES_MAX).collect();
    let name = if begin.len() < name.len() { format!("{begin}...") } else { begin };
    Err(PlacementError::BadSystemName { line, name, max: SYSTEM_NAME_BYTES_MAX })
}

fn parse_mode(found: &str, line: usize) -> Result<ReleaseMode, PlacementError> {
    match found {
        "sync" => Ok(ReleaseMode::Sync),
        "async" => Ok(ReleaseMode::Async),
        _ => Err(PlacementError::BadMode { line, found: found.into() }),
    }
}

fn parse_messages(found: &str, line: usize) -> Result<MessageForm, PlacementError> {
    let form = [MessageForm::TwoWay, MessageForm::Paired].into_iter().find(|form| form.name() == found);
    form.ok_or_else(|| PlacementError::BadMessages { line, found: found.into() })
}

fn boards(system: &TableReader<'_>) -> Result<Vec<SystemBoard>, PlacementError> {
    let mut boards: Vec<SystemBoard> = Vec::new();
    for value in system.array("boards", "boards = [{ name = \"a\", disk = true }]")?.iter() {
        let board = board(&system.table(value, "a board")?)?;
        if let Some(first) = boards.iter().find(|other| other.name == board.name) {
            return Err(PlacementError::DuplicateBoard { line: board.line, name: board.name, first: first.line });
        }
        boards.push(board);
    }
    match boards.len() {
        0 => Err(PlacementError::NoBoards { line: system.line }),
        1..=BOARDS_MAX => Ok(boards),
        count => Err(PlacementError::TooManyBoards { line: boards[BOARDS_MAX].line, count, max: BOARDS_MAX }),
    }
}

fn board(reader: &TableReader<'_>) -> Result<SystemBoard, PlacementError> {
    reader.only(&["name", "disk", "cores", "programs", "memory_mib", "message_kib", "leases"])?;
    let (name, line) = reader.text("name", "name = \"a\"")?;
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !letters || name.is_empty() || name.len() > BOARD_NAME_BYTES_MAX || name == EVERY {
        return Err(PlacementError::BadBoardName { line, name: name.into(), max: BOARD_NAME_BYTES_MAX });
    }
    let cores = in_range(reader, "cores", 1, i64::from(CORES_MAX))?;
    let program_cores = program_cores(reader, name, cores as u8)?;
    let message_kib = in_range(reader, "message_kib", MESSAGE_KIB_DEFAULT, MESSAGE_KIB_MAX)?;
    let memory_mib = in_range(reader, "memory_mib", MEMORY_MIB_MAX, MEMORY_MIB_MAX)?;
    let (owns_disk, leases) = (reader.flag("disk", false)?, reader.flag("leases", true)?);
    let (cores, memory_mib, message_kib) = (cores as u8, memory_mib as u16, message_kib as u32);
    Ok(SystemBoard { name: name.into(), owns_disk, leases, cores, program_cores, memory_mib, message_kib, line })
}

/// The cores of a board that run programs, a bit each, if it says so.
fn program_cores(reader: &TableReader<'_>, name: &str, cores: u8) -> Result<Option<u8>, PlacementError> {
    let Some((numbers, line)) = reader.numbers_if("programs")? else { return Ok(None) };
    let wrong = numbers.iter().copied().find(|core| !(0..i64::from(cores)).contains(core));
    match (wrong, numbers.is_empty()) {
        (Some(core), _) => Err(PlacementError::NoSuchProgramCore { line, board: name.into(), core, cores }),
        (None, true) => Err(PlacementError::NoProgramCore { line, board: name.into() }),
        (None, false) => Ok(Some(numbers.iter().fold(0, |all, core| all | 1 << core))),
    }
}

/// The number under `key`, from 1 to `max`.
fn in_range(reader: &TableReader<'_>, key: &'static str, default: i64, max: i64) -> Result<i64, PlacementError> {
    let found = reader.number(key, default)?;
    if (1..=max).contains(&found) {
        return Ok(found);
    }
    Err(PlacementError::OutOfRange { line: reader.line, place: reader.name.clone(), key, found, max })
}

fn places(reader: &TableReader<'_>) -> Result<Vec<SystemPlace>, PlacementError> {
    let mut places = Vec::new();
    for (kind, line, value) in reader.entries() {
        let name = format!("`{kind}`");
        match value.get_ref().as_array() {
            None => places.push(place(&kind, line, &reader.table(value, &name)?)?),
            Some(several) => {
                for value in several.iter() {
                    places.push(place(&kind, line, &reader.table(value, &name)?)?);
                }
            }
        }
    }
    Ok(places)
}

fn place(kind: &str, line: usize, reader: &TableReader<'_>) -> Result<SystemPlace, PlacementError> {
    reader.only(&["on", "count", "core"])?;
    let (on, _) = reader.text("on", "on = \"a\"")?;
    let on = if on == EVERY { On::Every } else { On::Board(on.into()) };
    Ok(SystemPlace { kind: kind.into(), on, count: reader.number("count", 1)?, core: reader.number("core", 0)?, line })
}

fn edge_modes(reader: &TableReader<'_>) -> Result<Vec<EdgeMode>, PlacementError> {
    let mut edges = Vec::new();
    for (edge, line, value) in reader.entries() {
        let mode = parse_mode(reader.as_text(value, &edge)?, line)?;
        let Some((caller, server)) = edge.split_once("->") else {
            return Err(PlacementError::BadEdge { line, found: edge });
        };
        let (server, entry) = match server.split_once('.') {
            Some((server, entry)) => (server, Some(entry.trim().to_string())),
            None => (server, None),
        };
        edges.push(EdgeMode { caller: caller.trim().into(), server: server.trim().into(), entry, mode, line });
    }
    Ok(edges)
}

fn parse_shared(reader: &TableReader<'_>) -> Result<Vec<SharedProxies>, PlacementError> {
    let mut shared = Vec::new();
    for (caller, line, _) in reader.entries() {
        let (found, max) = (reader.number(&caller, 0)?, i64::from(SHARED_PROXIES_MAX));
        if !(1..=max).contains(&found) {
            return Err(PlacementError::SharedProxies { line, caller, found, max });
        }
        shared.push(SharedProxies { caller, count: found as u16, line });
    }
    Ok(shared)
}

fn parse_pool(reader: &TableReader<'_>) -> Result<AsyncPool, PlacementError> {
    reader.only(&["slots", "proxies"])?;
    let slots = in_range(reader, "slots", i64::from(POOL_DEFAULT.slots), i64::from(POOL_SLOTS_MAX))?;
    let proxies = in_range(reader, "proxies", i64::from(POOL_DEFAULT.proxies), i64::from(POOL_PROXIES_MAX))?;
    Ok(AsyncPool { slots: slots as u16, proxies: proxies as u16 })
}
