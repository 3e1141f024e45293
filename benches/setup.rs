//! Key generation into a prover's memory, and whether proofs with those keys hold.
//!
//! A row's time is that of one `Prover::setup`, from the shape to the key on the device. Its key is
//! right where a proof of the shape's witness verifies by pairing and one of a witness with an
//! output changed is refused by the self-check.
#![allow(missing_docs)]

use std::time::Instant;

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::key::KeyShape;
use groth16_cuda::setup::{SILENT, Trapdoor};
use groth16_cuda::synthetic::{Figures, Shape, Synthetic};
use groth16_cuda::timeline::Phase;
use groth16_cuda::{Assignment, Error, LoadedKey, Prover, ProverConfig, verify};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::prelude::*;

mod harness;
use harness::{Options, Record, median};

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

const RUNS: usize = 3;

/// What rows count beside the time, after the shape's name.
const COUNTS: [&str; 7] = ["constraints", "inputs", "aux", "zeros", "ones", "a-points", "b-points"];

fn main() -> Answer<()> {
    let options = Options::from_arguments();
    let mut record = Record::new("setup", &options);
    let config = match options.device.name() {
        "host" => ProverConfig { vram_budget: Some(1 << 30), ..ProverConfig::default() },
        _ => ProverConfig::default(),
    };
    let prover = Prover::new(&options.device, config)?;
    // A warm-up.
    prover.setup(&Shape::porep(10).synthetic(0)?, &trapdoor(), SILENT)?;
    for log2n in options.sizes(&[20, 22, 24, 27], &[10, 12]) {
        shape(&prover, &options, &mut record, "porep", Shape::porep(log2n))?;
    }
    for log2n in options.sizes(&[20, 22], &[10, 12]) {
        shape(&prover, &options, &mut record, "dense", Shape::dense(log2n))?;
    }
    record.finish(&options);
    Ok(())
}

fn trapdoor() -> Trapdoor {
    Trapdoor::random(&mut ChaCha20Rng::seed_from_u64(1))
}

fn shape(
    prover: &Prover,
    options: &Options,
    record: &mut Record,
    name: &str,
    shape: Shape,
) -> Answer<()> {
    let counts = COUNTS.map(|what| format!("{name}-{what}"));
    if !options.wants(&[name]) && !counts.iter().any(|case| options.wants(&[case])) {
        return Ok(());
    }
    let circuit = shape.synthetic(7)?;
    let figures = circuit.figures();
    eprintln!("{name} {figures}");
    let mut times_ms = Vec::with_capacity(RUNS);
    let mut last = None;
    for _ in 0..RUNS {
        drop(last.take());
        let start = Instant::now();
        last = Some(prover.setup(&circuit, &trapdoor(), SILENT)?);
        times_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let Some(key) = last else { return Ok(()) };
    let ok = proves(prover, &key, &circuit)? & refuses(prover, &key, &circuit)?;
    record.row(name, shape.log2n, median(&mut times_ms), ok);
    let points = key.plan().shape();
    let ok = ok & counted(&circuit, points)?;
    let Figures { constraints, inputs, aux, zeros, ones, .. } = figures;
    let values = [constraints, inputs, aux, zeros, ones, points.a, points.b];
    for (case, count) in counts.iter().zip(values) {
        record.count(case, shape.log2n, count, ok);
    }
    Ok(())
}

/// Whether the figures are those of the witness and of the key.
fn counted(circuit: &Synthetic, points: &KeyShape) -> Answer<bool> {
    let (figures, aux) = (circuit.figures(), circuit.aux_values()?);
    let count = |x: Scalar| aux.par_iter().filter(|y| **y == x).count();
    Ok(count(Scalar::ZERO) == figures.zeros
        && count(Scalar::ONE) == figures.ones
        && points.aux == figures.aux
        && points.inputs == figures.inputs
        && points.a == figures.inputs + figures.a_aux
        && points.b == figures.b_inputs + figures.b_aux)
}

/// Whether a proof of the witness verifies, with the prover's own check out of the way.
fn proves(prover: &Prover, key: &LoadedKey, circuit: &Synthetic) -> Answer<bool> {
    let start = Instant::now();
    let assignment = circuit.assign_without_c(circuit.input_values(), circuit.aux_values()?)?;
    let assigned = start.elapsed();
    let (r, s) = (Scalar::from(3), Scalar::from(5));
    let proved = prover.prove_with_randomness(key, &assignment, &r, &s)?;
    let time = |phase| proved.timeline.time(phase).as_secs_f64();
    eprintln!(
        "  assigned in {:.3} s; a proof: stage {:.3} s, compute {:.3} s",
        assigned.as_secs_f64(),
        time(Phase::Stage),
        time(Phase::Compute)
    );
    Ok(verify(key.prepared_vk(), &proved.proof, assignment.public_inputs()).is_ok())
}

/// Whether the self-check refuses a witness with one output changed, its rows evaluated again.
fn refuses(prover: &Prover, key: &LoadedKey, circuit: &Synthetic) -> Answer<bool> {
    let mut aux = circuit.aux_values()?;
    let middle = aux.len() / 2;
    let output = &mut aux[middle];
    *output = if *output == Scalar::ZERO { Scalar::ONE } else { Scalar::ZERO };
    let flipped: Assignment = circuit.assign_without_c(circuit.input_values(), aux)?;
    let result = prover.prove_with_randomness(key, &flipped, &Scalar::from(3), &Scalar::from(5));
    Ok(matches!(result, Err(Error::SelfCheck)))
}
