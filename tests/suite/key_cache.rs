//! Keys' caches: they hold what was written, and no other file is taken for one.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use groth16_cuda::key::{CacheFault, Checks, KeyFault, KeyPart};
use groth16_cuda::{Error, ProvingKey};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use crate::circuits::{Sample, Shape, Values, samples};
use crate::data::Scratch;

/// Where the head's fields stand.
const VERSION: usize = 8;
const COUNTS: usize = 16;
const HEAD_SUM: usize = 48;
const HEAD: usize = 52;

/// Names the file that a child process writes.
const CHILD: &str = "G16_TEST_CACHE_CHILD";

/// A key with a domain of 2^8, and with bytes behind it.
fn key() -> ProvingKey {
    let (constraints, inputs, aux, values) = (250, 4, 130, Values::Mixed);
    let sample = Sample::new(Shape { constraints, inputs, aux, values, empty_b: false }, 8);
    let mut bytes = Vec::new();
    sample.params().write(&mut bytes).expect("memory");
    bytes.extend([7; 321]);
    let key = ProvingKey::read(bytes.as_slice(), Checks::SkipSubgroup).expect("a good key");
    assert_eq!(key.shape().domain_log2, 8);
    key
}

/// A key with parts of many pieces: the small one's points over and over.
fn large_key() -> &'static ProvingKey {
    static KEY: OnceLock<ProvingKey> = OnceLock::new();
    KEY.get_or_init(|| {
        let key = key();
        let mut bytes = Vec::new();
        key.vk().write(&mut bytes).expect("memory");
        let queries = [
            (key.h(), (1 << 16) - 1),
            (key.l(), 40_000),
            (key.a(), 30_000),
            (key.b_g1(), 30_000),
            (key.b_g2(), 30_000),
        ];
        for (query, count) in queries {
            let point = query.bytes().len() / query.len();
            bytes.extend(u32::to_be_bytes(count));
            bytes.extend(query.bytes().iter().cycle().take(count as usize * point));
        }
        ProvingKey::read(bytes.as_slice(), Checks::SkipSubgroup).expect("a good key")
    })
}

/// The fault of a cache that is none.
fn fault(path: &Path) -> CacheFault {
    match ProvingKey::read_cache(path).expect_err("a bad cache") {
        Error::BadCache { path: named, fault } => {
            assert_eq!(named, path);
            fault
        }
        other => panic!("{other}"),
    }
}

/// The fault of `bytes` in a file.
fn fault_of(scratch: &Scratch, bytes: &[u8]) -> CacheFault {
    let path = scratch.path("changed");
    fs::write(&path, bytes).expect("written");
    fault(&path)
}

/// Makes the head's checksum right again.
fn seal(bytes: &mut [u8]) {
    let sum = crc32fast::hash(&bytes[..HEAD_SUM]);
    bytes[HEAD_SUM..HEAD].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn caches_hold_what_was_written() {
    let scratch = Scratch::new("cache-round-trip");
    let path = scratch.path("key");
    let keys = samples()
        .into_iter()
        .step_by(5)
        .map(|sample| ProvingKey::from_bellman(&sample.params()).expect("a good key"));
    for key in keys.chain([key(), large_key().clone()]) {
        key.write_cache(&path).expect("written");
        assert_eq!(ProvingKey::read_cache(&path).expect("a good cache"), key);
    }
    assert_eq!(scratch.names(), ["key"]);
}

#[test]
fn every_flipped_byte_is_noticed() {
    let scratch = Scratch::new("cache-flips");
    let path = scratch.path("key");
    key().write_cache(&path).expect("written");
    let bytes = fs::read(&path).expect("read");
    let file = File::options().write(true).open(&path).expect("opened");
    for (place, byte) in bytes.iter().enumerate() {
        // Each bit at an eighth of the places, all bits at others.
        let flip = if place % 9 == 8 { 0xff } else { 1 << (place % 9) };
        file.write_all_at(&[byte ^ flip], place as u64).expect("written");
        let fault = fault(&path);
        match place {
            0..VERSION => assert!(matches!(fault, CacheFault::Magic { .. }), "{place}: {fault}"),
            VERSION..12 => assert!(matches!(fault, CacheFault::Version { .. }), "{place}: {fault}"),
            _ => assert!(
                matches!(fault, CacheFault::Checksum { first, end, .. }
                    if (first..end + 4).contains(&(place as u64))),
                "{place}: {fault}"
            ),
        }
        file.write_all_at(&[*byte], place as u64).expect("written");
    }
    assert_eq!(ProvingKey::read_cache(&path).expect("whole again"), key());
}

#[test]
fn flips_are_noticed_in_every_piece() {
    let scratch = Scratch::new("cache-pieces");
    let path = scratch.path("key");
    large_key().write_cache(&path).expect("written");
    let file = File::options().read(true).write(true).open(&path).expect("opened");
    let len = file.metadata().expect("metadata").len();
    let body = len - large_key_body();
    // Around the edges of the pieces of h, which stands behind the verifying key, and elsewhere.
    let h = body + 868 + 4 * 96;
    let edges = (0..6).flat_map(|piece| [h + (piece << 20), h + (piece << 20) + (1 << 20) - 1]);
    let far = (0..40).map(|step| len - 1 - step * (len / 41));
    for place in edges.chain(far) {
        let mut byte = [0];
        file.read_exact_at(&mut byte, place).expect("read");
        file.write_all_at(&[byte[0] ^ 0x10], place).expect("written");
        let fault = fault(&path);
        assert!(
            matches!(fault, CacheFault::Checksum { first, end, .. }
                if (first..end).contains(&place) && end - first <= 1 << 20),
            "{place}: {fault}"
        );
        file.write_all_at(&byte, place).expect("written");
    }
    assert!(ProvingKey::read_cache(&path).expect("whole again") == *large_key());
}

/// Bytes of the large key without what its cache adds.
fn large_key_body() -> u64 {
    let mut bytes = 868 + large_key().vk().ic.len() * 96;
    let key = large_key();
    for query in [key.h(), key.l(), key.a(), key.b_g1(), key.b_g2()] {
        bytes += query.bytes().len();
    }
    bytes as u64
}

#[test]
fn other_lengths_are_noticed() {
    let scratch = Scratch::new("cache-lengths");
    let path = scratch.path("key");
    key().write_cache(&path).expect("written");
    let bytes = fs::read(&path).expect("read");
    let len = bytes.len();
    let some = (0..400).map(|step| step * len / 400);
    for cut in (0..120).chain(some).chain(len - 120..len) {
        let expected = if cut < HEAD { HEAD } else { len } as u64;
        let fault = fault_of(&scratch, &bytes[..cut]);
        assert_eq!(fault, CacheFault::Length { expected, found: cut as u64 });
    }
    for more in [1, 3, 4, 96, 4096, 1 << 20, len] {
        let mut longer = bytes.clone();
        longer.extend(bytes.iter().cycle().take(more));
        let (expected, found) = (len as u64, longer.len() as u64);
        assert_eq!(fault_of(&scratch, &longer), CacheFault::Length { expected, found });
    }
}

#[test]
fn other_versions_and_other_files_are_named() {
    let scratch = Scratch::new("cache-versions");
    let path = scratch.path("key");
    key().write_cache(&path).expect("written");
    let bytes = fs::read(&path).expect("read");
    for version in [0, 2, 0x0100_0000, u32::MAX] {
        let mut other = bytes.clone();
        other[VERSION..VERSION + 4].copy_from_slice(&version.to_le_bytes());
        seal(&mut other);
        let (expected, found) = (1, version);
        assert_eq!(fault_of(&scratch, &other), CacheFault::Version { expected, found });
    }
    let mut other = bytes.clone();
    other[12] = 9;
    seal(&mut other);
    let expected = CacheFault::Field { field: "checks", found: 9 };
    assert_eq!(fault_of(&scratch, &other), expected);
    let mut params = Vec::new();
    key().write(&mut params).expect("memory");
    assert!(matches!(fault_of(&scratch, &params), CacheFault::Magic { .. }));
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for len in (0..3000).step_by(7) {
        let mut noise = vec![0; len];
        rng.fill_bytes(&mut noise);
        fault_of(&scratch, &noise);
        // Behind a good beginning.
        let begun = len.min(12);
        noise[..begun].copy_from_slice(&bytes[..begun]);
        fault_of(&scratch, &noise);
    }
    let text = ProvingKey::read_cache(scratch.path("changed")).expect_err("noise").to_string();
    assert!(text.contains("changed: bytes 0 to 48 are damaged: their checksum is "), "{text}");
}

#[test]
fn absurd_counts_are_refused_before_memory_is_claimed() {
    let scratch = Scratch::new("cache-counts");
    let path = scratch.path("key");
    key().write_cache(&path).expect("written");
    let bytes = fs::read(&path).expect("read");
    let parts = [KeyPart::Ic, KeyPart::H, KeyPart::L, KeyPart::A, KeyPart::BG1, KeyPart::BG2];
    for (index, part) in parts.into_iter().enumerate() {
        let place = COUNTS + 4 * index;
        let count = u32::from_le_bytes(bytes[place..place + 4].try_into().expect("four"));
        for wrong in [0, 1, count - 1, count + 1, i32::MAX as u32, u32::MAX - 1, u32::MAX] {
            let mut other = bytes.clone();
            other[place..place + 4].copy_from_slice(&wrong.to_le_bytes());
            seal(&mut other);
            match fault_of(&scratch, &other) {
                CacheFault::Part { fault: KeyFault::Count { .. }, .. } => (),
                CacheFault::Length { found, .. } => assert_eq!(found, bytes.len() as u64),
                fault => panic!("{part}, {wrong}: {fault}"),
            }
        }
    }
    // All of them at once, and a file that is as long as they say, though it has no blocks.
    let mut other = bytes[..HEAD].to_vec();
    let counts = [1, (1_u32 << 31) - 1, u32::MAX - 1, u32::MAX, u32::MAX, u32::MAX];
    for (index, count) in counts.into_iter().enumerate() {
        other[COUNTS + 4 * index..][..4].copy_from_slice(&count.to_le_bytes());
    }
    seal(&mut other);
    let CacheFault::Length { expected, .. } = fault_of(&scratch, &other) else {
        panic!("another fault")
    };
    let sparse = File::options().write(true).open(scratch.path("changed")).expect("opened");
    if sparse.set_len(expected).is_ok() {
        let fault = fault(&scratch.path("changed"));
        assert!(matches!(fault, CacheFault::Checksum { first: 52, .. }), "{fault}");
    }
}

#[test]
fn impossible_keys_under_right_checksums_are_refused() {
    let scratch = Scratch::new("cache-vk");
    let path = scratch.path("key");
    key().write_cache(&path).expect("written");
    let bytes = fs::read(&path).expect("read");
    // Six parts of one piece each, and the table's own checksum.
    let body = HEAD + 6 * 4 + 4;
    let vk = 868 + 4 * 96;
    let changed = |change: &dyn Fn(&mut [u8])| {
        let mut other = bytes.clone();
        change(&mut other[body..body + vk]);
        let sum = crc32fast::hash(&other[body..body + vk]);
        other[HEAD..HEAD + 4].copy_from_slice(&sum.to_le_bytes());
        let sum = crc32fast::hash(&other[HEAD..body - 4]);
        other[body - 4..body].copy_from_slice(&sum.to_le_bytes());
        fault_of(&scratch, &other)
    };
    let part = |fault, expected| {
        assert!(matches!(fault, CacheFault::Part { part, .. } if part == expected), "{fault}");
    };
    part(changed(&|vk| vk[0] ^= 0x80), KeyPart::AlphaG1);
    part(changed(&|vk| vk[95] ^= 1), KeyPart::AlphaG1);
    part(changed(&|vk| vk[867] = 3), KeyPart::Ic);
    part(changed(&|vk| vk[867] = 5), KeyPart::Ic);
    part(changed(&|vk| vk[864..868].fill(0xff)), KeyPart::Ic);
}

#[test]
fn files_that_cannot_be_had_are_named() {
    let scratch = Scratch::new("cache-files");
    let missing = scratch.path("missing");
    let error = ProvingKey::read_cache(&missing).expect_err("missing");
    assert!(matches!(&error, Error::File { path, .. } if *path == missing), "{error}");
    assert!(error.to_string().contains("missing: No such file"), "{error}");
    let nowhere = missing.join("key");
    let error = key().write_cache(&nowhere).expect_err("no folder");
    assert!(matches!(&error, Error::File { path, .. } if *path == nowhere), "{error}");
    for path in [scratch.path(""), scratch.path(".."), Path::new("/").to_owned()] {
        key().write_cache(&path).expect_err("a folder");
        ProvingKey::read_cache(&path).expect_err("a folder");
    }
    assert!(scratch.names().is_empty());
}

#[test]
fn of_many_writers_one_file_stays() {
    let scratch = Scratch::new("cache-writers");
    let path = scratch.path("key");
    let first = key();
    let second = ProvingKey::from_bellman(&crate::circuits::sample().params()).expect("a key");
    first.write_cache(&path).expect("written");
    let running = AtomicBool::new(true);
    let reads = AtomicUsize::new(0);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while running.load(Ordering::Relaxed) {
                let key = ProvingKey::read_cache(&path).expect("always a good cache");
                assert!(key == first || key == second);
                reads.fetch_add(1, Ordering::Relaxed);
            }
        });
        let writers: Vec<_> = [&first, &second, &first, &second]
            .into_iter()
            .map(|key| {
                let path = &path;
                scope.spawn(move || (0..30).for_each(|_| key.write_cache(path).expect("written")))
            })
            .collect();
        let written = writers.into_iter().all(|writer| writer.join().is_ok());
        running.store(false, Ordering::Relaxed);
        assert!(written && reader.join().is_ok());
    });
    assert!(reads.into_inner() > 0);
    assert_eq!(scratch.names(), ["key"]);
}

/// Not a test: what the next one kills.
#[test]
#[ignore = "writes until it is killed"]
fn child_that_writes() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let path = Path::new(&path);
    let key = ProvingKey::read_cache(path.with_file_name("whole")).expect("the parent's");
    println!("ready");
    loop {
        key.write_cache(path).expect("written");
    }
}

#[test]
fn a_killed_writer_leaves_no_file_that_reads() {
    let scratch = Scratch::new("cache-killed");
    large_key().write_cache(scratch.path("whole")).expect("written");
    let path = scratch.path("key");
    let mut unfinished = 0;
    for round in 0..8 {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "key_cache::child_that_writes", "--ignored", "--nocapture"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut output = child.stdout.take().expect("piped");
        let mut said = Vec::new();
        while !String::from_utf8_lossy(&said).contains("ready") {
            let mut byte = [0];
            output.read_exact(&mut byte).expect("the child is ready");
            said.extend(byte);
        }
        thread::sleep(Duration::from_millis(15 * round));
        child.kill().expect("killed");
        child.wait().expect("ended");
        match ProvingKey::read_cache(&path) {
            Ok(key) => assert!(key == *large_key()),
            Err(error) => assert!(matches!(error, Error::File { .. }), "{error}"),
        }
        for name in scratch.names() {
            let whole = name == "whole" || name == "key";
            unfinished += usize::from(!whole);
            if name != "whole" {
                fs::remove_file(scratch.path(&name)).expect("removed");
            }
        }
    }
    assert!(unfinished > 0, "no writer was killed while it wrote");
}
