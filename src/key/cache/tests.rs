//! Writers that fail.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::{Checks, Contents, replace};
use crate::device::{Device, HostConfig};
use crate::setup::{self, Trapdoor};
use crate::synthetic::Shape;
use crate::{ProvingKey, Result};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn key() -> Result<ProvingKey> {
    let device = Device::host(HostConfig { memory_bytes: 64 << 20, ..HostConfig::default() })?;
    let trapdoor = Trapdoor::random(&mut ChaCha20Rng::seed_from_u64(1));
    setup::generate(&device, &Shape::porep(6).synthetic(1)?, &trapdoor, setup::SILENT)
}

/// A disk that is full after some bytes.
struct Full<W> {
    disk: W,
    left: usize,
}

impl<W: Write> Write for Full<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let written = self.disk.write(&bytes[..bytes.len().min(self.left)])?;
        self.left -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.disk.flush()
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let key = key().expect("a key");
    let contents = Contents::new(&key, Checks::Full).expect("a key that can be written");
    let mut whole = Vec::new();
    contents.write(&mut whole).expect("memory");
    let name = format!("groth16-cuda-full-disk-{}", std::process::id());
    let folder: PathBuf = std::env::temp_dir().join(name);
    fs::create_dir(&folder).expect("a new folder");
    let path = folder.join("key");
    for there in [None, Some(b"what was there".to_vec())] {
        if let Some(bytes) = &there {
            fs::write(&path, bytes).expect("written");
        }
        for left in (0..whole.len()).step_by(whole.len() / 60).chain([whole.len() - 1]) {
            let outcome = replace::file(&path, |disk| contents.write(&mut Full { disk, left }));
            let error = outcome.expect_err("the disk is full");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert_eq!(fs::read(&path).ok(), there);
            assert_eq!(fs::read_dir(&folder).expect("a folder").count(), there.iter().count());
        }
    }
    let left = whole.len();
    replace::file(&path, |disk| contents.write(&mut Full { disk, left })).expect("room enough");
    assert_eq!(fs::read(&path).expect("written"), whole);
    assert_eq!(ProvingKey::read_cache(&path).expect("a good cache"), key);
    fs::remove_dir_all(&folder).expect("removed");
}
