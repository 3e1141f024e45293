//! The compute phase: from the staged blocks to the five sums.
//!
//! ```text
//! compute stream   classify ─┬─ sort the rest ─┬─ quotient ── multiply over H
//! lanes 0 to 3               └─ add the ones ──┴─ multiply the rest       (L, A, B₁, B₂)
//! ```
//!
//! Each query of the witness has a lane, a stream of its own, for a small circuit's sums do not
//! fill a device one by one. Where the scratch has no room for that, everything runs on the compute
//! stream. The host ends the lanes' sums while the multiplication over H still runs.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use bls12_381::{G1Projective, G2Projective, Scalar};

use super::{Prover, Staged, Streams, Sums};
use crate::arena::Region;
use crate::assignment::Assignment;
use crate::density::{DensityMap, IndexMap};
use crate::device::{Event, Family, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::key::{LoadedKey, Queries};
use crate::msm::{Query, Scalars};
use crate::plan::{Scratch, Shares};
use crate::repr::{CurveGroup, FrRepr, G1, G2};
use crate::timeline::{Block, Recorder};
use crate::{batch_add, msm, quotient, witness};

/// The density of A and of B over inputs and other variables; L holds all but the inputs.
pub(super) struct Maps {
    a: DensityMap,
    b: DensityMap,
}

impl Maps {
    /// Host work, for the stage phase.
    pub(super) fn new(assignment: &Assignment) -> Result<Self> {
        let inputs = DensityMap::full(assignment.inputs().len())?;
        let density = assignment.densities();
        Ok(Self {
            a: DensityMap::concat(&inputs, &density.a_aux)?,
            b: DensityMap::concat(&density.b_inputs, &density.b_aux)?,
        })
    }
}

/// What one proof's compute phase works with.
struct Compute<'a> {
    prover: &'a Prover,
    key: &'a LoadedKey,
    queries: Queries<'a>,
    streams: &'a Streams,
    scratch: Region,
    inputs: usize,
    variables: usize,
    /// Before all work.
    start: Event,
    /// What ran from when to when.
    marks: RefCell<Vec<(Family, Event, Event)>>,
}

impl Prover {
    /// Enqueues the proof's kernels, whose stream has waited for the staged blocks, and waits for
    /// their sums.
    pub(super) fn compute(
        &self,
        key: &LoadedKey,
        assignment: &Assignment,
        maps: &Maps,
        streams: &Streams,
        staged: &mut Staged,
        recorder: &mut Recorder,
    ) -> Result<Sums> {
        let Some(lease) = &staged.scratch else {
            return Err(Error::LockContract { proof: 0, what: "computes before it is staged" });
        };
        let stream = &streams.compute;
        self.memory.open(lease, stream)?;
        let scratch = lease.region();
        let inputs = assignment.inputs().len();
        let run = Compute {
            prover: self,
            key,
            queries: key.queries()?,
            streams,
            scratch,
            inputs,
            variables: inputs + assignment.aux().len(),
            start: stream.record()?,
            marks: RefCell::default(),
        };
        let block = |of| self.memory.view(staged.block(of)?.region())?.cast::<Scalar>();
        let maps = run.upload_maps(maps)?;
        let rest = run.classify(block(Block::W)?.slice(0..run.variables)?.into_view())?;
        let plan = key.plan().witness_msm(rest)?;
        let shares = key.plan().shares(&plan);
        run.add_ones(&maps, &shares)?;
        run.multiply_rest(&maps, block(Block::W)?.into_view(), rest, &plan, &shares)?;
        let n = key.plan().domain();
        let part = |of| block(of)?.slice(0..n);
        run.quotient(part(Block::A)?, part(Block::B)?, part(Block::W)?)?;
        let h = part(Block::B)?.into_view();
        // The next proof's inputs may come while H is multiplied.
        streams.copy.wait(&stream.record()?)?;
        self.give_back(staged, &[Block::W, Block::A], &streams.copy, recorder)?;
        run.multiply_h(h, &shares)?;
        let sums = run.collect(&plan, &shares)?;
        run.report(recorder)?;
        Ok(sums)
    }
}

impl Compute<'_> {
    fn stream(&self) -> &Stream {
        &self.streams.compute
    }

    /// The stream of a query's sums: L, A, B in G1, B in G2.
    fn lane(&self, query: usize, shares: &Shares) -> &Stream {
        if shares.side_by_side { &self.streams.lanes[query] } else { self.stream() }
    }

    /// Runs `enqueue`, and marks its work on `stream` as a family's.
    fn timed(
        &self,
        family: Family,
        stream: &Stream,
        enqueue: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let start = stream.record()?;
        enqueue()?;
        self.marks.borrow_mut().push((family, start, stream.record()?));
        Ok(())
    }

    /// Puts the families' times on the host's clock; all marked work has run.
    fn report(&self, recorder: &mut Recorder) -> Result<()> {
        let end = self.stream().record()?;
        end.synchronize()?;
        let now = Instant::now();
        let whole = Duration::from_secs_f32(self.start.elapsed_ms(&end)?.max(0.0) / 1e3);
        let anchor = now.checked_sub(whole).unwrap_or(now);
        for (family, start, end) in &*self.marks.borrow() {
            let (start, end) = (self.start.elapsed_ms(start)?, self.start.elapsed_ms(end)?);
            recorder.kernels(*family, anchor, start, end);
        }
        Ok(())
    }

    fn parts(&self) -> &Scratch {
        self.key.plan().scratch()
    }

    fn region(&self) -> Result<ViewMut<'_, u8>> {
        self.prover.memory.view(self.scratch)
    }

    fn work(&self) -> Result<ViewMut<'_, u8>> {
        self.parts().work.of(self.region()?)
    }

    /// Uploads the densities; the maps of L, A and B.
    fn upload_maps(&self, maps: &Maps) -> Result<[IndexMap<'_>; 3]> {
        let upload = |map: &DensityMap, index: usize| {
            let [bitmap, rank] = self.parts().maps[index];
            self.stream().upload(map.bitmap(), bitmap.of(self.region()?)?)?;
            self.stream().upload(map.rank(), rank.of(self.region()?)?)?;
            let bitmap = bitmap.of(self.region()?)?.into_view();
            IndexMap::ranked(bitmap, rank.of(self.region()?)?.into_view(), self.variables)
        };
        let l = IndexMap::identity(self.variables).from_point(self.inputs);
        Ok([l, upload(&maps.a, 0)?, upload(&maps.b, 1)?])
    }

    /// Lists the witness's ones and its rest; answers how long the rest is.
    fn classify(&self, w: View<'_, Scalar>) -> Result<usize> {
        let [ones, rest] = self.parts().lists;
        let counts = self.parts().counts;
        let region = || self.region();
        self.timed(Family::Witness, self.stream(), || {
            let (ones, rest) = (ones.of(region()?)?, rest.of(region()?)?);
            let counts = counts.of(region()?)?;
            witness::classify(self.stream(), w, ones, rest, counts, self.work()?)
        })?;
        if self.prover.config.corrupt == Some(Family::Witness) {
            self.stream().fill(0, counts.of(region()?)?)?;
        }
        let mut found = [0_u32; 2];
        self.stream().download(counts.of(region()?)?.into_view(), &mut found)?;
        tracing::trace!(ones = found[0], rest = found[1], "witness classified");
        Ok(found[1] as usize)
    }

    /// Enqueues the sums of the ones' points.
    fn add_ones(&self, [l, a, b]: &[IndexMap<'_>; 3], shares: &Shares) -> Result<()> {
        if shares.side_by_side {
            let listed = self.stream().record()?;
            self.streams.lanes.iter().try_for_each(|lane| lane.wait(&listed))?;
        }
        let queries = &self.queries;
        let g1 = [(queries.l, l), (queries.a, a), (queries.b_g1, b)];
        for (query, (points, map)) in g1.into_iter().enumerate() {
            let out = self.parts().ones_g1[query].of(self.region()?)?;
            self.sum::<G1>(query, points, *map, out, shares)?;
        }
        let out = self.parts().ones_g2.of(self.region()?)?;
        self.sum::<G2>(3, queries.b_g2, *b, out, shares)?;
        let damaged = self.parts().ones_g1[1].of(self.region()?)?;
        self.damage(Family::BatchAdd, self.lane(1, shares), damaged)
    }

    fn sum<G: CurveGroup>(
        &self,
        query: usize,
        points: View<'_, G::Affine>,
        map: IndexMap<'_>,
        out: ViewMut<'_, G::Xyzz>,
        shares: &Shares,
    ) -> Result<()> {
        let list = self.parts().lists[0].of(self.region()?)?.into_view();
        let count = self.parts().counts.of(self.region()?)?.slice(0..1)?.into_view();
        let (lane, work) = (self.lane(query, shares), shares.ones[query].of(self.work()?)?);
        self.timed(Family::BatchAdd, lane, || {
            batch_add::sum::<G>(lane, points, map, list, count, out, work)
        })
    }

    /// Enqueues the multiplication of the rest of the witness over all its queries at once.
    fn multiply_rest(
        &self,
        [l, a, b]: &[IndexMap<'_>; 3],
        w: View<'_, Scalar>,
        rest: usize,
        plan: &msm::Plan,
        shares: &Shares,
    ) -> Result<()> {
        let list = self.parts().lists[1].of(self.region()?)?.into_view().slice(0..rest)?;
        let scalars = Scalars::montgomery(w.slice(0..self.variables)?.cast::<FrRepr>()?);
        let scalars = scalars.listed(list, None);
        let queries = &self.queries;
        let g1 =
            [Query::over(queries.l, *l), Query::over(queries.a, *a), Query::over(queries.b_g1, *b)];
        let g2 = [Query::over(queries.b_g2, *b)];
        let result = || self.witness_result(plan);
        let work = shares.witness.of(self.work()?)?;
        let stream = self.stream();
        if shares.side_by_side {
            let lanes = &self.streams.lanes;
            let starts: Vec<_> = lanes.iter().map(Stream::record).collect::<Result<_>>()?;
            msm::enqueue_side_by_side(stream, lanes, plan, &scalars, &g1, &g2, work, result()?)?;
            for (query, (lane, start)) in lanes.iter().zip(starts).enumerate() {
                let family = if query < g1.len() { Family::MsmG1 } else { Family::MsmG2 };
                self.marks.borrow_mut().push((family, start, lane.record()?));
            }
        } else {
            // Both groups' accumulations alternate.
            self.timed(Family::MsmG2, stream, || {
                msm::enqueue(stream.into(), plan, &scalars, &g1, &g2, work, result()?)
            })?;
        }
        let g1_bytes = plan.result_bytes(3, 0);
        self.damage(Family::MsmG1, self.lane(0, shares), result()?)?;
        let g2_result = result()?.slice(g1_bytes..plan.result_bytes(3, 1))?;
        self.damage(Family::MsmG2, self.lane(3, shares), g2_result)
    }

    fn witness_result(&self, plan: &msm::Plan) -> Result<ViewMut<'_, u8>> {
        self.parts().witness_result.of(self.region()?)?.slice(0..plan.result_bytes(3, 1))
    }

    /// Enqueues the quotient, whose coefficients come to lie in `b`. Of the other blocks nothing is
    /// left then.
    fn quotient(
        &self,
        mut a: ViewMut<'_, Scalar>,
        mut b: ViewMut<'_, Scalar>,
        w: ViewMut<'_, Scalar>,
    ) -> Result<()> {
        let stream = self.stream();
        self.damage(Family::Ntt, stream, a.reborrow())?;
        self.timed(Family::Quotient, stream, || {
            quotient::enqueue(stream, self.key.domain(), a, b.reborrow(), w)
        })?;
        self.damage(Family::Quotient, stream, b)
    }

    /// Enqueues the multiplication of the quotient's coefficients with the query H.
    fn multiply_h(&self, h: View<'_, Scalar>, shares: &Shares) -> Result<()> {
        let (n, stream) = (self.key.plan().domain(), self.stream());
        if shares.side_by_side && !shares.h_apart {
            self.join()?;
        }
        let h = Scalars::canonical(h.cast::<FrRepr>()?.slice(0..n - 1)?);
        let query = Query::<G1>::identity(self.queries.h);
        let (plan, work) = (self.key.plan().h_msm(), shares.h.of(self.work()?)?);
        let result = self.parts().h_result.of(self.region()?)?;
        self.timed(Family::MsmG1, stream, || {
            msm::enqueue(stream.into(), plan, &h, &[query], &[], work, result)
        })
    }

    /// The compute stream waits for the lanes.
    fn join(&self) -> Result<()> {
        self.streams.lanes.iter().try_for_each(|lane| self.stream().wait(&lane.record()?))
    }

    /// Waits for the sums and adds them up; those of the lanes first, while H is still computed.
    fn collect(&self, plan: &msm::Plan, shares: &Shares) -> Result<Sums> {
        let mut ones = [G1Projective::identity(); 3];
        for (query, sum) in ones.iter_mut().enumerate() {
            let partials = self.parts().ones_g1[query].of(self.region()?)?.into_view();
            *sum = download_sum::<G1>(self.lane(query, shares), partials)?;
        }
        let partials = self.parts().ones_g2.of(self.region()?)?.into_view();
        let ones_g2: G2Projective = download_sum::<G2>(self.lane(3, shares), partials)?;
        let mut bytes = vec![0; plan.result_bytes(3, 1)];
        // A lane's download of its ones has waited for its part of the rest, too.
        self.lane(0, shares).download(self.witness_result(plan)?.into_view(), &mut bytes)?;
        let rest = plan.finish(3, 1, &bytes)?;
        let h_plan = self.key.plan().h_msm();
        let mut bytes = vec![0; h_plan.result_bytes(1, 0)];
        let view = self.parts().h_result.of(self.region()?)?.into_view();
        self.stream().download(view, &mut bytes)?;
        self.join()?; // for the order of what follows
        let h = h_plan.finish(1, 0, &bytes)?;
        let (&[h], &[l, a, b_g1], &[b_g2]) = (&h.g1[..], &rest.g1[..], &rest.g2[..]) else {
            let (operation, what, got) = ("msm finish", "sums", h.g1.len() + rest.g1.len());
            return Err(Error::Length { operation, what, got, expected: 4 });
        };
        let [ones_l, ones_a, ones_b] = ones;
        let (l, a, b_g1, b_g2) = (l + ones_l, a + ones_a, b_g1 + ones_b, b_g2 + ones_g2);
        Ok(Sums { h, l, a, b_g1, b_g2 })
    }

    /// Damages the start of a family's output where the configuration asks for it. Zeros are valid
    /// scalars and points at infinity: a wrong value, not an impossible one.
    fn damage<T: crate::repr::Plain>(
        &self,
        family: Family,
        stream: &Stream,
        output: ViewMut<'_, T>,
    ) -> Result<()> {
        if self.prover.config.corrupt != Some(family) {
            return Ok(());
        }
        let len = output.len().min(1 << 10);
        stream.fill(0, output.slice(0..len)?)
    }
}

fn download_sum<G: CurveGroup>(stream: &Stream, partials: View<'_, G::Xyzz>) -> Result<G::Point> {
    let mut sums = vec![G::XYZZ_INFINITY; partials.len()];
    stream.download(partials, &mut sums)?;
    batch_add::finish::<G>(&sums)
}
