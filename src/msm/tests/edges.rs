//! Sizes where a warp, a block, a task, a segment or a pass ends: one less, the edge, one more.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::*;
use crate::testing::oracle::groups::TestGroup;
use crate::testing::oracle::msm::{known_points, random_scalars};
use crate::testing::target::{device, is_gpu};
use crate::testing::tuning::{self, around};

/// Buckets of a window of four or five bits, of which a scalar has 63.
const NARROW: (u32, usize) = (63, 16);

fn tuned(name: &str) -> usize {
    tuning::number(tuning::MSM, name)
}

/// Terms on the device, as many as the largest case needs, and the multiples that the points are.
struct Terms<G: CurveGroup> {
    stream: Stream,
    points: DeviceBuffer<G::Affine>,
    scalars: DeviceBuffer<FrRepr>,
    multiples: Vec<Scalar>,
    values: Vec<Scalar>,
}

impl<G: TestGroup> Terms<G> {
    fn uniform(n: usize) -> Self {
        Self::new(random_scalars(&mut ChaCha8Rng::seed_from_u64(31), n))
    }

    /// Every digit of every scalar is one: all terms of a window lie in one bucket.
    fn in_one_bucket(n: usize, windows: u32) -> Self {
        let (narrow, wide) = (255 / windows, 255 % windows);
        let start = |window: u32| window * narrow + window.min(wide);
        let power = |k: u32| Scalar::from(2).pow_vartime(&[u64::from(k), 0, 0, 0]);
        Self::new(vec![(0..windows).map(|window| power(start(window))).sum(); n])
    }

    fn new(values: Vec<Scalar>) -> Self {
        let stream = device().stream().unwrap();
        let (points, multiples) = known_points::<G>(values.len());
        let bytes = G::to_bytes(&points);
        let points = points::upload::<G>(&stream, &bytes, points::Checks::NONE).unwrap();
        let mut scalars = stream.device().alloc(values.len()).unwrap();
        stream.upload(repr::scalars_as_repr(&values), scalars.view_mut()).unwrap();
        Self { stream, points, scalars, multiples, values }
    }

    /// The sum of the first terms, as many as planned.
    fn check(&self, plan: &Plan) {
        let (stream, n) = (&self.stream, plan.terms());
        let query = Query::<G>::identity(self.points.view().slice(0..n).unwrap());
        let terms = Scalars::montgomery(self.scalars.view().slice(0..n).unwrap());
        let beside = stream.device().stream().unwrap();
        let streams = Streams { stream, beside: Some(&beside) };
        let mut scratch = stream.device().alloc(plan.scratch_bytes_of::<G>()).unwrap();
        let mut result = stream.device().alloc(plan.result_stride::<G>()).unwrap();
        for_each_pass(plan, &terms, scratch.view_mut(), |mut pass, mut free| {
            pass.sort_whole(stream, &mut free)?;
            pass.run(streams, &query, free, result.view_mut())
        })
        .unwrap();
        let mut bytes = vec![0; result.len()];
        stream.download(result.view(), &mut bytes).unwrap();
        let got = launch::finish::<G>(plan.of::<G>(), &bytes).unwrap();
        let expected = self.values[..n].iter().zip(&self.multiples).map(|(s, k)| s * k).sum();
        assert_eq!(got, G::point(G::multiple(expected)), "in {}: {:?}", G::NAME, plan.of::<G>());
    }
}

/// The digits' kernel has a thread a term. Tuned plans, and chunks that end at the edge.
fn terms_around_a_block<G: TestGroup>(most: usize) {
    let threads = tuned("kDigitsThreads");
    let terms = Terms::<G>::uniform(most + 1);
    let edges = [threads, 2 * threads, 4 * threads, 8 * threads, 32 * threads];
    for n in around(edges.into_iter().filter(|&n| n <= most)) {
        terms.check(&Plan::new(n).unwrap());
    }
    for chunk in around([threads]) {
        terms.check(&Plan::with_chunk(2 * threads + 1, 40, 0, chunk).unwrap());
    }
}

#[test]
fn terms_around_a_block_in_g1() {
    terms_around_a_block::<G1>(1 << 13);
}

#[test]
fn terms_around_a_block_in_g2() {
    terms_around_a_block::<G2>(1 << 11);
}

/// The buckets' bounds have a thread for four entries: terms times the windows of a group.
fn entries_around_a_block<G: TestGroup>() {
    let block = tuned("kListsThreads") * tuned("kBoundsEntries");
    let terms = Terms::<G>::uniform(block + 1);
    for n in around([block]) {
        terms.check(&Plan::with_windows(n, 22, 1).unwrap());
    }
    // 1,023 and 1,026 entries, and in the last group, which is a shorter one, 341 and 342.
    for n in [block / 3, block / 3 + 1] {
        terms.check(&Plan::with_windows(n, 22, 3).unwrap());
    }
}

#[test]
fn entries_around_a_block_in_both_groups() {
    entries_around_a_block::<G1>();
    entries_around_a_block::<G2>();
}

/// A thread a task in G1, two in G2, and a thread a task where tasks are made: the slots for tasks
/// are a plan's buckets and one for so many entries. Then many small buckets.
fn tasks_around_a_block<G: TestGroup>(edges: &[usize]) {
    let (windows, buckets) = NARROW;
    let task_terms = tuned("kTaskTermsMin");
    let terms_for = |tasks: usize| (tasks - buckets) * task_terms;
    let most = edges.iter().max().map_or(0, |tasks| terms_for(tasks + 1));
    let terms = Terms::<G>::uniform(most);
    for tasks in around(edges.iter().copied()) {
        let plan = Plan::with_windows(terms_for(tasks), windows, 1).unwrap();
        assert_eq!(plan.of::<G>().tasks as usize, tasks);
        terms.check(&plan);
    }
}

#[test]
fn tasks_around_a_block_in_g1() {
    let (accumulate, lists) = (tuned("kAccumulateThreads"), tuned("kListsThreads"));
    tasks_around_a_block::<G1>(&[accumulate, lists]);
}

#[test]
fn tasks_around_a_block_in_g2() {
    let accumulate = tuned("kAccumulateThreads") / 2;
    tasks_around_a_block::<G2>(&[accumulate, 2 * accumulate]);
}

/// All terms of a window in one bucket: of one task, of two, of as many as a thread combines in a
/// round and as many as one combines in two rounds.
fn bucket_around_a_round<G: TestGroup>(most: usize) {
    let (windows, _) = NARROW;
    let task_terms = tuned("kTaskTermsMin");
    let fan_in = 1 << tuned("kCombineFanInLog2");
    let terms = Terms::<G>::in_one_bucket(most + 1, windows);
    let tasks = [1, 2, fan_in, fan_in + 1, 2 * fan_in, fan_in * fan_in];
    for n in around(tasks.map(|tasks| tasks * task_terms).into_iter().filter(|&n| n <= most)) {
        let plan = Plan::with_windows(n, windows, 9).unwrap();
        assert_eq!(plan.of::<G>().task_terms as usize, task_terms);
        terms.check(&plan);
    }
    // 63, 64 and 65 sums are left by the first round: three of each of 21 windows, and so on.
    let threads = tuned("kReduceThreads");
    for (group, left) in [(21, 3), (32, 2), (13, 5)] {
        assert!((threads - 1..=threads + 1).contains(&(group as usize * left)));
        let n = (left * fan_in - 1) * task_terms;
        terms.check(&Plan::with_windows(n, windows, group).unwrap());
    }
}

#[test]
fn bucket_around_a_round_in_g1() {
    bucket_around_a_round::<G1>(1 << 11);
}

#[test]
fn bucket_around_a_round_in_g2() {
    bucket_around_a_round::<G2>(1 << 10);
}

/// A thread for two buckets, then four lanes for two segments. In windows of few buckets blocks end
/// behind whole windows; in wide windows segments grow from two buckets to four.
fn segments_around_a_block<G: TestGroup>() {
    let (windows, buckets) = NARROW;
    let segment = 1 << tuned("kSegmentBitsMin");
    let terms = Terms::<G>::uniform(200);
    let of_block = (tuned("kBucketThreads") * segment / buckets) as u32;
    for group in of_block - 1..=of_block + 1 {
        terms.check(&Plan::with_windows(200, windows, group).unwrap());
    }
}

#[test]
fn segments_around_a_block_in_both_groups() {
    segments_around_a_block::<G1>();
    segments_around_a_block::<G2>();
    // 2^14 buckets a window, so a group of eight windows has twice kSegmentsLog2 segments of four.
    let terms = Terms::<G1>::uniform(50);
    let longer = (4 << tuned("kSegmentsLog2")) >> 14;
    for group in [longer - 1, longer, longer + 1] {
        terms.check(&Plan::with_windows(50, 17, group).unwrap());
    }
}

/// Affine levels take tasks in passes, which two streams share: one pass, one task more, two passes
/// and three. In a group of as many windows as a task has terms, there is a task's slot for each
/// term and each bucket.
fn tasks_around_a_pass<G: TestGroup>(levels: u32, passes: &[usize]) {
    let (windows, buckets) = NARROW;
    let (group, pass) = (tuned("kTaskTermsMin"), tuned("kAffineTasksMin"));
    let edges = around(passes.iter().map(|passes| passes * pass));
    let terms = Terms::<G>::uniform(edges[edges.len() - 1] - group * buckets);
    for tasks in edges {
        let n = tasks - group * buckets;
        let plan = Plan::with_affine_levels(n, windows, group as u32, levels).unwrap();
        assert_eq!(plan.of::<G>().tasks as usize, tasks);
        terms.check(&plan);
    }
}

#[test]
fn tasks_around_a_pass_in_g1() {
    tasks_around_a_pass::<G1>(1, &[1, 2, 3]);
    tasks_around_a_pass::<G1>(4, &[1]);
}

#[test]
fn tasks_around_a_pass_in_g2() {
    tasks_around_a_pass::<G2>(2, &[1]);
}

/// Tasks of nine terms, of which the first level leaves four sums and a term.
#[test]
fn affine_levels_of_odd_tasks() {
    let (windows, _) = NARROW;
    let odd = tuned("kTaskTermsMin") + 1;
    let entries = odd << tuned("kTasksLog2");
    let n = entries / windows as usize + 10;
    let plan = Plan::with_affine_levels(n, windows, 0, 2).unwrap();
    assert_eq!(plan.of::<G1>().task_terms as usize, odd);
    Terms::<G1>::uniform(n).check(&plan);
}

/// Every slot has a task, and the last place in their order is a bucket's that is empty and must be
/// written: all terms of a window lie in one bucket, one more than fill its other tasks.
fn last_slot_counts<G: TestGroup>(slots: usize, levels: u32) {
    let (windows, buckets) = NARROW;
    let task_terms = tuned("kTaskTermsMin");
    // So few windows that their single terms too many are no task's length together.
    let in_group = |group| slots.is_multiple_of(group) && slots / group > buckets;
    let group = (1..task_terms).rev().find(|&group| in_group(group)).unwrap();
    let n = (slots / group - buckets) * task_terms + 1;
    let plan = Plan::with_affine_levels(n, windows, group as u32, levels).unwrap();
    assert_eq!(plan.of::<G>().tasks as usize, slots);
    Terms::<G>::in_one_bucket(n, windows).check(&plan);
}

#[test]
fn last_slot_of_a_block_or_a_pass_counts() {
    let (accumulate, lists) = (tuned("kAccumulateThreads"), tuned("kListsThreads"));
    for slots in around([accumulate, lists]) {
        last_slot_counts::<G1>(slots, 0);
    }
    for slots in around([accumulate / 2, accumulate]) {
        last_slot_counts::<G2>(slots, 0);
    }
    for (slots, levels) in around([tuned("kAffineTasksMin")]).into_iter().zip(1..) {
        last_slot_counts::<G1>(slots, levels);
    }
    last_slot_counts::<G2>(tuned("kAffineTasksMin") + 1, 3);
}

/// On a GPU: tiles of the radix sort, blocks of inversions and full passes.
fn large_sizes<G: TestGroup>(most_log2: u32) {
    if !is_gpu(&device()) {
        return;
    }
    let terms = Terms::<G>::uniform((1 << most_log2) + 1);
    for n in around((14..=most_log2).step_by(2).map(|k| 1 << k)) {
        for levels in [0, 1, 3, 6] {
            terms.check(&Plan::with_affine_levels(n, 0, 0, levels).unwrap());
        }
        terms.check(&Plan::with_chunk(n, 0, 0, n / 2).unwrap());
    }
}

#[test]
fn large_sizes_in_both_groups() {
    large_sizes::<G1>(20);
    large_sizes::<G2>(18);
}
