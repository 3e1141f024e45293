//! Whole proofs, one worker: from the assignment to the proof, and to the verified proof.
//!
//! `sapling-1` is Zcash's Spend circuit with its real key, from the folders that `--params` and
//! `--data` name; each proof is compared with the recorded one, byte for byte.
#![allow(missing_docs)]

use std::path::Path;
use std::time::Instant;

use bls12_381::Scalar;
use groth16_cuda::assignment::scalars_from_bytes;
use groth16_cuda::key::Checks;
use groth16_cuda::prover::Proved;
use groth16_cuda::timeline::Phase;
use groth16_cuda::{Assignment, LoadedKey, Prover, ProverConfig, ProvingKey, R1cs};

mod harness;
use harness::{Options, Record, median};

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

const RUNS: usize = 11;
const SPEND_LOG2: u32 = 17;

fn main() -> Answer<()> {
    let options = Options::from_arguments();
    let mut record = Record::new("prove", &options);
    if let (Some(params), Some(data)) = (&options.params, &options.data) {
        sapling(&options, &mut record, params, data)?;
    } else {
        eprintln!("sapling-1 is skipped: it needs --params and --data");
    }
    record.finish(&options);
    Ok(())
}

/// One recorded proof to be made again.
struct Case {
    assignment: Assignment,
    r: Scalar,
    s: Scalar,
    proof: Vec<u8>,
}

impl Case {
    fn read(folder: &Path) -> Answer<Self> {
        let file = |name: &str| std::fs::read(folder.join(name));
        let scalars = |name: &'static str| -> Answer<Vec<Scalar>> {
            Ok(scalars_from_bytes(name, &file(name)?)?)
        };
        let system = R1cs::read(file("spend.r1cs.bin")?.as_slice())?;
        let assignment = system.assign(scalars("spend.inputs.bin")?, scalars("spend.aux.bin")?)?;
        let stages = String::from_utf8(file("spend.stages.txt")?)?;
        let (r, s) = (number(&stages, "r = ")?, number(&stages, "s = ")?);
        Ok(Self { assignment, r, s, proof: file("spend.proof.bin")? })
    }

    fn prove(&self, prover: &Prover, key: &LoadedKey) -> Answer<(Proved, bool)> {
        let proved = prover.prove_with_randomness(key, &self.assignment, &self.r, &self.s)?;
        let right = proved.proof.to_bytes().as_slice() == self.proof;
        Ok((proved, right))
    }
}

/// A scalar that a line of the record gives in hexadecimal, the highest digit first or last.
fn number(stages: &str, label: &str) -> Answer<Scalar> {
    let line = stages.lines().find_map(|line| line.strip_prefix(label)).ok_or("no such stage")?;
    let bytes = hex::decode(line.trim())?;
    Ok(scalars_from_bytes("stages", &bytes)?.first().copied().ok_or("no scalar")?)
}

fn sapling(options: &Options, record: &mut Record, params: &Path, data: &Path) -> Answer<()> {
    let file = std::fs::File::open(params.join("sapling-spend.params"))?;
    let key = ProvingKey::read(std::io::BufReader::new(file), Checks::SkipSubgroup)?;
    let case = Case::read(&data.join("sapling"))?;
    for (name, self_check) in [("sapling-1", false), ("sapling-1-verified", true)] {
        if !options.wants(&[name]) {
            continue;
        }
        let config = ProverConfig { self_check, ..ProverConfig::default() };
        let prover = Prover::new(&options.device, config)?;
        let key = prover.load(&key)?;
        let mut right = case.prove(&prover, &key)?.1;
        let mut times_ms = Vec::with_capacity(RUNS);
        let mut phases = [Phase::Stage, Phase::Compute, Phase::Finish].map(|p| (p, Vec::new()));
        for _ in 0..RUNS {
            let start = Instant::now();
            let (proved, same) = case.prove(&prover, &key)?;
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
            right &= same;
            for (phase, times) in &mut phases {
                times.push(proved.timeline.time(*phase).as_secs_f64() * 1e3);
            }
        }
        record.row(name, SPEND_LOG2, median(&mut times_ms), right);
        for (phase, times) in &mut phases {
            eprintln!("  {:10} {:9.3} ms", phase.name(), median(times));
        }
    }
    Ok(())
}
