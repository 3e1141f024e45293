//! The arena's books against slow oracles, and its queue under threads.

use std::sync::mpsc;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::buddy::Buddy;
use super::spans::{Span, Spans};
use super::{Admission, Blocks, KeyClaim, Lease, Region, Reservation, RingGate};
use crate::error::Error;
use crate::lock::{GpuLock, ProofId, SingleLock, SplitLock, StagePermit};

/// Long enough for a thread that need not wait to get through, on a busy machine too.
const SOON: Duration = Duration::from_millis(50);

/// A wait that takes this long is a deadlock.
const NEVER: Duration = Duration::from_secs(60);

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn id(number: u64) -> ProofId {
    ProofId::new(number)
}

fn region(offset: u64, bytes: u64) -> Region {
    Region { offset, bytes }
}

fn disjoint(regions: &[Region]) -> bool {
    let mut sorted = regions.to_vec();
    sorted.sort();
    sorted.windows(2).all(|pair| pair[0].end() <= pair[1].offset)
}

// --- buddy heap ---

#[test]
fn a_new_heap_is_cut_into_one_root_for_each_bit() {
    let heap = Buddy::new(16 * 13 + 5, 16);
    assert_eq!(heap.bytes(), 16 * 13);
    let mut roots = heap.free_regions();
    roots.sort();
    assert_eq!(roots, [region(0, 128), region(128, 64), region(192, 16)]);
    assert!(Buddy::new(15, 16).free_regions().is_empty());
}

#[test]
fn random_use_never_overlaps_and_ends_whole() {
    for seed in 0..200 {
        let mut rng = rng(seed);
        let granule = 1 << rng.random_range(0..4);
        let bytes = granule * rng.random_range(1..200);
        let mut heap = Buddy::new(bytes, granule);
        let mut roots = heap.free_regions();
        let mut held: Vec<Region> = Vec::new();
        for _ in 0..300 {
            if rng.random_range(0..5) < 3 {
                let size = granule << rng.random_range(0..6);
                let fits = heap.free_regions().iter().any(|free| free.bytes >= size);
                let block = heap.allocate(size);
                assert_eq!(block.is_some(), fits);
                held.extend(block);
            } else if !held.is_empty() {
                heap.release(held.swap_remove(rng.random_range(0..held.len())));
            }
            let mut all = heap.free_regions();
            all.extend(&held);
            assert!(disjoint(&all));
            assert_eq!(all.iter().map(|r| r.bytes).sum::<u64>(), heap.bytes());
            assert!(held.iter().all(|r| r.end() <= bytes && r.offset % r.bytes == 0));
            assert_eq!(heap.is_whole(), held.is_empty());
        }
        held.into_iter().for_each(|block| heap.release(block));
        let mut left = heap.free_regions();
        roots.sort();
        left.sort();
        assert_eq!(left, roots);
    }
}

/// The sum of the sizes decides whether an empty heap holds them, and the largest-first order
/// never fails later, whatever was out when the first of them were taken.
#[test]
fn blocks_fit_where_their_sum_does() {
    for seed in 0..400 {
        let mut rng = rng(seed);
        let bytes = rng.random_range(1..80);
        let mut sizes = [0; 3].map(|_| 1u64 << rng.random_range(0..6));
        sizes.sort_by(|x, y| y.cmp(x));
        let mut heap = Buddy::new(bytes, 1);
        let fits = sizes.iter().sum::<u64>() <= bytes;
        assert_eq!(sizes.iter().all(|&size| heap.allocate(size).is_some()), fits, "{bytes}");
        if !fits {
            continue;
        }
        // Others' blocks lie about and go back, while this proof's are taken one by one.
        let mut heap = Buddy::new(bytes, 1);
        let mut others: Vec<Region> = Vec::new();
        while rng.random_range(0..8) > 0 {
            others.extend(heap.allocate(1 << rng.random_range(0..6)));
        }
        for size in sizes {
            loop {
                if heap.allocate(size).is_some() {
                    break;
                }
                assert!(!others.is_empty(), "stuck: {sizes:?} in {bytes}");
                heap.release(others.swap_remove(rng.random_range(0..others.len())));
            }
        }
    }
}

#[test]
fn block_sizes_are_powers_of_two_from_the_granule() {
    assert_eq!(Buddy::block_bytes(0, 64), Some(64));
    assert_eq!(Buddy::block_bytes(65, 64), Some(128));
    assert_eq!(Buddy::block_bytes(1 << 63, 64), Some(1 << 63));
    assert_eq!(Buddy::block_bytes((1 << 63) + 1, 64), None);
}

// --- tokens ---

#[test]
fn spans_match_a_table_of_bytes() {
    for seed in 0..100 {
        let mut rng = rng(seed);
        let mut spans = Spans::new();
        let mut table = [None; 64];
        for token in 0..200 {
            let offset = rng.random_range(0..64);
            let part = region(offset, rng.random_range(0..=64 - offset));
            let bytes = part.offset as usize..part.end() as usize;
            let mut seen = [None; 64];
            for span in spans.take(part) {
                assert!(part.offset <= span.region.offset && span.region.end() <= part.end());
                let bytes = span.region.offset as usize..span.region.end() as usize;
                seen[bytes].fill(Some(span.after));
            }
            assert_eq!(seen[bytes.clone()], table[bytes.clone()]);
            table[bytes.clone()].fill(None);
            if rng.random_range(0..3) > 0 {
                table[bytes].fill(Some(token));
                spans.put(Span { region: part, after: token });
            }
            assert!(spans.len() <= 64);
        }
    }
}

// --- admission ---

/// An admission over `units` granules of one byte; tokens are numbers.
fn units(units: u64) -> Admission<u32> {
    Admission::new(units, 1)
}

fn filled(admission: &Admission<u32>, proof: u64, blocks: Blocks) -> (Reservation<u32>, Staged) {
    let mut reservation = admission.reserve(id(proof), blocks).unwrap();
    let staged = [0; 3].map(|_| reservation.take().unwrap());
    (reservation, staged)
}

type Staged = [Lease<u32>; 3];

#[test]
fn what_never_fits_fails_at_once_and_the_budget_it_names_suffices() {
    let admission = units(10);
    let (_held, _blocks) = filled(&admission, 0, [4, 2, 2]);
    for (blocks, sum) in [([8, 1, 2], 11), ([5, 1, 1], 10), ([9, 0, 0], 18), ([4, 4, 4], 12)] {
        match admission.reserve(id(1), blocks) {
            Ok(_) => assert!(sum <= 10),
            Err(Error::InsufficientVram { needed, available }) => {
                assert_eq!((needed, available), (sum, 10));
                filled(&units(needed), 1, blocks);
                assert!(units(needed - 1).reserve(id(1), blocks).is_err());
            }
            Err(other) => panic!("{other}"),
        }
    }
    let huge = admission.reserve(id(1), [u64::MAX, 1 << 63, 1 << 63]);
    assert!(matches!(huge, Err(Error::InsufficientVram { .. })));
}

#[test]
fn a_proof_takes_its_three_blocks_and_the_scratch_after_them() {
    let admission = units(16);
    let mut reservation = admission.reserve(id(0), [1, 2, 3]).unwrap();
    let broken = |result: crate::Result<Lease<u32>>| match result {
        Err(Error::LockContract { proof: 0, .. }) => (),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("granted"),
    };
    broken(reservation.lease_scratch());
    let sizes = [0; 3].map(|_| reservation.take().unwrap()).map(|lease| lease.region().bytes);
    assert_eq!(sizes, [4, 2, 1]);
    broken(reservation.take());
    let scratch = reservation.lease_scratch().unwrap();
    broken(reservation.lease_scratch());
    drop(scratch);
    drop(reservation.lease_scratch().unwrap());
    drop(reservation);
    assert!(admission.is_idle());
}

fn tokens(lease: &Lease<u32>) -> Vec<u32> {
    lease.after().copied().collect()
}

#[test]
fn returned_memory_carries_its_token_to_whoever_gets_it_next() {
    let admission = units(13); // roots of 8, 4 and 1
    let (reservation, [w, a, b]) = filled(&admission, 0, [4, 4, 4]);
    assert_eq!([&w, &a, &b].map(|lease| lease.region().offset), [8, 0, 4]);
    w.give_back(10);
    a.give_back(11);
    drop(b);
    drop(reservation);
    let (reservation, [w, a, b]) = filled(&admission, 1, [8, 4, 1]);
    assert_eq!([&w, &a, &b].map(tokens), [vec![11], vec![10], vec![]]);
    drop(w); // unused: keeps its token
    a.give_back(20); // which stands for the earlier one
    drop((b, reservation));
    let (reservation, blocks) = filled(&admission, 2, [4, 4, 4]);
    assert_eq!(blocks.each_ref().map(tokens), [vec![20], vec![11], vec![]]);
    drop((reservation, blocks));
    let mut all = admission.exclusive().unwrap().take_after();
    all.sort();
    assert_eq!(all, [11, 20]);
    assert!(admission.exclusive().unwrap().take_after().is_empty());
}

#[test]
fn scratch_carries_its_token_too() {
    let admission = units(8);
    let claim = KeyClaim { resident_bytes: 2, scratch_bytes: 3, blocks: [1, 1, 1] };
    let _key = admission.exclusive().unwrap().load(claim).unwrap();
    let (reservation, _blocks) = filled(&admission, 0, [1, 1, 1]);
    let scratch = reservation.lease_scratch().unwrap();
    assert_eq!(scratch.region(), region(5, 3));
    scratch.give_back(7);
    assert_eq!(tokens(&reservation.lease_scratch().unwrap()), [7]);
}

/// Runs `wait` on a thread: a receiver of its result, which must not come yet.
fn blocked<R: Send + 'static>(
    wait: impl FnOnce() -> R + Send + 'static,
) -> (mpsc::Receiver<R>, thread::JoinHandle<()>) {
    let (tell, told) = mpsc::channel();
    let thread = thread::spawn(move || tell.send(wait()).unwrap());
    assert!(told.recv_timeout(SOON).is_err(), "did not wait");
    (told, thread)
}

#[test]
fn only_the_first_unfilled_reservation_takes_blocks() {
    let admission = units(8);
    let (early, [w, a, b]) = filled(&admission, 0, [4, 1, 1]);
    let mut first = admission.reserve(id(1), [2, 2, 2]).unwrap();
    let mut second = admission.reserve(id(2), [1, 1, 1]).unwrap();
    let first_w = first.take().unwrap();
    drop((a, b));
    // Two units are free, but they are the first reservation's.
    let (second_told, second_thread) = blocked(move || second.take().map(|w| (second, w)));
    let first_a = first.take().unwrap();
    let (first_told, first_thread) = blocked(move || first.take().map(|b| (first, b)));
    assert!(second_told.try_recv().is_err());
    drop((w, early));
    let (_first, first_b) = first_told.recv_timeout(NEVER).unwrap().unwrap();
    let (_second, second_w) = second_told.recv_timeout(NEVER).unwrap().unwrap();
    let held = [&first_w, &first_a, &first_b, &second_w].map(|lease| lease.region());
    assert!(disjoint(&held));
    first_thread.join().unwrap();
    second_thread.join().unwrap();
}

#[test]
fn the_next_reservation_takes_once_the_first_is_filled() {
    let admission = units(8);
    let mut first = admission.reserve(id(0), [1, 1, 1]).unwrap();
    let mut next = admission.reserve(id(1), [1, 1, 1]).unwrap();
    let (told, thread) = blocked(move || next.take().map(drop));
    let _held = [0; 3].map(|_| first.take().unwrap());
    assert!(told.recv_timeout(NEVER).expect("nobody woke it").is_ok());
    thread.join().unwrap();
}

#[test]
fn blocks_that_go_back_early_are_handed_on() {
    let admission = units(4);
    let (_early, [w, _a, _b]) = filled(&admission, 0, [2, 1, 1]);
    let mut next = admission.reserve(id(1), [2, 1, 1]).unwrap();
    let (told, thread) = blocked(move || next.take().map(drop));
    w.give_back(1);
    assert!(told.recv_timeout(NEVER).expect("nobody woke it").is_ok());
    thread.join().unwrap();
}

#[test]
fn a_dropped_reservation_makes_way() {
    let admission = units(8);
    let (_early, _blocks) = filled(&admission, 0, [4, 1, 1]);
    let first = admission.reserve(id(1), [4, 1, 1]).unwrap();
    let mut second = admission.reserve(id(2), [1, 1, 0]).unwrap();
    let (told, thread) = blocked(move || second.take().map(|w| (second, w)));
    drop(first);
    assert!(told.recv_timeout(NEVER).unwrap().is_ok());
    thread.join().unwrap();
}

#[test]
fn a_lost_device_wakes_everyone() {
    let admission = units(4);
    let (_early, _blocks) = filled(&admission, 0, [2, 1, 1]);
    let mut behind = admission.reserve(id(1), [1, 1, 1]).unwrap();
    let theirs = admission.clone();
    let (exclusive, loader) = blocked(move || theirs.exclusive().map(drop));
    let (taken, stager) = blocked(move || behind.take().map(drop));
    let gate = Arc::new(RingGate::new());
    let ring = gate.lease().unwrap();
    let second = Arc::clone(&gate);
    let (leased, waiter) = blocked(move || second.lease().map(drop));
    gate.poison("host", "a test");
    admission.poison("host", "a test");
    admission.poison("host", "a later fault");
    for told in [exclusive, taken, leased] {
        let error = told.recv_timeout(NEVER).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "host was lost: a test");
    }
    for thread in [loader, stager, waiter] {
        thread.join().unwrap();
    }
    drop(ring);
    assert!(gate.lease().is_err());
    assert!(admission.reserve(id(2), [1, 1, 1]).is_err());
    assert!(admission.exclusive().is_err());
}

#[test]
fn the_ring_goes_round_in_order() {
    let gate = Arc::new(RingGate::new());
    let ring = gate.lease().unwrap();
    let theirs = Arc::clone(&gate);
    let (told, thread) = blocked(move || theirs.lease().map(drop));
    drop(ring);
    assert!(told.recv_timeout(NEVER).unwrap().is_ok());
    thread.join().unwrap();
}

// --- keys ---

fn claim(resident_bytes: u64, scratch_bytes: u64, blocks: Blocks) -> KeyClaim {
    KeyClaim { resident_bytes, scratch_bytes, blocks }
}

#[test]
fn keys_lie_at_the_bottom_scratch_at_the_top_and_the_heap_between() {
    let admission = units(100);
    let mut turn = admission.exclusive().unwrap();
    let first = turn.load(claim(10, 5, [4, 2, 2])).unwrap();
    let second = turn.load(claim(20, 9, [8, 4, 4])).unwrap();
    let third = turn.load(claim(0, 3, [1, 1, 1])).unwrap();
    assert_eq!([&first, &second].map(|key| key.region()), [region(0, 10), region(10, 20)]);
    assert_eq!(third.region().bytes, 0);
    let layout = turn.layout();
    assert_eq!((layout.heap, layout.scratch), (region(30, 61), region(91, 9)));

    // 30 + 9 + 16 are set aside: 45 more would do, 46 would not, and change nothing.
    let refused = turn.load(claim(46, 1, [1, 1, 1])).map(drop);
    let Err(Error::InsufficientVram { needed, available }) = refused else { panic!() };
    assert_eq!((needed, available), (101, 100));
    assert_eq!(turn.layout(), layout);
    let fourth = turn.load(claim(45, 1, [1, 1, 1])).unwrap();
    assert_eq!(fourth.region(), region(30, 45));

    // A gap is used again, and what went from the top goes to the heap.
    turn.evict(first);
    let fifth = turn.load(claim(7, 1, [1, 1, 1])).unwrap();
    assert_eq!(fifth.region(), region(0, 7));
    turn.evict(fourth);
    turn.evict(second);
    assert_eq!(turn.layout().heap, region(7, 90));
    drop(turn);
    // Without a turn it goes as soon as nobody has memory.
    let held = filled(&admission, 0, [1, 1, 1]);
    drop((third, fifth));
    assert_eq!(admission.layout().heap, region(7, 90));
    drop(held);
    assert_eq!(admission.layout().heap, region(0, 100));
}

#[test]
fn sizes_are_whole_granules_and_the_named_budget_suffices() {
    let wanted = claim(100, 65, [64, 1, 0]);
    let load = |capacity| Admission::<u32>::new(capacity, 64).exclusive()?.load(wanted).map(drop);
    let Err(Error::InsufficientVram { needed, .. }) = load(0) else { panic!() };
    assert_eq!(needed, 64 * (2 + 2 + 3));
    assert!(load(needed).is_ok());
    assert!(load(needed - 1).is_err());
    let huge = claim(u64::MAX, u64::MAX, [u64::MAX; 3]);
    let refused = Admission::<u32>::new(1 << 40, 64).exclusive().unwrap().load(huge).map(drop);
    assert!(matches!(refused, Err(Error::InsufficientVram { .. })));
}

#[test]
fn a_key_load_waits_for_proofs_before_it_and_stops_those_behind() {
    let admission = units(16);
    let (early, blocks) = filled(&admission, 0, [1, 1, 1]);
    let theirs = admission.clone();
    let (loading, loader) = blocked(move || theirs.exclusive());
    let mut behind = admission.reserve(id(1), [2, 2, 2]).unwrap();
    let mut large = admission.reserve(id(2), [8, 4, 4]).unwrap();
    let (staging, stager) = blocked(move || behind.take().map(|w| (behind, w)));
    drop(blocks);
    assert!(loading.recv_timeout(SOON).is_err(), "the proof has not gone");
    drop(early);
    let mut turn = loading.recv_timeout(NEVER).unwrap().unwrap();
    let key = turn.load(claim(4, 4, [2, 2, 2])).unwrap();
    assert!(staging.recv_timeout(SOON).is_err(), "the turn is not over");
    drop(turn);
    let (_behind, w) = staging.recv_timeout(NEVER).unwrap().unwrap();
    assert!(disjoint(&[w.region(), key.region(), admission.layout().scratch]));
    // It fitted when it was reserved, and does not fit beside the key.
    assert!(matches!(large.take().map(drop), Err(Error::InsufficientVram { needed: 24, .. })));
    loader.join().unwrap();
    stager.join().unwrap();
}

// --- everything together ---

/// Regions in use; taking one asserts that nobody has any part of it.
#[derive(Clone, Default)]
struct InUse(Arc<Mutex<Vec<Region>>>);

struct Claimed(InUse, Region);

impl InUse {
    fn claim(&self, region: Region) -> Claimed {
        let mut regions = self.0.lock();
        regions.push(region);
        assert!(disjoint(&regions), "{regions:?}");
        Claimed(self.clone(), region)
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        let mut regions = self.0.0.lock();
        let at = regions.iter().position(|&r| r == self.1);
        regions.swap_remove(at.expect("claimed"));
    }
}

/// One proof: stages, computes, gives two blocks back early. It leaves early or panics where
/// `stop` says so.
fn prove(
    admission: &Admission<u32>,
    lock: &Arc<dyn GpuLock>,
    in_use: &InUse,
    proof: u64,
    blocks: Blocks,
    stop: u32,
) -> crate::Result<()> {
    let permit = StagePermit::enter(lock, id(proof));
    let mut reservation = admission.reserve(id(proof), blocks)?;
    let mut held = Vec::new();
    for block in 0..3 {
        if stop == block {
            return Ok(());
        }
        assert_ne!(stop, 10 + block, "panics while it stages");
        let lease = reservation.take()?;
        held.push((in_use.claim(lease.region()), lease));
    }
    let _permit = permit.enter_compute();
    let scratch = reservation.lease_scratch()?;
    let claimed = in_use.claim(scratch.region());
    thread::yield_now();
    assert_ne!(stop, 13, "panics while it computes");
    for (claimed, lease) in held.drain(1..) {
        drop(claimed);
        lease.give_back(proof as u32);
    }
    thread::yield_now();
    drop(claimed);
    scratch.give_back(proof as u32);
    Ok(())
}

/// 4 workers and one who loads and evicts keys, with room for about `room` proofs.
fn crowd(lock: Arc<dyn GpuLock>, room: u64, seed: u64) {
    let admission = units(16 * room + 9);
    let in_use = InUse::default();
    let start = Barrier::new(5);
    thread::scope(|scope| {
        for worker in 0..4 {
            let (admission, lock, in_use, start) = (&admission, &lock, &in_use, &start);
            scope.spawn(move || {
                let mut rng = rng(4 * seed + worker);
                start.wait();
                for proof in 0..60 {
                    let n = 1 << rng.random_range(0..3);
                    let blocks = [n << rng.random_range(0..2), n, n];
                    prove(admission, lock, in_use, 4 * proof + worker, blocks, 9).unwrap();
                    let too_large = [16 * room + 16, 1, 1];
                    assert!(prove(admission, lock, in_use, 1000, too_large, 9).is_err());
                    let stop = rng.random_range(0..3);
                    prove(admission, lock, in_use, 2000 + worker, blocks, stop).unwrap();
                }
            });
        }
        scope.spawn(|| {
            start.wait();
            for _ in 0..20 {
                let mut turn = admission.exclusive().unwrap();
                let whole = in_use.claim(turn.layout().heap);
                drop(whole);
                let key = turn.load(claim(5, 4, [8, 4, 4])).unwrap();
                let claimed = in_use.claim(key.region());
                drop(turn);
                thread::yield_now();
                drop((claimed, key));
            }
        });
    });
    assert!(admission.is_idle());
    assert_eq!(admission.layout().heap, region(0, 16 * room + 9));
    assert!(in_use.0.lock().is_empty());
}

#[test]
fn workers_and_a_key_loader_never_share_memory_and_never_hang() {
    for seed in 0..4 {
        for room in 1..3 {
            crowd(Arc::new(SplitLock::new()), room, seed);
            crowd(Arc::new(SingleLock::new()), room, seed);
        }
    }
}

#[test]
fn a_worker_that_panics_in_any_phase_gives_everything_back() {
    for lock in [Arc::new(SingleLock::new()) as Arc<dyn GpuLock>, Arc::new(SplitLock::new())] {
        let admission = units(4);
        let in_use = InUse::default();
        for stop in 10..14 {
            let panicked = thread::scope(|scope| {
                let worker = || prove(&admission, &lock, &in_use, 0, [2, 1, 1], stop);
                scope.spawn(worker).join().is_err()
            });
            assert!(panicked);
            prove(&admission, &lock, &in_use, 1, [2, 1, 1], 9).unwrap();
            assert!(admission.is_idle());
        }
    }
}

/// Lets everyone in: the arena must stay right all the same.
struct NoLock;

impl GpuLock for NoLock {
    fn enter_stage(&self, _: ProofId) {}
    fn enter_compute(&self, _: ProofId) {}
    fn leave(&self, _: ProofId) {}
}

#[test]
fn memory_is_right_under_a_lock_that_is_not() {
    let admission = units(16);
    let in_use = InUse::default();
    let lock: Arc<dyn GpuLock> = Arc::new(NoLock);
    thread::scope(|scope| {
        for worker in 0..4 {
            let (admission, lock, in_use) = (&admission, &lock, &in_use);
            scope.spawn(move || {
                for proof in 0..100 {
                    match prove(admission, lock, in_use, 4 * proof + worker, [4, 2, 2], 9) {
                        Ok(()) | Err(Error::LockContract { .. }) => (),
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
    });
    assert!(admission.is_idle());
}
