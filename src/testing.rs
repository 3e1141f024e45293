//! What unit tests share with the suite.
#![allow(dead_code)] // helpers

#[path = "../tests/suite/guard.rs"]
pub mod guard;
#[path = "../tests/suite/oracle/mod.rs"]
pub mod oracle;
#[path = "../tests/suite/target.rs"]
pub mod target;
#[path = "../tests/suite/tuning.rs"]
pub mod tuning;
