//! The locks under threads: exclusion, order, and `leave` on every path.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::queue::Queue;
use super::{ComputePermit, GpuLock, ProofId, SingleLock, SplitLock, StagePermit};

/// Long enough for a thread that need not wait to get through, on a busy machine too.
const SOON: Duration = Duration::from_millis(50);
/// A wait that takes this long is a deadlock.
const NEVER: Duration = Duration::from_secs(60);

fn id(number: usize) -> ProofId {
    ProofId::new(number as u64)
}

#[test]
fn queue_is_first_in_first_out() {
    let queue = Queue::new();
    (0..3).for_each(|p| queue.join(id(p)));
    queue.join(id(0)); // keeps its place
    for p in 0..3 {
        queue.wait(id(p));
        queue.leave(id(p));
    }
    queue.wait(id(0)); // has no place: returns
    queue.leave(id(0));
}

#[test]
fn queued_proof_that_is_dropped_leaves_its_place() {
    let queue = Queue::new();
    (0..3).for_each(|p| queue.join(id(p)));
    queue.leave(id(1));
    queue.leave(id(0));
    queue.wait(id(2));
}

/// How many proofs are in a phase, and the most that ever were.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Crowd {
    fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }
    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What 4 workers with 50 proofs each saw. Every seventh proof leaves from its stage phase.
fn crowd(lock: Arc<dyn GpuLock>) -> (usize, usize, usize, Vec<ProofId>, Vec<ProofId>) {
    let (staging, computing, either) = (Crowd::default(), Crowd::default(), Crowd::default());
    let (staged, computed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for worker in 0..4 {
            let (lock, staging, computing, either) = (&lock, &staging, &computing, &either);
            let (staged, computed) = (&staged, &computed);
            scope.spawn(move || {
                for proof in 0..50 {
                    let permit = StagePermit::enter(lock, id(4 * proof + worker));
                    staging.enter();
                    either.enter();
                    thread::yield_now();
                    staging.leave();
                    either.leave();
                    if proof % 7 == 6 {
                        continue;
                    }
                    staged.lock().push(permit.proof());
                    let permit = permit.enter_compute();
                    computing.enter();
                    either.enter();
                    computed.lock().push(permit.proof());
                    thread::yield_now();
                    computing.leave();
                    either.leave();
                }
            });
        }
    });
    let most = |crowd: Crowd| crowd.most.into_inner();
    (most(staging), most(computing), most(either), staged.into_inner(), computed.into_inner())
}

#[test]
fn single_lock_lets_one_proof_do_anything() {
    let (_, _, either, staged, computed) = crowd(Arc::new(SingleLock::new()));
    assert_eq!(either, 1);
    assert_eq!(staged.len(), 4 * 43);
    assert_eq!(staged, computed);
}

#[test]
fn split_lock_lets_one_proof_into_each_phase_in_one_order() {
    let (staging, computing, _, staged, computed) = crowd(Arc::new(SplitLock::new()));
    assert_eq!((staging, computing), (1, 1));
    assert_eq!(staged.len(), 4 * 43);
    assert_eq!(staged, computed);
}

/// Proof 0 computes; whether proof 1 can stage meanwhile.
fn overlaps(lock: Arc<dyn GpuLock>) -> bool {
    let first: ComputePermit = StagePermit::enter(&lock, id(0)).enter_compute();
    let (tell, told) = mpsc::channel();
    let second = thread::spawn(move || {
        let permit = StagePermit::enter(&lock, id(1));
        tell.send(()).unwrap();
        drop(permit);
    });
    let meanwhile = told.recv_timeout(SOON).is_ok();
    drop(first);
    if !meanwhile {
        told.recv_timeout(NEVER).expect("the second proof never staged");
    }
    second.join().unwrap();
    meanwhile
}

#[test]
fn split_lock_overlaps_staging_with_computing() {
    assert!(!overlaps(Arc::new(SingleLock::new())));
    let lock: Arc<dyn GpuLock> = Arc::new(SplitLock::new());
    let first = StagePermit::enter(&lock, id(0)).enter_compute();
    // On this very thread: it would hang if the second proof had to wait.
    let second = StagePermit::enter(&lock, id(1));
    drop(first);
    drop(second.enter_compute());
}

/// Counts each proof's calls of `leave`, and panics where it is told to.
#[derive(Default)]
struct Counting {
    left: Mutex<Vec<ProofId>>,
    panics_in_stage: bool,
    panics_in_compute: bool,
}

impl GpuLock for Counting {
    fn enter_stage(&self, _: ProofId) {
        assert!(!self.panics_in_stage, "as asked");
    }
    fn enter_compute(&self, _: ProofId) {
        assert!(!self.panics_in_compute, "as asked");
    }
    fn leave(&self, proof: ProofId) {
        self.left.lock().push(proof);
    }
}

#[test]
fn permits_leave_once_on_every_path() {
    let count = |counting: Counting, reach: fn(&Arc<dyn GpuLock>)| {
        let counting = Arc::new(counting);
        let lock: Arc<dyn GpuLock> = counting.clone();
        let result = thread::spawn(move || reach(&lock)).join();
        assert_eq!(*counting.left.lock(), [id(7)]);
        result.is_ok()
    };
    let quiet = Counting::default;
    assert!(count(quiet(), |lock| drop(StagePermit::enter(lock, id(7)))));
    assert!(count(quiet(), |lock| drop(StagePermit::enter(lock, id(7)).enter_compute())));
    assert!(!count(quiet(), |lock| {
        let _permit = StagePermit::enter(lock, id(7));
        panic!("in the stage phase");
    }));
    assert!(!count(quiet(), |lock| {
        let _permit = StagePermit::enter(lock, id(7)).enter_compute();
        panic!("in the compute phase");
    }));
    let in_stage = Counting { panics_in_stage: true, ..quiet() };
    assert!(!count(in_stage, |lock| drop(StagePermit::enter(lock, id(7)))));
    let in_compute = Counting { panics_in_compute: true, ..quiet() };
    assert!(!count(in_compute, |lock| drop(StagePermit::enter(lock, id(7)).enter_compute())));
}

#[test]
fn a_panicking_worker_leaves_the_others_running() {
    for lock in [Arc::new(SingleLock::new()) as Arc<dyn GpuLock>, Arc::new(SplitLock::new())] {
        for phase in 0..2 {
            let theirs = Arc::clone(&lock);
            let worker = thread::spawn(move || {
                let permit = StagePermit::enter(&theirs, id(phase));
                assert_ne!(phase, 0, "panics while it stages");
                let _permit = permit.enter_compute();
                panic!("panics while it computes");
            });
            assert!(worker.join().is_err());
            drop(StagePermit::enter(&lock, id(10 + phase)).enter_compute());
        }
    }
}
