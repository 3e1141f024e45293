//! Those of the crate's errors that the locks and the arena report.

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{needed} bytes are needed and {available} are available")]
    InsufficientVram { needed: u64, available: u64 },
    #[error("proof {proof} {what}")]
    LockContract { proof: u64, what: &'static str },
    #[error("{device} was lost: {text}")]
    DeviceLost { device: String, text: String },
}
