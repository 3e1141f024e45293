//! Transforms against their definition.

use bls12_381::Scalar;
use ff::{Field, PrimeField};
use groth16_cuda::Error;
use groth16_cuda::device::{Device, Family};
use groth16_cuda::ntt::{self, Coset, Domain, Order};

use crate::device::device;
use crate::guard::Guarded;
use crate::oracle::ntt as oracle;

const ORDERS: [Order; 3] = [Order::Natural, Order::NaturalToReversed, Order::ReversedToNatural];

/// One size's domain and, by definition, what its transforms must give.
struct Case {
    device: Device,
    domain: Domain,
    root: Scalar,
}

impl Case {
    fn new(log_size: u32) -> Self {
        let device = device();
        let domain = Domain::new(&device, log_size).unwrap();
        let root = oracle::root(Scalar::ROOT_OF_UNITY, log_size);
        assert_eq!(domain.root(), root);
        Self { device, domain, root }
    }

    /// The transform on the device.
    fn run(
        &self,
        data: &[Scalar],
        order: Order,
        shift: Option<Scalar>,
        inverse: bool,
    ) -> Vec<Scalar> {
        let coset = shift.map(|shift| Coset::new(&self.domain, shift).unwrap());
        let stream = self.device.stream().unwrap();
        let mut buffer = self.device.alloc(data.len()).unwrap();
        stream.upload(data, buffer.view_mut()).unwrap();
        let transform = if inverse { Domain::inverse } else { Domain::forward };
        transform(&self.domain, &stream, buffer.view_mut(), order, coset.as_ref()).unwrap();
        let mut result = vec![Scalar::ZERO; data.len()];
        stream.download(buffer.view(), &mut result).unwrap();
        result
    }

    /// The transform by definition, in natural order.
    fn expected(&self, data: &[Scalar], shift: Option<Scalar>, inverse: bool) -> Vec<Scalar> {
        let shift = shift.unwrap_or(Scalar::ONE);
        if inverse {
            oracle::shifted(&oracle::inverse_fft(data, self.root), shift.invert().unwrap())
        } else {
            oracle::fft(&oracle::shifted(data, shift), self.root)
        }
    }

    /// Compares one transform in one order.
    fn check(&self, data: &[Scalar], order: Order, shift: Option<Scalar>, inverse: bool) {
        let expected: Vec<_> = data
            .chunks(self.domain.size())
            .flat_map(|data| {
                let values = self.expected(data, shift, inverse);
                if order == Order::NaturalToReversed {
                    oracle::bit_reversed(&values)
                } else {
                    values
                }
            })
            .collect();
        let input: Vec<_> = data
            .chunks(self.domain.size())
            .flat_map(|data| match order {
                Order::ReversedToNatural => oracle::bit_reversed(data),
                _ => data.to_vec(),
            })
            .collect();
        let got = self.run(&input, order, shift, inverse);
        let log_size = self.domain.log_size();
        assert!(got == expected, "2^{log_size}, {order:?}, {shift:?}, inverse {inverse}");
    }
}

#[test]
fn oracles_agree() {
    for log_size in 0..=7 {
        let root = oracle::root(Scalar::ROOT_OF_UNITY, log_size);
        let data = oracle::scalars(u64::from(log_size), 1 << log_size);
        let values = oracle::naive_dft(&data, root);
        assert_eq!(oracle::fft(&data, root), values);
        assert_eq!(oracle::inverse_fft(&values, root), data);
    }
}

#[test]
fn every_small_size_in_every_order() {
    for log_size in 0..=12 {
        let case = Case::new(log_size);
        let data = oracle::scalars(100 + u64::from(log_size), 1 << log_size);
        for order in ORDERS {
            for shift in [None, Some(Scalar::from(7)), Some(-Scalar::from(3))] {
                case.check(&data, order, shift, false);
                case.check(&data, order, shift, true);
            }
        }
    }
}

#[test]
fn two_passes_of_unequal_width() {
    for log_size in [13, 14, 15] {
        let case = Case::new(log_size);
        let data = oracle::scalars(u64::from(log_size), 1 << log_size);
        case.check(&data, Order::NaturalToReversed, None, true);
        case.check(&data, Order::ReversedToNatural, Some(Scalar::from(7)), false);
    }
}

/// The widest two passes and the narrowest three: values at a few points by definition, and the
/// way back.
#[test]
fn large_domains() {
    for log_size in [19, 20] {
        let case = Case::new(log_size);
        let n = 1_usize << log_size;
        let some = oracle::scalars(u64::from(log_size), 1 << 8);
        let data: Vec<_> = some.iter().copied().cycle().take(n).collect();
        let shift = Scalar::from(7);
        let values = case.run(&data, Order::NaturalToReversed, Some(shift), false);
        for i in [1, n / 2 + 0x5a5a5] {
            let x = shift * case.root.pow_vartime(&[i as u64, 0, 0, 0]);
            let at = i.reverse_bits() >> (usize::BITS - log_size);
            assert_eq!(values[at], oracle::evaluate(&data, x), "2^{log_size}, value {i}");
        }
        let back = case.run(&values, Order::ReversedToNatural, Some(shift), true);
        assert!(back == data, "2^{log_size}");
        let values = case.run(&data, Order::ReversedToNatural, None, false);
        let back = case.run(&values, Order::NaturalToReversed, None, true);
        assert!(back == data, "2^{log_size}, from reversed order");
    }
}

#[test]
fn batches() {
    for log_size in [0, 1, 3, 5, 8, 11, 12] {
        let case = Case::new(log_size);
        for batch in [1, 3, 8] {
            let data = oracle::scalars(batch, (batch as usize) << log_size);
            for order in ORDERS {
                case.check(&data, order, None, true);
                case.check(&data, order, Some(Scalar::from(7)), false);
            }
        }
    }
}

/// Single arrays and batches between guard bytes, in every order, on the domain and on a coset.
#[test]
fn keeps_to_its_array() {
    for log_size in [0, 1, 2, 3, 7, 8, 10, 11, 12] {
        let case = Case::new(log_size);
        let stream = case.device.stream().unwrap();
        let coset = Coset::new(&case.domain, Scalar::from(7)).unwrap();
        for (batch, order) in [1, 3, 1].into_iter().zip(ORDERS) {
            let data = oracle::scalars(batch, (batch as usize) << log_size);
            for coset in [None, Some(&coset)] {
                let what = format!("2^{log_size}, batch {batch}, {order:?}");
                let mut block = Guarded::holding(&stream, &data);
                case.domain.forward(&stream, block.view_mut(), order, coset).unwrap();
                block.check(&stream, &what);
                let back = match order {
                    Order::Natural => Order::Natural,
                    Order::NaturalToReversed => Order::ReversedToNatural,
                    Order::ReversedToNatural => Order::NaturalToReversed,
                };
                case.domain.inverse(&stream, block.view_mut(), back, coset).unwrap();
                block.check_unchanged(&stream, &what); // there and back
            }
        }
    }
}

#[test]
fn extreme_values() {
    let case = Case::new(11);
    let n = case.domain.size();
    let mut impulse = vec![Scalar::ZERO; n];
    impulse[n - 1] = -Scalar::ONE;
    for data in [vec![Scalar::ZERO; n], vec![-Scalar::ONE; n], impulse] {
        for order in ORDERS {
            case.check(&data, order, None, false);
            case.check(&data, order, None, true);
        }
    }
}

/// snarkjs builds its domains on 5^((r − 1) / 2^32).
#[test]
fn another_root_of_unity() {
    let five = Scalar::from(5);
    let odd_part =
        [0xfffe_5bfe_ffff_ffff, 0x09a1_d805_53bd_a402, 0x299d_7d48_3339_d808, 0x73ed_a753];
    let root_of_unity = five.pow_vartime(&odd_part);
    assert_eq!(Scalar::from(7).pow_vartime(&odd_part), Scalar::ROOT_OF_UNITY);
    assert_ne!(root_of_unity, Scalar::ROOT_OF_UNITY);
    for log_size in [1, 6, 12] {
        let device = device();
        let domain = Domain::with_root(&device, log_size, root_of_unity).unwrap();
        let case = Case { device, domain, root: oracle::root(root_of_unity, log_size) };
        case.check(&oracle::scalars(5, 1 << log_size), Order::Natural, None, false);
        case.check(&oracle::scalars(6, 1 << log_size), Order::NaturalToReversed, None, true);
    }
}

#[test]
fn slices() {
    let device = device();
    let before = device.launches().get(Family::Ntt);
    let data = oracle::scalars(9, 1 << 9);
    let root = oracle::root(Scalar::ROOT_OF_UNITY, 9);
    let mut values = data.clone();
    ntt::forward(&device, &mut values).unwrap();
    assert_eq!(values, oracle::fft(&data, root));
    ntt::inverse(&device, &mut values).unwrap();
    assert_eq!(values, data);
    let shift = Scalar::from(7);
    ntt::coset_forward(&device, &mut values, shift).unwrap();
    assert_eq!(values, oracle::fft(&oracle::shifted(&data, shift), root));
    ntt::coset_inverse(&device, &mut values, shift).unwrap();
    assert_eq!(values, data);
    assert!(device.launches().get(Family::Ntt) > before);
}

#[test]
fn misuse_is_an_error() {
    let case = Case::new(4);
    let stream = case.device.stream().unwrap();
    let mut short = case.device.alloc::<Scalar>(17).unwrap();
    let error = case.domain.forward(&stream, short.view_mut(), Order::Natural, None).unwrap_err();
    assert!(matches!(error, Error::Length { got: 17, expected: 32, .. }), "{error}");
    assert!(matches!(Coset::new(&case.domain, Scalar::ZERO), Err(Error::ZeroShift)));
    let other = Coset::new(&Domain::new(&case.device, 5).unwrap(), Scalar::from(7)).unwrap();
    let mut data = case.device.alloc::<Scalar>(16).unwrap();
    let coset = Some(&other);
    let error = case.domain.forward(&stream, data.view_mut(), Order::Natural, coset).unwrap_err();
    assert!(matches!(error, Error::Length { what: "coset tables", .. }), "{error}");
    for log_size in [28, 31, 32, 63, 64, u32::MAX] {
        let error = Domain::new(&case.device, log_size).unwrap_err();
        assert!(matches!(error, Error::TooMany { .. }), "{error}");
    }
    for root in [Scalar::ZERO, Scalar::ONE, Scalar::from(7), Scalar::ROOT_OF_UNITY.square()] {
        let error = Domain::with_root(&case.device, 4, root).unwrap_err();
        assert!(matches!(error, Error::RootOfUnity), "{error}");
    }
    let error = ntt::forward(&case.device, &mut vec![Scalar::ONE; 12]).unwrap_err();
    assert!(matches!(error, Error::Length { got: 12, expected: 16, .. }), "{error}");
    let error = ntt::forward(&case.device, &mut []).unwrap_err();
    assert!(matches!(error, Error::Length { got: 0, .. }), "{error}");
    let nothing = case.device.alloc::<Scalar>(0).unwrap().len();
    assert_eq!(nothing, 0);
}
