//! The quotient against polynomial arithmetic by definition.

use bls12_381::Scalar;
use ff::{Field, PrimeField};
use groth16_cuda::Error;
use groth16_cuda::ntt::Domain;
use groth16_cuda::quotient::{enqueue, quotient};

use crate::device::device;
use crate::guard::{Guarded, Poison};
use crate::oracle::ntt as oracle;

/// h = (A·B − C) / (Xⁿ − 1), with the product from `multiply`; the division must leave nothing.
fn expected(
    a: &[Scalar],
    b: &[Scalar],
    multiply: impl Fn(&[Scalar], &[Scalar]) -> Vec<Scalar>,
) -> Vec<Scalar> {
    let n = a.len();
    let root = oracle::root(Scalar::ROOT_OF_UNITY, n.trailing_zeros());
    let c: Vec<_> = a.iter().zip(b).map(|(x, y)| x * y).collect();
    let [a, b, c] = [a, b, &c].map(|values| oracle::inverse_fft(values, root));
    let mut dividend = multiply(&a, &b);
    dividend.iter_mut().zip(&c).for_each(|(x, y)| *x -= y);
    let (mut h, rest) = oracle::divide_by_vanishing(&dividend, n);
    assert!(rest.iter().all(|x| bool::from(x.is_zero())), "the division leaves a remainder");
    h.resize(n, Scalar::ZERO);
    h
}

/// The product by transforms of twice the size.
fn fast_product(a: &[Scalar], b: &[Scalar]) -> Vec<Scalar> {
    let n = a.len();
    let root = oracle::root(Scalar::ROOT_OF_UNITY, n.trailing_zeros() + 1);
    let [a, b] = [a, b].map(|p| {
        let mut padded = p.to_vec();
        padded.resize(2 * n, Scalar::ZERO);
        oracle::fft(&padded, root)
    });
    let values: Vec<_> = a.iter().zip(&b).map(|(x, y)| x * y).collect();
    let mut product = oracle::inverse_fft(&values, root);
    assert_eq!(product.pop(), Some(Scalar::ZERO));
    product
}

#[test]
fn small_systems_by_schoolbook() {
    let device = device();
    for log_size in 0..=7 {
        for seed in 0..3 {
            let a = oracle::scalars(seed, 1 << log_size);
            let b = oracle::scalars(seed + 1000, 1 << log_size);
            let h = quotient(&device, &a, &b).unwrap();
            assert_eq!(h, expected(&a, &b, oracle::schoolbook), "2^{log_size}, seed {seed}");
            assert_eq!(h.last(), Some(&Scalar::ZERO));
        }
    }
}

#[test]
fn every_size_to_the_second_pass() {
    let device = device();
    for log_size in 7..=14 {
        let a = oracle::scalars(1, 1 << log_size);
        let b = oracle::scalars(2, 1 << log_size);
        let h = quotient(&device, &a, &b).unwrap();
        assert!(h == expected(&a, &b, fast_product), "2^{log_size}");
    }
}

/// One pass, two of them, and sizes below a group, in three blocks between guard bytes.
#[test]
fn keeps_to_its_blocks() {
    let device = device();
    let stream = device.stream().unwrap();
    for (log_size, poison) in
        [0, 1, 2, 3, 7, 10, 11, 12].into_iter().zip(Poison::ALL.iter().cycle())
    {
        let [a, b] = [1, 2].map(|seed| oracle::scalars(seed, 1 << log_size));
        let [mut a_block, mut b_block] = [&a, &b].map(|values| Guarded::holding(&stream, values));
        let mut w_block = Guarded::elements::<Scalar>(&stream, 1 << log_size, *poison);
        let (views, w) = ((a_block.view_mut(), b_block.view_mut()), w_block.view_mut());
        let domain = Domain::new(&device, log_size).unwrap();
        enqueue(&stream, &domain, views.0, views.1, w).unwrap();
        for (name, block) in [("a", &a_block), ("b", &b_block), ("w", &w_block)] {
            block.check(&stream, &format!("{name} of 2^{log_size}, {poison:?}"));
        }
        let h: Vec<_> = expected(&a, &b, fast_product).iter().map(Scalar::to_bytes).collect();
        assert!(b_block.bytes(&stream) == h.concat(), "2^{log_size}, {poison:?}");
    }
}

/// Systems as they come: few constraints in a larger domain, zeros and ones, all alike.
#[test]
fn padded_and_degenerate_systems() {
    let device = device();
    let n = 1 << 12;
    let bits = |seed| {
        oracle::scalars(seed, n).into_iter().map(|x| Scalar::from(u64::from(x.to_bytes()[0] & 1)))
    };
    let mut padded = oracle::scalars(3, n);
    padded[n / 2 + 5..].fill(Scalar::ZERO);
    let constant = vec![-Scalar::ONE; n];
    let zero = vec![Scalar::ZERO; n];
    let cases: [[Vec<Scalar>; 2]; 5] = [
        [padded.clone(), bits(4).collect()],
        [bits(5).collect(), bits(6).collect()],
        [constant.clone(), constant],
        [zero.clone(), padded.clone()],
        [padded.clone(), padded],
    ];
    for (i, [a, b]) in cases.iter().enumerate() {
        assert!(quotient(&device, a, b).unwrap() == expected(a, b, fast_product), "case {i}");
    }
}

/// Three passes: the identity A·B − C = h·(Xⁿ − 1) at a random point.
#[test]
#[cfg_attr(debug_assertions, ignore = "half a minute without optimisation; runs in release")]
fn a_large_system_at_a_random_point() {
    let device = device();
    let log_size = 21;
    let n = 1_usize << log_size;
    let root = oracle::root(Scalar::ROOT_OF_UNITY, log_size);
    let [a, b] = [7, 8].map(|seed| {
        let some = oracle::scalars(seed, 1 << 10);
        (0..n).map(|i| some[i * 7 % some.len()] + Scalar::from(i as u64)).collect::<Vec<_>>()
    });
    let h = quotient(&device, &a, &b).unwrap();
    assert_eq!(h.last(), Some(&Scalar::ZERO));
    let x = oracle::scalars(9, 1)[0];
    let vanishing = x.pow_vartime(&[n as u64, 0, 0, 0]) - Scalar::ONE;
    // Lagrange: Lᵢ(x) = (xⁿ − 1) ωⁱ / (n (x − ωⁱ)).
    let points: Vec<_> =
        std::iter::successors(Some(Scalar::ONE), |p| Some(p * root)).take(n).collect();
    let mut basis: Vec<_> = points.iter().map(|p| x - p).collect();
    let mut products = Vec::with_capacity(n);
    let mut product = Scalar::ONE;
    for d in &basis {
        products.push(product);
        product *= d;
    }
    let mut inverse = product.invert().unwrap();
    let scale = vanishing * Scalar::from(n as u64).invert().unwrap();
    for i in (0..n).rev() {
        let d = basis[i];
        basis[i] = inverse * products[i] * points[i] * scale;
        inverse *= d;
    }
    let at_x = |value: &dyn Fn(usize) -> Scalar| -> Scalar {
        basis.iter().enumerate().map(|(i, l)| l * value(i)).sum()
    };
    let (a_x, b_x, c_x) = (at_x(&|i| a[i]), at_x(&|i| b[i]), at_x(&|i| a[i] * b[i]));
    assert_eq!(a_x * b_x - c_x, oracle::evaluate(&h, x) * vanishing);
}

#[test]
fn misuse_is_an_error() {
    let device = device();
    let one = [Scalar::ONE; 8];
    for (a, b) in [(&one[..4], &one[..]), (&one[..6], &one[..6]), (&one[..0], &one[..0])] {
        let error = quotient(&device, a, b).unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{error}");
    }
}
