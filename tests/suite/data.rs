//! Where test data lies. Nothing else names a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// `G16_TEST_DATA`, the committed `tests/data`, and the folder of larger data beside the project,
/// in this order.
fn folders() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("G16_TEST_DATA").map(PathBuf::from);
    named.into_iter().chain([project.join("tests/data"), project.join("../shared/data")]).collect()
}

/// A file by its path within the data, such as `sapling/spend.aux.bin`; `None`, with a word on the
/// standard error, where it is absent: the test returns.
pub fn file(path: &str) -> Option<Vec<u8>> {
    let found = folders().into_iter().map(|folder| folder.join(path)).find(|file| file.is_file());
    let Some(found) = found else {
        eprintln!("skipped: there is no {path} here (G16_TEST_DATA names the folder)");
        return None;
    };
    Some(std::fs::read(&found).unwrap_or_else(|e| panic!("{}: {e}", found.display())))
}

/// As [`file`], of a file that is committed and must be there.
pub fn committed(path: &str) -> Vec<u8> {
    file(path).unwrap_or_else(|| panic!("{path} is part of the project"))
}

/// The lines `name = value` of a `stages.txt`.
pub fn stages(circuit: &str) -> HashMap<String, String> {
    let text = String::from_utf8(committed(&format!("sapling/{circuit}.stages.txt")));
    let line = |line: &str| {
        line.split_once(" = ").map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    text.expect("text").lines().filter_map(line).collect()
}

/// A folder of a test's own for the files that it writes; it goes when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Self {
        let name = format!("{test}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of the files in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder is there");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().into_string().expect("UTF-8")
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("{}: {error}", self.0.display());
        }
    }
}
