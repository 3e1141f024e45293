//! Compiles translation units in parallel, each only when it or something it includes has changed.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

/// A compiler with its flags. It understands `-MD -MF FILE`, as gcc, clang and nvcc do.
pub struct Compiler {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
}

impl From<&Command> for Compiler {
    fn from(command: &Command) -> Self {
        let environment = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        Self {
            program: command.get_program().into(),
            arguments: command.get_args().map(OsString::from).collect(),
            environment: environment.map(|(name, value)| (name.into(), value.into())).collect(),
        }
    }
}

impl Compiler {
    /// Compiles `units` into `folder` and returns the objects, in the same order.
    pub fn compile(&self, units: &[&PathBuf], folder: &Path) -> Result<Vec<PathBuf>, String> {
        // Each command line has its own folder: going back to earlier flags costs nothing.
        let folder = &folder.join(format!("{:016x}", self.hash()));
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let objects: Vec<_> = units.iter().map(|unit| folder.join(object_name(unit))).collect();
        let mut work: Vec<_> = units.iter().zip(&objects).collect();
        work.reverse();
        let queue = Mutex::new(work);
        let failures = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..jobs().min(units.len()) {
                scope.spawn(|| {
                    while let Some((unit, object)) = pop(&queue) {
                        if let Err(text) = self.unit(unit, object) {
                            push(&failures, text);
                        }
                    }
                });
            }
        });
        match failures.into_inner() {
            Ok(failures) if failures.is_empty() => Ok(objects),
            Ok(failures) => Err(failures.join("\n")),
            Err(_) => Err("a compiler thread panicked".into()),
        }
    }

    fn unit(&self, unit: &Path, object: &Path) -> Result<(), String> {
        let dependencies = object.with_extension("d");
        let complete = object.with_extension("complete");
        let started = object.with_extension("started");
        if complete.exists() && is_fresh(&started, &dependencies) {
            return Ok(());
        }
        if complete.exists() {
            fs::remove_file(&complete).map_err(|e| format!("{}: {e}", complete.display()))?;
        }
        fs::write(&started, "").map_err(|e| format!("{}: {e}", started.display()))?;
        let output = Command::new(&self.program)
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .arg("-MD")
            .arg("-MF")
            .arg(&dependencies)
            .arg("-o")
            .arg(object)
            .arg("-c")
            .arg(unit)
            .output()
            .map_err(|e| format!("{}: {e}", self.program.display()))?;
        let text = String::from_utf8_lossy(&output.stderr);
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let program = self.program.display();
            return Err(format!("{program} {}: {}\n{said}{text}", unit.display(), output.status));
        }
        for line in said.lines().chain(text.lines()) {
            println!("cargo:warning={line}");
        }
        fs::write(&complete, "").map_err(|e| format!("{}: {e}", complete.display()))
    }

    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.program, &self.arguments, &self.environment).hash(&mut hasher);
        hasher.finish()
    }
}

fn pop<T>(queue: &Mutex<Vec<T>>) -> Option<T> {
    queue.lock().ok()?.pop()
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    if let Ok(mut list) = list.lock() {
        list.push(item);
    }
}

/// cargo's own number of jobs.
fn jobs() -> usize {
    std::env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// `cuda/msm/g1.cu` becomes `cuda-msm-g1.cu.o`.
fn object_name(unit: &Path) -> String {
    let parts: Vec<_> = unit.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    format!("{}.o", parts.join("-"))
}

/// Whether every file in the compiler's list of what it read is older than the compilation's start.
fn is_fresh(started: &Path, dependencies: &Path) -> bool {
    let Some(built) = modified(started) else { return false };
    let Ok(list) = fs::read_to_string(dependencies) else { return false };
    let Some((_, files)) = list.split_once(": ") else { return false };
    files
        .replace("\\\n", " ")
        .split_whitespace()
        .all(|file| modified(Path::new(file)).is_some_and(|changed| changed < built))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
