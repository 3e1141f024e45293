//! Points of G1 and G2 in both of the kernels' arithmetics, against `bls12_381` and other people's
//! multiples of the generators.

use bls12_381::{G1Projective, G2Projective, Scalar};
use groth16_cuda::probe::{Curve, FieldOp, Fp, Probe};
use groth16_cuda::repr::{G1, G1AffineRepr, G1XyzzRepr, G2, G2AffineRepr, G2XyzzRepr};
use group::{Curve as _, Group};

use crate::data;
use crate::field::probes;

/// What these tests need of a group beside the probe.
trait TestGroup: Curve {
    type Projective: Group<Scalar = Scalar>;
    /// Base field coordinates of an affine point: two or four.
    const COORDINATES: usize;
    fn encoded(point: &Self::Projective) -> Vec<u8>;
    fn affine(coordinates: &[Fp]) -> Self::Affine;
    fn coordinates(point: &Self::Affine) -> Vec<Fp>;
    fn is_infinity(point: &Self::Xyzz) -> bool;
}

fn wide(limbs: &[Fp], i: usize) -> u64 {
    let number = limbs[i / 6];
    u64::from(number[2 * (i % 6)]) | u64::from(number[2 * (i % 6) + 1]) << 32
}

fn narrow(limbs: &[u64]) -> Vec<Fp> {
    let number = |limbs: &[u64]| std::array::from_fn(|i| (limbs[i / 2] >> (32 * (i % 2))) as u32);
    limbs.chunks(6).map(number).collect()
}

impl TestGroup for G1 {
    type Projective = G1Projective;
    const COORDINATES: usize = 2;
    fn encoded(point: &G1Projective) -> Vec<u8> {
        point.to_affine().to_uncompressed().to_vec()
    }
    fn affine(c: &[Fp]) -> G1AffineRepr {
        G1AffineRepr(std::array::from_fn(|i| wide(c, i)))
    }
    fn coordinates(point: &G1AffineRepr) -> Vec<Fp> {
        narrow(&point.0)
    }
    fn is_infinity(point: &G1XyzzRepr) -> bool {
        point.0[12..18] == [0; 6]
    }
}

// The encoding has c1 before c0.
impl TestGroup for G2 {
    type Projective = G2Projective;
    const COORDINATES: usize = 4;
    fn encoded(point: &G2Projective) -> Vec<u8> {
        point.to_affine().to_uncompressed().to_vec()
    }
    fn affine(c: &[Fp]) -> G2AffineRepr {
        let c = [c[1], c[0], c[3], c[2]];
        G2AffineRepr(std::array::from_fn(|i| wide(&c, i)))
    }
    fn coordinates(point: &G2AffineRepr) -> Vec<Fp> {
        let c = narrow(&point.0);
        vec![c[1], c[0], c[3], c[2]]
    }
    fn is_infinity(point: &G2XyzzRepr) -> bool {
        point.0[24..36] == [0; 12]
    }
}

/// The flag of infinity in an encoding's first byte; the two others mean compression and sign.
const INFINITY_FLAG: u8 = 0x40;

/// Uncompressed encodings to the kernels' points, through the probe's decoding of numbers.
fn decode<G: TestGroup>(probe: &Probe, encodings: &[Vec<u8>]) -> Vec<G::Affine> {
    let mut bytes: Vec<[u8; 48]> =
        encodings.iter().flat_map(|e| e.as_chunks::<48>().0.to_vec()).collect();
    for first in bytes.iter_mut().step_by(G::COORDINATES) {
        first[0] &= 0x1f;
    }
    let numbers = probe.fp_decode(&bytes).expect("probe");
    let numbers: Vec<Fp> = numbers.into_iter().map(|x| x.expect("below p")).collect();
    numbers.chunks(G::COORDINATES).map(G::affine).collect()
}

/// The kernels' points to uncompressed encodings.
fn encode<G: TestGroup>(probe: &Probe, points: &[G::Xyzz]) -> Vec<Vec<u8>> {
    let affine = probe.to_affine::<G>(points).expect("probe");
    let numbers: Vec<Fp> = affine.iter().flat_map(G::coordinates).collect();
    let canonical = probe.field(FieldOp::ToCanonical, &numbers, &numbers).expect("probe");
    let bytes = |c: &[Fp]| -> Vec<u8> {
        let limbs = c.iter().flat_map(|number| number.iter().rev());
        limbs.flat_map(|limb| limb.to_be_bytes()).collect()
    };
    let mut encodings: Vec<Vec<u8>> = canonical.chunks(G::COORDINATES).map(bytes).collect();
    for (encoding, point) in encodings.iter_mut().zip(&affine) {
        if *point == G::INFINITY {
            encoding[0] |= INFINITY_FLAG;
        }
    }
    encodings
}

/// Points whose pairs hold infinity, P + P, P − P, P + 2P and strangers.
fn points<P: Group<Scalar = Scalar>>() -> Vec<P> {
    let random = Scalar::from(0x1234_5678_9abc_def1).square().square();
    let scalars = [0, 1, 2, 3, 4].map(Scalar::from).into_iter();
    let scalars = scalars.chain([1, 2].map(|k| -Scalar::from(k)));
    let scalars = scalars.chain([random, -random, random.double(), random.square(), random]);
    scalars.map(|k| P::generator() * k).collect()
}

/// A list of points in everything that the tests compare.
struct Points<G: TestGroup> {
    known: Vec<G::Projective>,
    affine: Vec<G::Affine>,
    /// With ZZ = 1 where the point is finite.
    plain: Vec<G::Xyzz>,
    /// With other ZZ: 2P − P.
    scaled: Vec<G::Xyzz>,
}

impl<G: TestGroup> Points<G> {
    fn new(probe: &Probe, known: Vec<G::Projective>) -> Self {
        let encodings: Vec<_> = known.iter().map(G::encoded).collect();
        let affine = decode::<G>(probe, &encodings);
        let plain = probe.from_affine::<G>(&affine).expect("probe");
        let negative = probe.neg::<G>(&plain).expect("probe");
        let twice = probe.dbl::<G>(&plain).expect("probe");
        let scaled = probe.add::<G>(&twice, &negative).expect("probe");
        assert!(plain.iter().zip(&scaled).all(|(p, s)| p != s || G::is_infinity(p)));
        Self { known, affine, plain, scaled }
    }
}

fn expect<G: TestGroup>(probe: &Probe, what: &str, got: &[G::Xyzz], known: &[G::Projective]) {
    for (i, (got, known)) in encode::<G>(probe, got).iter().zip(known).enumerate() {
        assert_eq!(hex::encode(got), hex::encode(G::encoded(known)), "{what} of pair {i}");
    }
}

fn sums_of_all_pairs<G: TestGroup>() {
    for probe in probes() {
        let known = points::<G::Projective>();
        let n = known.len();
        let p = Points::<G>::new(&probe, (0..n * n).map(|i| known[i / n]).collect());
        let q = Points::<G>::new(&probe, (0..n * n).map(|i| known[i % n]).collect());
        let sums: Vec<_> = p.known.iter().zip(&q.known).map(|(p, q)| *p + *q).collect();
        for (name, p_points) in [("plain", &p.plain), ("scaled", &p.scaled)] {
            expect::<G>(&probe, name, p_points, &p.known);
            let mixed = probe.add_mixed::<G>(p_points, &q.affine).expect("probe");
            expect::<G>(&probe, &format!("{name} + affine"), &mixed, &sums);
            let inline = probe.add_mixed_inline::<G>(p_points, &q.affine).expect("probe");
            expect::<G>(&probe, &format!("{name} + affine, in line"), &inline, &sums);
            for (other, q_points) in [("plain", &q.plain), ("scaled", &q.scaled)] {
                let sum = probe.add::<G>(p_points, q_points).expect("probe");
                expect::<G>(&probe, &format!("{name} + {other}"), &sum, &sums);
            }
            let twice: Vec<_> = p.known.iter().map(|p| p.double()).collect();
            expect::<G>(&probe, "2P", &probe.dbl::<G>(p_points).expect("probe"), &twice);
            let negative: Vec<_> = p.known.iter().map(|p| -*p).collect();
            expect::<G>(&probe, "-P", &probe.neg::<G>(p_points).expect("probe"), &negative);
        }
        let twice: Vec<_> = p.known.iter().map(|p| p.double()).collect();
        expect::<G>(&probe, "2A", &probe.dbl_affine::<G>(&p.affine).expect("probe"), &twice);
    }
}

#[test]
fn g1_sums_of_all_pairs() {
    sums_of_all_pairs::<G1>();
}

#[test]
fn g2_sums_of_all_pairs() {
    sums_of_all_pairs::<G2>();
}

/// The laws of a group, compared in affine coordinates.
fn laws<G: TestGroup>() {
    for probe in probes() {
        let known = points::<G::Projective>();
        let n = known.len();
        let turned = |by: usize| -> Vec<_> { (0..n).map(|i| known[(i * by + by) % n]).collect() };
        let a = Points::<G>::new(&probe, known.clone()).scaled;
        let b = Points::<G>::new(&probe, turned(5)).scaled;
        let c = Points::<G>::new(&probe, turned(7)).scaled;
        let add = |p: &[G::Xyzz], q: &[G::Xyzz]| probe.add::<G>(p, q).expect("probe");
        let affine = |p: &[G::Xyzz]| probe.to_affine::<G>(p).expect("probe");
        assert_eq!(affine(&add(&a, &b)), affine(&add(&b, &a)));
        assert_eq!(affine(&add(&add(&a, &b), &c)), affine(&add(&a, &add(&b, &c))));
        let nothing = add(&a, &probe.neg::<G>(&a).expect("probe"));
        assert!(nothing.iter().all(G::is_infinity));
        assert_eq!(affine(&add(&a, &nothing)), affine(&a));
        assert_eq!(affine(&add(&nothing, &a)), affine(&a));
        assert_eq!(affine(&add(&a, &a)), affine(&probe.dbl::<G>(&a).expect("probe")));
        let twice = probe.dbl::<G>(&add(&a, &b)).expect("probe");
        let both = add(&probe.dbl::<G>(&a).expect("probe"), &probe.dbl::<G>(&b).expect("probe"));
        assert_eq!(affine(&twice), affine(&both));
        assert_eq!(probe.to_affine::<G>(&[]).expect("probe"), []);
    }
}

#[test]
fn g1_is_a_group() {
    laws::<G1>();
}

#[test]
fn g2_is_a_group() {
    laws::<G2>();
}

fn curve_membership<G: TestGroup>() {
    for probe in probes() {
        let points = Points::<G>::new(&probe, points());
        let on_curve = probe.on_curve::<G>(&points.affine).expect("probe");
        assert!(on_curve.iter().all(|x| *x), "infinity is taken for a point of the curve, too");
        let damaged: Vec<G::Affine> = points.affine[1..]
            .iter()
            .enumerate()
            .map(|(i, point)| {
                let mut coordinates = G::coordinates(point);
                coordinates[i % G::COORDINATES][0] ^= 1;
                G::affine(&coordinates)
            })
            .collect();
        assert!(!probe.on_curve::<G>(&damaged).expect("probe").contains(&true));
    }
}

#[test]
fn points_off_the_curve_are_seen() {
    curve_membership::<G1>();
    curve_membership::<G2>();
}

/// 0·G, 1·G, … as another implementation wrote them.
fn multiples<G: TestGroup>(path: &str) {
    let Some(bytes) = data::file(path) else { return };
    let vectors: Vec<Vec<u8>> = bytes.chunks(G::BYTES).map(<[u8]>::to_vec).collect();
    assert_eq!(vectors.len(), 1000);
    for probe in probes() {
        let affine = decode::<G>(&probe, &vectors);
        assert!(affine[0] == G::INFINITY);
        assert!(probe.on_curve::<G>(&affine).expect("probe").iter().all(|x| *x));
        let plain = probe.from_affine::<G>(&affine).expect("probe");
        assert_eq!(encode::<G>(&probe, &plain), vectors);
        let next = probe.add_mixed_inline::<G>(&plain[..999], &[affine[1]; 999]);
        assert_eq!(encode::<G>(&probe, &next.expect("probe")), vectors[1..]);
        // k G + (999 − k) G.
        let backwards: Vec<G::Xyzz> = plain.iter().rev().copied().collect();
        let whole = probe.add::<G>(&plain, &backwards).expect("probe");
        assert!(encode::<G>(&probe, &whole).iter().all(|sum| *sum == vectors[999]));
        let twice = encode::<G>(&probe, &probe.dbl::<G>(&plain[..500]).expect("probe"));
        assert!(twice.iter().enumerate().all(|(k, sum)| *sum == vectors[2 * k]));
    }
}

#[test]
fn g1_multiples_of_the_generator() {
    multiples::<G1>("zkcrypto/g1_uncompressed_valid_test_vectors.dat");
}

#[test]
fn g2_multiples_of_the_generator() {
    multiples::<G2>("zkcrypto/g2_uncompressed_valid_test_vectors.dat");
}
