//! The trace as JSON, and the busy share of known timelines.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{KernelSpan, Phase, Recorder, Span, Timeline, busy_share, write_chrome_trace};
use crate::device::Family;

/// A proof whose kernels ran in these milliseconds after `origin`.
fn proof(number: u64, origin: Instant, kernels: &[(u64, u64)]) -> Timeline {
    let at = |ms| origin + Duration::from_millis(ms);
    let kernel = |&(start, end)| KernelSpan { family: Family::Ntt, start: at(start), end: at(end) };
    let mut timeline = Recorder::new(number).finish();
    timeline.kernels = kernels.iter().map(kernel).collect();
    timeline
}

#[test]
fn a_recorder_ends_each_phase_where_the_next_begins() {
    let mut recorder = Recorder::new(7);
    recorder.enter(Phase::WaitStage);
    recorder.enter(Phase::Stage);
    recorder.enter(Phase::WaitStage);
    let mut after = [5; Family::ALL.len()];
    after[Family::MsmG2 as usize] = 9;
    recorder.launches(&[5; Family::ALL.len()], &after);
    let anchor = Instant::now();
    recorder.kernels(Family::Ntt, anchor, 1.0, 2.5);
    let timeline = recorder.finish();
    let phases: Vec<Phase> = timeline.spans().iter().map(|span| span.phase).collect();
    assert_eq!(phases, [Phase::WaitStage, Phase::Stage, Phase::WaitStage]);
    assert!(timeline.spans().windows(2).all(|pair| pair[0].end == pair[1].start));
    let waited = timeline.spans()[0].duration() + timeline.spans()[2].duration();
    assert_eq!(timeline.time(Phase::WaitStage), waited);
    assert_eq!((timeline.launches(Family::MsmG2), timeline.launches(Family::Ntt)), (4, 0));
    let kernels = timeline.kernels()[0];
    assert_eq!(kernels.start, anchor + Duration::from_millis(1));
    assert_eq!(kernels.end - kernels.start, Duration::from_micros(1500));
    assert_eq!(timeline.proof(), 7);
}

#[test]
fn the_trace_is_json_with_every_span_on_one_clock() {
    let origin = Instant::now();
    let at = |us: u64| origin + Duration::from_nanos(us * 1000 + 7);
    let mut first = proof(3, origin, &[(2, 5)]);
    first.spans.push(Span { phase: Phase::Stage, start: origin, end: at(1500) });
    first.launches[Family::Ntt as usize] = 6;
    first.launches[Family::MsmG1 as usize] = 4;
    let mut second = proof(4, origin, &[]);
    second.spans.push(Span { phase: Phase::Finish, start: at(10), end: at(12) });
    let mut text = Vec::new();
    write_chrome_trace(&[first, second], &mut text).unwrap();

    let json: Value = serde_json::from_slice(&text).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let spans: Vec<_> = events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|e| {
            let number = |key: &str| e[key].as_f64().unwrap();
            let name = e["name"].as_str().unwrap();
            (name, number("pid"), number("tid"), number("ts"), number("dur"))
        })
        .collect();
    assert_eq!(
        spans,
        [
            ("stage", 0.0, 0.0, 0.0, 1500.007),
            ("ntt", 0.0, 1.0, 2000.0, 3000.0),
            ("finish", 1.0, 0.0, 10.007, 2.0),
        ]
    );
    let labels = events.iter().find(|event| event["name"] == "process_labels").unwrap();
    assert_eq!(labels["args"]["labels"], "ntt 6, msm_g1 4");
    let mut nothing = Vec::new();
    write_chrome_trace(&[], &mut nothing).unwrap();
    assert!(serde_json::from_slice::<Value>(&nothing).is_ok());
}

#[test]
fn busy_share_is_the_union_over_the_inner_proofs() {
    let origin = Instant::now();
    let share = |proofs: &[&[(u64, u64)]]| {
        let numbered = proofs.iter().zip(0..);
        let proofs: Vec<_> = numbered.map(|(kernels, n)| proof(n, origin, kernels)).collect();
        busy_share(&proofs)
    };
    assert_eq!(share(&[]), None);
    assert_eq!(share(&[&[(0, 1)], &[(1, 2)], &[]]), None);
    // One after another without a gap; then with a gap of a quarter.
    assert_eq!(share(&[&[(0, 10)], &[(10, 20)], &[(20, 30)]]), Some(1.0));
    let gap: &[&[(u64, u64)]] = &[&[(0, 10)], &[(10, 20), (25, 30)], &[(30, 40)]];
    assert_eq!(share(gap), Some(0.75));
    // The third's kernels fill half of the gap, and overlaps count once.
    let overlap: &[&[(u64, u64)]] =
        &[&[(0, 15), (14, 16)], &[(10, 20), (30, 30)], &[(19, 25), (21, 24), (40, 50)]];
    assert_eq!(share(overlap), Some(0.75));
    // In whatever order they are given.
    let reversed: Vec<_> = overlap.iter().rev().copied().collect();
    assert_eq!(share(&reversed), Some(0.75));
}
