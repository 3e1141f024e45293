//! Element-wise field and curve operations on a device: how the tests reach the kernels'
//! arithmetic; and long chains of them, for benches. No part of the public interface.

use crate::device::{Device, DeviceBuffer, Stream, View, ViewMut, launch};
use crate::error::Result;
use crate::repr::{CurveGroup, G1, G1XyzzRepr, G2, G2XyzzRepr, Plain};

/// An element of Fp in Montgomery form, 32-bit limbs from the lowest.
pub type Fp = [u32; 12];
/// An element of Fr in Montgomery form, 32-bit limbs from the lowest.
pub type Fr = [u32; 8];
/// An element c0 + c1 u of Fp2: c0's limbs, then c1's.
pub type Fp2 = [u32; 24];

/// Which arithmetic runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// The device's own.
    Target,
    /// The GPU's, with emulated carries, on the host target.
    Limbs32,
}

/// A field's number in the kernels' table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// The base field.
    Fp,
    /// The scalar field.
    Fr,
    /// The quadratic extension of the base field.
    Fp2,
}

/// An element of one of the three fields.
pub trait Field: sealed::Sealed + Plain + Default + PartialEq + std::fmt::Debug {
    /// Which field.
    const KIND: FieldKind;
}

/// A group's number in the kernels' table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveKind {
    /// The group over Fp.
    G1,
    /// The group over Fp2.
    G2,
}

/// One of the two groups.
pub trait Curve: CurveGroup {
    /// Which group.
    const KIND: CurveKind;
    /// All limbs zero: infinity, in extended coordinates.
    const ZERO: Self::Xyzz;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Fp {}
    impl Sealed for super::Fr {}
    impl Sealed for super::Fp2 {}
}

impl Field for Fp {
    const KIND: FieldKind = FieldKind::Fp;
}

impl Field for Fr {
    const KIND: FieldKind = FieldKind::Fr;
}

impl Field for Fp2 {
    const KIND: FieldKind = FieldKind::Fp2;
}

impl Curve for G1 {
    const KIND: CurveKind = CurveKind::G1;
    const ZERO: G1XyzzRepr = G1XyzzRepr([0; 24]);
}

impl Curve for G2 {
    const KIND: CurveKind = CurveKind::G2;
    const ZERO: G2XyzzRepr = G2XyzzRepr([0; 48]);
}

/// `G16_PROBE_*`: operations on elements a and b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FieldOp {
    /// a + b.
    Add = 0,
    /// a − b.
    Sub = 1,
    /// −a.
    Neg = 2,
    /// 2a.
    Dbl = 3,
    /// ab.
    Mul = 4,
    /// a².
    Sqr = 5,
    /// ab through the out-of-line function.
    MulCall = 6,
    /// a² through the out-of-line function.
    SqrCall = 7,
    /// 1/a, and 0 for 0.
    Inverse = 8,
    /// ab + cd, where c and d are a and b counted from the other end. Not for Fr.
    MulAddMul = 9,
    /// ab − cd, likewise.
    MulSubMul = 10,
    /// a/2.
    Half = 11,
    /// To Montgomery form. Not for Fp2, as the next two.
    FromCanonical = 12,
    /// From Montgomery form.
    ToCanonical = 13,
    /// a to the power of b's two lowest limbs.
    Pow = 14,
    /// a + b below 2^256, for any a and b below 2r. For Fr alone, as all that follow.
    AddLoose = 15,
    /// a − b, likewise.
    SubLoose = 16,
    /// a + b below 2r, for a and b below 2r.
    AddTight = 17,
    /// a below 2r, for any a.
    Tightened = 18,
    /// a below r, for any a.
    ReducedLoose = 19,
    /// ab below 2r, for a below r and any b.
    MulTight = 20,
    /// The same with a prepared as two numbers.
    MulHalves = 21,
    /// The same with a prepared as eight numbers.
    MulSplit = 22,
}

/// `G16_PROBE_*`: operations on points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum PointOp {
    FromAffine = 0,
    AddMixed = 1,
    AddMixedInline = 2,
    Add = 3,
    Dbl = 4,
    DblAffine = 5,
    Neg = 6,
}

/// `G16_CHAIN_*`: operations of the fields that chains repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FieldChain {
    /// x becomes xb.
    Mul = 0,
    /// The same through the out-of-line function.
    MulCall = 1,
    /// x becomes x².
    Sqr = 2,
}

/// `G16_CHAIN_*`: the forms of a mixed addition that chains repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PointChain {
    /// The field's operations by call.
    AddMixed = 0,
    /// In line. For G1 alone.
    AddMixedInline = 1,
}

/// A device with the arithmetic to probe.
#[derive(Debug)]
pub struct Probe {
    device: Device,
    stream: Stream,
    arithmetic: Arithmetic,
}

impl Probe {
    /// Probes `arithmetic` on `device`.
    ///
    /// # Errors
    /// Those of a stream's creation.
    pub fn new(device: &Device, arithmetic: Arithmetic) -> Result<Self> {
        Ok(Self { device: device.clone(), stream: device.stream()?, arithmetic })
    }

    /// The stream of all that is enqueued.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Enqueues chains in registers, to be timed: `out[i]` becomes `a[i]`, on which the operation
    /// has worked `steps` times with `b[i]`.
    ///
    /// # Errors
    /// The device's, and different lengths.
    pub fn chains<F: Field>(
        &self,
        operation: FieldChain,
        a: View<'_, F>,
        b: View<'_, F>,
        steps: u32,
        out: ViewMut<'_, F>,
    ) -> Result<()> {
        let arithmetic = self.arithmetic;
        launch::probe::chains(&self.stream, arithmetic, operation as u32, a, b, steps, out)
    }

    /// The same of points: `out[i]` becomes `a[i]` + `steps` · `b[i]`.
    ///
    /// # Errors
    /// The device's, and different lengths.
    pub fn point_chains<G: Curve>(
        &self,
        operation: PointChain,
        a: View<'_, G::Affine>,
        b: View<'_, G::Affine>,
        steps: u32,
        out: ViewMut<'_, G::Xyzz>,
    ) -> Result<()> {
        let (stream, arithmetic) = (&self.stream, self.arithmetic);
        launch::probe::point_chains::<G>(stream, arithmetic, operation as u32, a, b, steps, out)
    }

    fn upload<T: Plain>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = self.device.alloc(values.len())?;
        self.stream.upload(values, buffer.view_mut())?;
        Ok(buffer)
    }

    fn download<T: Plain>(&self, buffer: &DeviceBuffer<T>, fill: T) -> Result<Vec<T>> {
        let mut values = vec![fill; buffer.len()];
        self.stream.download(buffer.view(), &mut values)?;
        Ok(values)
    }

    /// The operation on every a\[i\], b\[i\].
    ///
    /// # Errors
    /// The device's, and different lengths.
    pub fn field<F: Field>(&self, operation: FieldOp, a: &[F], b: &[F]) -> Result<Vec<F>> {
        let mut out = self.device.alloc(a.len())?;
        let (a, b) = (self.upload(a)?, self.upload(b)?);
        launch::probe::field(
            &self.stream,
            self.arithmetic,
            operation as u32,
            a.view(),
            b.view(),
            out.view_mut(),
        )?;
        self.download(&out, F::default())
    }

    /// Numbers from big-endian bytes; `None` where one is not below p.
    ///
    /// # Errors
    /// The device's.
    pub fn fp_decode(&self, bytes: &[[u8; 48]]) -> Result<Vec<Option<Fp>>> {
        let mut out = self.device.alloc(bytes.len())?;
        let mut canonical = self.device.alloc(bytes.len())?;
        let bytes = self.upload(bytes)?;
        launch::probe::fp_decode(
            &self.stream,
            self.arithmetic,
            bytes.view(),
            out.view_mut(),
            canonical.view_mut(),
        )?;
        let numbers = self.download(&out, Fp::default())?;
        let canonical = self.download(&canonical, 0_u8)?;
        Ok(numbers.into_iter().zip(canonical).map(|(x, c)| (c == 1).then_some(x)).collect())
    }

    fn points<G: Curve>(
        &self,
        operation: PointOp,
        p: &DeviceBuffer<G::Xyzz>,
        q: &DeviceBuffer<G::Xyzz>,
        a: &DeviceBuffer<G::Affine>,
    ) -> Result<Vec<G::Xyzz>> {
        let mut out = self.device.alloc(p.len())?;
        launch::probe::xyzz::<G>(
            &self.stream,
            self.arithmetic,
            operation as u32,
            p.view(),
            q.view(),
            a.view(),
            out.view_mut(),
        )?;
        self.download(&out, G::ZERO)
    }

    /// Each a\[i\] in extended coordinates.
    ///
    /// # Errors
    /// The device's.
    pub fn from_affine<G: Curve>(&self, a: &[G::Affine]) -> Result<Vec<G::Xyzz>> {
        let unused = self.device.alloc(a.len())?;
        self.points::<G>(PointOp::FromAffine, &unused, &unused, &self.upload(a)?)
    }

    /// Each 2 a\[i\].
    ///
    /// # Errors
    /// The device's.
    pub fn dbl_affine<G: Curve>(&self, a: &[G::Affine]) -> Result<Vec<G::Xyzz>> {
        let unused = self.device.alloc(a.len())?;
        self.points::<G>(PointOp::DblAffine, &unused, &unused, &self.upload(a)?)
    }

    /// Each p\[i\] + a\[i\], through the out-of-line function.
    ///
    /// # Errors
    /// The device's, and different lengths.
    pub fn add_mixed<G: Curve>(&self, p: &[G::Xyzz], a: &[G::Affine]) -> Result<Vec<G::Xyzz>> {
        let p = self.upload(p)?;
        self.points::<G>(PointOp::AddMixed, &p, &p, &self.upload(a)?)
    }

    /// Each p\[i\] + a\[i\], as accumulation loops add.
    ///
    /// # Errors
    /// The device's, and different lengths.
    pub fn add_mixed_inline<G: Curve>(
        &self,
        p: &[G::Xyzz],
        a: &[G::Affine],
    ) -> Result<Vec<G::Xyzz>> {
        let p = self.upload(p)?;
        self.points::<G>(PointOp::AddMixedInline, &p, &p, &self.upload(a)?)
    }

    /// Each p\[i\] + q\[i\].
    ///
    /// # Errors
    /// The device's, and different lengths.
    pub fn add<G: Curve>(&self, p: &[G::Xyzz], q: &[G::Xyzz]) -> Result<Vec<G::Xyzz>> {
        let unused = self.device.alloc(p.len())?;
        self.points::<G>(PointOp::Add, &self.upload(p)?, &self.upload(q)?, &unused)
    }

    /// Each 2 p\[i\].
    ///
    /// # Errors
    /// The device's.
    pub fn dbl<G: Curve>(&self, p: &[G::Xyzz]) -> Result<Vec<G::Xyzz>> {
        let (p, unused) = (self.upload(p)?, self.device.alloc(p.len())?);
        self.points::<G>(PointOp::Dbl, &p, &p, &unused)
    }

    /// Each −p\[i\].
    ///
    /// # Errors
    /// The device's.
    pub fn neg<G: Curve>(&self, p: &[G::Xyzz]) -> Result<Vec<G::Xyzz>> {
        let (p, unused) = (self.upload(p)?, self.device.alloc(p.len())?);
        self.points::<G>(PointOp::Neg, &p, &p, &unused)
    }

    /// Each p\[i\] in affine coordinates.
    ///
    /// # Errors
    /// The device's.
    pub fn to_affine<G: Curve>(&self, p: &[G::Xyzz]) -> Result<Vec<G::Affine>> {
        let mut out = self.device.alloc(p.len())?;
        let p = self.upload(p)?;
        launch::probe::to_affine::<G>(&self.stream, self.arithmetic, p.view(), out.view_mut())?;
        self.download(&out, G::INFINITY)
    }

    /// Whether each a\[i\] is infinity or on the curve.
    ///
    /// # Errors
    /// The device's.
    pub fn on_curve<G: Curve>(&self, a: &[G::Affine]) -> Result<Vec<bool>> {
        let mut out = self.device.alloc(a.len())?;
        let a = self.upload(a)?;
        launch::probe::on_curve::<G>(&self.stream, self.arithmetic, a.view(), out.view_mut())?;
        Ok(self.download(&out, 0_u8)?.into_iter().map(|x| x == 1).collect())
    }
}
