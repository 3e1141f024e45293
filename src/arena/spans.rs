//! After which event each part of the arena may be used again.

use std::collections::BTreeMap;

use super::Region;

/// A region and the token of its last use.
#[derive(Clone, Debug)]
pub(super) struct Span<T> {
    pub(super) region: Region,
    pub(super) after: T,
}

/// Disjoint spans by their start. A region without a span is free of earlier work.
///
/// Tokens belong to byte ranges rather than to free blocks. So a large free block that is cut and
/// merged many times gathers no more tokens than it has distinctly used parts.
#[derive(Debug)]
pub(super) struct Spans<T> {
    by_start: BTreeMap<u64, (u64, T)>,
}

impl<T: Clone> Spans<T> {
    pub(super) fn new() -> Self {
        Spans { by_start: BTreeMap::new() }
    }

    /// Removes and returns what is known of `region`; spans across its ends are cut there.
    pub(super) fn take(&mut self, region: Region) -> Vec<Span<T>> {
        let (start, end) = (region.offset, region.end());
        self.cut(start);
        self.cut(end);
        let inside: Vec<u64> = self.by_start.range(start..end).map(|(&s, _)| s).collect();
        let mut spans = Vec::with_capacity(inside.len());
        for offset in inside {
            if let Some((end, after)) = self.by_start.remove(&offset) {
                spans.push(Span { region: Region { offset, bytes: end - offset }, after });
            }
        }
        spans
    }

    /// Records a span where none is.
    pub(super) fn put(&mut self, span: Span<T>) {
        if span.region.bytes > 0 {
            self.by_start.insert(span.region.offset, (span.region.end(), span.after));
        }
    }

    /// How many spans there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_start.len()
    }

    /// Makes `at` a boundary.
    fn cut(&mut self, at: u64) {
        let Some((_, span)) = self.by_start.range_mut(..at).next_back() else { return };
        let end = span.0;
        if end > at {
            span.0 = at;
            let after = span.1.clone();
            self.by_start.insert(at, (end, after));
        }
    }
}
