//! Keys made on a device: groth16's, byte for byte, and proofs with them.

use std::collections::HashMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use bls12_381::{Bls12, G1Projective, G2Projective, Scalar};
use ff::{Field, PrimeField};
use groth16_cuda::device::{Device, HostConfig};
use groth16_cuda::key::{Checks, KeyPart};
use groth16_cuda::prover::{Prover, ProverConfig};
use groth16_cuda::repr::{G1, G2};
use groth16_cuda::setup::{self, Column, Columns, SILENT, Step, Trapdoor};
use groth16_cuda::synthetic::{Shape, Synthetic};
use groth16_cuda::{Error, LoadedKey, ProvingKey, R1cs, verify};
use group::{Curve, Group};
use parking_lot::Mutex;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::circuits::{self, Sample, Terms, Values, samples};
use crate::device::device;
use crate::oracle::groups::TestGroup;

/// A random trapdoor over random points.
fn trapdoor(seed: u64) -> Trapdoor {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut trapdoor = Trapdoor::random(&mut rng);
    trapdoor.g1 = G1Projective::random(&mut rng).to_affine();
    trapdoor.g2 = G2Projective::random(&mut rng).to_affine();
    trapdoor
}

/// The key that groth16's generator makes.
fn oracle(sample: &Sample, secret: &Trapdoor) -> Result<Vec<u8>, bellman::SynthesisError> {
    let params = groth16::generate_parameters::<Bls12, _>(
        sample,
        secret.g1.into(),
        secret.g2.into(),
        secret.alpha,
        secret.beta,
        secret.gamma,
        secret.delta,
        secret.tau,
    )?;
    let mut bytes = Vec::new();
    params.write(&mut bytes).expect("a vector takes everything");
    Ok(bytes)
}

fn generated(system: &impl Columns, secret: &Trapdoor) -> Result<Vec<u8>, Error> {
    let key = setup::generate(&device(), system, secret, SILENT)?;
    let mut bytes = Vec::new();
    key.write(&mut bytes)?;
    Ok(bytes)
}

/// Around a thousand rows with every odd case among them, in the domain of 2^10.
fn odd() -> Sample {
    let shape = circuits::Shape {
        constraints: 990,
        inputs: 8,
        aux: 900,
        values: Values::Random,
        empty_b: false,
    };
    let mut sample = Sample::new(shape, 10);
    // Variables of their own for the odd rows; the random rows do not know of them.
    let (old_inputs, new_inputs) = (sample.inputs.len(), 5);
    for terms in sample.rows.iter_mut().flatten() {
        terms.iter_mut().filter(|t| t.0 >= old_inputs).for_each(|t| t.0 += new_inputs);
    }
    sample.inputs.extend([Scalar::from(9); 5]);
    sample.aux.extend([Scalar::from(7); 8]);
    let input = |i: usize| old_inputs + i;
    let aux = |i: usize| old_inputs + new_inputs + 900 + i;
    let one = Scalar::ONE;
    let term = |variable: usize| -> Terms { vec![(variable, one)] };
    let cancelled = |variable: usize| -> Terms { vec![(variable, one), (variable, -one)] };
    // Input 0 is unused but for its own row.
    sample.rows.extend([
        [vec![], vec![], term(input(1))],
        [vec![], term(input(2)), vec![]],
        [vec![(input(3), -one)], cancelled(input(4)), vec![]],
        [vec![], vec![], term(aux(0))],
        [term(aux(1)), vec![], vec![]],
        [vec![], term(aux(2)), vec![]],
        [vec![(aux(3), one), (aux(3), Scalar::from(5)), (0, one)], term(0), term(aux(3))],
        [cancelled(aux(4)), term(0), term(aux(4))],
        [term(0), cancelled(aux(5)), term(aux(5))],
        [vec![(aux(6), Scalar::ZERO)], vec![(aux(6), Scalar::ZERO)], vec![(aux(6), -one)]],
        [vec![], vec![], vec![]],
        [term(aux(7)), term(aux(7)), vec![(0, Scalar::from(49))]],
    ]);
    sample.name = "odd".to_owned();
    sample
}

#[test]
fn keys_equal_groth16s_byte_for_byte() {
    for (sample, seed) in samples().into_iter().chain([odd()]).zip(0..) {
        let secret = trapdoor(seed);
        let expected = oracle(&sample, &secret).expect("groth16 makes it");
        let system = R1cs::synthesize(&sample).expect("synthesis");
        let key = generated(&system.columns().expect("memory"), &secret).expect("a key");
        assert!(key == expected, "{}", sample.name);
        if seed % 10 == 0 {
            let from_file =
                generated(&sample.r1cs().columns().expect("memory"), &secret).expect("a key");
            assert!(from_file == expected, "{}", sample.name);
            let mut written = Vec::new();
            let vk = setup::write(
                &device(),
                &system.columns().expect("memory"),
                &secret,
                &mut written,
                SILENT,
            );
            assert!(written == expected, "{}", sample.name);
            let key = ProvingKey::read(expected.as_slice(), Checks::Full).expect("a good key");
            assert_eq!(vk.expect("a key"), *key.vk());
        }
    }
}

#[test]
fn the_odd_circuit_is_of_size_two_to_the_ten() {
    let sample = odd();
    let rows = sample.rows.len() + sample.inputs.len();
    assert!((513..=1024).contains(&rows), "{rows} rows");
    let key = setup::generate(
        &device(),
        &R1cs::synthesize(&sample).expect("synthesis").columns().expect("memory"),
        &trapdoor(1),
        SILENT,
    );
    let shape = key.expect("a key").shape();
    assert_eq!((shape.domain_log2, shape.inputs, shape.aux), (10, 13, 908));
}

#[test]
fn a_variable_in_no_constraint_is_an_error_of_its_own() {
    let mut sample = circuits::sample();
    let variable = sample.aux.len();
    sample.aux.extend([Scalar::ONE; 2]);
    let last = sample.inputs.len() + variable + 1;
    // The first of the two occurs with coefficients that are zero together, the second does occur.
    let first = last - 1;
    sample.rows.push([vec![(last, Scalar::ONE)], vec![], vec![(first, Scalar::ZERO)]]);
    let error = generated(
        &R1cs::synthesize(&sample).expect("synthesis").columns().expect("memory"),
        &trapdoor(2),
    );
    let error = error.expect_err("no key");
    assert!(matches!(error, Error::Unconstrained { variable: v } if v == variable), "{error}");
    let theirs = oracle(&sample, &trapdoor(2)).expect_err("no key");
    assert!(matches!(theirs, bellman::SynthesisError::UnconstrainedVariable), "{theirs}");
    let prover = prover(64 << 20);
    let columns = R1cs::synthesize(&sample).expect("synthesis").columns().expect("memory");
    let error = prover.setup(&columns, &trapdoor(2), SILENT).expect_err("no key");
    assert!(matches!(error, Error::Unconstrained { .. }), "{error}");
}

#[test]
fn a_variable_that_was_never_allocated_is_refused() {
    let error = R1cs::synthesize(circuits::Foreign).expect_err("no system");
    assert!(matches!(error, Error::Synthesis(bellman::SynthesisError::Unsatisfiable)), "{error}");
}

#[test]
fn trapdoors_that_make_no_key_are_refused() {
    let system =
        R1cs::synthesize(&circuits::sample()).expect("synthesis").columns().expect("memory");
    let good = trapdoor(3);
    type Spoil = fn(&mut Trapdoor);
    let bad: [(Spoil, &str); 10] = [
        (|t| t.alpha = Scalar::ZERO, "alpha is zero"),
        (|t| t.beta = Scalar::ZERO, "beta is zero"),
        (|t| t.gamma = Scalar::ZERO, "gamma is zero"),
        (|t| t.delta = Scalar::ZERO, "delta is zero"),
        (|t| t.tau = Scalar::ZERO, "tau is zero"),
        // 23 rows lie in a domain of 32 points, which holds all roots of orders up to 32.
        (
            |t| t.tau = Scalar::ROOT_OF_UNITY.pow_vartime(&[1 << 27, 0, 0, 0]),
            "tau is a point of the domain",
        ),
        (|t| t.g1 = G1Projective::identity().to_affine(), "g1 is at infinity"),
        (|t| t.g2 = G2Projective::identity().to_affine(), "g2 is at infinity"),
        (|t| t.g1 = G1::outside(), "g1 is not in G1"),
        (|t| t.g2 = G2::outside(), "g2 is not in G2"),
    ];
    for (spoil, expected) in bad {
        let mut secret = good.clone();
        spoil(&mut secret);
        let error = generated(&system, &secret).expect_err("no key");
        assert!(matches!(error, Error::Trapdoor { what } if what == expected), "{error}");
    }
    assert!(!format!("{good:?}").contains("0x"), "a trapdoor's numbers are not printed");
}

/// A system that says nothing but its size.
struct Sized(usize, usize, usize);

impl Columns for Sized {
    fn inputs(&self) -> usize {
        self.0
    }
    fn aux(&self) -> usize {
        self.1
    }
    fn constraints(&self) -> usize {
        self.2
    }
    fn column(&self, _: usize, _: &[Scalar]) -> Column {
        Column::default()
    }
}

#[test]
fn systems_of_impossible_sizes_are_refused() {
    let error = generated(&Sized(0, 0, 4), &trapdoor(4)).expect_err("no key");
    assert!(matches!(error, Error::NoConstantOne), "{error}");
    for system in [Sized(1, 0, usize::MAX), Sized(1, 0, 1 << 31), Sized(1, usize::MAX, 4)] {
        let error = generated(&system, &trapdoor(4)).expect_err("no key");
        assert!(matches!(error, Error::TooMany { .. }), "{error}");
    }
}

#[test]
fn progress_reaches_the_end_of_every_step() {
    let circuit = Shape::porep(8).synthetic(1).expect("a circuit");
    let ends = Mutex::new(HashMap::new());
    let tell = |step: Step, done: usize, all: usize| {
        assert!(done <= all, "{step}: {done} of {all}");
        let mut ends = ends.lock();
        let end = ends.entry(step.to_string()).or_insert((0, all));
        *end = (end.0.max(done), all);
    };
    let key = setup::generate(&device(), &circuit, &trapdoor(5), &tell).expect("a key");
    let ends = ends.into_inner();
    let parts = [KeyPart::Ic, KeyPart::H, KeyPart::L, KeyPart::A, KeyPart::BG1, KeyPart::BG2];
    let steps = [Step::Rows, Step::Columns].into_iter().chain(parts.map(Step::Points));
    for step in steps {
        let (done, all) = ends[&step.to_string()];
        assert!(done == all && all > 0, "{step}: {done} of {all}");
    }
    assert_eq!(ends["h"].1, key.h().len());
}

/// A circuit whose columns panic.
struct Panics(Synthetic);

impl Columns for Panics {
    fn inputs(&self) -> usize {
        self.0.shape().inputs
    }
    fn aux(&self) -> usize {
        self.0.shape().aux
    }
    fn constraints(&self) -> usize {
        self.0.shape().constraints
    }
    fn column(&self, variable: usize, weights: &[Scalar]) -> Column {
        assert!(variable != 20, "a column's own panic");
        self.0.column(variable, weights)
    }
}

#[test]
fn panics_in_the_callers_code_leave_the_prover_as_it_was() {
    let circuit = Shape::porep(6).synthetic(1).expect("a circuit");
    let (prover, secret) = (prover(64 << 20), trapdoor(8));
    let calls = AtomicUsize::new(0);
    let count = |_: Step, _: usize, _: usize| {
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let free = || prover.device().memory().expect("memory").0;
    drop(prover.setup(&circuit, &secret, &count).expect("a key"));
    let before = free();
    let columns = Panics(circuit.clone());
    let unwound = |body: &dyn Fn() -> Result<LoadedKey, Error>| {
        assert!(catch_unwind(AssertUnwindSafe(|| body().map(drop))).is_err());
    };
    unwound(&|| prover.setup(&columns, &secret, SILENT));
    for call in 0..calls.load(Ordering::Relaxed) {
        let left = AtomicUsize::new(call);
        let tell = |_: Step, _: usize, _: usize| {
            let last = left.fetch_sub(1, Ordering::Relaxed) == 0;
            assert!(!last, "a callback's own panic");
        };
        unwound(&|| prover.setup(&circuit, &secret, &tell));
    }
    // Other tests share a GPU's memory; a host device is this test's own.
    if prover.device().name() == "host" {
        assert_eq!(free(), before);
    }
    let key = prover.setup(&circuit, &secret, SILENT).expect("a key");
    let assignment = circuit.assignment().expect("an assignment");
    prover.prove(&key, &assignment, &mut ChaCha20Rng::seed_from_u64(1)).expect("a proof");
}

/// A writer that takes so many bytes.
struct Short(usize);

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let len = bytes.len().min(self.0);
        self.0 -= len;
        Ok(len)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Err(std::io::Error::other("no flush"))
    }
}

#[test]
fn a_writer_that_fails_is_an_error() {
    let circuit = Shape::porep(5).synthetic(1).expect("a circuit");
    let secret = trapdoor(9);
    let mut whole = Vec::new();
    setup::write(&device(), &circuit, &secret, &mut whole, SILENT).expect("a key");
    for room in [0, 95, 1000, whole.len() - 1, whole.len()] {
        let result = setup::write(&device(), &circuit, &secret, Short(room), SILENT);
        assert!(matches!(result, Err(Error::Io { .. })), "{room}: {result:?}");
    }
}

/// A system that answers differently every time.
struct Fickle(AtomicUsize);

impl Columns for Fickle {
    fn inputs(&self) -> usize {
        1 + self.0.fetch_add(1, Ordering::Relaxed)
    }
    fn aux(&self) -> usize {
        5 + self.0.fetch_add(1, Ordering::Relaxed)
    }
    fn constraints(&self) -> usize {
        9 + self.0.fetch_add(1, Ordering::Relaxed)
    }
    fn column(&self, variable: usize, weights: &[Scalar]) -> Column {
        Column { c: weights[variable % weights.len()], ..Column::default() }
    }
}

#[test]
fn lengths_are_asked_for_once() {
    let system = Fickle(AtomicUsize::new(0));
    let key = setup::generate(&device(), &system, &trapdoor(10), SILENT).expect("a key");
    assert_eq!((key.shape().inputs, key.shape().aux, key.shape().domain_log2), (1, 6, 4));
    assert_eq!(system.0.into_inner(), 3);
}

#[test]
fn a_domain_beyond_the_kernels_is_refused_at_once() {
    let prover = prover(1 << 20);
    let large = Sized(1, 0, 1 << 27);
    let error = prover.setup(&large, &trapdoor(4), SILENT).expect_err("no key");
    assert!(matches!(error, Error::TooMany { what: "domain", .. }), "{error}");
    let error =
        prover.setup(&Sized(1, 1 << 20, 1 << 20), &trapdoor(4), SILENT).expect_err("no key");
    assert!(matches!(error, Error::InsufficientVram { .. }), "{error}");
}

fn prover(vram_budget: u64) -> Prover {
    let config = ProverConfig { vram_budget: Some(vram_budget), ..ProverConfig::default() };
    Prover::new(&device(), config).expect("a prover")
}

/// The same key in the prover's memory and through the host; proofs; and outputs that are flipped.
fn keys_and_proofs_of(circuit: &Synthetic) {
    let secret = trapdoor(6);
    let prover = prover(64 << 20);
    let direct = prover.setup(circuit, &secret, SILENT).expect("a key");
    let key = setup::generate(prover.device(), circuit, &secret, SILENT).expect("a key");
    let loaded = prover.load(&key).expect("room");
    assert_eq!(direct.vk(), key.vk());
    assert_eq!(direct.plan().shape(), loaded.plan().shape());
    let assignment = circuit.assignment().expect("an assignment");
    let (r, s) = (Scalar::from(11), Scalar::from(13));
    let proofs = [&direct, &loaded].map(|key| {
        let proved = prover.prove_with_randomness(key, &assignment, &r, &s).expect("a proof");
        verify(key.prepared_vk(), &proved.proof, assignment.public_inputs()).expect("it verifies");
        proved.proof
    });
    assert_eq!(proofs[0], proofs[1]);
    for row in [0, circuit.shape().aux - 1] {
        let mut aux = circuit.aux_values().expect("memory");
        aux[row] = if aux[row] == Scalar::ZERO { Scalar::ONE } else { Scalar::ZERO };
        let flipped =
            circuit.assign_without_c(circuit.input_values(), aux.clone()).expect("lengths");
        let error = prover.prove_with_randomness(&direct, &flipped, &r, &s).expect_err("no proof");
        assert!(matches!(error, Error::SelfCheck), "{row}: {error}");
        let flipped = circuit.assign(circuit.input_values(), aux).expect("lengths");
        let row = flipped.first_unsatisfied().expect("a row fails");
        let error = prover.prove_with_randomness(&direct, &flipped, &r, &s).expect_err("no proof");
        assert!(matches!(error, Error::Unsatisfied { constraint } if constraint == row), "{error}");
    }
}

#[test]
fn porep_12_is_proved_with_a_key_from_the_device() {
    keys_and_proofs_of(&Shape::porep(12).synthetic(12).expect("a circuit"));
}

#[test]
fn dense_12_is_proved_with_a_key_from_the_device() {
    keys_and_proofs_of(&Shape::dense(12).synthetic(12).expect("a circuit"));
}

#[test]
fn a_key_that_finds_no_room_changes_nothing() {
    let circuit = Shape::dense(8).synthetic(1).expect("a circuit");
    let secret = trapdoor(7);
    let small = prover(64 << 10);
    let error = small.setup(&circuit, &secret, SILENT).expect_err("no room");
    assert!(matches!(error, Error::InsufficientVram { .. }), "{error}");
    // The arena takes all but 64 KiB of the device: there is no room to make points beside it.
    let memory = 16 << 20;
    let device = Device::host(HostConfig { memory_bytes: memory, ..HostConfig::default() });
    let device = device.expect("the host target");
    let budget = Some(memory - (64 << 10));
    let config = ProverConfig { vram_budget: budget, ..ProverConfig::default() };
    let full = Prover::new(&device, config).expect("a prover");
    let error = full.setup(&circuit, &secret, SILENT).expect_err("no room beside the arena");
    assert!(matches!(error, Error::InsufficientVram { .. }), "{error}");
    // The same prover still loads and proves.
    let other = Device::host(HostConfig { memory_bytes: memory, ..HostConfig::default() });
    let key = setup::generate(&other.expect("the host target"), &circuit, &secret, SILENT);
    let key = full.load(&key.expect("a key")).expect("room");
    let assignment = circuit.assignment().expect("an assignment");
    full.prove(&key, &assignment, &mut ChaCha20Rng::seed_from_u64(1)).expect("a proof");
}
