//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

pub const USAGE: &str = "\
Proves Zcash's Sapling Output and Spend circuits with the real parameters.

  --device host|cuda:N   where to prove (host)
  --params DIR           read sapling-output.params and sapling-spend.params there,
                         instead of those that are built in
  --check-subgroups      check the subgroup of every point of the keys: half a minute a core
  --count N              proofs of each circuit (1)
  --workers N            threads that prove at the same time (1)
  --lock single|split    which phases of concurrent proofs may overlap (split)";

/// What the command line asked for.
pub struct Options {
    pub device: String,
    pub params: Option<PathBuf>,
    pub check_subgroups: bool,
    pub count: usize,
    pub workers: usize,
    pub single_lock: bool,
}

impl Options {
    /// `None` where help was asked for.
    pub fn parse() -> Result<Option<Self>, lexopt::Error> {
        let mut options = Self {
            device: "host".to_owned(),
            params: None,
            check_subgroups: false,
            count: 1,
            workers: 1,
            single_lock: false,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("device") => options.device = parser.value()?.string()?,
                Long("params") => options.params = Some(parser.value()?.into()),
                Long("check-subgroups") => options.check_subgroups = true,
                Long("count") => options.count = positive(parser.value()?.parse()?)?,
                Long("workers") => options.workers = positive(parser.value()?.parse()?)?,
                Long("lock") => {
                    options.single_lock = match parser.value()?.string()?.as_str() {
                        "single" => true,
                        "split" => false,
                        other => return Err(format!("no lock is called {other}").into()),
                    };
                }
                Short('h') | Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Some(options))
    }
}

fn positive(number: usize) -> Result<usize, lexopt::Error> {
    if number == 0 { Err("a number from 1 is needed".into()) } else { Ok(number) }
}
