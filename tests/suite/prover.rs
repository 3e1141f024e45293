//! Proofs of small circuits, byte for byte as groth16 makes them, and what must not be proved.

use std::sync::{Arc, OnceLock};

use bls12_381::Scalar;
use ff::Field;
use groth16_cuda::assignment::Evaluations;
use groth16_cuda::device::{Device, Family, HostConfig};
use groth16_cuda::lock::{GpuLock, SingleLock, SplitLock};
use groth16_cuda::prover::{CheckConstraints, Prover, ProverConfig};
use groth16_cuda::timeline::{Block, Timeline};
use groth16_cuda::{Assignment, Error, PreparedVerifyingKey, ProvingKey, verify};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::circuits::{Sample, Terms, sample, samples};
use crate::device::device;
use crate::target::device_in_order;

/// Enough for the small circuits of these tests.
const BUDGET_BYTES: u64 = 64 << 20;

fn config() -> ProverConfig {
    ProverConfig { vram_budget: Some(BUDGET_BYTES), ..ProverConfig::default() }
}

/// The prover that most tests share.
fn prover() -> &'static Prover {
    static PROVER: OnceLock<Prover> = OnceLock::new();
    PROVER.get_or_init(|| Prover::new(&device(), config()).expect("a prover"))
}

fn randomness(seed: u64) -> (Scalar, Scalar) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (Scalar::random(&mut rng), Scalar::random(&mut rng))
}

fn key(sample: &Sample) -> (ProvingKey, groth16::Parameters<bls12_381::Bls12>) {
    let params = sample.params();
    (ProvingKey::from_bellman(&params).expect("a good key"), params)
}

/// groth16's proof.
fn oracle(
    sample: &Sample,
    params: &groth16::Parameters<bls12_381::Bls12>,
    r: Scalar,
    s: Scalar,
) -> [u8; 192] {
    let theirs = groth16::create_proof(sample, params, r, s).expect("groth16 proves it");
    groth16_cuda::Proof::from(theirs).to_bytes()
}

#[test]
fn sixty_odd_circuits_equal_groth16s_proofs() {
    let prover = prover();
    for (sample, seed) in samples().iter().zip(1000..) {
        let (key, params) = key(sample);
        let (r, s) = randomness(seed);
        let loaded = prover.load(&key).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        let proved = prover
            .prove_with_randomness(&loaded, &sample.assignment(), &r, &s)
            .unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        assert_eq!(proved.proof.to_bytes(), oracle(sample, &params, r, s), "{}", sample.name);
    }
}

#[test]
fn zero_and_one_as_randomness() {
    let sample = sample();
    let (key, params) = key(&sample);
    let loaded = prover().load(&key).expect("room");
    for (r, s) in [(Scalar::ZERO, Scalar::ZERO), (Scalar::ONE, -Scalar::ONE)] {
        let proved =
            prover().prove_with_randomness(&loaded, &sample.assignment(), &r, &s).expect("a proof");
        assert_eq!(proved.proof.to_bytes(), oracle(&sample, &params, r, s));
    }
}

#[test]
fn random_proofs_verify_and_differ() {
    let sample = sample();
    let (key, _) = key(&sample);
    let loaded = prover().load(&key).expect("room");
    let assignment = sample.assignment();
    let pvk = PreparedVerifyingKey::new(key.vk());
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let mut prove = || prover().prove(&loaded, &assignment, &mut rng).expect("a proof");
    let (one, two) = (prove(), prove());
    assert_ne!(one, two);
    for proof in [one, two] {
        verify(&pvk, &proof, assignment.public_inputs()).expect("a valid proof");
    }
}

#[test]
fn workers_share_a_device_under_either_lock() {
    let locks: [Arc<dyn GpuLock>; 2] = [Arc::new(SingleLock::new()), Arc::new(SplitLock::new())];
    let samples: Vec<_> = samples().into_iter().step_by(12).collect();
    for lock in locks {
        let prover = Prover::new(&device(), ProverConfig { lock, ..config() }).expect("a prover");
        std::thread::scope(|scope| {
            for (sample, seed) in samples.iter().zip(0..) {
                let prover = &prover;
                scope.spawn(move || {
                    let (key, params) = key(sample);
                    let loaded = prover.load(&key).expect("room");
                    for seed in [2 * seed, 2 * seed + 1] {
                        let (r, s) = randomness(seed);
                        let proved = prover
                            .prove_with_randomness(&loaded, &sample.assignment(), &r, &s)
                            .unwrap_or_else(|e| panic!("{}: {e}", sample.name));
                        let bytes = proved.proof.to_bytes();
                        assert_eq!(bytes, oracle(sample, &params, r, s), "{}", sample.name);
                    }
                });
            }
        });
    }
}

/// The assignment with the row's c, and its b with it, changed.
fn unsatisfied(assignment: &Assignment, row: usize, with_c: bool) -> Assignment {
    let mut b = assignment.b().to_vec();
    let mut a = assignment.a().to_vec();
    a[row] += Scalar::ONE;
    b[row] += Scalar::ONE;
    let c = assignment.c().map(<[Scalar]>::to_vec).filter(|_| with_c);
    Assignment::new(
        Evaluations { a, b, c },
        assignment.inputs().to_vec(),
        assignment.aux().to_vec(),
        assignment.densities().clone(),
    )
    .expect("the same lengths")
}

#[test]
fn an_unsatisfied_constraint_is_named() {
    let sample = sample();
    let (key, _) = key(&sample);
    let (r, s) = randomness(3);
    for check_constraints in [CheckConstraints::OnFailure, CheckConstraints::Always] {
        let prover = Prover::new(&device(), ProverConfig { check_constraints, ..config() });
        let prover = prover.expect("a prover");
        let loaded = prover.load(&key).expect("room");
        let bad = unsatisfied(&sample.assignment(), 11, true);
        let error = prover.prove_with_randomness(&loaded, &bad, &r, &s).expect_err("no proof");
        assert!(matches!(error, Error::Unsatisfied { constraint: 11 }), "{error}");
    }
    let bad = unsatisfied(&sample.assignment(), 11, false);
    let loaded = prover().load(&key).expect("room");
    let error = prover().prove_with_randomness(&loaded, &bad, &r, &s).expect_err("no proof");
    assert!(matches!(error, Error::SelfCheck), "{error}");
}

#[test]
fn another_circuits_key_is_refused() {
    let (key, _) = key(&sample());
    let loaded = prover().load(&key).expect("room");
    let (r, s) = randomness(4);
    for other in samples().iter().step_by(9) {
        let error = prover()
            .prove_with_randomness(&loaded, &other.assignment(), &r, &s)
            .expect_err("no proof");
        assert!(matches!(error, Error::WrongKey { .. }), "{}: {error}", other.name);
    }
}

#[test]
fn a_key_of_the_same_shape_fails_the_self_check() {
    let sample = sample();
    let mut other = sample.clone();
    // Another circuit of the same shape: the constants of a row's C double.
    let product = |row: &[Terms; 3]| sample.evaluate(&row[0]) * sample.evaluate(&row[1]);
    let row = other.rows.iter().position(|row| product(row) != Scalar::ZERO);
    let [_, _, c] = &mut other.rows[row.expect("a product that is not zero")];
    c.iter_mut().for_each(|(_, coefficient)| *coefficient = coefficient.double());
    let (key, _) = key(&other);
    let loaded = prover().load(&key).expect("room");
    let (r, s) = randomness(6);
    let error = prover()
        .prove_with_randomness(&loaded, &sample.assignment(), &r, &s)
        .expect_err("no proof");
    assert!(matches!(error, Error::SelfCheck), "{error}");
}

#[test]
fn damage_in_any_family_changes_the_bytes_and_fails_the_self_check() {
    let sample = sample();
    let (key, params) = key(&sample);
    let (r, s) = randomness(7);
    let expected = oracle(&sample, &params, r, s);
    let families = [
        Family::Ntt,
        Family::Quotient,
        Family::Witness,
        Family::BatchAdd,
        Family::MsmG1,
        Family::MsmG2,
    ];
    for family in families {
        let prove = |self_check| {
            let config = ProverConfig { corrupt: Some(family), self_check, ..config() };
            let prover = Prover::new(&device(), config).expect("a prover");
            let loaded = prover.load(&key).expect("room");
            prover.prove_with_randomness(&loaded, &sample.assignment(), &r, &s)
        };
        let proved = prove(false).expect("a wrong proof, unchecked");
        assert_ne!(proved.proof.to_bytes(), expected, "{}", family.name());
        let error = prove(true).expect_err("a wrong proof");
        assert!(matches!(error, Error::SelfCheck), "{}: {error}", family.name());
    }
}

/// With the least memory the witness's queries run one after another, with more side by side and
/// then beside H: the proofs are the same.
#[test]
fn any_budget_that_suffices_gives_the_same_proof() {
    let sample = sample();
    let (key, params) = key(&sample);
    let (r, s) = randomness(8);
    let expected = oracle(&sample, &params, r, s);
    let with = |bytes| {
        let config = ProverConfig { vram_budget: Some(bytes), ..ProverConfig::default() };
        Prover::new(&device(), config).expect("a prover")
    };
    let error = with(64 << 10).load(&key).expect_err("no room");
    let Error::InsufficientVram { needed, .. } = error else { panic!("{error}") };
    let mut scratch = Vec::new();
    for bytes in (0..8).map(|step| needed + step * needed / 2).chain([BUDGET_BYTES]) {
        let prover = with(bytes);
        let loaded = prover.load(&key).expect("room");
        scratch.push(loaded.plan().scratch_bytes());
        let proved = prover.prove_with_randomness(&loaded, &sample.assignment(), &r, &s);
        assert_eq!(proved.expect("a proof").proof.to_bytes(), expected, "{bytes} bytes");
    }
    scratch.dedup();
    assert!(scratch.len() >= 3, "the plans differ: {scratch:?}");
}

/// The quotient is done with w and a, so the next proof stages into them while H is multiplied,
/// even where there is room for one proof only.
#[test]
fn the_next_proof_stages_during_this_ones_last_multiplication() {
    // Random orders, in which copies that miss a wait come too early.
    for seed in [2, 3] {
        proofs_overlap(&device_in_order(Some(seed)));
    }
}

fn proofs_overlap(device: &Device) {
    const PROOFS: usize = 4;
    let sample = sample();
    let (key, params) = key(&sample);
    let (r, s) = randomness(9);
    let expected = oracle(&sample, &params, r, s);
    let with = |bytes| ProverConfig { vram_budget: Some(bytes), ..ProverConfig::default() };
    let tiny = Prover::new(device, with(64 << 10)).expect("a prover");
    let Err(Error::InsufficientVram { needed, .. }) = tiny.load(&key) else { panic!("no room") };
    let prover = Prover::new(device, with(needed)).expect("a prover");
    let loaded = prover.load(&key).expect("room for one");
    let prove = || {
        let proved = prover.prove_with_randomness(&loaded, &sample.assignment(), &r, &s);
        let proved = proved.expect("a proof");
        assert_eq!(proved.proof.to_bytes(), expected);
        proved.timeline
    };
    let timelines: Vec<_> = std::thread::scope(|scope| {
        let worker = || (0..PROOFS).map(|_| prove()).collect::<Vec<_>>();
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    let held = |timeline: &Timeline, block| {
        let mut spans = timeline.blocks().iter().filter(|span| span.block == block);
        *spans.next().expect("each block was taken")
    };
    let mut overlaps = 0;
    for one in &timelines {
        let last = held(one, Block::B);
        for block in [Block::W, Block::A] {
            let span = held(one, block);
            assert!(span.asked <= span.taken && span.taken <= span.returned);
            assert!(span.returned < last.returned, "{} goes back first", block.name());
            let others = timelines.iter().filter(|other| other.proof() != one.proof());
            let taken = others.map(|other| held(other, block).taken);
            overlaps += taken.filter(|t| (span.returned..last.returned).contains(t)).count();
        }
    }
    assert!(overlaps > 0, "no proof was staged into blocks of the one before");
}

#[test]
fn too_little_memory_is_an_error_that_says_how_much() {
    let config = HostConfig { memory_bytes: 1 << 20, ..HostConfig::default() };
    let small = Device::host(config).expect("the host target");
    let budget = |bytes| ProverConfig { vram_budget: Some(bytes), ..ProverConfig::default() };
    let error = Prover::new(&small, budget(2 << 20)).expect_err("more than there is");
    assert!(matches!(error, Error::InsufficientVram { .. }), "{error}");
    let (key, _) = key(&sample());
    let prover = Prover::new(&small, budget(16 << 10)).expect("16 KiB");
    let error = prover.load(&key).expect_err("no room");
    assert!(
        matches!(error, Error::InsufficientVram { needed, available }
            if needed > available && available <= 16 << 10),
        "{error}"
    );
}
