//! Number-theoretic transforms over the scalar field.
//!
//! A domain of n = 2^k points is the n-th roots of unity, ω^i. The forward transform takes a
//! polynomial's coefficients to its values at ω^i, the inverse takes values to coefficients. On a
//! coset the points are shift · ω^i.
//!
//! The native transforms change the order of their array: from natural to bit-reversed, or back.
//! [`Order::Natural`] costs a permutation more.

use bls12_381::Scalar;
use ff::{Field, PrimeField};

use crate::device::launch::ntt as launch;
use crate::device::{Device, DeviceBuffer, Stream, ViewMut};
use crate::error::{Error, Result};

/// The largest domain has 2^27 points.
pub const MAX_LOG_SIZE: u32 = 27;

/// The order of an array before and after a transform. Bit-reversed: element i of the array is
/// number i with its k bits reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Natural before and after.
    Natural,
    /// Natural before, bit-reversed after.
    NaturalToReversed,
    /// Bit-reversed before, natural after.
    ReversedToNatural,
}

/// The roots of unity of order 2^k on one device, with the tables of their powers: about 4 MiB at
/// 2^24 and 16 MiB at 2^27.
#[derive(Debug)]
pub struct Domain {
    log_size: u32,
    double_root: Scalar,
    tables: DeviceBuffer<Scalar>,
}

impl Domain {
    /// The domain of 2^`log_size` points that bellman, arkworks and gnark use.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more than 2^27 points, [`Error::InsufficientVram`],
    /// [`Error::Device`].
    pub fn new(device: &Device, log_size: u32) -> Result<Self> {
        Self::with_root(device, log_size, Scalar::ROOT_OF_UNITY)
    }

    /// The domain of 2^`log_size` powers of a root of unity of order 2^32, raised to
    /// 2^(32 − `log_size`).
    ///
    /// # Errors
    /// [`Error::RootOfUnity`] if the root's order is another, else as [`Domain::new`].
    pub fn with_root(device: &Device, log_size: u32, root_of_unity: Scalar) -> Result<Self> {
        let Some(len) = launch::domain_len(device, log_size) else {
            let got = 1_usize.checked_shl(log_size).unwrap_or(usize::MAX);
            return Err(Error::TooMany { what: "domain", got, limit: 1 << MAX_LOG_SIZE });
        };
        if squared(root_of_unity, Scalar::S - 1) != -Scalar::ONE {
            return Err(Error::RootOfUnity);
        }
        // One order more than the domain's, for the odd coset.
        let double_root = squared(root_of_unity, Scalar::S - 1 - log_size);
        let stream = device.stream()?;
        let mut tables = device.alloc(len)?;
        launch::build_domain(&stream, tables.view_mut(), log_size, double_root)?;
        stream.synchronize()?;
        Ok(Self { log_size, double_root, tables })
    }

    /// k, where the domain has 2^k points.
    pub fn log_size(&self) -> u32 {
        self.log_size
    }

    /// The number of points.
    pub fn size(&self) -> usize {
        1 << self.log_size
    }

    /// ω, whose powers are the domain's points.
    pub fn root(&self) -> Scalar {
        self.double_root.square()
    }

    /// Enqueues forward transforms of `data`, a whole number of arrays of [`Domain::size`]
    /// elements, in place; on the domain or on a coset of it.
    ///
    /// # Errors
    /// [`Error::Length`] for another length or another domain's coset, [`Error::TooMany`] for 2^32
    /// elements or more, [`Error::Alignment`], [`Error::Device`].
    pub fn forward(
        &self,
        stream: &Stream,
        data: ViewMut<'_, Scalar>,
        order: Order,
        coset: Option<&Coset>,
    ) -> Result<()> {
        self.transform(stream, data, order, coset, false)
    }

    /// Enqueues inverse transforms, as [`Domain::forward`] does.
    ///
    /// # Errors
    /// As [`Domain::forward`].
    pub fn inverse(
        &self,
        stream: &Stream,
        data: ViewMut<'_, Scalar>,
        order: Order,
        coset: Option<&Coset>,
    ) -> Result<()> {
        self.transform(stream, data, order, coset, true)
    }

    fn transform(
        &self,
        stream: &Stream,
        mut data: ViewMut<'_, Scalar>,
        order: Order,
        coset: Option<&Coset>,
        inverse: bool,
    ) -> Result<()> {
        let kind = launch::Kind { inverse, reversed_input: order == Order::ReversedToNatural };
        let coset = coset.map(|coset| coset.tables.view());
        launch::transform(stream, data.reborrow(), self.launched(), coset, kind)?;
        if order == Order::Natural {
            launch::bit_reverse(stream, data, self.log_size)?;
        }
        Ok(())
    }

    /// The domain as launchers take it.
    pub(crate) fn launched(&self) -> launch::Domain<'_> {
        let tables = self.tables.view();
        launch::Domain { tables, root: self.double_root, log_size: self.log_size }
    }
}

/// A coset of a domain: the points shift · ω^i, with tables of the shift's powers.
#[derive(Debug)]
pub struct Coset {
    tables: DeviceBuffer<Scalar>,
}

impl Coset {
    /// The coset of `domain` with this shift.
    ///
    /// # Errors
    /// [`Error::ZeroShift`] if the shift is zero, [`Error::InsufficientVram`], [`Error::Device`].
    pub fn new(domain: &Domain, shift: Scalar) -> Result<Self> {
        let inverse_shift: Option<Scalar> = Field::invert(&shift).into();
        let inverse_shift = inverse_shift.ok_or(Error::ZeroShift)?;
        let device = domain.tables.device();
        let len = launch::coset_len(device, domain.log_size).unwrap_or(0);
        let stream = device.stream()?;
        let mut tables = device.alloc(len)?;
        let view = tables.view_mut();
        launch::build_coset(&stream, view, domain.log_size, &shift, &inverse_shift)?;
        stream.synchronize()?;
        Ok(Self { tables })
    }
}

/// Values at the points ω^i of the polynomial with these coefficients, in place, in natural order.
/// The domain is made for this one call; the slice's length must be a power of two.
///
/// # Errors
/// [`Error::Length`] for another length, else as [`Domain::new`] and [`Domain::forward`].
pub fn forward(device: &Device, values: &mut [Scalar]) -> Result<()> {
    on_slice(device, values, None, false)
}

/// Coefficients of the polynomial with these values at the points ω^i, as [`forward`].
///
/// # Errors
/// As [`forward`].
pub fn inverse(device: &Device, values: &mut [Scalar]) -> Result<()> {
    on_slice(device, values, None, true)
}

/// Values at the points shift · ω^i, as [`forward`].
///
/// # Errors
/// As [`forward`], and [`Error::ZeroShift`].
pub fn coset_forward(device: &Device, values: &mut [Scalar], shift: Scalar) -> Result<()> {
    on_slice(device, values, Some(shift), false)
}

/// Coefficients from values at the points shift · ω^i, as [`forward`].
///
/// # Errors
/// As [`forward`], and [`Error::ZeroShift`].
pub fn coset_inverse(device: &Device, values: &mut [Scalar], shift: Scalar) -> Result<()> {
    on_slice(device, values, Some(shift), true)
}

fn on_slice(
    device: &Device,
    values: &mut [Scalar],
    shift: Option<Scalar>,
    inverse: bool,
) -> Result<()> {
    let domain = Domain::new(device, log2("ntt", values.len())?)?;
    let coset = shift.map(|shift| Coset::new(&domain, shift)).transpose()?;
    let stream = device.stream()?;
    let mut data = device.alloc(values.len())?;
    stream.upload(values, data.view_mut())?;
    domain.transform(&stream, data.view_mut(), Order::Natural, coset.as_ref(), inverse)?;
    stream.download(data.view(), values)
}

/// The logarithm of a power of two.
pub(crate) fn log2(operation: &'static str, len: usize) -> Result<u32> {
    if len.is_power_of_two() {
        return Ok(len.trailing_zeros());
    }
    let expected = len.checked_next_power_of_two().unwrap_or(1 << MAX_LOG_SIZE);
    Err(Error::Length { operation, what: "slice", got: len, expected })
}

/// x^(2^times).
fn squared(x: Scalar, times: u32) -> Scalar {
    (0..times).fold(x, |x, _| x.square())
}

#[cfg(test)]
mod tests;
