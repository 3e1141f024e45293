//! All sums over a witness that a proof needs, as a prover makes them: the queries L, A and B in G1
//! and B in G2, a stream each.

use std::time::Instant;

use bls12_381::{G1Projective, G2Projective, Scalar};
use ff::Field;
use groth16_cuda::density::{DensityMap, DeviceDensity, IndexMap};
use groth16_cuda::device::{DeviceBuffer, Stream, View};
use groth16_cuda::msm::{Plan, Query, Scalars, SideBySide};
use groth16_cuda::repr::{G1, G1AffineRepr, G2, G2AffineRepr};
use groth16_cuda::{Error, Result, witness};
use rayon::prelude::*;

use super::harness::median;
use super::harness::scalars::{Line, bits};
use super::harness::sums::Sum;
use super::harness::witness::{DENSITY_A, DENSITY_B, VARIABLES, witness as random_witness};

const RUNS: usize = 7;

/// Variables that L has no point for.
const INPUTS: usize = 1;

/// The sums of L, A and B in G1, and of B in G2.
type FourSums = ([G1Projective; 3], G2Projective);

/// The time from the first launch to the four points on the host, and whether they were all right,
/// over a domain of 2^log2n points.
pub fn four_sums(stream: &Stream, log2n: u32) -> Result<(f64, bool)> {
    let variables = (VARIABLES * f64::from(1_u32 << log2n)) as usize;
    let values = random_witness(variables, 6);
    let key = Key::new(stream, variables)?;
    let rest = values.iter().filter(|w| **w != Scalar::ZERO && **w != Scalar::ONE).count();
    let plan = Plan::new(rest.next_power_of_two())?;
    let mut work = Work::new(stream, &plan, &values)?;
    let expected = key.expected(&values);
    let (mut times_ms, mut right) = (Vec::new(), true);
    for run in 0..=RUNS {
        let start = Instant::now();
        let sums = work.sums(stream, &key)?;
        if run > 0 {
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        right &= sums == expected;
    }
    Ok((median(&mut times_ms), right))
}

/// The queries' points, all on one line in each group, and the densities of A and B.
struct Key {
    variables: usize,
    line: Line,
    maps: [DensityMap; 2],
    device_maps: [DeviceDensity; 2],
    /// Those of L, then those of A, then those of B.
    g1: DeviceBuffer<G1AffineRepr>,
    g2: DeviceBuffer<G2AffineRepr>,
}

impl Key {
    fn new(stream: &Stream, variables: usize) -> Result<Self> {
        let line = Line::new();
        let density = |share, seed| DensityMap::from_bits(bits(variables, share, seed));
        let maps = [density(DENSITY_A, 2)?, density(DENSITY_B, 3)?];
        let [a, b] = &maps;
        let device_maps = [DeviceDensity::upload(stream, a)?, DeviceDensity::upload(stream, b)?];
        let g1 = line.points::<G1>(stream, variables - INPUTS + a.count() + b.count())?;
        let g2 = line.points::<G2>(stream, b.count())?;
        Ok(Self { variables, line, maps, device_maps, g1, g2 })
    }

    /// Where the points of L, A and B start, and where they end.
    fn starts(&self) -> [usize; 4] {
        let [a, b] = &self.maps;
        let first = self.variables - INPUTS;
        [0, first, first + a.count(), first + a.count() + b.count()]
    }

    fn maps(&self) -> [IndexMap<'_>; 3] {
        let [a, b] = &self.device_maps;
        [IndexMap::identity(self.variables).from_point(INPUTS), a.map(), b.map()]
    }

    /// The points of L, A and B in G1.
    fn points(&self) -> Result<[View<'_, G1AffineRepr>; 3]> {
        let [l, a, b, end] = self.starts();
        let part = |from, to| self.g1.view().slice(from..to);
        Ok([part(l, a)?, part(a, b)?, part(b, end)?])
    }

    fn expected(&self, values: &[Scalar]) -> FourSums {
        let [a_map, b_map] = &self.maps;
        let [l, a, b, _] = self.starts();
        let sum = |start: usize, position: &(dyn Fn(usize) -> Option<usize> + Sync)| -> Scalar {
            let terms = values.par_iter().enumerate().filter(|(_, w)| **w != Scalar::ZERO);
            let term = |(v, w): (usize, &Scalar)| Some(w * self.line.at(start + position(v)?));
            terms.filter_map(term).sum()
        };
        let of_l = sum(l, &|v| v.checked_sub(INPUTS));
        let of_a = sum(a, &|v| a_map.position(v));
        let [of_b1, of_b2] = [b, 0].map(|start| sum(start, &|v| b_map.position(v)));
        let g1 = [of_l, of_a, of_b1].map(|log| G1Projective::generator() * log);
        (g1, G2Projective::generator() * of_b2)
    }
}

/// The witness on the device, and what its sums need.
struct Work<'s> {
    values: DeviceBuffer<Scalar>,
    ones: DeviceBuffer<u32>,
    rest: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    classify: DeviceBuffer<u8>,
    ones_g1: [Sum<G1>; 3],
    ones_g2: Sum<G2>,
    multiples: SideBySide<'s>,
}

impl<'s> Work<'s> {
    fn new(stream: &'s Stream, plan: &Plan, values: &[Scalar]) -> Result<Self> {
        let (device, n) = (stream.device(), values.len());
        let mut there = device.alloc(n)?;
        stream.upload(values, there.view_mut())?;
        let sum = || Sum::<G1>::new(stream, n);
        Ok(Self {
            values: there,
            ones: device.alloc(n)?,
            rest: device.alloc(n)?,
            counts: device.alloc(2)?,
            classify: device.alloc(witness::workspace(device, n)?)?,
            ones_g1: [sum()?, sum()?, sum()?],
            ones_g2: Sum::new(stream, n)?,
            multiples: SideBySide::new(stream, plan, 3, 1)?,
        })
    }

    fn sums(&mut self, stream: &Stream, key: &Key) -> Result<FourSums> {
        let (ones, rest) = (self.ones.view_mut(), self.rest.view_mut());
        let (counts, classify) = (self.counts.view_mut(), self.classify.view_mut());
        witness::classify(stream, self.values.view(), ones, rest, counts, classify)?;
        let mut found = [0; 2];
        stream.download(self.counts.view(), &mut found)?;
        self.enqueue(stream, key, found[1] as usize)?;
        self.collect()
    }

    /// The ones' points are added while the rest is sorted.
    fn enqueue(&mut self, stream: &Stream, key: &Key, rest: usize) -> Result<()> {
        let listed = stream.record()?;
        let lanes = self.multiples.lanes();
        lanes.iter().try_for_each(|lane| lane.wait(&listed))?;
        let (maps, points) = (key.maps(), key.points()?);
        let (list, count) = (self.ones.view(), self.counts.view().slice(0..1)?);
        for (i, sum) in self.ones_g1.iter_mut().enumerate() {
            sum.enqueue(&lanes[i], points[i], maps[i], list, count)?;
        }
        self.ones_g2.enqueue(&lanes[3], key.g2.view(), maps[2], list, count)?;

        let scalars = Scalars::montgomery(self.values.view().cast()?);
        let scalars = scalars.listed(self.rest.view().slice(0..rest)?, None);
        let g1: [_; 3] = std::array::from_fn(|i| Query::over(points[i], maps[i]));
        let g2 = [Query::over(key.g2.view(), maps[2])];
        self.multiples.enqueue(&scalars, &g1, &g2)
    }

    fn collect(&self) -> Result<FourSums> {
        let lanes = self.multiples.lanes();
        let mut g1 = [G1Projective::identity(); 3];
        for (i, sum) in self.ones_g1.iter().enumerate() {
            g1[i] = sum.result(&lanes[i])?;
        }
        let g2 = self.ones_g2.result(&lanes[3])?;
        let rest = self.multiples.finish()?;
        let (&[l, a, b1], &[b2]) = (&rest.g1[..], &rest.g2[..]) else {
            let (operation, what, got) = ("msm finish", "sums", rest.g1.len() + rest.g2.len());
            return Err(Error::Length { operation, what, got, expected: 4 });
        };
        Ok(([g1[0] + l, g1[1] + a, g1[2] + b1], g2 + b2))
    }
}
