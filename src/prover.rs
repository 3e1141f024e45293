//! The prover, in the paper's order: stage, compute, finish.
//!
//! With Z = Xⁿ − 1, a and b the constraints' evaluations and w the witness, a proof is five sums of
//! points: the witness over the queries L, A and B (in G1 and in G2), and the coefficients of
//! h = (AB − C)/Z over the query H. The kernels make the sums; `finish` adds r and s.
//!
//! ```text
//! stage    takes the blocks w, a, b and copies the inputs into them       (the lock's stage phase)
//! compute  w → classes → sums L, A, B₁, B₂;   a, b → h → sum H          (the lock's compute phase)
//! finish   sums → A, B, C with r, s → self-check → Proof                               (no lock)
//! ```

mod compute;
mod finish;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bls12_381::Scalar;
use ff::Field;
use parking_lot::Mutex;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use compute::Maps;
pub use finish::Sums;

use crate::arena::{Lease, Reservation};
use crate::assignment::Assignment;
use crate::device::{Device, Family, Scope, Stream, drained};
use crate::error::{Error, Result};
use crate::key::{LoadedKey, ProvingKey};
use crate::lock::{ComputePermit, GpuLock, ProofId, SplitLock, StagePermit};
use crate::memory::{Memory, Token};
use crate::plan::{Plan, WITNESS_QUERIES};
use crate::setup::{self, Columns, Exponents, Trapdoor};
use crate::timeline::{Block, Phase, Recorder, Timeline};
use crate::{Proof, verify};

/// Device memory that is left to others where no budget is given, in bytes.
const RESERVE_BYTES: u64 = 1 << 30;

/// When constraints are compared with a∘b = c on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CheckConstraints {
    /// Only when a proof has failed its self-check, to say why.
    #[default]
    OnFailure,
    /// Before every proof.
    Always,
}

/// How a [`Prover`] behaves.
#[derive(Clone)]
pub struct ProverConfig {
    /// Device memory that the arena takes, in bytes; `None`: what is free, less 1 GiB. Loading a
    /// key takes up to 16 MiB beside it, for the tables of its transforms, and making one there
    /// ([`Prover::setup`]) up to 512 MiB while that lasts.
    pub vram_budget: Option<u64>,
    /// Which phases of concurrent proofs may overlap. Each prover needs a lock of its own: proofs'
    /// numbers, by which a lock knows them, are a prover's.
    pub lock: Arc<dyn GpuLock>,
    /// Whether each proof is verified before it is returned. Leave it on: a proof that a faulty
    /// device made wrong may leak the witness.
    pub self_check: bool,
    /// When constraints are checked on the host.
    pub check_constraints: CheckConstraints,
    /// A family whose output is damaged on purpose, to see the self-check work. For tests.
    #[doc(hidden)]
    pub corrupt: Option<Family>,
}

impl Default for ProverConfig {
    /// All free memory less 1 GiB, the split lock, self-check on.
    fn default() -> Self {
        Self {
            vram_budget: None,
            lock: Arc::new(SplitLock::default()),
            self_check: true,
            check_constraints: CheckConstraints::default(),
            corrupt: None,
        }
    }
}

/// A proof and how it came about.
#[derive(Debug)]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// The sums that it was assembled from. **They are not blinded: whoever has them learns of the
    /// witness.**
    pub sums: Sums,
    /// When each phase ran, and the launches of each kernel family.
    pub timeline: Timeline,
}

/// Makes proofs on one device, for any number of threads at a time.
pub struct Prover {
    device: Device,
    memory: Arc<Memory>,
    config: ProverConfig,
    next_id: AtomicU64,
    streams: Mutex<Vec<Streams>>,
}

/// One proof's streams; they go from proof to proof.
struct Streams {
    copy: Stream,
    compute: Stream,
    /// One for each of the witness's queries, beside the compute stream.
    lanes: Vec<Stream>,
}

impl Streams {
    fn new(device: &Device) -> Result<Self> {
        let lanes = (0..WITNESS_QUERIES).map(|_| device.stream()).collect::<Result<_>>()?;
        Ok(Self { copy: device.stream()?, compute: device.stream()?, lanes })
    }

    /// Launches of each family, on any of the streams.
    fn launches(&self) -> [u64; Family::ALL.len()] {
        let mut all = self.compute.launches().snapshot();
        for lane in &self.lanes {
            all.iter_mut().zip(lane.launches().snapshot()).for_each(|(all, more)| *all += more);
        }
        all
    }
}

/// What a proof holds on the device between stage and finish.
struct Staged {
    reservation: Reservation<Token>,
    /// In the order of [`Block::ALL`]; empty places have not been taken, or went back.
    blocks: [Option<Held>; 3],
    scratch: Option<Lease<Token>>,
}

impl Staged {
    fn block(&self, block: Block) -> Result<&Lease<Token>> {
        let held = self.blocks[block as usize].as_ref().map(|held| &held.lease);
        held.ok_or(Error::LockContract { proof: 0, what: "computes before it is staged" })
    }
}

/// A block, and since when the proof has it.
struct Held {
    lease: Lease<Token>,
    asked: Instant,
    taken: Instant,
}

impl Prover {
    /// Takes the device's memory and gets ready to load keys.
    ///
    /// # Errors
    /// [`Error::InsufficientVram`] when the budget is not to be had, [`Error::Device`].
    pub fn new(device: &Device, config: ProverConfig) -> Result<Self> {
        let (free, _) = device.memory()?;
        if config.vram_budget.is_none() && free <= RESERVE_BYTES {
            return Err(Error::InsufficientVram { needed: RESERVE_BYTES + 1, available: free });
        }
        let budget = config.vram_budget.unwrap_or(free.saturating_sub(RESERVE_BYTES));
        if budget > free {
            return Err(Error::InsufficientVram { needed: budget, available: free });
        }
        let bytes = usize::try_from(budget)
            .map_err(|_| Error::InsufficientVram { needed: budget, available: free })?;
        let memory = Arc::new(Memory::new(device, bytes)?);
        tracing::info!(device = device.name(), bytes, "arena taken");
        Ok(Self {
            device: device.clone(),
            memory,
            config,
            next_id: AtomicU64::new(0),
            streams: Mutex::new(Vec::new()),
        })
    }

    /// The prover's device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Copies a key to the device and plans its proofs. Waits until proofs that run now are done;
    /// proofs that come later wait for it.
    ///
    /// # Errors
    /// [`Error::InsufficientVram`] when key, scratch and one proof of every loaded key do not fit
    /// together: nothing has changed then. [`Error::Device`].
    pub fn load(&self, key: &ProvingKey) -> Result<LoadedKey> {
        let plan = Plan::new(&key.shape(), self.memory.bytes() as u64, &self.device)?;
        LoadedKey::load(&self.device, &self.memory, key, plan)
            .inspect_err(|error| self.mark_if_lost(error))
    }

    /// Makes a key straight into the prover's memory, **for development only**; see
    /// [`setup`]. Waits until proofs that run now are done; proofs that come later
    /// wait for it. While it makes points it takes up to 512 MiB of device memory beside the arena,
    /// less for small keys. Host memory: see [`setup::generate`], without the key itself.
    ///
    /// `progress` is told of points while this prover's memory is taken: it must not use the
    /// prover.
    ///
    /// # Errors
    /// As [`setup::generate`] and [`Prover::load`]; a domain beyond 2^27 points is
    /// [`Error::TooMany`].
    pub fn setup(
        &self,
        system: &impl Columns,
        trapdoor: &Trapdoor,
        progress: setup::Progress<'_>,
    ) -> Result<LoadedKey> {
        let (device, memory) = (&self.device, &self.memory);
        // Before minutes of work are lost: what holds no query at all but the inputs' must fit.
        let least = setup::least_shape(system)?;
        Plan::new(&least, memory.bytes() as u64, device)?;
        let exponents = Exponents::new(system, trapdoor, setup::Sizes::default(), progress)?;
        let plan = Plan::new(&exponents.shape(), memory.bytes() as u64, device)?;
        setup::into_arena(device, memory, plan, trapdoor, &exponents, progress)
            .inspect_err(|error| self.mark_if_lost(error))
    }

    /// Proves that `assignment` satisfies the circuit that `key` was made for.
    ///
    /// # Errors
    /// [`Error::WrongKey`] before anything runs; [`Error::Unsatisfied`] when the self-check failed
    /// and c shows why; [`Error::SelfCheck`] when it failed twice; [`Error::InsufficientVram`],
    /// [`Error::Device`], [`Error::DeviceLost`], [`Error::LockContract`].
    pub fn prove<R: CryptoRng + ?Sized>(
        &self,
        key: &LoadedKey,
        assignment: &Assignment,
        rng: &mut R,
    ) -> Result<Proof> {
        let r = Zeroizing::new(Scalar::random(rng));
        let s = Zeroizing::new(Scalar::random(rng));
        self.prove_with_randomness(key, assignment, &r, &s).map(|proved| proved.proof)
    }

    /// As [`prove`](Self::prove), with the blinding scalars given.
    ///
    /// **The same r or s in two proofs of different witnesses leaks them.** For tests, and for
    /// callers who draw r and s uniformly themselves.
    ///
    /// # Errors
    /// As [`prove`](Self::prove).
    pub fn prove_with_randomness(
        &self,
        key: &LoadedKey,
        assignment: &Assignment,
        r: &Scalar,
        s: &Scalar,
    ) -> Result<Proved> {
        key.check(&self.memory, assignment)?;
        if self.config.check_constraints == CheckConstraints::Always {
            satisfied(assignment)?;
        }
        if let (proved, true) = self.attempt(key, assignment, r, s)? {
            return Ok(proved);
        }
        satisfied(assignment)?;
        tracing::warn!(device = self.device.name(), "a proof failed its self-check; once more");
        match self.attempt(key, assignment, r, s)? {
            (proved, true) => Ok(proved),
            (_, false) => Err(Error::SelfCheck),
        }
    }

    /// One pass through stage, compute, finish and self-check, and whether that held.
    fn attempt(
        &self,
        key: &LoadedKey,
        assignment: &Assignment,
        r: &Scalar,
        s: &Scalar,
    ) -> Result<(Proved, bool)> {
        let id = ProofId::new(self.next_id.fetch_add(1, Ordering::Relaxed));
        let mut recorder = Recorder::new(id.get());
        let streams = self.take_streams()?;
        let before = streams.launches();
        let sums = self
            .on_device(key, assignment, id, &streams, &mut recorder)
            .inspect_err(|error| self.mark_if_lost(error))?;
        recorder.launches(&before, &streams.launches());
        self.streams.lock().push(streams);
        recorder.enter(Phase::Finish);
        let proof = finish::assemble(key.vk(), &sums, r, s);
        let holds = !self.config.self_check || {
            recorder.enter(Phase::SelfCheck);
            verify::verify(key.prepared_vk(), &proof, assignment.public_inputs()).is_ok()
        };
        Ok((Proved { proof, sums, timeline: recorder.finish() }, holds))
    }

    /// Stage and compute. On every path out of here the streams are drained first, then the memory
    /// goes back, then the lock is left: the order of the locals, last to first.
    fn on_device(
        &self,
        key: &LoadedKey,
        assignment: &Assignment,
        id: ProofId,
        streams: &Streams,
        recorder: &mut Recorder,
    ) -> Result<Sums> {
        recorder.enter(Phase::WaitStage);
        let mut stage = Some(StagePermit::enter(&self.config.lock, id));
        let mut compute: Option<ComputePermit> = None;
        recorder.enter(Phase::Stage);
        let reservation = self.memory.admission.reserve(id, key.plan().blocks())?;
        let mut staged = Staged { reservation, blocks: [const { None }; 3], scratch: None };
        let sums = streams.compute.scope(|_| {
            let on_device = || {
                streams.copy.scope(|copy| {
                    self.stage(key, assignment, copy, &mut staged)?;
                    let maps = Maps::new(assignment)?;
                    recorder.enter(Phase::WaitCompute);
                    compute = stage.take().map(StagePermit::enter_compute);
                    recorder.enter(Phase::Compute);
                    streams.compute.wait(&streams.copy.record()?)?;
                    staged.scratch = Some(staged.reservation.lease_scratch()?);
                    let staged = &mut staged;
                    let sums = self.compute(key, assignment, &maps, streams, staged, recorder)?;
                    self.give_back(staged, &Block::ALL, &streams.compute, recorder)?;
                    self.give_back_scratch(staged, &streams.compute)?;
                    Ok(sums)
                })
            };
            drained(&streams.lanes, on_device)
        });
        if sums.is_err() {
            let wiped = streams.compute.scope(|_| {
                self.give_back(&mut staged, &Block::ALL, &streams.compute, recorder)?;
                self.give_back_scratch(&mut staged, &streams.compute)
            });
            if let Err(error) = wiped {
                tracing::error!(%error, "a failed proof's memory was not overwritten");
            }
        }
        sums
    }

    /// Overwrites these blocks, which held the witness, as far as the proof still has them, and
    /// gives them back behind that. All work on them is on `stream`, or it has waited for it.
    fn give_back(
        &self,
        staged: &mut Staged,
        blocks: &[Block],
        stream: &Stream,
        recorder: &mut Recorder,
    ) -> Result<()> {
        for &block in blocks {
            if let Some(held) = &staged.blocks[block as usize] {
                stream.fill(0, self.memory.view(held.lease.region())?)?;
            }
        }
        let wiped = Token::new(stream.record()?);
        for &block in blocks {
            if let Some(Held { lease, asked, taken }) = staged.blocks[block as usize].take() {
                lease.give_back(Token::clone(&wiped));
                recorder.returned(block, asked, taken);
            }
        }
        Ok(())
    }

    fn give_back_scratch(&self, staged: &mut Staged, stream: &Stream) -> Result<()> {
        if let Some(scratch) = staged.scratch.take() {
            scratch.give_back(Token::new(stream.record()?));
        }
        Ok(())
    }

    /// Takes the proof's blocks one after another and copies its inputs into them.
    fn stage<'env>(
        &'env self,
        key: &'env LoadedKey,
        assignment: &'env Assignment,
        copy: &Scope<'_, 'env>,
        staged: &mut Staged,
    ) -> Result<()> {
        let n = key.plan().domain();
        let inputs = assignment.inputs().len();
        for part in Block::ALL {
            let asked = Instant::now();
            let lease = staged.reservation.take()?;
            let held = Held { lease, asked, taken: Instant::now() };
            let lease = &staged.blocks[part as usize].insert(held).lease;
            let block = self.memory.open(lease, copy.stream())?.cast::<Scalar>()?;
            match part {
                Block::W => {
                    let (head, tail) = block.split_at(inputs)?;
                    copy.upload(assignment.inputs(), head)?;
                    copy.upload(assignment.aux(), tail.slice(0..assignment.aux().len())?)?;
                }
                _ => {
                    let rows = if part == Block::A { assignment.a() } else { assignment.b() };
                    let (head, tail) = block.slice(0..n)?.split_at(rows.len())?;
                    copy.upload(rows, head)?;
                    copy.stream().fill(0, tail)?;
                }
            }
        }
        Ok(())
    }

    fn take_streams(&self) -> Result<Streams> {
        if let Some(streams) = self.streams.lock().pop() {
            return Ok(streams);
        }
        Streams::new(&self.device)
    }

    /// Tells all who wait for memory when the device is lost.
    fn mark_if_lost(&self, error: &Error) {
        if self.device.is_lost() {
            self.memory.admission.poison(self.device.name(), &error.to_string());
        }
    }
}

impl std::fmt::Debug for Prover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.memory.bytes();
        f.debug_struct("Prover").field("device", &self.device).field("arena_bytes", &bytes).finish()
    }
}

/// Compares c, where it is given, with a∘b.
fn satisfied(assignment: &Assignment) -> Result<()> {
    match assignment.first_unsatisfied() {
        Some(constraint) => Err(Error::Unsatisfied { constraint }),
        None => Ok(()),
    }
}
