//! The compute phase: from the staged blocks to the five sums.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use bls12_381::{G1Projective, G2Projective, Scalar};

use super::{Prover, Staged, Sums};
use crate::arena::Lease;
use crate::assignment::Assignment;
use crate::density::{DensityMap, IndexMap};
use crate::device::{Event, Family, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::key::{LoadedKey, Queries};
use crate::memory::Token;
use crate::msm::{Query, Scalars};
use crate::plan::Scratch;
use crate::repr::{CurveGroup, FrRepr, G1, G2};
use crate::timeline::Recorder;
use crate::{batch_add, msm, quotient, witness};

/// The ones' sums over L, A and B in G1 and B in G2.
type Ones = ([G1Projective; 3], G2Projective);

/// What one proof's compute phase works with.
struct Compute<'a> {
    prover: &'a Prover,
    key: &'a LoadedKey,
    queries: Queries<'a>,
    stream: &'a Stream,
    scratch: &'a Lease<Token>,
    variables: usize,
    /// Events behind the work of each family, in the stream's order; the first is before all work.
    marks: RefCell<Vec<(Option<Family>, Event)>>,
}

impl Prover {
    /// Enqueues the proof's kernels on `stream`, which has waited for the staged blocks, and waits
    /// for their sums.
    pub(super) fn compute(
        &self,
        key: &LoadedKey,
        assignment: &Assignment,
        stream: &Stream,
        staged: &Staged,
        recorder: &mut Recorder,
    ) -> Result<Sums> {
        let ([w, a, b], Some(scratch)) = (&staged.blocks[..], &staged.scratch) else {
            return Err(Error::LockContract { proof: 0, what: "computes before it is staged" });
        };
        let variables = assignment.inputs().len() + assignment.aux().len();
        let queries = key.queries()?;
        let marks = RefCell::new(vec![(None, stream.record()?)]);
        let run = Compute { prover: self, key, queries, stream, scratch, variables, marks };
        self.memory.open(scratch, stream)?;
        let block = |lease: &Lease<Token>| self.memory.view(lease.region())?.cast::<Scalar>();
        let maps = run.maps(assignment)?;
        let counts = run.classify(block(w)?.slice(0..variables)?.into_view())?;
        run.add_ones(&maps, counts[0])?;
        let witness_plan = run.multiply_rest(&maps, block(w)?.into_view(), counts[1])?;
        let n = key.plan().domain();
        let [a, b, w] = [block(a)?.slice(0..n)?, block(b)?.slice(0..n)?, block(w)?.slice(0..n)?];
        run.quotient_and_h(a, b, w)?;
        let sums = run.collect(&witness_plan)?;
        run.report(recorder)?;
        Ok(sums)
    }
}

impl Compute<'_> {
    fn parts(&self) -> &Scratch {
        self.key.plan().scratch()
    }

    /// Marks the end of a family's work.
    fn mark(&self, family: Family) -> Result<()> {
        self.marks.borrow_mut().push((Some(family), self.stream.record()?));
        Ok(())
    }

    /// Puts the families' times on the host's clock; all marked work has run.
    fn report(&self, recorder: &mut Recorder) -> Result<()> {
        let marks = self.marks.borrow();
        let ([(_, first), .., (_, last)], now) = (&marks[..], Instant::now()) else {
            return Ok(());
        };
        let whole = Duration::from_secs_f32(first.elapsed_ms(last)?.max(0.0) / 1e3);
        let anchor = now.checked_sub(whole).unwrap_or(now);
        let mut start_ms = 0.0;
        for (family, event) in &marks[..] {
            let end_ms = first.elapsed_ms(event)?;
            if let Some(family) = family {
                recorder.kernels(*family, anchor, start_ms, end_ms);
            }
            start_ms = end_ms;
        }
        Ok(())
    }

    fn region(&self) -> Result<ViewMut<'_, u8>> {
        self.prover.memory.view(self.scratch.region())
    }

    fn work(&self) -> Result<ViewMut<'_, u8>> {
        self.parts().work.of(self.region()?)
    }

    /// Uploads the densities of L, A and B over inputs and other variables.
    fn maps(&self, assignment: &Assignment) -> Result<[IndexMap<'_>; 3]> {
        let (inputs, aux) = (assignment.inputs().len(), assignment.aux().len());
        let density = assignment.densities();
        let l = DensityMap::concat(&DensityMap::empty(inputs)?, &DensityMap::full(aux)?)?;
        let a = DensityMap::concat(&DensityMap::full(inputs)?, &density.a_aux)?;
        let b = DensityMap::concat(&density.b_inputs, &density.b_aux)?;
        let upload = |map: DensityMap, index: usize| {
            let [bitmap, rank] = self.parts().maps[index];
            self.stream.upload(map.bitmap(), bitmap.of(self.region()?)?)?;
            self.stream.upload(map.rank(), rank.of(self.region()?)?)?;
            let bitmap = bitmap.of(self.region()?)?.into_view();
            IndexMap::ranked(bitmap, rank.of(self.region()?)?.into_view(), self.variables)
        };
        Ok([upload(l, 0)?, upload(a, 1)?, upload(b, 2)?])
    }

    /// Lists the witness's ones and its rest; answers how many of each.
    fn classify(&self, w: View<'_, Scalar>) -> Result<[usize; 2]> {
        let [ones, rest] = self.parts().lists;
        let counts = self.parts().counts;
        let region = || self.region();
        witness::classify(
            self.stream,
            w,
            ones.of(region()?)?,
            rest.of(region()?)?,
            counts.of(region()?)?,
            self.work()?,
        )?;
        self.mark(Family::Witness)?;
        if self.prover.config.corrupt == Some(Family::Witness) {
            self.stream.fill(0, counts.of(region()?)?)?;
        }
        let mut found = [0_u32; 2];
        self.stream.download(counts.of(region()?)?.into_view(), &mut found)?;
        Ok(found.map(|count| count as usize))
    }

    /// Enqueues the sums of the ones' points.
    fn add_ones(&self, [l, a, b]: &[IndexMap<'_>; 3], ones: usize) -> Result<()> {
        let queries = &self.queries;
        let g1 = [(queries.l, l), (queries.a, a), (queries.b_g1, b)];
        for (part, (points, map)) in self.parts().ones_g1.iter().zip(g1) {
            self.sum::<G1>(points, *map, part.of(self.region()?)?)?;
        }
        let out = self.parts().ones_g2;
        self.sum::<G2>(queries.b_g2, *b, out.of(self.region()?)?)?;
        tracing::trace!(ones, "ones enqueued");
        self.mark(Family::BatchAdd)?;
        self.damage(Family::BatchAdd, self.parts().ones_g1[1].of(self.region()?)?)
    }

    fn sum<G: CurveGroup>(
        &self,
        points: View<'_, G::Affine>,
        map: IndexMap<'_>,
        out: ViewMut<'_, G::Xyzz>,
    ) -> Result<()> {
        let list = self.parts().lists[0].of(self.region()?)?.into_view();
        let count = self.parts().counts.of(self.region()?)?.slice(0..1)?.into_view();
        batch_add::sum::<G>(self.stream, points, map, list, count, out, self.work()?)
    }

    /// Enqueues the multiplication of the rest of the witness over all its queries at once.
    fn multiply_rest(
        &self,
        [l, a, b]: &[IndexMap<'_>; 3],
        w: View<'_, Scalar>,
        rest: usize,
    ) -> Result<msm::Plan> {
        let plan = self.key.plan().witness_msm(rest)?;
        let list = self.parts().lists[1].of(self.region()?)?.into_view().slice(0..rest)?;
        let scalars = Scalars::montgomery(w.slice(0..self.variables)?.cast::<FrRepr>()?);
        let scalars = scalars.listed(list, None);
        let queries = &self.queries;
        let g1 = [
            Query { points: queries.l, map: *l },
            Query { points: queries.a, map: *a },
            Query { points: queries.b_g1, map: *b },
        ];
        let g2 = [Query { points: queries.b_g2, map: *b }];
        let bytes = plan.result_bytes(3, 1);
        let result = || self.parts().witness_result.of(self.region()?)?.slice(0..bytes);
        msm::enqueue(self.stream, &plan, &scalars, &g1, &g2, self.work()?, result()?)?;
        self.mark(Family::MsmG2)?; // both groups' accumulations alternate
        self.damage(Family::MsmG1, result()?)?;
        self.damage(Family::MsmG2, result()?.slice(plan.result_bytes(3, 0)..bytes)?)?;
        Ok(plan)
    }

    /// Enqueues the quotient, and the multiplication of its coefficients with the query H.
    fn quotient_and_h(
        &self,
        mut a: ViewMut<'_, Scalar>,
        mut b: ViewMut<'_, Scalar>,
        w: ViewMut<'_, Scalar>,
    ) -> Result<()> {
        let n = self.key.plan().domain();
        self.damage(Family::Ntt, a.reborrow())?;
        quotient::enqueue(self.stream, self.key.domain(), a, b.reborrow(), w)?;
        self.mark(Family::Quotient)?;
        self.damage(Family::Quotient, b.reborrow())?;
        let h = b.into_view().cast::<FrRepr>()?.slice(0..n - 1)?;
        let query = Query::<G1>::identity(self.queries.h);
        let result = self.parts().h_result.of(self.region()?)?;
        let plan = self.key.plan().h_msm();
        msm::enqueue(self.stream, plan, &Scalars::canonical(h), &[query], &[], self.work()?, result)
    }

    /// Waits for the sums and adds them up.
    fn collect(&self, witness_plan: &msm::Plan) -> Result<Sums> {
        let ([l, a, b_g1], b_g2) = self.ones()?;
        let mut result = vec![0; witness_plan.result_bytes(3, 1)];
        let view = self.parts().witness_result.of(self.region()?)?.slice(0..result.len())?;
        self.stream.download(view.into_view(), &mut result)?;
        let rest = witness_plan.finish(3, 1, &result)?;
        let h_plan = self.key.plan().h_msm();
        let mut result = vec![0; h_plan.result_bytes(1, 0)];
        let view = self.parts().h_result.of(self.region()?)?.into_view();
        self.stream.download(view, &mut result)?;
        let h = h_plan.finish(1, 0, &result)?;
        let (&[h], &[rest_l, rest_a, rest_b], &[rest_b2]) = (&h.g1[..], &rest.g1[..], &rest.g2[..])
        else {
            let (operation, what, got) = ("msm finish", "sums", h.g1.len() + rest.g1.len());
            return Err(Error::Length { operation, what, got, expected: 4 });
        };
        Ok(Sums { h, l: l + rest_l, a: a + rest_a, b_g1: b_g1 + rest_b, b_g2: b_g2 + rest_b2 })
    }

    fn ones(&self) -> Result<Ones> {
        let mut g1 = [G1Projective::identity(); 3];
        for (part, sum) in self.parts().ones_g1.iter().zip(&mut g1) {
            *sum = self.download_sum::<G1>(part.of(self.region()?)?.into_view())?;
        }
        let g2 = self.parts().ones_g2.of(self.region()?)?.into_view();
        Ok((g1, self.download_sum::<G2>(g2)?))
    }

    fn download_sum<G: CurveGroup>(&self, partials: View<'_, G::Xyzz>) -> Result<G::Point> {
        let mut sums = vec![G::XYZZ_INFINITY; partials.len()];
        self.stream.download(partials, &mut sums)?;
        batch_add::finish::<G>(&sums)
    }

    /// Damages the start of a family's output where the configuration asks for it. Zeros are valid
    /// scalars and points at infinity: a wrong value, not an impossible one.
    fn damage<T: crate::repr::Plain>(&self, family: Family, output: ViewMut<'_, T>) -> Result<()> {
        if self.prover.config.corrupt != Some(family) {
            return Ok(());
        }
        let len = output.len().min(1 << 10);
        self.stream.fill(0, output.slice(0..len)?)
    }
}
