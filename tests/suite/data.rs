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
