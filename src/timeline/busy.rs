//! How much of the time the device computed.

use std::time::{Duration, Instant};

use super::Timeline;

/// The share of time in which one device ran kernels while proofs were under way: the union of
/// their kernels' spans, over the time from the second proof's first kernel to the end of the last
/// but one's last kernel, in the order of their first kernels. So the start of the first proof and
/// the end of the last, which nothing can overlap, do not count.
///
/// `None` where fewer than three proofs ran kernels. The timelines must be of one device.
pub fn busy_share(timelines: &[Timeline]) -> Option<f64> {
    let mut proofs: Vec<(Instant, Instant)> = timelines.iter().filter_map(extent).collect();
    if proofs.len() < 3 {
        return None;
    }
    proofs.sort_unstable();
    let (from, to) = (proofs[1].0, proofs[proofs.len() - 2].1);
    let mut spans: Vec<(Instant, Instant)> = timelines
        .iter()
        .flat_map(Timeline::kernels)
        .map(|span| (span.start.max(from), span.end.min(to)))
        .collect();
    spans.sort_unstable();
    let (mut busy, mut until) = (Duration::ZERO, from);
    for (start, end) in spans {
        busy += end.saturating_duration_since(start.max(until));
        until = until.max(end);
    }
    let whole = to.saturating_duration_since(from);
    (!whole.is_zero()).then(|| busy.as_secs_f64() / whole.as_secs_f64())
}

/// A proof's first kernel's start and last kernel's end.
fn extent(timeline: &Timeline) -> Option<(Instant, Instant)> {
    let start = timeline.kernels().iter().map(|span| span.start).min()?;
    let end = timeline.kernels().iter().map(|span| span.end).max()?;
    Some((start, end))
}
