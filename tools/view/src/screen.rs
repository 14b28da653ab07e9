//! What is on the screen: where in the trace one is, a bar for each board's cores, a view, the keys.
//!
//! Invariant: it depends on the player and the choice alone, whatever the screen's size.

use crate::choice::{KEYS, ViewChoice, is_text};
use crate::player::{PlayerState, TracePlayer};
use crate::table::{Scale, ViewTable};
use crate::views::ViewKind;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{self, Block, Cell, Clear, Paragraph};
use renga_trace::figures::{CoreTime, TraceFigures};
use renga_trace::header::TraceHeader;
use renga_trace::summary::exact_us;

/// Cells of a bar.
const BAR: u64 = 30;
/// Cells of the help.
const HELP: u16 = 80;
/// Boards that have a bar.
const BARS_MAX: usize = 8;
/// Cells of a column of words at most, but for the last one.
const WORDS_MAX: usize = 24;

/// Draws it.
pub fn draw(frame: &mut Frame<'_>, choice: &mut ViewChoice, player: &TracePlayer) {
    let figures = choice.figures(player);
    let bars = player.meter().map_or(0, |meter| meter.header().boards.len().min(BARS_MAX)) as u16;
    let heights =
        [1, bars, 1, 0, 1].map(|height| if height == 0 { Constraint::Min(0) } else { Constraint::Length(height) });
    let heights =
        if bars == 0 { [heights[0], Constraint::Length(0), heights[2], heights[3], heights[4]] } else { heights };
    let [title, cores, tabs, rows, keys] = Layout::vertical(heights).areas(frame.area());
    frame.render_widget(Paragraph::new(where_it_is(choice, player)), title);
    if let (Some(meter), Some(figures)) = (player.meter(), &figures) {
        frame.render_widget(Paragraph::new(bars_of(meter.header(), figures)), cores);
        if let Some(table) = choice.table(player, figures) {
            frame.render_widget(tabs_of(choice, player, &table), tabs);
            frame.render_widget(table_widget(&table, choice, rows.width), rows);
        }
    } else {
        frame.render_widget(Paragraph::new("The run has not begun yet."), rows);
    }
    frame.render_widget(bottom(player), keys);
    if choice.help {
        help(frame);
    }
}

fn where_it_is(choice: &ViewChoice, player: &TracePlayer) -> Line<'static> {
    let state = match player.state() {
        PlayerState::Plays if player.speed() < 0 => format!("plays, 1/{} of real time", 1u64 << -player.speed()),
        PlayerState::Plays => format!("plays, {} times real time", 1u64 << player.speed()),
        PlayerState::Follows => "goes along with the run".to_string(),
        PlayerState::Stopped => "stopped".to_string(),
        PlayerState::Ended => "the end".to_string(),
    };
    let about = match choice.whole {
        true => "all since the beginning".to_string(),
        false => format!("intervals of {} ms", player.interval_ns() as f64 / 1e6),
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    Line::from(vec![
        Span::styled(format!("renga top  {} us", exact_us(player.time_ns())), bold),
        Span::raw(format!("  {state}  {about}  {}", player.path().display())),
    ])
}

/// For each board a line with what its cores did.
fn bars_of(header: &TraceHeader, figures: &TraceFigures) -> Vec<Line<'static>> {
    let width = header.boards.iter().map(|board| board.name.len()).max().unwrap_or(0);
    let boards = header.boards.iter().zip(&figures.boards).take(BARS_MAX);
    let link_ns: u64 = figures.boards.iter().map(|board| board.sent.wire_ns).sum();
    boards
        .enumerate()
        .map(|(number, (board, figures_of))| {
            let CoreTime { programs_ns, system_ns, idle_ns } = figures_of.all_cores();
            let all_ns = (programs_ns + system_ns + idle_ns).max(1);
            let until =
                |ns: u64| (u128::from(ns) * u128::from(BAR) * 2 + u128::from(all_ns)) / (u128::from(all_ns) * 2);
            let (programs, busy) = (until(programs_ns) as usize, until(programs_ns + system_ns) as usize);
            let percent = |ns: u64, all_ns: u64| format!("{:>5.1}", ns as f64 * 100.0 / all_ns.max(1) as f64);
            let mut spans = vec![
                Span::raw(format!("{:<width$} [", board.name)),
                Span::styled("#".repeat(programs), Color::Green),
                Span::styled("=".repeat(busy - programs), Color::Yellow),
                Span::raw(format!("{}] programs", ".".repeat(BAR as usize - busy))),
                Span::styled(percent(programs_ns, all_ns), Color::Green),
                Span::raw("% system"),
                Span::styled(percent(system_ns, all_ns), Color::Yellow),
                Span::raw("%"),
            ];
            if number == 0 && header.boards.len() > 1 {
                spans.push(Span::raw(format!("   link{}%", percent(link_ns, figures.span_ns()))));
            }
            Line::from(spans)
        })
        .collect()
}

fn tabs_of(choice: &ViewChoice, player: &TracePlayer, table: &ViewTable) -> Paragraph<'static> {
    let mut spans = Vec::new();
    for (number, view) in (1..).zip(ViewKind::ALL) {
        let style = if view == choice.view { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        spans.push(Span::styled(format!(" {number} {} ", view.name()), style));
    }
    let scale = if choice.scale == Scale::Rates { "rates" } else { "sums" };
    let board = choice
        .board
        .zip(player.meter())
        .map_or("all boards".to_string(), |(board, meter)| format!("board {} alone", meter.header().board(board)));
    spans.push(Span::raw(format!("  {scale}, by {}, {board}", choice.sorted_by(table))));
    Paragraph::new(Line::from(spans))
}

/// The rows, with as many columns as there is room for.
fn table_widget(table: &ViewTable, choice: &ViewChoice, width: u16) -> widgets::Table<'static> {
    let titles: Vec<String> = table.columns.iter().map(|column| column.title(choice.scale)).collect();
    let rows: Vec<Vec<String>> =
        table.rows.iter().skip(choice.first_row).map(|row| table.formatted(row, choice.scale)).collect();
    let last = table.columns.len() - 1;
    let widths = table.columns.iter().enumerate().map(|(number, column)| {
        let widest = rows.iter().map(|row| row[number].chars().count()).max().unwrap_or(0).max(titles[number].len());
        match is_text(column.measure) {
            true if number == last => Constraint::Fill(1),
            true => Constraint::Length(widest.min(WORDS_MAX.max(titles[number].len())) as u16),
            false => Constraint::Length(widest as u16),
        }
    });
    let ends = widths.clone().scan(0, |end, width| {
        let Constraint::Length(cells) = width else { return Some(*end) };
        *end += cells + 1;
        Some(*end)
    });
    let fitting = ends.take_while(|end| *end <= width + 1).count().max(1);
    let cell = |(number, text): (usize, String)| {
        let line = Line::from(text);
        Cell::from(if is_text(table.columns[number].measure) { line } else { line.right_aligned() })
    };
    let widths: Vec<Constraint> = widths.take(fitting).collect();
    let header = widgets::Row::new(titles.into_iter().take(fitting).enumerate().map(cell)).style(Modifier::UNDERLINED);
    let rows = rows.into_iter().map(|row| widgets::Row::new(row.into_iter().take(fitting).enumerate().map(cell)));
    widgets::Table::new(rows, widths).header(header).column_spacing(1)
}

fn bottom(player: &TracePlayer) -> Paragraph<'static> {
    match player.trouble() {
        Some(trouble) => Paragraph::new(trouble.to_string()).style(Color::Red),
        None => Paragraph::new(
            "1-5 view  s sort  b board  u rates/sums  w whole  Space stop  n step  +/- speed  h help  q leave",
        ),
    }
}

fn help(frame: &mut Frame<'_>) {
    let area = frame.area();
    let (width, height) = (area.width.min(HELP), area.height.min(KEYS.len() as u16 + 2));
    let place = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    let lines: Vec<Line<'_>> = KEYS.iter().map(|(keys, what)| Line::from(format!(" {keys:<18} {what}"))).collect();
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Keys ")), place);
}
