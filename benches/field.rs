//! The arithmetic by itself: operations a second on a device that does nothing else. Each thread
//! works on long chains in its registers, of which 2^log2n run in all.
//!
//! A sample of the results is compared with bit-by-bit arithmetic, or with multiples of the group's
//! generator.
#![allow(missing_docs)]

use bls12_381::Scalar;
use groth16_cuda::device::{DeviceBuffer, Stream};
use groth16_cuda::probe::{Arithmetic, Curve, Field, FieldChain, PointChain, Probe};
use groth16_cuda::repr::{G1, G2, Plain};
use groth16_cuda::{Result, batch_add};
use group::Group;
use rayon::prelude::*;

#[path = "../tests/suite/oracle/bigint.rs"]
#[allow(dead_code)] // the tests use more
mod bigint;
mod harness;

use bigint::{Modulus, Number, P, R, from_limbs, to_limbs};
use harness::scalars::{Line, words};
use harness::{Options, Record, median_ms};

const RUNS: usize = 7;

/// Results of a row that are compared.
const SAMPLES: usize = 64;

fn main() -> Result<()> {
    let options = Options::from_arguments();
    let bench = Bench {
        probe: Probe::new(&options.device, Arithmetic::Target)?,
        steps: if options.device.name() == "host" { 16 } else { 256 },
    };
    let mut record = Record::new("field", &options);
    let (mul, call, sqr) = (FieldChain::Mul, FieldChain::MulCall, FieldChain::Sqr);
    for log2n in options.sizes(&[22], &[6]) {
        let fp = [("fp-mul", mul), ("fp-mul-call", call), ("fp-sqr", sqr)];
        let fp2 = [("fp2-mul", mul), ("fp2-mul-call", call), ("fp2-sqr", sqr)];
        bench.field::<12>(&options, log2n, &fp, &mut record)?;
        bench.field::<8>(&options, log2n, &[("fr-mul", mul)], &mut record)?;
        bench.field::<24>(&options, log2n, &fp2, &mut record)?;
    }
    let (call, inline) = (PointChain::AddMixed, PointChain::AddMixedInline);
    for log2n in options.sizes(&[20], &[6]) {
        let g1 = [("g1-add-mixed", call), ("g1-add-mixed-inline", inline)];
        bench.points::<G1>(&options, log2n, &g1, &mut record)?;
        bench.points::<G2>(&options, log2n, &[("g2-add-mixed", call)], &mut record)?;
    }
    record.finish(&options);
    Ok(())
}

struct Bench {
    probe: Probe,
    /// Operations of a chain.
    steps: u32,
}

impl Bench {
    fn stream(&self) -> &Stream {
        self.probe.stream()
    }

    /// Operations a second of all chains together, in billions.
    fn rate(&self, log2n: u32, enqueue: impl FnMut() -> Result<()>) -> Result<f64> {
        let ms = median_ms(self.stream(), RUNS, enqueue)?;
        Ok(f64::from(self.steps) * f64::from(1_u32 << log2n) / (ms * 1e6))
    }

    fn field<const N: usize>(
        &self,
        options: &Options,
        log2n: u32,
        rows: &[(&str, FieldChain)],
        record: &mut Record,
    ) -> Result<()>
    where
        [u32; N]: Field,
    {
        let rows = chosen(options, rows);
        if rows.is_empty() {
            return Ok(());
        }
        let [a, b] = [1, 2].map(|seed| numbers::<N>(1 << log2n, seed));
        let (left, right) = (self.upload(&a)?, self.upload(&b)?);
        let mut out = self.stream().device().alloc(a.len())?;
        for (case, chain) in rows {
            let rate = self.rate(log2n, || {
                self.probe.chains(chain, left.view(), right.view(), self.steps, out.view_mut())
            })?;
            let mut results = vec![[0; N]; a.len()];
            self.stream().download(out.view(), &mut results)?;
            let right = samples(a.len()).into_par_iter().all(|i| {
                let expected = match chain {
                    FieldChain::Sqr => squared::<N>(&a[i], self.steps),
                    _ => multiplied::<N>(&a[i], &b[i], self.steps),
                };
                results[i] == expected
            });
            record.rate(case, log2n, rate, right);
        }
        Ok(())
    }

    fn points<G>(
        &self,
        options: &Options,
        log2n: u32,
        rows: &[(&str, PointChain)],
        record: &mut Record,
    ) -> Result<()>
    where
        G: Curve<Point: group::Curve<Affine = G::AffinePoint, Scalar = Scalar>>,
    {
        let rows = chosen(options, rows);
        if rows.is_empty() {
            return Ok(());
        }
        let (stream, n) = (self.stream(), 1 << log2n);
        let line = Line::new();
        let points = line.points::<G>(stream, 2 * n)?;
        let (a, b) = (points.view().slice(0..n)?, points.view().slice(n..2 * n)?);
        let mut out = stream.device().alloc(n)?;
        for (case, chain) in rows {
            let rate = self.rate(log2n, || {
                self.probe.point_chains::<G>(chain, a, b, self.steps, out.view_mut())
            })?;
            let mut results = vec![G::XYZZ_INFINITY; n];
            stream.download(out.view(), &mut results)?;
            let right = samples(n).into_iter().map(|i| {
                let logarithm = line.at(i) + Scalar::from(u64::from(self.steps)) * line.at(n + i);
                let sum = batch_add::finish::<G>(&results[i..=i])?;
                Ok(sum == G::Point::generator() * logarithm)
            });
            let right = right.collect::<Result<Vec<_>>>()?.into_iter().all(|right| right);
            record.rate(case, log2n, rate, right);
        }
        Ok(())
    }

    fn upload<T: Plain>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = self.stream().device().alloc(values.len())?;
        self.stream().upload(values, buffer.view_mut())?;
        Ok(buffer)
    }
}

/// The rows that were asked for.
fn chosen<'a, C: Copy>(options: &Options, rows: &[(&'a str, C)]) -> Vec<(&'a str, C)> {
    rows.iter().copied().filter(|(case, _)| options.wants(&[case])).collect()
}

/// Which of `n` results are compared: the first, the last, and some between.
fn samples(n: usize) -> Vec<usize> {
    let mut samples: Vec<_> = (0..SAMPLES).map(|i| i * (n - 1) / (SAMPLES - 1)).collect();
    samples.dedup();
    samples
}

/// 32-bit limbs of a prime field's element.
const fn prime_limbs(limbs: usize) -> usize {
    if limbs == 24 { 12 } else { limbs }
}

/// Elements whose highest limbs are below the moduli's.
fn numbers<const N: usize>(n: usize, seed: u64) -> Vec<[u32; N]> {
    let limbs = words(n * N, seed);
    let number = |limbs: &[u32]| -> [u32; N] {
        let below = |i: usize| (i + 1).is_multiple_of(prime_limbs(N));
        std::array::from_fn(|i| if below(i) { limbs[i] >> 4 } else { limbs[i] })
    };
    limbs.par_chunks_exact(N).map(number).collect()
}

/// c0 + c1 u; c1 is zero in prime fields.
type Element = [Number; 2];

fn modulus(limbs: usize) -> &'static Modulus {
    if limbs == 8 { &R } else { &P }
}

/// The element that is represented by these limbs in Montgomery form.
fn element<const N: usize>(limbs: &[u32; N]) -> Element {
    let (c0, c1) = limbs.split_at(prime_limbs(N));
    [c0, c1].map(|c| modulus(N).over_r(from_limbs(c)))
}

fn limbs<const N: usize>(element: Element) -> [u32; N] {
    let [c0, c1] = element.map(|c| to_limbs::<12>(modulus(N).times_r(c)));
    let one = prime_limbs(N);
    std::array::from_fn(|i| if i < one { c0[i] } else { c1[i - one] })
}

fn product(field: &Modulus, [a0, a1]: Element, [b0, b1]: Element) -> Element {
    let mul = |a: Number, b: Number| if b == [0; 6] { b } else { field.mul(a, b) };
    [field.sub(mul(a0, b0), mul(a1, b1)), field.add(mul(a0, b1), mul(b0, a1))]
}

/// a b^steps.
fn multiplied<const N: usize>(a: &[u32; N], b: &[u32; N], steps: u32) -> [u32; N] {
    let (a, b) = (element(a), element(b));
    let one = [[1, 0, 0, 0, 0, 0], [0; 6]];
    let power = (0..u32::BITS).rev().fold(one, |power, i| {
        let square = product(modulus(N), power, power);
        if steps >> i & 1 == 1 { product(modulus(N), square, b) } else { square }
    });
    limbs(product(modulus(N), a, power))
}

/// a, squared `steps` times.
fn squared<const N: usize>(a: &[u32; N], steps: u32) -> [u32; N] {
    limbs((0..steps).fold(element(a), |x, _| product(modulus(N), x, x)))
}
