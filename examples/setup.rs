//! Makes a development key on a device: for a synthetic circuit of any size, or for a
//! demonstration circuit.
//!
//! **Never use such a key where a proof must convince somebody**: the process that made it knew
//! the secret with which anything can be proved.
#![allow(missing_docs)]

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Instant;

use bellman::{Circuit, ConstraintSystem, SynthesisError};
use bls12_381::Scalar;
use groth16_cuda::device::HostConfig;
use groth16_cuda::setup::{self, Columns, Step, Trapdoor};
use groth16_cuda::synthetic::Shape;
use groth16_cuda::{Device, R1cs, Result};
use indicatif::{ProgressBar, ProgressStyle};
use lexopt::prelude::*;
use parking_lot::Mutex;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use sapling_crypto::circuit::{Output, Spend};

const USAGE: &str = "\
Makes a DEVELOPMENT key and writes it in bellman's format.

  --shape porep|dense    a synthetic circuit (porep)
  --log2 N               with a domain of 2^N points (14)
  --seed N               which one of that shape (1)
  --circuit cubic|output|spend
                         a demonstration circuit: x³ + x + 5 = y, or one of Zcash's; not together
                         with the three above
  --device host|cuda:N   where to make the key's points (host)
  --out FILE             where to write the key (development.params)
  --trapdoor-seed N      a trapdoor that anybody can make again; random otherwise";

struct Options {
    shape: Option<fn(u32) -> Shape>,
    log2n: Option<u32>,
    seed: Option<u64>,
    circuit: Option<fn() -> Result<R1cs>>,
    device: String,
    out: PathBuf,
    trapdoor_seed: Option<u64>,
}

impl Options {
    /// `None` where help was asked for.
    fn parse() -> Result<Option<Self>, lexopt::Error> {
        let mut options = Self {
            shape: None,
            log2n: None,
            seed: None,
            circuit: None,
            device: "host".to_owned(),
            out: PathBuf::from("development.params"),
            trapdoor_seed: None,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("shape") => {
                    options.shape = Some(match parser.value()?.string()?.as_str() {
                        "porep" => Shape::porep,
                        "dense" => Shape::dense,
                        other => return Err(format!("no shape is called {other}").into()),
                    });
                }
                Long("circuit") => {
                    options.circuit = Some(match parser.value()?.string()?.as_str() {
                        "cubic" => || R1cs::synthesize(Cubic),
                        "output" => output,
                        "spend" => spend,
                        other => return Err(format!("no circuit is called {other}").into()),
                    });
                }
                Long("log2") => options.log2n = Some(parser.value()?.parse()?),
                Long("seed") => options.seed = Some(parser.value()?.parse()?),
                Long("device") => options.device = parser.value()?.string()?,
                Long("out") => options.out = parser.value()?.into(),
                Long("trapdoor-seed") => options.trapdoor_seed = Some(parser.value()?.parse()?),
                Short('h') | Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        let synthetic =
            options.shape.is_some() || options.log2n.is_some() || options.seed.is_some();
        if options.circuit.is_some() && synthetic {
            return Err("--circuit goes without --shape, --log2 and --seed".into());
        }
        Ok(Some(options))
    }
}

/// Knowledge of x with x³ + x + 5 = y.
struct Cubic;

impl Circuit<Scalar> for Cubic {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let unknown = || Err(SynthesisError::AssignmentMissing);
        let x = cs.alloc(|| "x", unknown)?;
        let square = cs.alloc(|| "x²", unknown)?;
        let cube = cs.alloc(|| "x³", unknown)?;
        let y = cs.alloc_input(|| "y", unknown)?;
        cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + square);
        cs.enforce(|| "cube", |lc| lc + square, |lc| lc + x, |lc| lc + cube);
        let five = Scalar::from(5);
        cs.enforce(
            || "sum",
            |lc| lc + cube + x + (five, CS::one()),
            |lc| lc + CS::one(),
            |lc| lc + y,
        );
        Ok(())
    }
}

fn output() -> Result<R1cs> {
    R1cs::synthesize(Output {
        value_commitment_opening: None,
        payment_address: None,
        commitment_randomness: None,
        esk: None,
    })
}

fn spend() -> Result<R1cs> {
    R1cs::synthesize(Spend {
        value_commitment_opening: None,
        proof_generation_key: None,
        payment_address: None,
        commitment_randomness: None,
        ar: None,
        auth_path: vec![None; sapling_crypto::NOTE_COMMITMENT_TREE_DEPTH as usize],
        anchor: None,
    })
}

fn main() {
    let options = match Options::parse() {
        Ok(Some(options)) => options,
        Ok(None) => return println!("{USAGE}"),
        Err(error) => {
            eprintln!("{error}; --help lists the options");
            std::process::exit(2)
        }
    };
    if let Err(error) = run(&options) {
        eprintln!("{error}");
        std::process::exit(1)
    }
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let device = open(&options.device)?;
    eprintln!("A DEVELOPMENT KEY: whoever saw its trapdoor can prove anything with it.");
    match options.circuit {
        None => {
            let shape = options.shape.unwrap_or(Shape::porep)(options.log2n.unwrap_or(14));
            let circuit = shape.synthetic(options.seed.unwrap_or(1))?;
            eprintln!("{}", circuit.figures());
            write(options, &device, &circuit)
        }
        Some(synthesize) => {
            let system = synthesize()?;
            let (constraints, inputs) = (system.constraints(), system.inputs());
            eprintln!("constraints {constraints}, inputs {inputs}, aux {}", system.aux());
            write(options, &device, &system.columns()?)
        }
    }
}

fn open(name: &str) -> Result<Device, Box<dyn std::error::Error>> {
    if name == "host" {
        return Ok(Device::host(HostConfig::default())?);
    }
    #[cfg(feature = "cuda")]
    if let Some(ordinal) = name.strip_prefix("cuda:").and_then(|n| n.parse().ok()) {
        return Ok(Device::cuda(ordinal)?);
    }
    Err(format!("no device is called {name} (cuda:N needs the feature cuda)").into())
}

/// The bar of the step that runs, and which step that is.
struct Progress {
    bar: ProgressBar,
    step: Mutex<Option<Step>>,
}

impl Progress {
    fn new() -> Result<Self, indicatif::style::TemplateError> {
        let style = "{msg:8} [{bar:40}] {human_pos} of {human_len}, {elapsed}";
        let bar = ProgressBar::new(0);
        bar.set_style(ProgressStyle::with_template(style)?.progress_chars("=> "));
        Ok(Self { bar, step: Mutex::new(None) })
    }

    fn tell(&self, step: Step, done: usize, all: usize) {
        let mut now = self.step.lock();
        if *now != Some(step) {
            *now = Some(step);
            self.bar.reset();
            self.bar.set_message(step.to_string());
            self.bar.set_length(all as u64);
        }
        // Threads may tell out of order.
        self.bar.set_position(self.bar.position().max(done as u64));
    }
}

fn write(
    options: &Options,
    device: &Device,
    system: &impl Columns,
) -> Result<(), Box<dyn std::error::Error>> {
    let trapdoor = match options.trapdoor_seed {
        Some(seed) => Trapdoor::random(&mut ChaCha20Rng::seed_from_u64(seed)),
        None => Trapdoor::random(&mut rand::rng()),
    };
    // A key that is there already stays until the new one is whole.
    let mut part = options.out.clone().into_os_string();
    part.push(".part");
    let file = BufWriter::new(File::create(&part)?);
    let progress = Progress::new()?;
    let start = Instant::now();
    let vk = setup::write(device, system, &trapdoor, file, &|step, done, all| {
        progress.tell(step, done, all);
    });
    progress.bar.finish_and_clear();
    let vk = vk.inspect_err(|_| drop(std::fs::remove_file(&part)))?;
    std::fs::rename(&part, &options.out)?;
    println!(
        "{}: {} bytes, {} public inputs, in {:.2} s on {}",
        options.out.display(),
        std::fs::metadata(&options.out)?.len(),
        vk.ic.len() - 1,
        start.elapsed().as_secs_f64(),
        device.name()
    );
    Ok(())
}
