//! Timelines as a Chrome trace, which chrome://tracing and Perfetto draw.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::Timeline;
use crate::device::Family;

/// The rows of a proof.
const HOST_ROW: u32 = 0;
const KERNEL_ROW: u32 = 1;
const BLOCK_ROW: u32 = 2;

/// Writes the proofs as a Chrome trace: each is a process with rows for its phases on the host,
/// for its kernels on the device, and for each of its blocks. Times are microseconds since the first span of all.
///
/// # Errors
/// Those of `out`.
pub fn write_chrome_trace(timelines: &[Timeline], out: &mut impl Write) -> io::Result<()> {
    let starts = timelines.iter().flat_map(|timeline| {
        let kernels = timeline.kernels().iter().map(|span| span.start);
        let blocks = timeline.blocks().iter().map(|span| span.asked);
        timeline.spans().iter().map(|span| span.start).chain(kernels).chain(blocks)
    });
    let mut trace = Trace { out, origin: starts.min(), separator: "" };
    write!(trace.out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    for (process, timeline) in timelines.iter().enumerate() {
        trace.name(
            process,
            HOST_ROW,
            "process_name",
            format_args!("proof {}", timeline.proof()),
        )?;
        trace.name(process, HOST_ROW, "process_labels", Labels(timeline))?;
        trace.name(process, HOST_ROW, "thread_name", "phases")?;
        trace.name(process, KERNEL_ROW, "thread_name", "kernels")?;
        for span in timeline.blocks() {
            let (row, name) = (BLOCK_ROW + span.block as u32, span.block.name());
            trace.name(process, row, "thread_name", format_args!("block {name}"))?;
            trace.span(process, row, "wait", span.asked, span.taken)?;
            trace.span(process, row, name, span.taken, span.returned)?;
        }
        for span in timeline.spans() {
            trace.span(process, HOST_ROW, span.phase.name(), span.start, span.end)?;
        }
        for span in timeline.kernels() {
            trace.span(process, KERNEL_ROW, span.family.name(), span.start, span.end)?;
        }
    }
    writeln!(trace.out, "\n]}}")
}

/// A trace's events. No name in it needs escaping.
struct Trace<'a, W: Write> {
    out: &'a mut W,
    origin: Option<Instant>,
    separator: &'static str,
}

impl<W: Write> Trace<'_, W> {
    /// The name of a process or a row.
    fn name(
        &mut self,
        process: usize,
        row: u32,
        what: &str,
        name: impl std::fmt::Display,
    ) -> io::Result<()> {
        let key = if what == "process_labels" { "labels" } else { "name" };
        write!(
            self.out,
            "{}\n{{\"name\":\"{what}\",\"ph\":\"M\",\"pid\":{process},\"tid\":{row},\
             \"args\":{{\"{key}\":\"{name}\"}}}}",
            self.separator
        )?;
        self.separator = ",";
        Ok(())
    }

    /// One complete event.
    fn span(
        &mut self,
        process: usize,
        row: u32,
        name: &str,
        start: Instant,
        end: Instant,
    ) -> io::Result<()> {
        let since =
            self.origin.map_or(Duration::ZERO, |origin| start.saturating_duration_since(origin));
        let duration = end.saturating_duration_since(start);
        write!(
            self.out,
            "{}\n{{\"name\":\"{name}\",\"ph\":\"X\",\"pid\":{process},\"tid\":{row},\
             \"ts\":{}.{:03},\"dur\":{}.{:03}}}",
            self.separator,
            since.as_micros(),
            since.subsec_nanos() % 1000,
            duration.as_micros(),
            duration.subsec_nanos() % 1000,
        )?;
        self.separator = ",";
        Ok(())
    }
}

/// The launches of each family, as text.
struct Labels<'a>(&'a Timeline);

impl std::fmt::Display for Labels<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut separator = "";
        for family in Family::ALL {
            let launches = self.0.launches(family);
            if launches > 0 {
                write!(f, "{separator}{} {launches}", family.name())?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
