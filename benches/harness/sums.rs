//! Sums of the points on a list, with all that they need on the device.

use groth16_cuda::density::IndexMap;
use groth16_cuda::device::{DeviceBuffer, Stream, View};
use groth16_cuda::repr::CurveGroup;
use groth16_cuda::{Result, batch_add};

/// A list of variables and its length.
pub struct List {
    pub variables: DeviceBuffer<u32>,
    pub count: DeviceBuffer<u32>,
}

impl List {
    pub fn upload(stream: &Stream, list: &[u32]) -> Result<Self> {
        let device = stream.device();
        let mut there = Self { variables: device.alloc(list.len())?, count: device.alloc(1)? };
        stream.upload(list, there.variables.view_mut())?;
        stream.upload(&[list.len() as u32], there.count.view_mut())?;
        Ok(there)
    }
}

/// The workspace and the partial sums of one list after the other.
pub struct Sum<G: CurveGroup> {
    out: DeviceBuffer<G::Xyzz>,
    work: DeviceBuffer<u8>,
}

impl<G: CurveGroup> Sum<G> {
    /// For lists of at most `most` variables.
    pub fn new(stream: &Stream, most: usize) -> Result<Self> {
        let device = stream.device();
        Ok(Self {
            out: device.alloc(batch_add::partials::<G>(device, most)?)?,
            work: device.alloc(batch_add::workspace::<G>(device, most)?)?,
        })
    }

    pub fn enqueue(
        &mut self,
        stream: &Stream,
        points: View<'_, G::Affine>,
        map: IndexMap<'_>,
        list: View<'_, u32>,
        count: View<'_, u32>,
    ) -> Result<()> {
        let (out, work) = (self.out.view_mut(), self.work.view_mut());
        batch_add::sum::<G>(stream, points, map, list, count, out, work)
    }

    /// Waits for the latest sum.
    pub fn result(&self, stream: &Stream) -> Result<G::Point> {
        let mut sums = vec![G::XYZZ_INFINITY; self.out.len()];
        stream.download(self.out.view(), &mut sums)?;
        batch_add::finish::<G>(&sums)
    }
}
