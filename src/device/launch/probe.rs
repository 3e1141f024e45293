//! Launches of the probe.

use crate::device::{Device, Family, Stream, View, ViewMut};
use crate::error::{Error, Result};
use crate::ffi::{self, ProbeApi, ProbeCurveApi};
use crate::probe::{Arithmetic, Curve, CurveKind, Field, FieldKind};

const OPERATION: &str = "probe";

/// The probe's table; the one over emulated carries belongs to the host target alone.
fn table(device: &Device, arithmetic: Arithmetic) -> Result<&'static ProbeApi> {
    match arithmetic {
        Arithmetic::Target => Ok(&device.api().probe),
        // SAFETY: the table is a static of the linked kernels.
        Arithmetic::Limbs32 if device.name() == "host" => Ok(unsafe { &*ffi::g16_probe_host32() }),
        Arithmetic::Limbs32 => Err(Error::Device {
            operation: OPERATION,
            device: device.name().to_owned(),
            code: 0,
            text: "emulated carries are the host target's".into(),
        }),
    }
}

fn curve<G: Curve>(api: &ProbeApi) -> &ProbeCurveApi {
    match G::KIND {
        CurveKind::G1 => &api.g1,
        CurveKind::G2 => &api.g2,
    }
}

fn count(n: usize) -> Result<u32> {
    let too_many = Error::TooMany { what: "probe", got: n, limit: u32::MAX as usize };
    u32::try_from(n).map_err(|_| too_many)
}

fn same(what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { operation: OPERATION, what, got, expected })
}

/// `out[i] = operation(a[i], b[i])`.
pub(crate) fn field<F: Field>(
    stream: &Stream,
    arithmetic: Arithmetic,
    operation: u32,
    a: View<'_, F>,
    b: View<'_, F>,
    out: ViewMut<'_, F>,
) -> Result<()> {
    same("b", b.len(), a.len())?;
    same("out", out.len(), a.len())?;
    let n = count(a.len())?;
    let api = table(stream.device(), arithmetic)?;
    let launcher = match F::KIND {
        FieldKind::Fp => api.fp,
        FieldKind::Fr => api.fr,
        FieldKind::Fp2 => api.fp2,
    };
    let (a, b, out) = (a.ptr_on(stream)?, b.ptr_on(stream)?, out.ptr_on(stream)?);
    let raw = stream.handle()?;
    // SAFETY: three arrays of n elements on the stream's device, of the launcher's element type.
    let status = unsafe { launcher(operation, a.cast(), b.cast(), out.cast(), n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}

/// Decodes numbers of 48 big-endian bytes; `canonical[i]` is 0 where one is not below p.
pub(crate) fn fp_decode(
    stream: &Stream,
    arithmetic: Arithmetic,
    bytes: View<'_, [u8; 48]>,
    out: ViewMut<'_, crate::probe::Fp>,
    canonical: ViewMut<'_, u8>,
) -> Result<()> {
    same("out", out.len(), bytes.len())?;
    same("canonical", canonical.len(), bytes.len())?;
    let n = count(bytes.len())?;
    let api = table(stream.device(), arithmetic)?;
    let bytes = bytes.ptr_on(stream)?.cast();
    let (out, canonical) = (out.ptr_on(stream)?.cast(), canonical.ptr_on(stream)?.cast());
    let raw = stream.handle()?;
    // SAFETY: three arrays of n elements on the stream's device.
    let status = unsafe { (api.fp_decode)(bytes, out, canonical, n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}

/// `out[i] = operation` of the operands that it has among `p[i]`, `q[i]` and `a[i]`.
pub(crate) fn xyzz<G: Curve>(
    stream: &Stream,
    arithmetic: Arithmetic,
    operation: u32,
    p: View<'_, G::Xyzz>,
    q: View<'_, G::Xyzz>,
    a: View<'_, G::Affine>,
    out: ViewMut<'_, G::Xyzz>,
) -> Result<()> {
    same("p", p.len(), out.len())?;
    same("q", q.len(), out.len())?;
    same("a", a.len(), out.len())?;
    let n = count(out.len())?;
    let api = curve::<G>(table(stream.device(), arithmetic)?);
    let (p, q, a) = (p.ptr_on(stream)?, q.ptr_on(stream)?, a.ptr_on(stream)?);
    let out = out.ptr_on(stream)?;
    let raw = stream.handle()?;
    // SAFETY: four arrays of n points of the launcher's group on the stream's device.
    let status = unsafe { (api.xyzz)(operation, p.cast(), q.cast(), a.cast(), out.cast(), n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}

/// `out[i] = p[i]` in affine coordinates.
pub(crate) fn to_affine<G: Curve>(
    stream: &Stream,
    arithmetic: Arithmetic,
    p: View<'_, G::Xyzz>,
    out: ViewMut<'_, G::Affine>,
) -> Result<()> {
    same("out", out.len(), p.len())?;
    let n = count(p.len())?;
    let api = curve::<G>(table(stream.device(), arithmetic)?);
    let (p, out) = (p.ptr_on(stream)?, out.ptr_on(stream)?);
    let raw = stream.handle()?;
    // SAFETY: two arrays of n points of the launcher's group on the stream's device.
    let status = unsafe { (api.to_affine)(p.cast(), out.cast(), n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}

/// `out[i] = 1` where `a[i]` is infinity or on the curve, else 0.
pub(crate) fn on_curve<G: Curve>(
    stream: &Stream,
    arithmetic: Arithmetic,
    a: View<'_, G::Affine>,
    out: ViewMut<'_, u8>,
) -> Result<()> {
    same("out", out.len(), a.len())?;
    let n = count(a.len())?;
    let api = curve::<G>(table(stream.device(), arithmetic)?);
    let (a, out) = (a.ptr_on(stream)?, out.ptr_on(stream)?);
    let raw = stream.handle()?;
    // SAFETY: n points of the launcher's group and n bytes on the stream's device.
    let status = unsafe { (api.on_curve)(a.cast(), out.cast(), n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}

/// `out[i]` is what `steps` steps with `b[i]` make of `a[i]`.
pub(crate) fn chains<F: Field>(
    stream: &Stream,
    arithmetic: Arithmetic,
    operation: u32,
    a: View<'_, F>,
    b: View<'_, F>,
    steps: u32,
    out: ViewMut<'_, F>,
) -> Result<()> {
    same("a", a.len(), out.len())?;
    same("b", b.len(), out.len())?;
    let n = count(out.len())?;
    let api = table(stream.device(), arithmetic)?;
    let launcher = match F::KIND {
        FieldKind::Fp => api.fp_chains,
        FieldKind::Fr => api.fr_chains,
        FieldKind::Fp2 => api.fp2_chains,
    };
    let (a, b, out) = (a.ptr_on(stream)?, b.ptr_on(stream)?, out.ptr_on(stream)?);
    let raw = stream.handle()?;
    // SAFETY: three arrays of n elements on the stream's device, of the launcher's element type.
    let status = unsafe { launcher(operation, a.cast(), b.cast(), steps, out.cast(), n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}

/// The same of points: `out[i] = a[i] + steps · b[i]`.
pub(crate) fn point_chains<G: Curve>(
    stream: &Stream,
    arithmetic: Arithmetic,
    operation: u32,
    a: View<'_, G::Affine>,
    b: View<'_, G::Affine>,
    steps: u32,
    out: ViewMut<'_, G::Xyzz>,
) -> Result<()> {
    same("a", a.len(), out.len())?;
    same("b", b.len(), out.len())?;
    let n = count(out.len())?;
    let api = curve::<G>(table(stream.device(), arithmetic)?);
    let (a, b, out) = (a.ptr_on(stream)?, b.ptr_on(stream)?, out.ptr_on(stream)?);
    let raw = stream.handle()?;
    // SAFETY: three arrays of n points of the launcher's group on the stream's device.
    let status = unsafe { (api.chains)(operation, a.cast(), b.cast(), steps, out.cast(), n, raw) };
    stream.launched(Family::Probe, OPERATION, status)
}
