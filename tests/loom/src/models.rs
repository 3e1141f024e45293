//! Three workers, sometimes with one who loads a key, on a heap with room for one proof or two.
//!
//! Every model asserts the same: nobody hangs (loom reports a deadlock), proofs compute in the
//! order in which they staged, one at a time, no proof takes memory once it computes, nobody has
//! what another one has, and in the end everything is back. One model has a lock that lets everyone
//! in: the arena keeps the memory right all the same, and leases the scratch once.

use std::sync::Mutex as Plain;
use std::sync::{Arc, PoisonError};

use loom::thread;

use crate::arena::{Admission, KeyClaim, Lease, Region, Reservation, RingGate, RingLease};
use crate::error::{Error, Result};
use crate::lock::{GpuLock, ProofId, SingleLock, SplitLock, StagePermit};

/// What the model has seen. An ordinary mutex, never held across one of loom's: it adds no
/// interleavings.
#[derive(Default)]
struct Seen(Plain<Books>);

#[derive(Default)]
struct Books {
    staged: Vec<u64>,
    computed: Vec<u64>,
    staging: usize,
    computing: usize,
    scratch: usize,
    ring: usize,
    loading: bool,
    blocks_out: Vec<(u64, Region)>,
}

impl Seen {
    fn note<R>(&self, what: impl FnOnce(&mut Books) -> R) -> R {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How far a proof goes.
#[derive(Clone, Copy, PartialEq)]
enum Goes {
    /// All the way.
    Through,
    /// Its caller cancels it with one block taken.
    LeavesEarly,
    /// Its blocks do not fit the empty heap.
    TooLarge,
}

/// Units of w, a and b.
const BLOCKS: [u64; 3] = [2, 1, 1];
/// Units of heap for one proof.
const ONE: u64 = 4;

struct Model {
    admission: Admission<u64>,
    ring: Arc<RingGate>,
    lock: Arc<dyn GpuLock>,
    lock_is_right: bool,
    seen: Seen,
}

impl Model {
    fn new(lock: Arc<dyn GpuLock>, lock_is_right: bool, units: u64) -> Arc<Self> {
        let (admission, seen) = (Admission::new(units, 1), Seen::default());
        let ring = Arc::new(RingGate::new());
        Arc::new(Model { admission, ring, lock, lock_is_right, seen })
    }

    fn prove(&self, proof: u64, goes: Goes) -> Result<()> {
        let permit = StagePermit::enter(&self.lock, ProofId::new(proof));
        self.seen.note(|books| {
            books.staging += 1;
            assert!(books.staging == 1 || !self.lock_is_right, "two proofs stage");
        });
        let staged = self.stage(proof, goes);
        self.seen.note(|books| books.staging -= 1);
        let Some((reservation, held)) = staged? else { return Ok(()) };
        self.seen.note(|books| books.staged.push(proof));

        let permit = permit.enter_compute();
        self.seen.note(|books| {
            books.computing += 1;
            books.computed.push(proof);
            if self.lock_is_right {
                assert_eq!(books.computing, 1, "two proofs compute");
                assert_eq!(books.staged[..books.computed.len()], books.computed, "another order");
            }
            assert!(!books.loading, "a key is loaded while a proof computes");
            assert_eq!(books.blocks_out.iter().filter(|out| out.0 == proof).count(), 3);
        });
        let scratch = reservation.lease_scratch();
        if scratch.is_ok() {
            self.seen.note(|books| {
                books.scratch += 1;
                assert_eq!(books.scratch, 1, "two scratch leases");
            });
        }
        self.return_blocks(proof, held);
        self.seen.note(|books| {
            books.computing -= 1;
            books.scratch -= usize::from(scratch.is_ok());
        });
        drop(scratch?);
        drop(reservation);
        drop(permit);
        Ok(())
    }

    /// The proof's reservation and blocks, or `None` where it leaves early.
    fn stage(&self, proof: u64, goes: Goes) -> Result<Option<Staged>> {
        let blocks = if goes == Goes::TooLarge { [1 << 20, 1, 1] } else { BLOCKS };
        let mut reservation = self.admission.reserve(ProofId::new(proof), blocks)?;
        let (mut held, mut ring) = (Vec::new(), None);
        for _ in 0..3 {
            let lease = reservation.take()?;
            self.seen.note(|books| {
                assert!(!books.computed.contains(&proof), "takes memory while it computes");
                assert!(!books.loading, "takes memory while a key is loaded");
                books.blocks_out.push((proof, lease.region()));
                let mut regions: Vec<_> = books.blocks_out.iter().map(|out| out.1).collect();
                regions.sort();
                assert!(regions.windows(2).all(|pair| pair[0].end() <= pair[1].offset));
            });
            held.push(lease);
            if ring.is_none() {
                ring = Some(self.lease_ring()?);
            }
            if goes == Goes::LeavesEarly {
                self.return_ring(ring);
                self.return_blocks(proof, held);
                return Ok(None);
            }
        }
        self.return_ring(ring);
        Ok(Some((reservation, held)))
    }

    fn lease_ring(&self) -> Result<RingLease> {
        let ring = self.ring.lease()?;
        self.seen.note(|books| {
            books.ring += 1;
            assert_eq!(books.ring, 1, "two have the ring");
        });
        Ok(ring)
    }

    fn return_ring(&self, ring: Option<RingLease>) {
        self.seen.note(|books| books.ring -= usize::from(ring.is_some()));
    }

    fn return_blocks(&self, proof: u64, held: Vec<Lease<u64>>) {
        self.seen.note(|books| books.blocks_out.retain(|out| out.0 != proof));
        held.into_iter().for_each(|lease| lease.give_back(proof));
    }

    fn load_key(&self) {
        let mut turn = self.admission.exclusive().expect("the device is not lost");
        self.seen.note(|books| {
            assert!(books.blocks_out.is_empty() && books.computing == 0);
            books.loading = true;
        });
        let claim = KeyClaim { resident_bytes: 1, scratch_bytes: 1, blocks: BLOCKS };
        let key = turn.load(claim).expect("there is room");
        self.return_ring(self.lease_ring().ok());
        self.seen.note(|books| books.loading = false);
        drop(turn);
        drop(key);
    }

    fn ends_idle(&self) {
        assert!(self.admission.is_idle());
        self.seen.note(|books| {
            assert!(books.staged == books.computed || !self.lock_is_right);
            assert!(books.blocks_out.is_empty());
        });
    }
}

type Staged = (Reservation<u64>, Vec<Lease<u64>>);

/// Whose lock a model has.
#[derive(Clone, Copy, PartialEq)]
enum Lock {
    Single,
    Split,
    /// Lets everyone in.
    None,
}

struct NoLock;

impl GpuLock for NoLock {
    fn enter_stage(&self, _: ProofId) {}
    fn enter_compute(&self, _: ProofId) {}
    fn leave(&self, _: ProofId) {}
}

/// Explores the interleavings of three workers, one a proof, and of a key load where asked, with
/// at most two preemptions.
fn explore(lock: Lock, units: u64, workers: [Goes; 3], key_load: bool) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(move || {
        let of: Arc<dyn GpuLock> = match lock {
            Lock::Single => Arc::new(SingleLock::new()),
            Lock::Split => Arc::new(SplitLock::new()),
            Lock::None => Arc::new(NoLock),
        };
        let model = Model::new(of, lock != Lock::None, units);
        let spawn = |proof: u64| {
            let model = Arc::clone(&model);
            thread::spawn(move || check(proof, workers, &model))
        };
        let mut threads = vec![spawn(1), spawn(2)];
        if key_load {
            let model = Arc::clone(&model);
            threads.push(thread::spawn(move || model.load_key()));
        }
        check(0, workers, &model);
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        model.ends_idle();
    });
}

fn check(proof: u64, workers: [Goes; 3], model: &Model) {
    let goes = workers[proof as usize];
    match model.prove(proof, goes) {
        Ok(()) => assert!(goes != Goes::TooLarge),
        Err(Error::InsufficientVram { .. }) => assert!(goes == Goes::TooLarge),
        Err(Error::LockContract { .. }) => assert!(!model.lock_is_right),
        Err(other) => panic!("{other}"),
    }
}

use Goes::{LeavesEarly, Through, TooLarge};

#[test]
fn split_room_for_one() {
    explore(Lock::Split, ONE, [Through; 3], false);
}

#[test]
fn split_room_for_two() {
    explore(Lock::Split, 2 * ONE, [Through; 3], false);
}

#[test]
fn split_one_leaves_early_and_one_is_too_large() {
    explore(Lock::Split, ONE, [Through, LeavesEarly, TooLarge], false);
}

#[test]
fn split_key_load_room_for_one() {
    explore(Lock::Split, ONE + 2, [Through, Through, LeavesEarly], true);
}

#[test]
fn split_key_load_room_for_two() {
    explore(Lock::Split, 2 * ONE + 2, [Through, Through, LeavesEarly], true);
}

#[test]
fn split_key_load_and_one_is_too_large() {
    explore(Lock::Split, ONE + 2, [Through, LeavesEarly, TooLarge], true);
}

#[test]
fn single_key_load() {
    explore(Lock::Single, ONE + 2, [Through, LeavesEarly, TooLarge], true);
}

#[test]
fn no_lock_room_for_one() {
    explore(Lock::None, ONE, [Through, LeavesEarly, Through], false);
}

#[test]
fn no_lock_room_for_two() {
    explore(Lock::None, 2 * ONE, [Through; 3], false);
}
