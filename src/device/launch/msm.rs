//! Launchers of multi-scalar multiplication.

use std::ffi::c_void;
use std::ops::Range;

use super::{aligned, at_least, exactly};
use crate::density::IndexMap;
use crate::device::{Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::ffi::{self, Api, MsmPlan, MsmScalars, MsmShape};
use crate::repr::{CurveGroup, FrRepr};

/// The terms of a launch, as kernels take them.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    pub scalars: View<'a, FrRepr>,
    pub montgomery: bool,
    pub variables: Option<View<'a, u32>>,
    pub count: Option<View<'a, u32>>,
}

impl Terms<'_> {
    /// Terms at most.
    pub fn len(&self) -> usize {
        self.variables.map_or(self.scalars.len(), |list| list.len())
    }
}

/// The kernels of the host target; planning and finishing are the host's in every target.
fn host_api() -> &'static Api {
    // SAFETY: the function returns the address of a table that lives for ever.
    unsafe { &*ffi::g16_api_host() }
}

/// What is asked of a plan; zero windows or windows a group are the tuned numbers, zero terms a
/// chunk are all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    pub terms: usize,
    pub windows: u32,
    pub group: u32,
    pub chunk: usize,
    pub affine_levels: u32,
    pub multiples: bool,
}

/// A plan of this shape.
pub fn plan<G: CurveGroup>(shape: &Shape) -> Result<MsmPlan> {
    let limit = i32::MAX as usize;
    let too_many = Error::TooMany { what: "multi-scalar multiplication", got: shape.terms, limit };
    let (Ok(terms), Ok(chunk)) = (u32::try_from(shape.terms), u32::try_from(shape.chunk)) else {
        return Err(too_many);
    };
    let shape = MsmShape {
        terms,
        windows: shape.windows,
        group: shape.group,
        chunk,
        affine_levels: shape.affine_levels,
        multiples: shape.multiples.into(),
    };
    let mut plan = MsmPlan::default();
    // SAFETY: the function reads one shape, writes one plan and touches nothing else.
    let status = unsafe { (G::msm(host_api()).plan)(&shape, &mut plan) };
    if status == 0 { Ok(plan) } else { Err(too_many) }
}

/// Bytes of workspace for the multiples of `n` points.
pub fn multiples_workspace<G: CurveGroup>(n: usize) -> Result<usize> {
    // SAFETY: a pure function of the number.
    Ok(unsafe { (G::msm(host_api()).multiples_workspace)(narrow("points", n)?) })
}

/// Enqueues the multiples of the first `n` of `points`, which has room for those of all windows.
pub fn multiples<G: CurveGroup>(
    stream: &Stream,
    windows: u32,
    n: usize,
    points: &mut ViewMut<'_, G::Affine>,
    workspace: &mut ViewMut<'_, u8>,
) -> Result<()> {
    const OPERATION: &str = "msm multiples";
    at_least(OPERATION, "points", points.len(), n.saturating_mul(windows as usize))?;
    let bytes = multiples_workspace::<G>(n)? as u64;
    let workspace = block(OPERATION, stream, "workspace", workspace, bytes)?;
    let points = points.ptr_on(stream)?.cast();
    let n = narrow("points", n)?;
    // SAFETY: both blocks lie on the stream's device and are as long as the launcher's accesses.
    let status = unsafe {
        (G::msm(stream.api()).multiples)(windows, n, points, workspace, stream.handle()?)
    };
    stream.launched(G::MSM_FAMILY, OPERATION, status)
}

/// Sorts the digits of the group of windows from `first_window` on, of the terms of `chunk`.
#[allow(clippy::too_many_arguments)] // the launcher's own
pub fn sort<G: CurveGroup>(
    stream: &Stream,
    plan: &MsmPlan,
    terms: &Terms<'_>,
    chunk: Range<usize>,
    first_window: u32,
    sorted: &mut ViewMut<'_, u8>,
    scratch: &mut ViewMut<'_, u8>,
) -> Result<()> {
    const OPERATION: &str = "msm sort";
    at_most(OPERATION, "terms", terms.len(), plan.terms as usize)?;
    at_most(OPERATION, "chunk", chunk.len(), plan.chunk as usize)?;
    at_most(OPERATION, "chunk's end", chunk.end, terms.len())?;
    at_most(OPERATION, "variables", terms.scalars.len(), plan.variables_max())?;
    let optional = |view: &Option<View<'_, u32>>| match view {
        Some(view) => view.ptr_on(stream),
        None => Ok(std::ptr::null()),
    };
    if let Some(count) = &terms.count {
        at_least(OPERATION, "count", count.len(), 1)?;
    }
    super::aligned(OPERATION, "scalars", terms.scalars.ptr_on(stream)?)?;
    let scalars = MsmScalars {
        scalars: terms.scalars.ptr_on(stream)?.cast(),
        variables: optional(&terms.variables)?,
        count: optional(&terms.count)?,
        scalars_length: narrow("scalars", terms.scalars.len())?,
        first: narrow("terms", chunk.start)?,
        terms: narrow("terms", chunk.len())?,
        montgomery: terms.montgomery.into(),
    };
    let sorted = block(OPERATION, stream, "sorted lists", sorted, plan.sorted_bytes)?;
    let scratch = block(OPERATION, stream, "scratch", scratch, plan.sort_bytes)?;
    let table = G::msm(stream.api());
    // SAFETY: the plan came from `plan`; all views lie on the stream's device and are at least as
    // long as the launcher's accesses: the chunk's variables, one count, scalars by
    // `scalars_length`.
    let status =
        unsafe { (table.sort)(plan, &scalars, first_window, sorted, scratch, stream.handle()?) };
    stream.launched(G::MSM_FAMILY, OPERATION, status)
}

/// The streams that accumulate: the second one, if there is one, beside the first, which waits for
/// it in the end.
#[derive(Clone, Copy, Debug)]
pub struct Streams<'s> {
    pub stream: &'s Stream,
    pub beside: Option<&'s Stream>,
}

impl<'s> From<&'s Stream> for Streams<'s> {
    fn from(stream: &'s Stream) -> Self {
        Self { stream, beside: None }
    }
}

impl Streams<'_> {
    /// Runs both parts of `work`, the second one beside the first.
    fn run(&self, plan: &MsmPlan, work: impl Fn(u32, &Stream) -> Result<()>) -> Result<()> {
        if plan.affine_levels == 0 {
            return work(0, self.stream); // which is all
        }
        let Some(beside) = self.beside else {
            return (0..PARTS).try_for_each(|part| work(part, self.stream));
        };
        beside.wait(&self.stream.record()?)?;
        let worked = work(0, self.stream).and_then(|()| work(1, beside));
        let joined = beside.record().and_then(|end| self.stream.wait(&end));
        worked.and(joined)
    }
}

/// Parts of an accumulation.
const PARTS: u32 = 2;

/// Adds the points that `map` gives to the buckets' sums; with `resume`, to those that are in
/// `partials` already.
#[allow(clippy::too_many_arguments)] // the launcher's own
pub fn accumulate<G: CurveGroup>(
    streams: Streams<'_>,
    plan: &MsmPlan,
    first_window: u32,
    sorted: &View<'_, u8>,
    points: &View<'_, G::Affine>,
    map: &IndexMap<'_>,
    resume: bool,
    partials: &mut ViewMut<'_, u8>,
) -> Result<()> {
    const OPERATION: &str = "msm accumulate";
    let stream = streams.stream;
    // With multiples the map finds a point, and its window's multiple lies so many times all points
    // behind it.
    let of_window = if plan.multiples == 0 { 1 } else { plan.windows as usize };
    exactly(OPERATION, "points", points.len() % of_window, 0)?;
    let map = map.raw_on(stream, points.len() / of_window)?;
    let sorted = lists(OPERATION, stream, sorted, plan)?;
    let partials = block(OPERATION, stream, "partial sums", partials, plan.partial_bytes)?;
    let points = points.ptr_on(stream)?.cast();
    let table = G::msm(stream.api());
    streams.run(plan, |part, stream| {
        // SAFETY: as in `sort`; the map names no point beyond `points`, and the lists are what
        // `sort` has left for the same plan and group on the stream that this one is, or waits for
        // (the caller's contract; lists of another plan would be read out of place, which module
        // `msm` rules out). The parts share no memory that either writes.
        let status = unsafe {
            let (resume, to) = (resume.into(), stream.handle()?);
            (table.accumulate)(plan, first_window, sorted, points, &map, resume, part, partials, to)
        };
        stream.launched(G::MSM_FAMILY, OPERATION, status)
    })?;
    // SAFETY: as above.
    let status = unsafe { (table.combine)(plan, first_window, sorted, partials, stream.handle()?) };
    stream.launched(G::MSM_FAMILY, OPERATION, status)
}

/// Reduces the group's buckets to its windows' pairs in `result`.
pub fn reduce<G: CurveGroup>(
    stream: &Stream,
    plan: &MsmPlan,
    first_window: u32,
    partials: &mut ViewMut<'_, u8>,
    result: &mut ViewMut<'_, u8>,
) -> Result<()> {
    const OPERATION: &str = "msm reduce";
    let partials = block(OPERATION, stream, "partial sums", partials, plan.partial_bytes)?;
    let result = block(OPERATION, stream, "result", result, plan.result_bytes)?;
    let table = G::msm(stream.api());
    // SAFETY: as in `accumulate`.
    let status = unsafe { (table.reduce)(plan, first_window, partials, result, stream.handle()?) };
    stream.launched(G::MSM_FAMILY, OPERATION, status)
}

/// The sum that a downloaded result stands for.
pub fn finish<G: CurveGroup>(plan: &MsmPlan, result: &[u8]) -> Result<G::Point> {
    const OPERATION: &str = "msm finish";
    at_least(OPERATION, "result", result.len(), length(plan.result_bytes))?;
    // The host's field code wants its alignment.
    let mut words = vec![0_u128; result.len().div_ceil(size_of::<u128>())];
    for (word, bytes) in words.iter_mut().zip(result.chunks(size_of::<u128>())) {
        let mut whole = [0; size_of::<u128>()];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u128::from_ne_bytes(whole);
    }
    let mut encoding = vec![0; G::BYTES];
    // SAFETY: the function reads `result_bytes` of the result and writes an encoding.
    let status =
        unsafe { (G::msm(host_api()).finish)(plan, words.as_ptr().cast(), encoding.as_mut_ptr()) };
    let point = if status == 0 { G::from_bytes(&encoding) } else { None };
    point.ok_or(Error::NoPoint { operation: OPERATION, group: G::NAME })
}

fn narrow(what: &'static str, got: usize) -> Result<u32> {
    let limit = u32::MAX as usize;
    u32::try_from(got).map_err(|_| Error::TooMany { what, got, limit })
}

fn at_most(operation: &'static str, what: &'static str, got: usize, most: usize) -> Result<()> {
    if got <= most { Ok(()) } else { Err(Error::Length { operation, what, got, expected: most }) }
}

fn lists(
    operation: &'static str,
    stream: &Stream,
    view: &View<'_, u8>,
    plan: &MsmPlan,
) -> Result<*const c_void> {
    let pointer = view.ptr_on(stream)?;
    at_least(operation, "sorted lists", view.len(), length(plan.sorted_bytes))?;
    aligned(operation, "sorted lists", pointer)?;
    Ok(pointer.cast())
}

fn block(
    operation: &'static str,
    stream: &Stream,
    what: &'static str,
    view: &mut ViewMut<'_, u8>,
    bytes: u64,
) -> Result<*mut c_void> {
    let pointer = view.ptr_on(stream)?;
    at_least(operation, what, view.len(), length(bytes))?;
    aligned(operation, what, pointer.cast_const())?;
    Ok(pointer.cast())
}

/// A plan's number of bytes as a length; none that exists is beyond usize.
fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
