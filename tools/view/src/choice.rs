//! What a person has chosen to see, and the keys that choose.
//!
//! Invariant: every key that does something is in [`KEYS`], which is also what the help shows.

use crate::action::KeyAction;
use crate::player::TracePlayer;
use crate::table::{Measure, Scale, ViewTable};
use crate::views::{self, ViewKind};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use renga_trace::figures::TraceFigures;

/// Intervals of a jump.
const JUMP: i64 = 10;
/// Rows of a page.
const PAGE: i64 = 20;

/// The keys, and what the help says of them.
pub const KEYS: &[(&str, &str)] = &[
    ("1 to 5 Tab", "boards, programs, processes, edges, cores; the next"),
    ("s r", "sort by the next column; the other way round"),
    ("b", "one board alone, the next, all"),
    ("u", "rates or sums"),
    ("w", "the last interval or all since the beginning"),
    ("Space n", "stop and go on; one interval"),
    ("+ -", "play faster, slower"),
    ("Left Right", "ten intervals back, forwards"),
    ("Home End", "to the beginning; to the end, and along with it"),
    ("Up Down PgUp PgDn", "other rows"),
    ("h ?", "this help"),
    ("q", "leave"),
];

/// What a key does, if it does anything.
pub fn action(key: KeyEvent) -> Option<KeyAction> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(KeyAction::Quit);
    }
    Some(match key.code {
        KeyCode::Char('q') => KeyAction::Quit,
        KeyCode::Char(digit @ '1'..='5') => KeyAction::Show(ViewKind::ALL[digit as usize - '1' as usize]),
        KeyCode::Tab => KeyAction::NextView,
        KeyCode::Char('s') => KeyAction::NextColumn,
        KeyCode::Char('r') => KeyAction::Reverse,
        KeyCode::Char('b') => KeyAction::NextBoard,
        KeyCode::Char('u') => KeyAction::Rescale,
        KeyCode::Char('w') => KeyAction::Whole,
        KeyCode::Char(' ') => KeyAction::Pause,
        KeyCode::Char('n') => KeyAction::Step,
        KeyCode::Char('+' | '=') => KeyAction::Faster,
        KeyCode::Char('-') => KeyAction::Slower,
        KeyCode::Left => KeyAction::Jump(-JUMP),
        KeyCode::Right => KeyAction::Jump(JUMP),
        KeyCode::Home => KeyAction::Begin,
        KeyCode::End => KeyAction::End,
        KeyCode::Up => KeyAction::Scroll(-1),
        KeyCode::Down => KeyAction::Scroll(1),
        KeyCode::PageUp => KeyAction::Scroll(-PAGE),
        KeyCode::PageDown => KeyAction::Scroll(PAGE),
        KeyCode::Char('h' | '?') => KeyAction::Help,
        _ => return None,
    })
}

/// The displayed table, and its form.
#[derive(Clone, Debug)]
pub struct ViewChoice {
    /// Which view.
    pub view: ViewKind,
    /// The only board that is displayed.
    pub board: Option<u8>,
    /// Rates or sums.
    pub scale: Scale,
    /// All since the beginning.
    pub whole: bool,
    /// The column by which each view is sorted, and whether the other way round.
    pub sorted: [(usize, bool); ViewKind::ALL.len()],
    /// The first row that is displayed.
    pub first_row: usize,
    /// Whether the help is displayed.
    pub help: bool,
}

impl ViewChoice {
    /// The first display.
    pub fn new(view: ViewKind, scale: Scale, whole: bool) -> ViewChoice {
        let sorted = ViewKind::ALL.map(|view| (view.sorted_by(), false));
        ViewChoice { view, board: None, scale, whole, sorted, first_row: 0, help: false }
    }

    /// Does what a key says; false if that is to leave.
    pub fn act(&mut self, action: KeyAction, player: &mut TracePlayer) -> bool {
        match action {
            KeyAction::Quit => return false,
            KeyAction::Show(view) => (self.view, self.first_row) = (view, 0),
            KeyAction::NextView => {
                (self.view, self.first_row) = (ViewKind::ALL[(self.view as usize + 1) % ViewKind::ALL.len()], 0);
            }
            KeyAction::NextColumn => {
                let (column, reversed) = &mut self.sorted[self.view as usize];
                (*column, *reversed) = (*column + 1, false);
            }
            KeyAction::Reverse => self.sorted[self.view as usize].1 ^= true,
            KeyAction::NextBoard => {
                let boards = player.meter().map_or(0, |meter| meter.header().boards.len());
                let next = self.board.map_or(0, |board| usize::from(board) + 1);
                (self.board, self.first_row) = ((next < boards).then_some(next as u8), 0);
            }
            KeyAction::Rescale => {
                self.scale = if self.scale == Scale::Rates { Scale::Sums } else { Scale::Rates };
            }
            KeyAction::Whole => self.whole ^= true,
            KeyAction::Scroll(rows) => self.first_row = self.first_row.saturating_add_signed(rows as isize),
            KeyAction::Help => self.help ^= true,
            moves => player.act(moves),
        }
        true
    }

    /// What a player's figures are, as chosen.
    pub fn figures(&self, player: &TracePlayer) -> Option<TraceFigures> {
        Some(if self.whole { player.figures()?.clone() } else { player.interval()? })
    }

    /// The displayed table; none before the trace's names are known.
    pub fn table(&mut self, player: &TracePlayer, figures: &TraceFigures) -> Option<ViewTable> {
        let mut table = views::table(self.view, player.meter()?, figures);
        if let Some(board) = self.board {
            table.only(board);
        }
        let (column, reversed) = &mut self.sorted[self.view as usize];
        *column %= table.columns.len();
        table.sort(*column, *reversed);
        self.first_row = self.first_row.min(table.rows.len().saturating_sub(1));
        Some(table)
    }

    /// The name of the column by which `table` is sorted.
    pub fn sorted_by(&self, table: &ViewTable) -> &'static str {
        table.columns.get(self.sorted[self.view as usize].0).map_or("", |column| column.name)
    }
}

/// Whether a column is words.
pub(crate) fn is_text(measure: Measure) -> bool {
    measure == Measure::Text
}
