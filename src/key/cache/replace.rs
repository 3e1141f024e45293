//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Unfinished files of one name and process that are stepped over before giving up.
const MOST_PARTS: u32 = 1 << 16;

/// Puts what `fill` writes in the place of `path`, where whoever opens it finds the file that was
/// there before, or the new one as a whole: it is written beside it as `.NAME.PID-N.part`, reaches
/// the disk, and is then renamed. Where this fails, the unfinished file is removed; a process
/// that is killed leaves it behind.
pub(super) fn file(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (mut file, part) = create(path)?;
    let mut part = Part(Some(part));
    fill(&mut file)?;
    file.sync_all()?;
    part.rename(path)?;
    // The new name reaches the disk with its folder.
    File::open(folder(path))?.sync_all()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file beside `path` that no other writer has.
fn create(path: &Path) -> io::Result<(File, PathBuf)> {
    let kind = io::ErrorKind::InvalidInput;
    let name = path.file_name().ok_or_else(|| io::Error::new(kind, "the path names no file"))?;
    let mut exists = io::ErrorKind::AlreadyExists.into();
    for number in 0..MOST_PARTS {
        let mut part = std::ffi::OsString::from(".");
        part.push(name);
        part.push(format!(".{}-{number}.part", std::process::id()));
        let part = folder(path).join(part);
        match File::create_new(&part) {
            Ok(file) => return Ok((file, part)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => exists = error,
            Err(error) => return Err(error),
        }
    }
    Err(exists)
}

/// An unfinished file, which is removed unless it gets its name.
struct Part(Option<PathBuf>);

impl Part {
    fn rename(&mut self, path: &Path) -> io::Result<()> {
        if let Some(part) = &self.0 {
            fs::rename(part, path)?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(part) = self.0.take()
            && let Err(error) = fs::remove_file(&part)
        {
            tracing::warn!(path = %part.display(), %error, "an unfinished file was not removed");
        }
    }
}
