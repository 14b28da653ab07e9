//! How much the book says and in how long sentences, and that each page is reached by a link.
//!
//! What counts, of every Markdown file of the repository:
//! - **Words** have a letter, in paragraphs, list items, table cells and headings. A code span is one word.
//!   Figures, code blocks, HTML, link targets and the cells of measured results (`docs/results`) are none.
//! - **Sentences** end with `.`, `?` or `!` before a space, or with their block: a paragraph, a list item, a cell or a
//!   heading. A code span and an abbreviation are one word of the sentence around them.
//! - **The mean** of a page is taken over the sentences of its paragraphs and list items that end with a full stop, a
//!   question mark, an exclamation mark or a colon. Cells and headings would lower it without being easier to read.
//! - **A link** is one from another page; that of the table of contents is enough.
//!
//! Not here: which words these are (`vocabulary.rs`); whether links lead somewhere (`documents.rs`).

use crate::expect_none;
use crate::source::{Source, texts};
use crate::vocabulary;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;

/// Words of all pages together. Lower it whenever a page gets shorter.
const WORDS_MAX: usize = 60_000;
const MEAN_WORDS_MAX: f64 = 18.0;
const SENTENCE_WORDS_MAX: usize = 40;
/// Pages, and folders, that are not rewritten yet. A page that has become good leaves the list.
const EXEMPT: &[&str] = &[];
/// Pages that `./renga bench report` writes: their tables are figures.
const MEASURED: &str = "docs/results/";
/// Their full stop ends no sentence.
const ABBREVIATIONS: [&str; 8] = ["e.g.", "i.e.", "cf.", "vs.", "No.", "al.", "Fig.", "pp."];

/// A piece of text between two ends of blocks.
#[derive(Default)]
struct Block {
    /// A code span is `CODE`, so that it is one word.
    text: String,
    is_cell: bool,
    is_heading: bool,
}

/// Stands for a code span.
const CODE: &str = "`";

/// What one page says.
struct Page {
    path: String,
    words: usize,
    /// Each with the number of its words, and whether it counts for the mean.
    sentences: Vec<(String, usize, bool)>,
    /// The pages that it links to.
    targets: BTreeSet<String>,
}

impl Page {
    fn read(source: &Source) -> Self {
        let (blocks, targets) = blocks(source);
        let word = |part: &&str| part.contains(CODE) || part.contains(char::is_alphabetic);
        let is_measured = |block: &Block| block.is_cell && source.path.starts_with(MEASURED);
        let counted = blocks.iter().filter(|block| !is_measured(block));
        let words = counted.map(|block| block.text.split_whitespace().filter(word).count()).sum();
        Self { path: source.path.clone(), words, sentences: blocks.iter().flat_map(sentences).collect(), targets }
    }

    fn mean(&self) -> f64 {
        let counted: Vec<usize> = self.sentences.iter().filter(|(.., counts)| *counts).map(|(_, n, _)| *n).collect();
        counted.iter().sum::<usize>() as f64 / counted.len().max(1) as f64
    }

    fn faults(&self) -> Vec<String> {
        let long = self.sentences.iter().filter(|(_, count, _)| *count > SENTENCE_WORDS_MAX);
        let mut faults: Vec<String> =
            long.map(|(text, count, _)| format!("{}: a sentence of {count} words: {text}", self.path)).collect();
        if self.mean() > MEAN_WORDS_MAX {
            faults.push(format!("{}: a sentence has {:.1} words in the mean", self.path, self.mean()));
        }
        faults
    }
}

/// Words that have a letter or a digit, and code spans.
fn words(text: &str) -> usize {
    let word = |part: &&str| part.contains(CODE) || part.contains(char::is_alphanumeric);
    text.split_whitespace().filter(word).count()
}

/// The blocks of text of a page, and the pages that it links to.
fn blocks(source: &Source) -> (Vec<Block>, BTreeSet<String>) {
    let (mut blocks, mut block, mut targets) = (Vec::new(), Block::default(), BTreeSet::new());
    let mut in_code = false;
    for event in Parser::new_ext(&source.text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => targets.extend(target(&source.path, &dest_url)),
            Event::Start(tag) if is_block(&tag.to_end()) => {
                blocks.push(std::mem::take(&mut block));
                in_code = matches!(tag, Tag::CodeBlock(_));
                block.is_cell = matches!(tag, Tag::TableCell);
                block.is_heading = matches!(tag, Tag::Heading { .. });
            }
            Event::End(tag) if is_block(&tag) => {
                blocks.push(std::mem::take(&mut block));
                in_code = false;
            }
            Event::Text(text) if !in_code => block.text += &text,
            Event::Code(_) => block.text += CODE,
            Event::SoftBreak | Event::HardBreak => block.text.push(' '),
            _ => {}
        }
    }
    blocks.retain(|block| words(&block.text) > 0);
    (blocks, targets)
}

fn is_block(tag: &TagEnd) -> bool {
    !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough)
}

/// The page of the repository that a link of `page` leads to.
fn target(page: &str, link: &str) -> Option<String> {
    let link = link.split('#').next().filter(|link| !link.is_empty() && !link.contains("://"))?;
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The sentences of a block.
fn sentences(block: &Block) -> Vec<(String, usize, bool)> {
    let mut sentences = vec![String::new()];
    for word in block.text.split_whitespace() {
        let last = sentences.last_mut().expect("one at least");
        *last += word;
        last.push(' ');
        if is_end(word) && !ABBREVIATIONS.contains(&word.trim_start_matches('(')) {
            sentences.push(String::new());
        }
    }
    let whole = |text: &String| is_end(text.trim_end()) || text.trim_end().ends_with(':');
    let counted = sentences.into_iter().map(|text| {
        let counts = whole(&text) && !block.is_cell && !block.is_heading;
        (text.trim_end().to_string(), words(&text), counts)
    });
    counted.filter(|(_, count, _)| *count > 0).collect()
}

fn is_end(word: &str) -> bool {
    word.trim_end_matches(['"', ')', '*', '_']).ends_with(['.', '?', '!'])
}

fn pages() -> Vec<Page> {
    let markdown = texts().into_iter().filter(|source| source.path.ends_with(".md"));
    markdown.map(|source| Page::read(&source)).collect()
}

/// Whether a page is exempt from the rules.
pub fn is_exempt(path: &str) -> bool {
    EXEMPT.iter().any(|exempt| path == *exempt || exempt.ends_with('/') && path.starts_with(exempt))
}

#[test]
fn prose_sentences_are_short() {
    let pages = pages();
    let violations = pages.iter().filter(|page| !is_exempt(&page.path)).flat_map(Page::faults).collect();
    expect_none("a sentence has at most 40 words, and 18 in the mean of a page", violations);
}

#[test]
fn prose_exempt_pages_break_a_rule() {
    let sources: Vec<Source> = texts().into_iter().filter(|source| source.path.ends_with(".md")).collect();
    let is_bad = |source: &Source| !Page::read(source).faults().is_empty() || !vocabulary::faults(source).is_empty();
    let bad: Vec<&Source> = sources.iter().filter(|source| is_bad(source)).collect();
    let done = EXEMPT.iter().filter(|exempt| !bad.iter().any(|source| source.path.starts_with(**exempt)));
    expect_none("take these from EXEMPT: they keep the rules", done.map(|exempt| exempt.to_string()).collect());
}

#[test]
fn prose_words_stay_within_their_limit() {
    let pages = pages();
    let total: usize = pages.iter().map(|page| page.words).sum();
    let mut longest: Vec<(usize, &str)> = pages.iter().map(|page| (page.words, page.path.as_str())).collect();
    longest.sort_unstable_by(|a, b| b.cmp(a));
    println!("{total} words");
    longest.iter().for_each(|(words, path)| println!("{words:6} {path}"));
    assert!(total <= WORDS_MAX, "all pages have {total} words, at most {WORDS_MAX}: {:?}", &longest[..20]);
}

#[test]
fn prose_pages_are_linked() {
    let pages = pages();
    let linked = |path: &String| pages.iter().any(|page| page.path != *path && page.targets.contains(path));
    let lonely = pages.iter().map(|page| &page.path).filter(|path| path.starts_with("docs/") && !linked(path));
    expect_none("each page of the book is linked from another one", lonely.cloned().collect());
}

#[test]
fn prose_counts_sentences_of_text_alone() {
    let text = "# A head of five words\n\nSee e.g. `a b c`, of [one](x.md#y). Two?\nThree!\n\n```sh\nno words here.\n```\n\n\
        - An item without an end\n\n| Cell. | Other |\n|---|---|\n| x | y |\n";
    let page = Page::read(&Source { path: "docs/a/page.md".into(), text: text.into() });
    let counted: Vec<(&str, usize, bool)> = page.sentences.iter().map(|(t, n, c)| (t.as_str(), *n, *c)).collect();
    let expected = [
        ("A head of five words", 5, false),
        ("See e.g. `, of one.", 5, true),
        ("Two?", 1, true),
        ("Three!", 1, true),
        ("An item without an end", 5, false),
        ("Cell.", 1, false),
        ("Other", 1, false),
        ("x", 1, false),
        ("y", 1, false),
    ];
    assert_eq!(counted, expected);
    assert_eq!((page.words, page.mean()), (21, 7.0 / 3.0));
    assert_eq!(page.targets, BTreeSet::from(["docs/a/x.md".to_string()]));
}

#[test]
fn prose_long_sentence_is_found() {
    let long = |count| Source { path: "a.md".into(), text: format!("{}.", vec!["word"; count].join(" ")) };
    let counts = |count| Page::read(&long(count)).faults().len();
    assert_eq!([counts(18), counts(19), counts(41)], [0, 1, 2]);
}
