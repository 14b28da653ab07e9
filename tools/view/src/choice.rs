//! What a person has chosen to see, and the keys that choose.
//!
//! Invariant: every key that does something is in [`KEYS`], which is also what the help shows.

use crate::player::Player;
use crate::sheet::{Measure, Scale, Sheet};
use crate::views;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use renga_trace::figures::Figures;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Cores' time, calls, link and disk by board.
    Boards,
    /// User programs.
    Programs,
    /// System processes by kind.
    Processes,
    /// Who calls whom.
    Edges,
    /// Each core of each board.
    Cores,
}

impl View {
    /// All of them, in the order of their keys.
    pub const ALL: [View; 5] = [View::Boards, View::Programs, View::Processes, View::Edges, View::Cores];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            View::Boards => "boards",
            View::Programs => "programs",
            View::Processes => "processes",
            View::Edges => "edges",
            View::Cores => "cores",
        }
    }

    /// The column by which it is sorted at first.
    pub fn sorted_by(self) -> usize {
        match self {
            View::Boards | View::Cores => 0,
            View::Programs | View::Processes => 3,
            View::Edges => 6,
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Leaves.
    Quit,
    /// Shows this.
    Show(View),
    /// Shows the next view.
    NextView,
    /// Sorts by the next column.
    NextColumn,
    /// Sorts the other way round.
    Reverse,
    /// Shows the next board alone, behind the last one all.
    NextBoard,
    /// Shows rates instead of sums, or sums again.
    Rescale,
    /// Shows all since the beginning instead of the last interval, or that again.
    Whole,
    /// Stops time, or lets it go on.
    Pause,
    /// Goes on by an interval.
    Step,
    /// Plays twice as fast.
    Faster,
    /// Plays half as fast.
    Slower,
    /// So many intervals forwards or backwards.
    Jump(i64),
    /// To the beginning.
    Begin,
    /// To the end, and along with it if the run goes on.
    End,
    /// Moves the rows.
    Scroll(i64),
    /// Shows or hides the help.
    Help,
}

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
pub fn action(key: KeyEvent) -> Option<Action> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(Action::Quit);
    }
    Some(match key.code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char(digit @ '1'..='5') => Action::Show(View::ALL[digit as usize - '1' as usize]),
        KeyCode::Tab => Action::NextView,
        KeyCode::Char('s') => Action::NextColumn,
        KeyCode::Char('r') => Action::Reverse,
        KeyCode::Char('b') => Action::NextBoard,
        KeyCode::Char('u') => Action::Rescale,
        KeyCode::Char('w') => Action::Whole,
        KeyCode::Char(' ') => Action::Pause,
        KeyCode::Char('n') => Action::Step,
        KeyCode::Char('+' | '=') => Action::Faster,
        KeyCode::Char('-') => Action::Slower,
        KeyCode::Left => Action::Jump(-JUMP),
        KeyCode::Right => Action::Jump(JUMP),
        KeyCode::Home => Action::Begin,
        KeyCode::End => Action::End,
        KeyCode::Up => Action::Scroll(-1),
        KeyCode::Down => Action::Scroll(1),
        KeyCode::PageUp => Action::Scroll(-PAGE),
        KeyCode::PageDown => Action::Scroll(PAGE),
        KeyCode::Char('h' | '?') => Action::Help,
        _ => return None,
    })
}

/// What is shown, and how.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Which view.
    pub view: View,
    /// The only board that is shown.
    pub board: Option<u8>,
    /// Rates or sums.
    pub scale: Scale,
    /// All since the beginning.
    pub whole: bool,
    /// The column by which each view is sorted, and whether the other way round.
    pub sorted: [(usize, bool); View::ALL.len()],
    /// The first row that is shown.
    pub first_row: usize,
    /// Whether the help is shown.
    pub help: bool,
}

impl Choice {
    /// What is shown at first.
    pub fn new(view: View, scale: Scale, whole: bool) -> Choice {
        let sorted = View::ALL.map(|view| (view.sorted_by(), false));
        Choice { view, board: None, scale, whole, sorted, first_row: 0, help: false }
    }

    /// Does what a key says; false if that is to leave.
    pub fn act(&mut self, action: Action, player: &mut Player) -> bool {
        match action {
            Action::Quit => return false,
            Action::Show(view) => (self.view, self.first_row) = (view, 0),
            Action::NextView => {
                (self.view, self.first_row) = (View::ALL[(self.view as usize + 1) % View::ALL.len()], 0);
            }
            Action::NextColumn => {
                let (column, reversed) = &mut self.sorted[self.view as usize];
                (*column, *reversed) = (*column + 1, false);
            }
            Action::Reverse => self.sorted[self.view as usize].1 ^= true,
            Action::NextBoard => {
                let boards = player.meter().map_or(0, |meter| meter.header().boards.len());
                let next = self.board.map_or(0, |board| usize::from(board) + 1);
                (self.board, self.first_row) = ((next < boards).then_some(next as u8), 0);
            }
            Action::Rescale => {
                self.scale = if self.scale == Scale::Rates { Scale::Sums } else { Scale::Rates };
            }
            Action::Whole => self.whole ^= true,
            Action::Scroll(rows) => self.first_row = self.first_row.saturating_add_signed(rows as isize),
            Action::Help => self.help ^= true,
            moves => player.act(moves),
        }
        true
    }

    /// What a player's figures are, as chosen.
    pub fn figures(&self, player: &Player) -> Option<Figures> {
        Some(if self.whole { player.figures()?.clone() } else { player.interval()? })
    }

    /// The sheet that is shown; none before the trace's names are there.
    pub fn sheet(&mut self, player: &Player, figures: &Figures) -> Option<Sheet> {
        let mut sheet = views::sheet(self.view, player.meter()?, figures);
        if let Some(board) = self.board {
            sheet.only(board);
        }
        let (column, reversed) = &mut self.sorted[self.view as usize];
        *column %= sheet.columns.len();
        sheet.sort(*column, *reversed);
        self.first_row = self.first_row.min(sheet.rows.len().saturating_sub(1));
        Some(sheet)
    }

    /// The name of the column by which `sheet` is sorted.
    pub fn sorted_by(&self, sheet: &Sheet) -> &'static str {
        sheet.columns.get(self.sorted[self.view as usize].0).map_or("", |column| column.name)
    }
}

/// Whether a column is words.
pub(crate) fn is_text(measure: Measure) -> bool {
    measure == Measure::Text
}
