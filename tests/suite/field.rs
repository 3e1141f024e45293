//! Fp, Fr and Fp2 in both of the kernels' arithmetics: laws, and comparison with bit-by-bit
//! arithmetic and with `bls12_381`.

use bls12_381::Scalar;
use ff::PrimeField as _;
use groth16_cuda::probe::{Arithmetic, Field, FieldOp, Fp, Fp2, Fr, Probe};
use groth16_cuda::repr;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::device::device;
use crate::oracle::bigint::{self, Modulus, Number, P, R};

/// The device's own arithmetic, and the GPU's with emulated carries where the device is the host.
pub fn probes() -> Vec<Probe> {
    let device = device();
    let mut kinds = vec![Arithmetic::Target];
    if device.name() == "host" {
        kinds.push(Arithmetic::Limbs32);
    }
    kinds.into_iter().map(|kind| Probe::new(&device, kind).expect("probe")).collect()
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Numbers below the modulus at which carries, borrows and reductions change their minds.
fn edges(field: &Modulus) -> Vec<Number> {
    let number = |x: u64| [x, 0, 0, 0, 0, 0];
    let half = field.half(number(1));
    let mut edges = vec![number(0), number(1), number(2), number(u64::MAX), number(1 << 32)];
    edges.extend([field.times_r(number(1)), field.times_r(field.times_r(number(1)))]);
    edges.extend([half, field.sub(half, number(1))]);
    edges.extend([1, 2, 1 << 32, u64::MAX].map(|x| field.neg(number(x))));
    // Runs of ones and of zeros in the middle of the number.
    let limbs = field.limb_bits as usize / 64;
    for low in 0..limbs {
        let mut ones = [0; 6];
        ones[low..limbs].fill(u64::MAX);
        ones[limbs - 1] = field.m[limbs - 1] - 1;
        edges.push(ones);
        let mut below = field.m;
        below[low] = below[low].wrapping_sub(1);
        edges.push(if bigint::less(below, field.m) { below } else { number(3) });
    }
    edges
}

fn random(field: &Modulus, rng: &mut ChaCha8Rng) -> Number {
    let limbs = field.limb_bits as usize / 64;
    loop {
        let mut number = [0; 6];
        number[..limbs].fill_with(|| rng.next_u64());
        number[limbs - 1] &= u64::MAX >> field.m[limbs - 1].leading_zeros();
        // A third of the limbs is all ones or all zeros.
        for limb in &mut number[..limbs - 1] {
            match rng.next_u32() % 6 {
                0 => *limb = 0,
                1 => *limb = u64::MAX,
                _ => {}
            }
        }
        if bigint::less(number, field.m) {
            return number;
        }
    }
}

/// Pairs of numbers: every edge with every edge, edges with random ones, random ones.
fn pairs(field: &Modulus, seed: u64) -> (Vec<Number>, Vec<Number>) {
    let mut rng = rng(seed);
    let edges = edges(field);
    let mut pairs = Vec::new();
    for a in &edges {
        pairs.extend(edges.iter().map(|b| (*a, *b)));
        pairs.push((*a, random(field, &mut rng)));
        pairs.push((random(field, &mut rng), *a));
    }
    pairs.extend((0..700).map(|_| (random(field, &mut rng), random(field, &mut rng))));
    // The highest 32-bit limbs' product is 2^32 − 1: a carry into it runs through.
    let top = field.limb_bits as usize / 64 - 1;
    for _ in 0..50 {
        let (mut a, mut b) = (random(field, &mut rng), random(field, &mut rng));
        a[top] = 15 << 32 | a[top] & 0xffff_ffff;
        b[top] = 0x1111_1111 << 32 | b[top] & 0xffff_ffff;
        pairs.push((a, b));
    }
    pairs.into_iter().unzip()
}

fn limbs<const N: usize>(numbers: &[Number]) -> Vec<[u32; N]> {
    numbers.iter().map(|x| bigint::to_limbs(*x)).collect()
}

/// One operation of the probe against one function of Montgomery representations.
fn compare<const N: usize>(
    probe: &Probe,
    operation: FieldOp,
    (a, b): &(Vec<Number>, Vec<Number>),
    expected: impl Fn(usize) -> Number,
) where
    [u32; N]: Field,
{
    let got = probe.field::<[u32; N]>(operation, &limbs(a), &limbs(b)).expect("probe");
    for (i, got) in got.iter().enumerate() {
        let expected = expected(i);
        assert_eq!(
            bigint::from_limbs(got),
            expected,
            "{probe:?}: {operation:?} of {:x?} and {:x?} is not {expected:x?}",
            a[i],
            b[i]
        );
    }
}

/// Every operation of a prime field against bit-by-bit arithmetic. The operands are the numbers'
/// representations: x stands for x / R, so that a product's representation is a b / R.
fn against_oracle<const N: usize>(field: &Modulus, seed: u64)
where
    [u32; N]: Field,
{
    let operands = pairs(field, seed);
    let (a, b) = &operands;
    let product = |x, y| field.over_r(field.mul(x, y));
    let products: Vec<Number> = a.iter().zip(b).map(|(x, y)| product(*x, *y)).collect();
    let squares: Vec<Number> = a.iter().map(|x| product(*x, *x)).collect();
    for probe in probes() {
        let check = |operation, expected: &dyn Fn(usize) -> Number| {
            compare::<N>(&probe, operation, &operands, expected);
        };
        check(FieldOp::Add, &|i| field.add(a[i], b[i]));
        check(FieldOp::Sub, &|i| field.sub(a[i], b[i]));
        check(FieldOp::Neg, &|i| field.neg(a[i]));
        check(FieldOp::Dbl, &|i| field.add(a[i], a[i]));
        check(FieldOp::Half, &|i| field.half(a[i]));
        check(FieldOp::Mul, &|i| products[i]);
        check(FieldOp::MulCall, &|i| products[i]);
        check(FieldOp::Sqr, &|i| squares[i]);
        check(FieldOp::SqrCall, &|i| squares[i]);
        check(FieldOp::FromCanonical, &|i| field.times_r(a[i]));
        check(FieldOp::ToCanonical, &|i| field.over_r(a[i]));
        inverses::<N>(&probe, field, a);
    }
}

fn inverses<const N: usize>(probe: &Probe, field: &Modulus, numbers: &[Number])
where
    [u32; N]: Field,
{
    let numbers = &numbers[..numbers.len().min(200)];
    let a = limbs::<N>(numbers);
    let inverses = probe.field(FieldOp::Inverse, &a, &a).expect("probe");
    let products = probe.field(FieldOp::Mul, &a, &inverses).expect("probe");
    let one = field.times_r([1, 0, 0, 0, 0, 0]);
    for (x, product) in numbers.iter().zip(&products) {
        let expected = if *x == [0; 6] { [0; 6] } else { one };
        assert_eq!(bigint::from_limbs(product), expected, "inverse of {x:x?}");
    }
    assert_eq!(inverses[0], [0; N], "the first edge is zero, which has no inverse");
}

#[test]
fn fp_is_arithmetic_modulo_p() {
    against_oracle::<12>(&P, 1);
}

#[test]
fn fr_is_arithmetic_modulo_r() {
    against_oracle::<8>(&R, 2);
}

#[test]
fn sums_of_two_products_have_one_reduction() {
    let operands = pairs(&P, 3);
    let (a, b) = &operands;
    let products: Vec<Number> = a.iter().zip(b).map(|(x, y)| P.over_r(P.mul(*x, *y))).collect();
    let other = |i| products[products.len() - 1 - i];
    for probe in probes() {
        compare::<12>(&probe, FieldOp::MulAddMul, &operands, |i| P.add(products[i], other(i)));
        compare::<12>(&probe, FieldOp::MulSubMul, &operands, |i| P.sub(products[i], other(i)));
    }
}

/// x + k r for the greatest k up to `times` with which it is below 2^256.
fn lifted(x: Number, times: usize) -> Number {
    let mut lifted = x;
    for _ in 0..times {
        let mut carry = 0;
        let mut next = lifted;
        for (limb, m) in next.iter_mut().zip(R.m) {
            let sum = u128::from(*limb) + u128::from(m) + carry;
            *limb = sum as u64;
            carry = sum >> 64;
        }
        if next[4] != 0 {
            break;
        }
        lifted = next;
    }
    lifted
}

/// Numbers that are not reduced: the results' residues and their bounds, with each operand lifted
/// as far as it may be.
#[test]
fn numbers_need_not_be_reduced() {
    let (a, b) = pairs(&R, 13);
    let all = |x: &[Number], times: usize| -> Vec<Number> {
        x.iter().enumerate().map(|(i, x)| lifted(*x, (i + i / 7) % (times + 1))).collect()
    };
    let (tight_a, tight_b) = (all(&a, 1), all(&b, 1));
    let (loose_a, loose_b) = (all(&a, 2), all(&b, 2));
    let twice = lifted(R.m, 1);
    for probe in probes() {
        let check = |op,
                     (x, y): (&[Number], &[Number]),
                     bound,
                     expected: &dyn Fn(usize) -> Number| {
            let got = probe.field::<Fr>(op, &limbs(x), &limbs(y)).expect("probe");
            for (i, got) in got.iter().enumerate() {
                let got = bigint::from_limbs(got);
                let residue = expected(i);
                let is_residue = (0..3).any(|times| lifted(residue, times) == got);
                assert!(is_residue, "{probe:?}: {op:?} of {:x?} and {:x?}: {got:x?}", x[i], y[i]);
                let below = bigint::less(got, bound);
                assert!(below, "{probe:?}: {op:?} of {:x?} and {:x?}: {got:x?}", x[i], y[i]);
            }
        };
        let any = [0, 0, 0, 0, 1, 0];
        let product = |i: usize| R.over_r(R.mul(a[i], b[i]));
        check(FieldOp::AddLoose, (&loose_a, &tight_b), any, &|i| R.add(a[i], b[i]));
        check(FieldOp::SubLoose, (&loose_a, &tight_b), any, &|i| R.sub(a[i], b[i]));
        check(FieldOp::AddTight, (&tight_a, &tight_b), twice, &|i| R.add(a[i], b[i]));
        check(FieldOp::Tightened, (&loose_a, &b), twice, &|i| a[i]);
        check(FieldOp::ReducedLoose, (&loose_a, &b), R.m, &|i| a[i]);
        check(FieldOp::MulTight, (&a, &loose_b), twice, &product);
        check(FieldOp::MulHalves, (&a, &loose_b), twice, &product);
        check(FieldOp::MulSplit, (&a, &loose_b), twice, &product);
    }
}

#[test]
fn powers_are_repeated_products() {
    let mut rng = rng(4);
    let a: Vec<Number> = (0..20).map(|_| random(&R, &mut rng)).collect();
    let mut b: Vec<Number> = (0..20).map(|_| random(&R, &mut rng)).collect();
    for (exponent, x) in b.iter_mut().zip([0, 1, 2, 3, u64::MAX, 1 << 63]) {
        exponent[0] = x;
    }
    for probe in probes() {
        compare::<8>(&probe, FieldOp::Pow, &(a.clone(), b.clone()), |i| {
            R.times_r(R.pow(R.over_r(a[i]), b[i][0]))
        });
    }
}

#[test]
fn bytes_below_p_are_numbers() {
    let mut numbers = edges(&P);
    let mut rng = rng(5);
    numbers.extend((0..100).map(|_| random(&P, &mut rng)));
    let good = numbers.len();
    // p itself, p + 1, p with one higher limb, and all ones.
    numbers.push(P.m);
    for i in 0..6 {
        let mut above = P.m;
        above[i] += 1;
        numbers.push(above);
    }
    numbers.push([u64::MAX; 6]);
    let bytes: Vec<[u8; 48]> = numbers.iter().map(|x| bigint::to_big_endian(*x)).collect();
    for probe in probes() {
        let decoded = probe.fp_decode(&bytes).expect("probe");
        for (i, x) in decoded.iter().enumerate() {
            let expected = (i < good).then(|| bigint::to_limbs::<12>(P.times_r(numbers[i])));
            assert_eq!(*x, expected, "{:x?}", numbers[i]);
        }
    }
}

fn fr_of(scalars: &[Scalar]) -> Vec<Fr> {
    let limbs = repr::scalars_as_repr(scalars);
    limbs.iter().map(|x| std::array::from_fn(|i| (x.0[i / 2] >> (32 * (i % 2))) as u32)).collect()
}

#[test]
fn fr_is_the_scalar_of_bls12_381() {
    let mut rng = rng(6);
    let mut scalar = || Scalar::from_bytes_wide(&std::array::from_fn(|_| rng.next_u32() as u8));
    let mut a =
        vec![Scalar::zero(), Scalar::one(), -Scalar::one(), Scalar::from(2), -Scalar::one()];
    a.extend((0..300).map(|_| scalar()));
    let mut b: Vec<Scalar> = a.iter().map(|_| scalar()).collect();
    b[4] = -Scalar::one();
    for probe in probes() {
        let check = |operation, expected: &dyn Fn(Scalar, Scalar) -> Scalar| {
            let got = probe.field(operation, &fr_of(&a), &fr_of(&b)).expect("probe");
            let expected: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| expected(*a, *b)).collect();
            assert_eq!(got, fr_of(&expected), "{operation:?}");
        };
        check(FieldOp::Add, &|a, b| a + b);
        check(FieldOp::Sub, &|a, b| a - b);
        check(FieldOp::Mul, &|a, b| a * b);
        check(FieldOp::Sqr, &|a, _| a.square());
        check(FieldOp::Neg, &|a, _| -a);
        check(FieldOp::Inverse, &|a, _| a.invert().unwrap_or(Scalar::zero()));
        check(FieldOp::Half, &|a, _| a * Scalar::TWO_INV);
        let canonical = probe.field(FieldOp::ToCanonical, &fr_of(&a), &fr_of(&a)).expect("probe");
        for (limbs, scalar) in canonical.iter().zip(&a) {
            let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            assert_eq!(bytes, scalar.to_bytes());
        }
    }
}

fn fp2_values(seed: u64) -> Vec<Fp2> {
    let mut rng = rng(seed);
    let edges = edges(&P);
    let mut values: Vec<[Number; 2]> = Vec::new();
    for (i, x) in edges.iter().enumerate() {
        let y = edges[(7 * i + 1) % edges.len()];
        values.extend([[*x, y], [*x, [0; 6]], [[0; 6], *x], [*x, *x], [*x, P.neg(*x)]]);
    }
    values.extend((0..300).map(|_| [random(&P, &mut rng), random(&P, &mut rng)]));
    let limbs = |[x, y]: [Number; 2]| {
        let (x, y): (Fp, Fp) = (bigint::to_limbs(x), bigint::to_limbs(y));
        std::array::from_fn(|i| if i < 12 { x[i] } else { y[i - 12] })
    };
    values.into_iter().map(limbs).collect()
}

fn parts(x: &Fp2) -> (Number, Number) {
    (bigint::from_limbs(&x[..12]), bigint::from_limbs(&x[12..]))
}

/// Representations of the parts of a b, by the definition u² = −1.
fn fp2_product(a: &Fp2, b: &Fp2) -> (Number, Number) {
    let ((a0, a1), (b0, b1)) = (parts(a), parts(b));
    let product = |x, y| P.over_r(P.mul(x, y));
    let real = P.sub(product(a0, b0), product(a1, b1));
    (real, P.add(product(a0, b1), product(a1, b0)))
}

#[test]
fn fp2_multiplies_with_u_squared_minus_one() {
    let a = fp2_values(7);
    let b: Vec<Fp2> = a.iter().cycle().skip(13).take(a.len()).copied().collect();
    let last = a.len() - 1;
    let products: Vec<_> = a.iter().zip(&b).map(|(a, b)| fp2_product(a, b)).collect();
    for probe in probes() {
        let check = |operation, expected: &dyn Fn(usize) -> (Number, Number)| {
            let got = probe.field(operation, &a, &b).expect("probe");
            for (i, got) in got.iter().enumerate() {
                assert_eq!(parts(got), expected(i), "{operation:?} {:x?} {:x?}", a[i], b[i]);
            }
        };
        check(FieldOp::Mul, &|i| products[i]);
        check(FieldOp::MulCall, &|i| products[i]);
        check(FieldOp::Sqr, &|i| fp2_product(&a[i], &a[i]));
        check(FieldOp::SqrCall, &|i| fp2_product(&a[i], &a[i]));
        let both = |i: usize| (products[i], products[last - i]);
        check(FieldOp::MulAddMul, &|i| {
            let (x, y) = both(i);
            (P.add(x.0, y.0), P.add(x.1, y.1))
        });
        check(FieldOp::MulSubMul, &|i| {
            let (x, y) = both(i);
            (P.sub(x.0, y.0), P.sub(x.1, y.1))
        });
        let a_part = |i: usize| parts(&a[i]);
        check(FieldOp::Neg, &|i| (P.neg(a_part(i).0), P.neg(a_part(i).1)));
        check(FieldOp::Half, &|i| (P.half(a_part(i).0), P.half(a_part(i).1)));
    }
}

/// The laws of a field, on triples of the values.
fn laws<F: Field>(values: &[F], one: F) {
    let n = values.len();
    let turned = |by: usize| -> Vec<F> { (0..n).map(|i| values[(i * by + by) % n]).collect() };
    let (a, b, c) = (values.to_vec(), turned(3), turned(5));
    let zeros = vec![F::default(); n];
    let ones = vec![one; n];
    for probe in probes() {
        let run = |op, x: &[F], y: &[F]| probe.field(op, x, y).expect("probe");
        let add = |x: &[F], y: &[F]| run(FieldOp::Add, x, y);
        let sub = |x: &[F], y: &[F]| run(FieldOp::Sub, x, y);
        let mul = |x: &[F], y: &[F]| run(FieldOp::Mul, x, y);
        let neg = |x: &[F]| run(FieldOp::Neg, x, x);
        assert_eq!(add(&a, &b), add(&b, &a));
        assert_eq!(mul(&a, &b), mul(&b, &a));
        assert_eq!(add(&add(&a, &b), &c), add(&a, &add(&b, &c)));
        assert_eq!(mul(&mul(&a, &b), &c), mul(&a, &mul(&b, &c)));
        assert_eq!(mul(&a, &add(&b, &c)), add(&mul(&a, &b), &mul(&a, &c)));
        assert_eq!(add(&a, &zeros), a);
        assert_eq!(mul(&a, &ones), a);
        assert_eq!(mul(&a, &zeros), zeros);
        assert_eq!(add(&a, &neg(&a)), zeros);
        assert_eq!(sub(&a, &b), add(&a, &neg(&b)));
        assert_eq!(sub(&a, &a), zeros);
        assert_eq!(run(FieldOp::Dbl, &a, &a), add(&a, &a));
        assert_eq!(run(FieldOp::Sqr, &a, &a), mul(&a, &a));
        assert_eq!(run(FieldOp::Half, &add(&a, &a), &a), a);
        let inverses = run(FieldOp::Inverse, &a, &a);
        assert_eq!(run(FieldOp::Inverse, &inverses, &a), a);
        for (x, product) in a.iter().zip(mul(&a, &inverses)) {
            assert_eq!(product, if *x == F::default() { F::default() } else { one });
        }
        assert_eq!(probe.field::<F>(FieldOp::Add, &[], &[]).expect("probe"), []);
        assert!(probe.field(FieldOp::Add, &a, &b[1..]).is_err());
    }
}

/// Sizes around the probe's block of 128 threads come with the number of values.
fn law_values(field: &Modulus, seed: u64, count: usize) -> Vec<Number> {
    let mut rng = rng(seed);
    let mut values = edges(field);
    while values.len() < count {
        values.push(random(field, &mut rng));
    }
    values
}

#[test]
fn fp_is_a_field() {
    for count in [127, 128, 129] {
        laws::<Fp>(
            &limbs(&law_values(&P, 8, count)),
            bigint::to_limbs(P.times_r([1, 0, 0, 0, 0, 0])),
        );
    }
}

#[test]
fn fr_is_a_field() {
    for count in [127, 128, 129] {
        laws::<Fr>(
            &limbs(&law_values(&R, 9, count)),
            bigint::to_limbs(R.times_r([1, 0, 0, 0, 0, 0])),
        );
    }
}

#[test]
fn fp2_is_a_field() {
    let one: Fp = bigint::to_limbs(P.times_r([1, 0, 0, 0, 0, 0]));
    laws::<Fp2>(&fp2_values(10), std::array::from_fn(|i| if i < 12 { one[i] } else { 0 }));
}
