//! The quotient polynomial h = (A·B − C) / Z of a satisfied system, from the evaluations of A and
//! B.
//!
//! With Z = Xⁿ − 1, write A·B = L + Xⁿ·H, both parts below degree n. Where Xⁿ = 1 the product is
//! L + H, and that is C; on the odd coset Xⁿ = −1 it is R = L − H. So h = H = (C − R) / 2, and the
//! evaluations of C are a∘b: six transforms in all, and none of c.

use bls12_381::Scalar;

use crate::device::launch::quotient as launch;
use crate::device::{Device, Stream, ViewMut};
use crate::error::{Error, Result};
use crate::ntt::{Domain, log2};

/// Enqueues the quotient. `a` and `b` hold evaluations at the domain's points in natural order,
/// padded with zeros. The n coefficients of h go to `b`, from the lowest, *as canonical numbers*
/// (32 bytes, little-endian) for the multi-scalar multiplication. The last one is zero whatever
/// a and b are, for the product's degree is at most 2n − 2. `a` and `w` are overwritten.
///
/// # Errors
/// [`Error::Length`] if a block has another length than the domain, [`Error::Alignment`],
/// [`Error::Device`].
pub fn enqueue(
    stream: &Stream,
    domain: &Domain,
    a: ViewMut<'_, Scalar>,
    b: ViewMut<'_, Scalar>,
    w: ViewMut<'_, Scalar>,
) -> Result<()> {
    launch::quotient(stream, [a, b, w], domain.launched())
}

/// The n coefficients of h from n evaluations of A and of B, n a power of two. The domain is made
/// for this one call.
///
/// # Errors
/// [`Error::Length`] for other lengths, else as [`Domain::new`] and [`enqueue`].
pub fn quotient(device: &Device, a: &[Scalar], b: &[Scalar]) -> Result<Vec<Scalar>> {
    if a.len() != b.len() {
        let (got, expected) = (b.len(), a.len());
        return Err(Error::Length { operation: "quotient", what: "b", got, expected });
    }
    let domain = Domain::new(device, log2("quotient", a.len())?)?;
    let stream = device.stream()?;
    let [mut block_a, mut block_b, mut block_w] =
        [device.alloc(a.len())?, device.alloc(a.len())?, device.alloc(a.len())?];
    stream.upload(a, block_a.view_mut())?;
    stream.upload(b, block_b.view_mut())?;
    enqueue(&stream, &domain, block_a.view_mut(), block_b.view_mut(), block_w.view_mut())?;
    let mut h = vec![[0_u64; 4]; a.len()];
    stream.download(block_b.view_mut().cast()?.as_view(), &mut h)?;
    Ok(h.into_iter().map(Scalar::from_raw).collect())
}
