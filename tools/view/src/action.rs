//! What keys do.

use crate::views::ViewKind;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    /// Leaves.
    Quit,
    /// Shows this.
    Show(ViewKind),
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
