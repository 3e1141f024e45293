//! What the benches share: options, medians of device times, dated records, and what checks results
//! of any size in linear time.
//!
//! A figure counts only with a check of its result in the same run, so a row says whether the check
//! held, and a bench whose check fails exits with 1.
#![allow(dead_code)] // each bench uses its part

pub mod scalars;
pub mod sums;
pub mod transforms;
pub mod witness;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use groth16_cuda::Result;
use groth16_cuda::device::{Device, Event, HostConfig, Stream};

/// Options of every bench.
pub struct Options {
    /// `--device host` (default) or `cuda:N`.
    pub device: Device,
    /// `--sizes 16,20`: the binary logarithms of the sizes, instead of the bench's own.
    pub sizes: Option<Vec<u32>>,
    /// `--cases g1-res,g2`: only the rows whose case starts with one of these.
    pub cases: Option<Vec<String>>,
    /// `--record DIR`: where to leave the record.
    pub record: Option<PathBuf>,
    /// `--params DIR`: where Zcash's parameter files are.
    pub params: Option<PathBuf>,
    /// `--data DIR`: where recorded witnesses and proofs are.
    pub data: Option<PathBuf>,
}

impl Options {
    /// From the command line; exits with 2 and a word on what is wrong.
    pub fn from_arguments() -> Self {
        let mut name = "host".to_owned();
        let (mut sizes, mut cases) = (None, None);
        let (mut record, mut params, mut data) = (None, None, None);
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            if argument == "--bench" {
                continue; // cargo's own
            }
            let Some(value) = arguments.next() else { usage(&argument) };
            match argument.as_str() {
                "--device" => name = value,
                "--sizes" => {
                    let list = value.split(',').map(str::parse).collect::<Result<Vec<_>, _>>();
                    sizes = Some(list.unwrap_or_else(|_| usage(&value)));
                }
                "--cases" => cases = Some(value.split(',').map(str::to_owned).collect()),
                "--record" => record = Some(PathBuf::from(value)),
                "--params" => params = Some(PathBuf::from(value)),
                "--data" => data = Some(PathBuf::from(value)),
                _ => usage(&argument),
            }
        }
        let device = open(&name).unwrap_or_else(|error| {
            eprintln!("{error}");
            std::process::exit(1)
        });
        Self { device, sizes, cases, record, params, data }
    }

    /// The sizes that were asked for, else `gpu` on a GPU and `host` on the host.
    pub fn sizes(&self, gpu: &[u32], host: &[u32]) -> Vec<u32> {
        let own = if self.device.name() == "host" { host } else { gpu };
        self.sizes.clone().unwrap_or_else(|| own.to_vec())
    }

    /// Whether any of these cases was asked for; all are unless `--cases` says which.
    pub fn wants(&self, cases: &[&str]) -> bool {
        cases.iter().any(|case| is_chosen(self.cases.as_deref(), case))
    }
}

fn is_chosen(prefixes: Option<&[String]>, case: &str) -> bool {
    prefixes.is_none_or(|prefixes| prefixes.iter().any(|prefix| case.starts_with(prefix)))
}

fn usage(at: &str) -> ! {
    eprintln!(
        "at {at}: [--device host|cuda:N] [--sizes K,...] [--cases PREFIX,...] [--record DIR] \
         [--params DIR] [--data DIR]"
    );
    std::process::exit(2)
}

fn open(name: &str) -> Result<Device> {
    #[cfg(feature = "cuda")]
    if let Some(ordinal) = name.strip_prefix("cuda:").and_then(|n| n.parse().ok()) {
        return Device::cuda(ordinal);
    }
    if name != "host" {
        usage(name);
    }
    Device::host(HostConfig::default())
}

/// The median time on the device of `runs` runs of what `enqueue` enqueues, in milliseconds, after
/// one that does not count.
pub fn median_ms(
    stream: &Stream,
    runs: usize,
    mut enqueue: impl FnMut() -> Result<()>,
) -> Result<f64> {
    enqueue()?;
    stream.synchronize()?;
    let mut times_ms = Vec::with_capacity(runs);
    for _ in 0..runs {
        let (start, end) = (Event::new(stream.device())?, Event::new(stream.device())?);
        start.record(stream)?;
        enqueue()?;
        end.record(stream)?;
        end.synchronize()?;
        times_ms.push(f64::from(start.elapsed_ms(&end)?));
    }
    Ok(median(&mut times_ms))
}

/// The middle one of some times.
pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The rows of one bench's run.
pub struct Record {
    bench: &'static str,
    cases: Option<Vec<String>>,
    rows: String,
    all_hold: bool,
}

impl Record {
    /// An empty record of the cases that were asked for; prints the header.
    pub fn new(bench: &'static str, options: &Options) -> Self {
        println!("bench,case,log2n,median,unit,ok");
        Self { bench, cases: options.cases.clone(), rows: String::new(), all_hold: true }
    }

    /// One figure in milliseconds, and whether the result of that very run was right.
    pub fn row(&mut self, case: &str, log2n: u32, median_ms: f64, ok: bool) {
        self.line(case, log2n, &format!("{median_ms:.3},ms"), ok);
    }

    /// One figure in billions of operations a second, likewise.
    pub fn rate(&mut self, case: &str, log2n: u32, giga_per_s: f64, ok: bool) {
        self.line(case, log2n, &format!("{giga_per_s:.4},G/s"), ok);
    }

    /// How many there were of something that a case names.
    pub fn count(&mut self, case: &str, log2n: u32, count: usize, ok: bool) {
        self.line(case, log2n, &format!("{count},1"), ok);
    }

    fn line(&mut self, case: &str, log2n: u32, figure: &str, ok: bool) {
        if !is_chosen(self.cases.as_deref(), case) {
            return;
        }
        let answer = if ok { "yes" } else { "no" };
        let row = format!("{},{case},{log2n},{figure},{answer}", self.bench);
        println!("{row}");
        let _ = writeln!(self.rows, "{row}"); // a String takes everything
        self.all_hold &= ok;
    }

    /// Writes the record where `--record` says, and exits with 1 if a check failed.
    pub fn finish(self, options: &Options) {
        if let Some(folder) = &options.record {
            let date = said("date", &["-u", "+%F"]);
            let path = folder.join(format!("{date}-{}.csv", self.bench));
            // Folders by their last names: where they lie differs from machine to machine.
            let last = |argument: String| match argument.rsplit_once('/') {
                Some((_, name)) => name.to_owned(),
                None => argument,
            };
            let command = std::env::args().map(last).collect::<Vec<_>>().join(" ");
            let machine =
                said("nvidia-smi", &["--query-gpu=name,driver_version", "--format=csv,noheader"]);
            let commit = std::env::var("G16_COMMIT")
                .unwrap_or_else(|_| said("git", &["describe", "--always", "--dirty"]));
            let device = options.device.name();
            let text = format!(
                "# {command}\n# {device}, {machine}, CUDA 13.0\n# {commit}\n\
                 bench,case,log2n,median,unit,ok\n{}",
                self.rows
            );
            if let Err(error) = std::fs::write(&path, text) {
                eprintln!("{}: {error}", path.display());
                std::process::exit(1)
            }
        }
        if !self.all_hold {
            std::process::exit(1)
        }
    }
}

/// What a program prints, on one line; a dash where it does not run.
fn said(program: &str, arguments: &[&str]) -> String {
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().replace('\n', "; ")
        }
        _ => "-".to_owned(),
    }
}
