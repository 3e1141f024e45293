//! What can go wrong, and whose fault it is.

use std::path::PathBuf;

use crate::key::{CacheFault, KeyFault, KeyPart, PointFault};

/// This crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that the crate's operations report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // --- devices ---
    /// The device, its driver or a kernel reported a fault.
    #[error("{operation} failed on {device}: {text} (code {code})")]
    Device {
        /// What was being done.
        operation: &'static str,
        /// The device, as `cuda:0` or `host`.
        device: String,
        /// The target's error code.
        code: i32,
        /// The driver's or the runtime's text.
        text: String,
    },
    /// There is no usable NVIDIA driver on this machine.
    #[error(
        "no usable NVIDIA driver ({text}): install NVIDIA's driver (in a container, start it with \
         the GPU), see that `nvidia-smi` runs and that the loader finds libcuda.so.1; or use the \
         host device"
    )]
    NoDriver {
        /// What the loader or the driver said.
        text: String,
    },
    /// No GPU has this ordinal.
    #[error("there is no cuda:{ordinal}; the driver shows {count} device(s)")]
    NoSuchDevice {
        /// The ordinal that was asked for.
        ordinal: u32,
        /// How many devices there are.
        count: u32,
    },
    /// Device memory does not suffice.
    #[error("{needed} bytes of device memory are needed and {available} are available")]
    InsufficientVram {
        /// Bytes that the operation needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// A buffer or slice has the wrong length for the operation.
    #[error("{operation}: {what} has length {got}, expected {expected}")]
    Length {
        /// The operation.
        operation: &'static str,
        /// The argument.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length that the operation needs.
        expected: usize,
    },
    // --- operations (ntt, quotient, msm, witness, batch_add, points) ---
    /// This build's `bls12_381` does not keep scalars as four Montgomery limbs.
    #[error("bls12_381 keeps scalars in an unexpected memory layout")]
    ScalarLayout,
    /// More elements than the kernels' 32-bit indices can number.
    #[error("{what} has {got} elements, at most {limit} are possible")]
    TooMany {
        /// The argument.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The most that are possible.
        limit: usize,
    },
    /// A view begins where the kernels' vector loads cannot.
    #[error("{operation}: {what} begins {offset} bytes after an address divisible by 16")]
    Alignment {
        /// The operation.
        operation: &'static str,
        /// The argument.
        what: &'static str,
        /// Bytes after the last such address.
        offset: usize,
    },
    /// A sum came back from the kernels as something that encodes no point.
    #[error("{operation} gave no point of {group}")]
    NoPoint {
        /// The operation.
        operation: &'static str,
        /// The group.
        group: &'static str,
    },
    /// The bytes of a list of points are not whole points.
    #[error("{got} bytes are not a whole number of {group} points of {size} bytes")]
    PointBytes {
        /// The group.
        group: &'static str,
        /// The list's bytes.
        got: usize,
        /// Bytes of one point.
        size: usize,
    },
    /// A point is refused.
    #[error("{group} point {index}: {fault}")]
    Point {
        /// The group.
        group: &'static str,
        /// The point's number in its list.
        index: usize,
        /// What is wrong with it.
        fault: crate::points::PointFault,
    },
    /// The number given as root of unity does not generate the roots of order 2^32.
    #[error("the number given as a root of unity does not have order 2^32")]
    RootOfUnity,
    /// A coset's shift is zero.
    #[error("a coset's shift must not be zero")]
    ZeroShift,
    // --- keys, assignments, proofs ---
    /// A key is damaged, or the bytes are no key.
    #[error("key, {part}{}: {fault}", in_element(*.element))]
    BadKey {
        /// The part of the key.
        part: KeyPart,
        /// The element's index within the part, where one element is at fault.
        element: Option<usize>,
        /// What is wrong.
        fault: KeyFault,
    },
    /// A key's cache cannot be used.
    #[error("key cache {}: {fault}", path.display())]
    BadCache {
        /// The cache.
        path: PathBuf,
        /// What is wrong.
        fault: CacheFault,
    },
    /// A proof's bytes encode no proof.
    #[error("proof, {part}: {fault}")]
    BadProof {
        /// `A`, `B` or `C`.
        part: &'static str,
        /// What is wrong with the point.
        fault: PointFault,
    },
    /// A constraint system's file is damaged.
    #[error("constraint system{}: {fault}", in_constraint(*.constraint))]
    BadR1cs {
        /// The constraint, where one is at fault.
        constraint: Option<usize>,
        /// What is wrong.
        fault: &'static str,
    },
    /// The key belongs to another circuit than the assignment.
    #[error("another circuit's key: its {what} has {key} elements, the assignment needs {needed}")]
    WrongKey {
        /// The query that does not fit, or `ic`.
        what: &'static str,
        /// Its length in the key.
        key: usize,
        /// The length that the assignment needs.
        needed: usize,
    },
    /// The witness does not satisfy the circuit.
    #[error("constraint {constraint} is not satisfied")]
    Unsatisfied {
        /// The first constraint that fails; the inputs' own constraints follow the circuit's.
        constraint: usize,
    },
    /// The first input, the constant, is not 1.
    #[error("the first input is the constant 1, but here it is another value, or missing")]
    NoConstantOne,
    /// Bytes that should be a scalar are not below r.
    #[error("{what}, element {element}: the scalar is not below the group order r")]
    ScalarNotCanonical {
        /// Where the scalars came from.
        what: &'static str,
        /// The scalar's index.
        element: usize,
    },
    /// The proof does not verify.
    #[error("the proof is not valid for these public inputs")]
    InvalidProof,
    /// The circuit could not be synthesized.
    #[cfg(feature = "bellman")]
    #[error("synthesis failed: {0}")]
    Synthesis(#[from] bellman::SynthesisError),
    /// An aux variable contributes to no constraint, so no key can be made: it occurs in none, or
    /// with coefficients that are zero or cancel.
    #[error("aux variable {variable} contributes to no constraint")]
    Unconstrained {
        /// The variable's number; inputs are not counted.
        variable: usize,
    },
    /// Host memory does not suffice.
    #[error("{what}: {bytes} bytes of host memory are not to be had")]
    OutOfMemory {
        /// What was to be held.
        what: &'static str,
        /// Its bytes.
        bytes: usize,
    },
    /// A trapdoor from which no key can be made.
    #[error("trapdoor: {what}")]
    Trapdoor {
        /// What is wrong.
        what: &'static str,
    },
    /// The numbers of a synthetic circuit's shape cannot be had.
    #[error("shape: {what}")]
    BadShape {
        /// What is wrong.
        what: &'static str,
    },
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// What was being read or written.
        what: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// A file could not be read or written.
    #[error("{what} {}: {source}", path.display())]
    File {
        /// What the file is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    // --- locks, admission, prover ---
    /// A proof did what its phase does not allow; the `GpuLock` in use let it.
    #[error("lock contract broken: proof {proof} {what}")]
    LockContract {
        /// The proof's number.
        proof: u64,
        /// What it did.
        what: &'static str,
    },
    /// A proof did not verify, and neither did a second one, though the constraints hold.
    #[error(
        "two proofs in a row failed their self-check: the witness does not satisfy the circuit (c \
         tells where), the key is another circuit's, or the device makes errors"
    )]
    SelfCheck,
    /// The key was loaded by another prover.
    #[error("the key was loaded by another prover, on its device")]
    OtherProver,
    /// The caller cancelled the proof.
    #[error("cancelled")]
    Cancelled,
    /// The device was lost: nothing runs on it any more, and its memory is gone.
    #[error("{device} was lost: {text}")]
    DeviceLost {
        /// The device, as `cuda:0` or `host`.
        device: String,
        /// The fault that lost it.
        text: String,
    },
}

fn in_element(element: Option<usize>) -> String {
    element.map_or_else(String::new, |index| format!(", element {index}"))
}

fn in_constraint(constraint: Option<usize>) -> String {
    constraint.map_or_else(String::new, |index| format!(", constraint {index}"))
}
