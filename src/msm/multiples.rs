//! Points with their multiples for each window.

use super::{Plan, Query};
use crate::density::IndexMap;
use crate::device::launch::msm as launch;
use crate::device::{DeviceBuffer, Stream, View};
use crate::error::Result;
use crate::repr::CurveGroup;

/// Resident points, and of each the multiples 2^start · P for every window of a scalar.
///
/// They take as many times the points' memory as a [`Plan::for_multiples`] has windows, 13 times at
/// 2^20 terms. In turn all windows share their buckets: up to some millions of terms, a sum takes
/// about a quarter fewer additions, and none of the host's doublings.
///
/// ```
/// use bls12_381::{G1Affine, G1Projective, Scalar};
/// use groth16_cuda::device::{Device, HostConfig};
/// use groth16_cuda::msm::{Multiples, Plan, Scalars, Workspace};
/// use groth16_cuda::repr::{CurveGroup, G1, scalars_as_repr};
/// use groth16_cuda::{Error, points};
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::host(HostConfig { memory_bytes: 64 << 20, ..HostConfig::default() })?;
/// let stream = device.stream()?;
/// let bytes = G1::to_bytes(&[G1Affine::generator(); 100]);
/// let points = points::upload::<G1>(&stream, &bytes, points::Checks::ALL)?;
/// let plan = Plan::for_multiples(100, 0, 0)?;
/// let multiples = Multiples::<G1>::new(&stream, points.view(), &plan)?;
///
/// let values: Vec<_> = (1..=100).map(Scalar::from).collect();
/// let mut scalars = device.alloc(100)?;
/// stream.upload(scalars_as_repr(&values), scalars.view_mut())?;
/// let mut workspace = Workspace::new(&stream, &plan, 1, 0)?;
/// workspace.enqueue(&Scalars::montgomery(scalars.view()), &[multiples.query()], &[])?;
/// let sums = workspace.finish()?;
/// assert_eq!(sums.g1[0], G1Projective::generator() * Scalar::from(5050));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Multiples<G: CurveGroup> {
    points: DeviceBuffer<G::Affine>,
    windows: u32,
}

impl<G: CurveGroup> Multiples<G> {
    /// Makes the multiples for the plan's windows, and waits for them. Points are taken as they
    /// are: off the curve there are no multiples.
    ///
    /// # Errors
    ///
    /// [`Error::InsufficientVram`](crate::Error::InsufficientVram),
    /// [`Error::Device`](crate::Error::Device).
    pub fn new(stream: &Stream, points: View<'_, G::Affine>, plan: &Plan) -> Result<Self> {
        let (device, n, windows) = (stream.device(), points.len(), plan.windows());
        let mut all = device.alloc(n.saturating_mul(windows as usize))?;
        stream.copy(points, all.view_mut().slice(0..n)?)?;
        let mut workspace = device.alloc(launch::multiples_workspace::<G>(n)?)?;
        let (to, work) = (&mut all.view_mut(), &mut workspace.view_mut());
        launch::multiples::<G>(stream, windows, n, to, work)?;
        stream.synchronize()?;
        Ok(Self { points: all, windows })
    }

    /// Bytes of device memory for so many points' multiples.
    pub fn bytes(points: usize, plan: &Plan) -> usize {
        points.saturating_mul(size_of::<G::Affine>()).saturating_mul(plan.windows() as usize)
    }

    /// Points, without their multiples.
    pub fn len(&self) -> usize {
        self.points.len() / self.windows as usize
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Windows of a scalar that have multiples here.
    pub fn windows(&self) -> u32 {
        self.windows
    }

    /// Variable v has point v. For multiplications with a plan of as many windows.
    pub fn query(&self) -> Query<'_, G> {
        self.query_over(IndexMap::identity(self.len()))
    }

    /// Variables find their points by `map`.
    pub fn query_over<'a>(&'a self, map: IndexMap<'a>) -> Query<'a, G> {
        Query { points: self.points.view(), map, windows: self.windows }
    }
}
