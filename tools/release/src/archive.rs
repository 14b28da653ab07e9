//! An archive whose bytes its entries alone decide: sorted by path, of one owner and one time.
//!
//! Not here: what is in it (`contents`).

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// Permission bits of programs, of other files, and of links.
const PROGRAM_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;
const LINK_MODE: u32 = 0o777;
const PERMISSION_BITS: u32 = 0o7777;
/// The bit of a file that its owner can run.
const RUNNABLE_BIT: u32 = 0o100;
/// Folders in folders.
const DEPTH_MAX: usize = 32;

/// What an entry is.
#[derive(Debug, Clone)]
enum EntryContent {
    /// A file of this machine.
    HostFile(PathBuf),
    Bytes(Vec<u8>),
    Link(PathBuf),
    Folder,
}

/// Entries by their paths.
#[derive(Debug, Default)]
pub struct ArchiveTree {
    entries: BTreeMap<String, (EntryContent, u32)>,
}

impl ArchiveTree {
    /// A text.
    pub fn text(&mut self, path: &str, text: &str) {
        self.entries.insert(path.into(), (EntryContent::Bytes(text.as_bytes().to_vec()), FILE_MODE));
    }

    /// A program that is a text.
    pub fn script(&mut self, path: &str, text: &str) {
        self.entries.insert(path.into(), (EntryContent::Bytes(text.as_bytes().to_vec()), PROGRAM_MODE));
    }

    /// A file of this machine, a program if it is one here.
    ///
    /// # Errors
    /// If it is not there.
    pub fn file(&mut self, path: &str, host: &Path) -> Result<()> {
        let mode = if mode(host)? & RUNNABLE_BIT != 0 { PROGRAM_MODE } else { FILE_MODE };
        self.entries.insert(path.into(), (EntryContent::HostFile(host.to_path_buf()), mode));
        Ok(())
    }

    /// The files in a folder of this machine and in those below it that are `wanted`, by their paths in it.
    ///
    /// # Errors
    /// If something in it cannot be read.
    pub fn folder(&mut self, path: &str, host: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        for (inside, file) in walk(host)? {
            if !fs::symlink_metadata(&file)?.is_dir() && wanted(&inside) {
                self.file(&format!("{path}/{inside}"), &file)?;
            }
        }
        Ok(())
    }

    /// A folder of this machine as it is: with links, folders and permission bits.
    ///
    /// # Errors
    /// If something in it cannot be read.
    pub fn exact_folder(&mut self, path: &str, host: &Path) -> Result<()> {
        for (inside, file) in walk(host)? {
            let kind = fs::symlink_metadata(&file)?.file_type();
            let entry = if kind.is_symlink() {
                (EntryContent::Link(fs::read_link(&file)?), LINK_MODE)
            } else if kind.is_dir() {
                (EntryContent::Folder, mode(&file)?)
            } else {
                (EntryContent::HostFile(file.clone()), mode(&file)?)
            };
            self.entries.insert(format!("{path}/{inside}"), entry);
        }
        Ok(())
    }

    /// The paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Writes all of it, below the folder `top`, as of `seconds` since 1970; `inspect` sees each file before.
    ///
    /// # Errors
    /// If something cannot be read or written, or `inspect` refuses it; `out` is untouched then.
    pub fn write(
        &self,
        (top, seconds): (&str, u64),
        out: &Path,
        inspect: &dyn Fn(&str, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut partial = out.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let cannot = || format!("cannot write {}", partial.display());
        let file = BufWriter::new(File::create(&partial).with_context(cannot)?);
        let mut builder = Builder::new(GzBuilder::new().write(file, Compression::default()));
        let mut written = || -> Result<()> {
            for (path, (content, mode)) in &self.entries {
                append(&mut builder, &format!("{top}/{path}"), content, header(*mode, seconds), inspect)
                    .with_context(|| format!("cannot pack {path}"))?;
            }
            Ok(())
        };
        let packed = written().and_then(|()| {
            builder.into_inner().and_then(|packed| packed.finish()?.flush()).with_context(cannot)?;
            fs::rename(&partial, out).with_context(|| format!("cannot write {}", out.display()))
        });
        if packed.is_err() {
            // It may not even be there.
            let _ = fs::remove_file(&partial);
        }
        packed
    }
}

fn mode(path: &Path) -> Result<u32> {
    let facts = fs::symlink_metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(facts.permissions().mode() & PERMISSION_BITS)
}

/// Everything in a folder and in those below it: paths in it, and whole paths.
fn walk(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let (mut found, mut left) = (Vec::new(), vec![(String::new(), folder.to_path_buf(), 0)]);
    while let Some((inside, folder, depth)) = left.pop() {
        ensure!(depth <= DEPTH_MAX, "too many folders in each other: {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            let place = format!("{inside}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                left.push((format!("{place}/"), entry.path(), depth + 1));
            }
            found.push((place, entry.path()));
        }
    }
    Ok(found)
}

/// Of root, by number: names differ between machines.
fn header(mode: u32, seconds: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(mode);
    header.set_mtime(seconds);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header
}

fn append(
    builder: &mut Builder<impl Write>,
    place: &str,
    content: &EntryContent,
    mut header: Header,
    inspect: &dyn Fn(&str, &[u8]) -> Result<()>,
) -> Result<()> {
    let read;
    let bytes = match content {
        EntryContent::Folder => {
            header.set_entry_type(EntryType::Directory);
            return Ok(builder.append_data(&mut header, format!("{place}/"), std::io::empty())?);
        }
        EntryContent::Link(target) => {
            header.set_entry_type(EntryType::Symlink);
            return Ok(builder.append_link(&mut header, place, target)?);
        }
        EntryContent::Bytes(bytes) => bytes,
        EntryContent::HostFile(path) => {
            read = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            &read
        }
    };
    inspect(place, bytes)?;
    header.set_size(bytes.len() as u64);
    Ok(builder.append_data(&mut header, place, bytes.as_slice())?)
}

#[cfg(test)]
mod tests {
    use super::ArchiveTree;
    use anyhow::bail;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// A folder with a file, a program, a folder of unusual rights and a link, made in the order of `names`.
    fn host(name: &str, names: [&str; 2]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("renga-archive-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("in/empty")).expect("there is a temporary folder");
        for name in names {
            fs::write(folder.join("in").join(name), name).expect("it can be written");
        }
        fs::set_permissions(folder.join("in/b"), fs::Permissions::from_mode(0o4711)).expect("it is ours");
        fs::set_permissions(folder.join("in/empty"), fs::Permissions::from_mode(0o700)).expect("it is ours");
        symlink("a", folder.join("in/link")).expect("it can be made");
        folder
    }

    fn written(folder: &Path) -> Vec<u8> {
        let mut tree = ArchiveTree::default();
        tree.exact_folder("exact", &folder.join("in")).expect("it is readable");
        tree.folder("plain", &folder.join("in"), &|path| path != "link").expect("it is readable");
        tree.script("run", "#!/bin/sh\n");
        let out = folder.join("out.tar.gz");
        tree.write(("top", 1_000_000_000), &out, &|_, _| Ok(())).expect("it can be written");
        fs::read(out).expect("it is there")
    }

    #[test]
    fn archive_of_equal_files_is_equal_whatever_their_order_and_times() {
        let one = host("one", ["a", "b"]);
        std::thread::sleep(std::time::Duration::from_millis(20)); // times of files are no finer than that
        let other = host("other", ["b", "a"]);
        assert!(written(&one) == written(&other));
        fs::write(other.join("in/a"), "changed").expect("it can be written");
        assert!(written(&one) != written(&other));
        for folder in [one, other] {
            fs::remove_dir_all(folder).expect("it is there");
        }
    }

    #[test]
    fn archive_keeps_rights_links_and_folders_and_is_sorted() {
        let folder = host("listed", ["a", "b"]);
        written(&folder);
        let listed = Command::new("tar").arg("--numeric-owner").arg("-tvzf").arg(folder.join("out.tar.gz")).output();
        let listed = String::from_utf8(listed.expect("tar is there").stdout).expect("names are text");
        let lines: Vec<(&str, &str)> = listed
            .lines()
            .map(|line| (line.split_once(' ').unwrap_or_default().0, line.split_once(" top/").unwrap_or_default().1))
            .collect();
        let expected = [
            ("-rw-r--r--", "exact/a"),
            ("-rws--x--x", "exact/b"),
            ("drwx------", "exact/empty/"),
            ("lrwxrwxrwx", "exact/link -> a"),
            ("-rw-r--r--", "plain/a"),
            ("-rwxr-xr-x", "plain/b"),
            ("-rwxr-xr-x", "run"),
        ];
        assert_eq!(lines, expected);
        fs::remove_dir_all(folder).expect("it is there");
    }

    #[test]
    fn archive_with_a_refused_file_is_not_written() {
        let folder = host("refused", ["a", "b"]);
        let mut tree = ArchiveTree::default();
        tree.text("a", "bad");
        let out = folder.join("out.tar.gz");
        let refuse = |path: &str, bytes: &[u8]| if bytes == b"bad" { bail!("{path} is bad") } else { Ok(()) };
        let error = tree.write(("top", 0), &out, &refuse).expect_err("it is refused");
        assert!(format!("{error:#}").contains("top/a is bad"), "{error:#}");
        assert!(!out.exists() && !folder.join("out.tar.gz.partial").exists());
        fs::remove_dir_all(folder).expect("it is there");
    }
}
