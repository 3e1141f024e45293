//! Proves Zcash's Sapling Output and Spend circuits with the real parameters, on the host target
//! or on a GPU, and verifies the proofs with groth16 and the real verifying keys.
//!
//! ```text
//! cargo run --release --example sapling
//! cargo run --release --features cuda --example sapling -- --device cuda:0 --count 20 --workers 3
//! ```

mod circuits;
mod options;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bls12_381::{Bls12, Scalar};
use ff::Field;
use groth16_cuda::device::{Device, HostConfig};
use groth16_cuda::key::Checks;
use groth16_cuda::lock::{GpuLock, SingleLock, SplitLock};
use groth16_cuda::timeline::Phase;
use groth16_cuda::{Assignment, Error, LoadedKey, Prover, ProverConfig, ProvingKey};

use circuits::Kind;
use options::Options;

type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

/// Device memory that the host target takes: the circuits need less.
const HOST_BUDGET_BYTES: u64 = 1 << 30;

/// The phases of the table, in order.
const PHASES: [Phase; 6] = [
    Phase::WaitStage,
    Phase::Stage,
    Phase::WaitCompute,
    Phase::Compute,
    Phase::Finish,
    Phase::SelfCheck,
];

fn main() -> ExitCode {
    match Options::parse() {
        Ok(None) => println!("{}", options::USAGE),
        Ok(Some(options)) => {
            if let Err(error) = run(&options) {
                eprintln!("sapling: {error}");
                return ExitCode::FAILURE;
            }
        }
        Err(error) => {
            eprintln!("sapling: {error}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// One of the circuits, ready to prove.
struct Circuit {
    kind: Kind,
    key: ProvingKey,
    loaded: LoadedKey,
    verifying_key: groth16::PreparedVerifyingKey<Bls12>,
}

/// What one proof took.
struct Report {
    constraints: usize,
    synthesis: Duration,
    phases: [Duration; PHASES.len()],
    proof: Duration,
}

fn run(options: &Options) -> Result<()> {
    let (device, name) = open_device(&options.device)?;
    let lock: Arc<dyn GpuLock> =
        if options.single_lock { Arc::new(SingleLock::new()) } else { Arc::new(SplitLock::new()) };
    let vram_budget = (options.device == "host").then_some(HOST_BUDGET_BYTES);
    let prover = Prover::new(&device, ProverConfig { vram_budget, lock, ..Default::default() })?;
    let mut circuits = Vec::new();
    for (kind, bytes) in parameters(options.params.as_deref())? {
        circuits.push(load(kind, &bytes, &prover, options.check_subgroups)?);
    }
    let mut reports = Vec::new();
    for circuit in &circuits {
        reports.push(prove_all(circuit, &prover, options)?);
    }
    print_table(&circuits, &reports);
    for (circuit, reports) in circuits.iter().zip(&reports) {
        println!(
            "{:<7} 2^{:<2}  verified  {:.2} s  {name}",
            circuit.kind.name(),
            circuit.key.shape().domain_log2,
            median(reports, |report| report.proof).as_secs_f64(),
        );
    }
    Ok(())
}

/// The device, and what to call it.
fn open_device(name: &str) -> Result<(Device, String)> {
    if name == "host" {
        let config = HostConfig { memory_bytes: 2 * HOST_BUDGET_BYTES, ..Default::default() };
        let label = format!("host ({} threads)", config.threads);
        return Ok((Device::host(config)?, label));
    }
    let ordinal = name.strip_prefix("cuda:").and_then(|ordinal| ordinal.parse().ok());
    let ordinal: u32 = ordinal.ok_or_else(|| format!("no device is called {name}"))?;
    #[cfg(feature = "cuda")]
    return Ok((Device::cuda(ordinal)?, name.to_owned()));
    #[cfg(not(feature = "cuda"))]
    Err(format!("cuda:{ordinal} needs a build with --features cuda").into())
}

/// The two key files.
fn parameters(folder: Option<&Path>) -> Result<[(Kind, Vec<u8>); 2]> {
    let (spend, output) = match folder {
        None => wagyu_zcash_parameters::load_sapling_parameters(),
        Some(folder) => {
            let read = |name: &str| {
                let path = folder.join(name);
                std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
            };
            (read("sapling-spend.params")?, read("sapling-output.params")?)
        }
    };
    Ok([(Kind::Output, output), (Kind::Spend, spend)])
}

fn load(kind: Kind, bytes: &[u8], prover: &Prover, check_subgroups: bool) -> Result<Circuit> {
    let start = Instant::now();
    // The files are those of the ceremony, which anybody can compare by their published hashes.
    let checks = if check_subgroups { Checks::Full } else { Checks::SkipSubgroup };
    let key = ProvingKey::read(bytes, checks)?;
    let read = start.elapsed();
    let loaded = prover.load(&key)?;
    let verifying_key = groth16::VerifyingKey::read(bytes)?;
    eprintln!(
        "{} key: {} bytes, and {} after it; read in {read:.2?}, loaded in {:.2?}",
        kind.name(),
        bytes.len() as u64 - key.trailing_bytes(),
        key.trailing_bytes(),
        start.elapsed() - read,
    );
    let verifying_key = groth16::prepare_verifying_key(&verifying_key);
    Ok(Circuit { kind, key, loaded, verifying_key })
}

/// Makes and verifies `count` proofs on `workers` threads.
fn prove_all(circuit: &Circuit, prover: &Prover, options: &Options) -> Result<Vec<Report>> {
    let next = AtomicUsize::new(0);
    let worker = || -> Result<Vec<Report>> {
        let mut reports = Vec::new();
        while next.fetch_add(1, Ordering::Relaxed) < options.count {
            reports.push(prove_one(circuit, prover)?);
        }
        Ok(reports)
    };
    let reports: Result<Vec<Vec<Report>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.workers).map(|_| scope.spawn(worker)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err("a worker panicked".into()))
        };
        workers.into_iter().map(join).collect()
    });
    Ok(reports?.into_iter().flatten().collect())
}

fn prove_one(circuit: &Circuit, prover: &Prover) -> Result<Report> {
    let mut rng = rand::rng();
    let (instance, public_inputs) = circuits::random(circuit.kind, &mut rng);
    let start = Instant::now();
    let assignment = Assignment::synthesize(instance)?;
    let synthesis = start.elapsed();

    let (r, s) = (Scalar::random(&mut rng), Scalar::random(&mut rng));
    let start = Instant::now();
    let proved = prover.prove_with_randomness(&circuit.loaded, &assignment, &r, &s)?;
    let proof = start.elapsed();

    // The statement was made outside the circuit, and the verifier is not ours.
    let theirs = groth16::Proof::from(proved.proof);
    groth16::verify_proof(&circuit.verifying_key, &theirs, &public_inputs)
        .map_err(|_| Error::InvalidProof)?;
    let constraints = assignment.a().len() - assignment.inputs().len();
    let phases = PHASES.map(|phase| proved.timeline.time(phase));
    Ok(Report { constraints, synthesis, phases, proof })
}

fn median(reports: &[Report], time: impl Fn(&Report) -> Duration) -> Duration {
    let mut times: Vec<Duration> = reports.iter().map(time).collect();
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A column for each circuit: sizes, then medians of the phases' times.
fn print_table(circuits: &[Circuit], reports: &[Vec<Report>]) {
    let row = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells: String = (0..circuits.len()).map(|i| format!("{:>14}", cell(i))).collect();
        println!("{name:<22}{cells}");
    };
    let shape = |i: usize| circuits[i].key.shape();
    let time = |i: usize, time: &dyn Fn(&Report) -> Duration| {
        format!("{:.1} ms", median(&reports[i], time).as_secs_f64() * 1e3)
    };
    row("", &|i| circuits[i].kind.name().to_owned());
    row("constraints", &|i| reports[i].first().map_or(0, |r| r.constraints).to_string());
    row("domain", &|i| shape(i).domain().to_string());
    row("public inputs, with 1", &|i| shape(i).inputs.to_string());
    row("other variables", &|i| shape(i).aux.to_string());
    row("points of h", &|i| circuits[i].key.h().len().to_string());
    row("points of a", &|i| shape(i).a.to_string());
    row("points of b", &|i| shape(i).b.to_string());
    row("proofs", &|i| reports[i].len().to_string());
    row("synthesis", &|i| time(i, &|report| report.synthesis));
    for (index, phase) in PHASES.iter().enumerate() {
        row(phase.name(), &|i| time(i, &|report| report.phases[index]));
    }
}
