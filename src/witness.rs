//! The classes of a witness's scalars.
//!
//! Most variables of real circuits are 0 or 1. A zero adds nothing to a sum Σ wᵢ Pᵢ, a one adds its
//! point, and only the rest needs a multi-scalar multiplication; so one pass over the witness
//! lists the ones and the rest, and the queries' sums share the lists.

use bls12_381::Scalar;

use crate::Result;
use crate::device::launch;
use crate::device::{Device, Stream, View, ViewMut};

/// The ascending indices of a witness's scalars that are not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// Where the scalar is one.
    pub ones: Vec<u32>,
    /// Where the scalar is neither zero nor one.
    pub rest: Vec<u32>,
}

/// Bytes of workspace that [`classify`] needs for `n` scalars, less than one a scalar.
///
/// # Errors
///
/// [`Error::TooMany`](crate::Error::TooMany), [`Error::Device`](crate::Error::Device).
pub fn workspace(device: &Device, n: usize) -> Result<usize> {
    launch::witness::workspace(device, n)
}

/// Enqueues the classification of `scalars`: the ascending indices of the ones go to `ones`, of
/// those that are neither zero nor one to `rest`, and how many there are to `counts[0]` and
/// `counts[1]`. The lists hold as much as they have room for, the counts are true all the same;
/// lists as long as the witness always suffice.
///
/// # Errors
///
/// [`Error::Length`](crate::Error::Length) for other than two counts or too little workspace,
/// [`Error::TooMany`](crate::Error::TooMany), [`Error::Alignment`](crate::Error::Alignment),
/// [`Error::Device`](crate::Error::Device).
pub fn classify(
    stream: &Stream,
    scalars: View<'_, Scalar>,
    ones: ViewMut<'_, u32>,
    rest: ViewMut<'_, u32>,
    counts: ViewMut<'_, u32>,
    workspace: ViewMut<'_, u8>,
) -> Result<()> {
    launch::witness::classify(stream, scalars, ones, rest, counts, workspace)
}

/// Classifies scalars of host memory and waits for the lists.
///
/// # Errors
///
/// As [`classify`], and [`Error::InsufficientVram`](crate::Error::InsufficientVram).
pub fn classes(stream: &Stream, scalars: &[Scalar]) -> Result<Classes> {
    let (device, n) = (stream.device(), scalars.len());
    let mut witness = device.alloc(n)?;
    let mut ones = device.alloc(n)?;
    let mut rest = device.alloc(n)?;
    let mut counts = device.alloc(2)?;
    let mut work = device.alloc(workspace(device, n)?)?;
    stream.upload(scalars, witness.view_mut())?;
    classify(
        stream,
        witness.view(),
        ones.view_mut(),
        rest.view_mut(),
        counts.view_mut(),
        work.view_mut(),
    )?;
    let mut found = [0u32; 2];
    stream.download(counts.view(), &mut found)?;
    let list = |indices: View<'_, u32>, count: u32| -> Result<Vec<u32>> {
        let mut list = vec![0; count as usize];
        stream.download(indices.slice(0..list.len())?, &mut list)?;
        Ok(list)
    };
    Ok(Classes { ones: list(ones.view(), found[0])?, rest: list(rest.view(), found[1])? })
}
