//! Links of the built book that lead out of `docs`: to sources, licences, the README.
//!
//! Invariant: every relative link of a mended book leads to a file. The book lies two folders deeper in the
//! repository than `docs` does, so a link that leaves it climbs two more. Not here: rustdoc's pages, which have no such
//! links.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// What a link that leaves the book has in front: `target/renga/book` against `docs`.
const DEEPER: &str = "../../";
/// What stands beside the pages; where one names its first page in code, the book has a link.
const BESIDE: [&str; 2] = [super::RUSTDOC, super::SIMULATOR];

/// Mends the pages of `book`, which mdBook built from `docs`.
///
/// # Errors
/// If a link is dead: all of them are in the message.
pub(super) fn mend(docs: &Path, book: &Path) -> Result<()> {
    let mut dead = Vec::new();
    for page in pages(book, Path::new(""))? {
        let path = book.join(&page);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (mended, wrong) = mended(&text, docs, book, &page);
        dead.extend(wrong.iter().map(|link| format!("{}: {link}", page.display())));
        if mended != text {
            fs::write(&path, mended).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if !dead.is_empty() {
        bail!("dead links (a page that docs/SUMMARY.md does not name is not in the book):\n  {}", dead.join("\n  "));
    }
    Ok(())
}

/// The HTML files of the book, relative to it.
fn pages(book: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(book.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            // Of an earlier build.
            if !BESIDE.iter().any(|beside| path == Path::new(beside)) {
                found.extend(pages(book, &path)?);
            }
        } else if path.extension().is_some_and(|extension| extension == "html") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The text with its links mended, and those that are dead.
fn mended(text: &str, docs: &Path, book: &Path, page: &Path) -> (String, Vec<String>) {
    let folder = page.parent().unwrap_or(Path::new(""));
    let up = "../".repeat(folder.components().count());
    let (mut out, mut dead, mut rest) = (String::with_capacity(text.len()), Vec::new(), text);
    while let Some(at) = ["href=\"", "src=\""].iter().filter_map(|mark| Some(rest.find(mark)? + mark.len())).min() {
        let (before, after) = rest.split_at(at);
        let link = &after[..after.find('"').unwrap_or(after.len())];
        out += before;
        match resolved(link, &docs.join(folder), &book.join(folder)) {
            Some(target) => out += &target,
            None => {
                dead.push(link.to_string());
                out += link;
            }
        }
        rest = &after[link.len()..];
    }
    out += rest;
    for beside in BESIDE {
        let code = format!("<code>{beside}/index.html</code>");
        out = out.replace(&code, &format!("<a href=\"{up}{beside}/index.html\">{code}</a>"));
    }
    (out, dead)
}

/// What the book is to say for `link` of a page in `book`, whose source is in `docs`; `None`: it leads nowhere.
fn resolved(link: &str, docs: &Path, book: &Path) -> Option<String> {
    let end = link.find(['#', '?']).unwrap_or(link.len());
    let (path, place) = link.split_at(end);
    if path.is_empty() || path.contains(':') || path.starts_with('/') || book.join(path).exists() {
        return Some(link.to_string());
    }
    // mdBook calls these two pages otherwise, and takes every Markdown file for one of its pages.
    for (written, built) in [("README.html", "index.html"), ("SUMMARY.html", "toc.html")] {
        let renamed = path.strip_suffix(written).map(|folder| format!("{folder}{built}"));
        if let Some(renamed) = renamed.filter(|renamed| book.join(renamed).exists()) {
            return Some(renamed + place);
        }
    }
    let source = path.strip_suffix(".html").map(|stem| format!("{stem}.md"));
    let target = source.into_iter().chain([path.to_string()]).find(|target| docs.join(target).exists())?;
    // What is in `docs` and not in the book is a page that the summary leaves out.
    target.starts_with("../").then(|| format!("{DEEPER}{target}{place}"))
}

#[cfg(test)]
mod tests {
    use super::mend;
    use std::fs;
    use std::path::PathBuf;

    /// A repository in which mdBook has built a book.
    struct Fixture {
        root: PathBuf,
    }

    impl Fixture {
        fn new(name: &str) -> Fixture {
            let fixture =
                Fixture { root: std::env::temp_dir().join(format!("renga-links-{}-{name}", std::process::id())) };
            for file in ["kernel/api.rs", "README.md", "docs/tour.md", "docs/guides/a.md", "docs/left-out.md"] {
                fixture.write(file, "");
            }
            fixture.write("target/renga/book/tour.html", "");
            fixture
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.root.join(file);
            fs::create_dir_all(path.parent().expect("in a folder")).expect("there is a temporary folder");
            fs::write(path, text).expect("it can be written");
        }

        /// What becomes of a page with these links.
        fn mend(&self, page: &str, links: &[&str]) -> Result<String, String> {
            let text: String = links.iter().map(|link| format!("<a href=\"{link}\">")).collect();
            self.write(&format!("target/renga/book/{page}"), &text);
            mend(&self.root.join("docs"), &self.root.join("target/renga/book")).map_err(|error| error.to_string())?;
            Ok(fs::read_to_string(self.root.join("target/renga/book").join(page)).expect("it is there"))
        }
    }

    impl Drop for Fixture {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.root);
        }
    }

    #[test]
    fn link_out_of_docs_climbs_from_the_book() {
        let fixture = Fixture::new("out");
        let mended =
            fixture.mend("guides/a.html", &["../../kernel/api.rs", "../../README.html#limits", "../tour.html#top"]);
        let hrefs = ["../../../../kernel/api.rs", "../../../../README.md#limits", "../tour.html#top"];
        assert_eq!(mended, Ok(hrefs.map(|href| format!("<a href=\"{href}\">")).concat()));
    }

    #[test]
    fn link_to_a_page_that_mdbook_renames_follows_it() {
        let fixture = Fixture::new("renamed");
        for page in ["toc.html", "guides/index.html"] {
            fixture.write(&format!("target/renga/book/{page}"), "");
        }
        let mended = fixture.mend("a.html", &["SUMMARY.html", "guides/README.html#one"]);
        assert_eq!(
            mended,
            Ok(["toc.html", "guides/index.html#one"].map(|href| format!("<a href=\"{href}\">")).concat())
        );
    }

    #[test]
    fn link_to_what_stands_beside_the_pages_is_made_of_code() {
        let fixture = Fixture::new("beside");
        let page = fixture.root.join("target/renga/book/guides/a.html");
        fixture.write("target/renga/book/guides/a.html", "<code>simulator/index.html</code>");
        mend(&fixture.root.join("docs"), &fixture.root.join("target/renga/book")).expect("no link is dead");
        let link = "<a href=\"../simulator/index.html\"><code>simulator/index.html</code></a>";
        assert_eq!(fs::read_to_string(page).expect("it is there"), link);
    }

    #[test]
    fn link_to_other_sites_and_places_stays() {
        let fixture = Fixture::new("stays");
        let links = ["https://docs.rs/clap", "#top", "mailto:x"];
        assert_eq!(fixture.mend("a.html", &links), Ok(links.map(|href| format!("<a href=\"{href}\">")).concat()));
    }

    #[test]
    fn link_that_leads_nowhere_is_refused_with_its_page() {
        let fixture = Fixture::new("dead");
        let refused = fixture.mend("a.html", &["left-out.html", "../kernel/gone.rs"]).expect_err("both are dead");
        assert!(
            refused.contains("a.html: left-out.html") && refused.contains("a.html: ../kernel/gone.rs"),
            "{refused}"
        );
    }
}
