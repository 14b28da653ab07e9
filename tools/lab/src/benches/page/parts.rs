//! What a page is made of, in the order of the page.

use renga_bench::claims::ClaimVerdict;

/// A part of a page.
pub enum PagePart {
    /// A heading: 1 is the page's.
    Heading {
        /// From 1 to 3.
        level: u8,
        /// Its words.
        text: String,
    },
    /// A paragraph, behind its label in bold. Code stands between backquotes.
    Paragraph {
        /// As in `Finding`; empty: none.
        label: &'static str,
        /// Its words.
        text: String,
    },
    /// What all figures of a section depend on, in small type.
    Facts(Vec<String>),
    /// A table.
    Table(PageTable),
    /// A picture.
    Figure {
        /// The file's name, where it has a file of its own.
        file: String,
        /// Its number, what it shows, row and machine.
        caption: String,
        /// The picture as SVG.
        svg: String,
    },
}

/// What the cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Numbers, to the right.
    Number,
    /// Words, which may break.
    Words,
    /// Published numbers, on a ground of their own.
    Published,
}

/// A cell.
pub enum PageCell {
    /// Words or a number.
    Text(String),
    /// What became of a claim.
    Verdict(ClaimVerdict),
    /// A row of the ledger, whose section begins with its name.
    Row(String),
}

/// A table.
pub struct PageTable {
    /// What it shows.
    pub caption: String,
    /// The columns' heads.
    pub columns: Vec<(String, CellKind)>,
    /// The cells, row by row.
    pub rows: Vec<Vec<PageCell>>,
}
