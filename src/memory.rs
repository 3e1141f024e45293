//! One device's memory for keys and proofs: the arena's books, and the one allocation they are
//! about.

use std::sync::Arc;

use crate::arena::{Admission, GRANULE_BYTES, Lease, Region};
use crate::device::{Device, DeviceBuffer, Event, Stream, ViewMut};
use crate::error::Result;

/// What returned memory waits for before it is used again.
pub(crate) type Token = Arc<Event>;

/// The arena of one device.
pub(crate) struct Memory {
    buffer: DeviceBuffer<u8>,
    /// Who may use which part, and when.
    pub(crate) admission: Admission<Token>,
}

impl Memory {
    /// Takes `bytes` of device memory, once.
    pub(crate) fn new(device: &Device, bytes: usize) -> Result<Self> {
        let buffer = device.alloc(bytes)?;
        Ok(Self { buffer, admission: Admission::new(bytes as u64, GRANULE_BYTES) })
    }

    /// Bytes of the whole arena.
    pub(crate) fn bytes(&self) -> usize {
        self.buffer.len()
    }

    /// A region that the admission queue has granted.
    pub(crate) fn view(&self, region: Region) -> Result<ViewMut<'_, u8>> {
        // A region lies inside the buffer, whose length is a `usize`.
        let range = region.offset as usize..region.end() as usize;
        self.buffer.shared_view_mut().slice(range)
    }

    /// A leased part, once `stream` has waited for the work that had it before.
    pub(crate) fn open(&self, lease: &Lease<Token>, stream: &Stream) -> Result<ViewMut<'_, u8>> {
        for event in lease.after() {
            stream.wait(event)?;
        }
        self.view(lease.region())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::HostConfig;
    use crate::lock::ProofId;

    /// Commands run as late as they may, so what misses a wait comes too early.
    #[test]
    fn a_part_waits_for_the_work_that_had_it_before() {
        let config = HostConfig { memory_bytes: 16 << 20, ..HostConfig::default() };
        let device = Device::host(config).unwrap();
        let memory = Memory::new(&device, 4 << 20).unwrap();
        let take = |id| {
            let blocks = [GRANULE_BYTES; 3];
            memory.admission.reserve(ProofId::new(id), blocks).unwrap().take().unwrap()
        };
        let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
        let first = take(0);
        one.fill(1, memory.open(&first, &one).unwrap()).unwrap();
        let region = first.region();
        first.give_back(Token::new(one.record().unwrap()));
        let second = take(1);
        assert_eq!(second.region(), region);
        two.fill(2, memory.open(&second, &two).unwrap()).unwrap();
        two.synchronize().unwrap();
        one.synchronize().unwrap();
        let mut bytes = vec![0; region.bytes as usize];
        two.download(memory.view(region).unwrap().into_view(), &mut bytes).unwrap();
        assert!(bytes.iter().all(|&byte| byte == 2));
    }
}
