//! Device memory between guard bytes, which show a kernel that writes outside of its block.

use groth16_cuda::device::{DeviceBuffer, Stream, View, ViewMut};
use groth16_cuda::repr::{self, Plain};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes before a block, which so starts at a multiple of 16 and of no more: what launchers ask
/// for.
const BEFORE: usize = (16 << 10) + 16;
/// Bytes behind a block.
const BEHIND: usize = 64 << 10;

/// What a block holds before anything writes to it.
#[derive(Clone, Copy, Debug)]
pub enum Poison {
    /// Bytes of ones: indices beyond everything.
    Ones,
    /// Random bytes: indices that may be anything.
    Random(u64),
}

impl Poison {
    /// Nothing may depend on what a block held: results must be the same over each of these.
    pub const ALL: [Self; 2] = [Self::Ones, Self::Random(1)];
}

/// A block of device memory with random guard bytes on either side.
pub struct Guarded {
    memory: DeviceBuffer<u8>,
    image: Vec<u8>,
    len: usize,
}

impl Guarded {
    /// A block of `len` bytes of poison.
    pub fn new(stream: &Stream, len: usize, poison: Poison) -> Self {
        let seed = if let Poison::Random(seed) = poison { seed } else { 0 };
        let mut image = vec![0; BEFORE + len + BEHIND];
        ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut image);
        if let Poison::Ones = poison {
            image[BEFORE..BEFORE + len].fill(0xff);
        }
        let mut memory = stream.device().alloc(image.len()).expect("memory");
        stream.upload(&image, memory.view_mut()).expect("upload");
        Self { memory, image, len }
    }

    /// A block for this many elements.
    pub fn elements<T: Plain>(stream: &Stream, count: usize, poison: Poison) -> Self {
        Self::new(stream, count * size_of::<T>(), poison)
    }

    /// A block with these elements.
    pub fn holding<T: Plain>(stream: &Stream, data: &[T]) -> Self {
        let mut block = Self::new(stream, size_of_val(data), Poison::Ones);
        let bytes = repr::bytes_of(data);
        block.image[BEFORE..BEFORE + bytes.len()].copy_from_slice(bytes);
        stream.upload(bytes, block.view_mut()).expect("upload");
        block
    }

    /// A block with what these elements of the device are.
    pub fn copied<T: Plain>(stream: &Stream, data: View<'_, T>) -> Self {
        let bytes = data.cast::<u8>().expect("bytes");
        let mut here = vec![0; bytes.len()];
        stream.download(bytes, &mut here).expect("download");
        Self::holding(stream, &here)
    }

    /// The block.
    pub fn view<T: Plain>(&self) -> View<'_, T> {
        let block = self.memory.view().slice(BEFORE..BEFORE + self.len).expect("inside");
        block.cast().expect("aligned")
    }

    /// The block, to be written.
    pub fn view_mut<T: Plain>(&mut self) -> ViewMut<'_, T> {
        let block = self.memory.view_mut().slice(BEFORE..BEFORE + self.len).expect("inside");
        block.cast().expect("aligned")
    }

    /// The block's bytes now.
    pub fn bytes(&self, stream: &Stream) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        stream.download(self.view(), &mut bytes).expect("download");
        bytes
    }

    /// The guard bytes are what they were.
    pub fn check(&self, stream: &Stream, what: &str) {
        let end = BEFORE + self.len;
        for (range, side) in [(0..BEFORE, "before"), (end..end + BEHIND, "behind")] {
            let mut now = vec![0; range.len()];
            let guard = self.memory.view().slice(range.clone()).expect("inside");
            stream.download(guard, &mut now).expect("download");
            let wrong = now.iter().zip(&self.image[range]).position(|(now, then)| now != then);
            assert!(wrong.is_none(), "{what}: guard byte {} {side} the block", wrong.unwrap());
        }
    }

    /// The guard bytes are what they were, and the block too.
    pub fn check_unchanged(&self, stream: &Stream, what: &str) {
        self.check(stream, what);
        let then = &self.image[BEFORE..BEFORE + self.len];
        assert!(self.bytes(stream) == then, "{what}: written to");
    }
}
