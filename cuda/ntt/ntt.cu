// Launchers of transforms.
#include "ntt/api.cuh"
#include "ntt/element_kernels.cuh"
#include "ntt/pass.cuh"

#include <cstring>

namespace G16_NS::ntt {

using simt::Status;
using simt::Stream;

Layout layout(uint32_t log_size) {
    Layout l{};
    l.log_size = log_size;
    l.passes = log_size <= kMaxTileBits ? 1 : log_size <= kMaxTwoPassBits ? 2 : 3;
    uint32_t low = 0;
    for (uint32_t i = 0; i < l.passes; i++) {
        const uint32_t left = l.passes - i;
        l.row_bits[i] = (log_size - low + left - 1) / left;
        l.low_bits[i] = low;
        low += l.row_bits[i];
    }
    // Two tables of equal size; with three passes, the twiddles of the lower two passes are
    // multiples of 2^power_bits.
    l.power_bits = (log_size + 1) / 2;
    if (l.passes == 3) l.power_bits = log_size + 1 - l.low_bits[2];
    l.root_bits = l.row_bits[0];
    return l;
}

size_t tables_len(const Layout& l) {
    const size_t high = size_t(1) << (l.log_size + 1 - l.power_bits);
    return (size_t(3) << l.power_bits) + (l.passes == 3 ? 2 * high : high) +
           (size_t(2) << l.root_bits);
}

Tables tables(void* memory, const Layout& l) {
    const size_t low = size_t(1) << l.power_bits;
    Tables t;
    t.low = static_cast<Fr*>(memory);
    t.low_over_n = t.low + low;
    t.low_canonical = t.low_over_n + low;
    t.roots = t.low_canonical + low;
    t.high = t.roots + (size_t(2) << l.root_bits);
    return t;
}

namespace {

// Makes tiles smaller than the largest where that gives the grid enough blocks.
void choose_tile(Pass* p) {
    const bool strided = p->low_bits > 0;
    uint32_t least = p->row_bits + (strided ? kMinColumnBits : 0);
    if (least < kMinTileBits) least = kMinTileBits;
    p->tile_bits = kMaxTileBits;
    while (p->tile_bits > least && p->total >> p->tile_bits < kWantedBlocks) p->tile_bits--;
    if (!strided) return;
    if (p->tile_bits > p->row_bits + p->low_bits) p->tile_bits = p->row_bits + p->low_bits;
    p->column_bits = p->tile_bits - p->row_bits;
}

Pass pass(const Transform& t, uint32_t index) {
    const Layout& l = t.layout;
    Pass p{};
    p.src = p.dst = t.data;
    p.total = t.batch << l.log_size;
    p.log_size = l.log_size;
    p.low_bits = l.low_bits[index];
    p.row_bits = l.row_bits[index];
    p.roots = t.tables.roots;
    p.root_bits = l.root_bits;
    choose_tile(&p);
    return p;
}

// The twiddles between pass number `index` and its upper neighbour; none below the lowest.
Scale twiddles(const Transform& t, uint32_t index, Rounds rounds) {
    Scale s{};
    if (index == 0) return s;
    s = root_scale(t, rounds == Rounds::kInverse, false);
    s.kind = ScaleKind::kTwiddles;
    const Layout& l = t.layout;
    s.powers.aligned = l.log_size + 1 - l.low_bits[index] - l.row_bits[index] >= l.power_bits;
    return s;
}

Fr read_host(const void* bytes) {
    Fr x;
    std::memcpy(&x, bytes, sizeof x);
    return x;
}

// base^(2^bits)
Fr raised(Fr base, uint32_t bits) {
    for (uint32_t i = 0; i < bits; i++) base = sqr(base);
    return base;
}

// 1 / 2^bits
Fr over_power_of_two(uint32_t bits) {
    Fr x = Fr::one();
    for (uint32_t i = 0; i < bits; i++) x = half(x);
    return x;
}

uint32_t element_blocks(uint32_t elements) {
    return (elements + kElementThreads - 1) / kElementThreads;
}

Status build_powers(Fr* dst, const Fr& base, const Fr& factor, uint32_t bits, Stream stream) {
    const uint32_t count = 1u << bits;
    return simt::launch(powers_kernel, dim3(element_blocks(count)), dim3(kElementThreads), 0,
                        stream, dst, base, factor, count);
}

}  // namespace

Transform::Transform(const G16Domain& domain, void* array, uint32_t transforms)
    : layout(ntt::layout(domain.log_size)),
      tables(ntt::tables(domain.tables, layout)),
      forward{},
      inverse{},
      data(static_cast<Fr*>(array)),
      batch(transforms) {
    if (domain.log_size + 1 < kGroupBits) return;  // groups' stages have no roots but 1
    const Fr w = raised(Fr::from_limbs(domain.root), domain.log_size + 1 - kGroupBits);
    constexpr uint32_t roots = sizeof(forward.powers) / sizeof(forward.powers[0]);
    Fr power = w;
    for (uint32_t i = 0; i < roots; i++) {
        // w^(order / 2) = -1, so that w^-i = -w^(order / 2 - i).
        forward.powers[i] = split_factor(power);
        inverse.powers[roots - 1 - i] = split_factor(-power);
        power = power * w;
    }
}

Pass dif_pass(const Transform& t, uint32_t index, Rounds rounds) {
    Pass p = pass(t, index);
    if (index == t.dif_middle()) {
        p.block_bits = p.log_size - p.low_bits - p.row_bits;
        p.roots = t.tables.high;
        p.root_bits = p.log_size + 1 - t.layout.power_bits;
        p.block_low = t.tables.low;
    }
    if (index != t.dif_middle() + 1) p.after = twiddles(t, index, rounds);
    p.dif = rounds;
    p.dif_roots = rounds == Rounds::kInverse ? t.inverse : t.forward;
    return p;
}

Pass dit_pass(const Transform& t, uint32_t index, Rounds rounds) {
    Pass p = pass(t, index);
    p.before = twiddles(t, index, rounds);
    set_dit(t, &p, rounds);
    return p;
}

void set_dit(const Transform& t, Pass* p, Rounds rounds) {
    p->dit = rounds;
    p->dit_roots = rounds == Rounds::kInverse ? t.inverse : t.forward;
}

Scale root_scale(const Transform& t, bool inverse, bool reversed) {
    Scale s{};
    s.kind = ScaleKind::kPowers;
    s.reversed = reversed;
    s.powers.low = t.tables.low;
    s.powers.high = t.tables.high;
    s.powers.low_bits = t.layout.power_bits;
    s.powers.inverse = inverse;
    s.powers.order_minus_1 = (2u << t.layout.log_size) - 1;
    return s;
}

void multiply(const Transform& t, uint32_t index, const Fr* low, Pass* pass) {
    const uint32_t top = t.layout.passes - 1;
    const bool middle = pass->dif != Rounds::kNone && t.dif_middle() < top;
    if (index != (middle ? t.dif_middle() : top)) return;
    if (middle) {
        pass->block_low = low;
    } else if (top > 0) {
        Scale& twiddles = pass->dif != Rounds::kNone ? pass->after : pass->before;
        twiddles.powers.low = low;
        twiddles.powers.aligned = false;
    } else {
        if (pass->after.kind == ScaleKind::kNone) pass->after.kind = ScaleKind::kConstant;
        pass->after.powers.low = low;
    }
}

Status run(const Pass& p, Stream stream) {
    if (p.dit == Rounds::kNone) return run_dif(p, stream);
    return p.dif == Rounds::kNone ? run_dit(p, stream) : run_turn(p, stream);
}

namespace {

// A coset's tables: the powers of the shift, then those of its inverse divided by n.
struct CosetLayout {
    uint32_t low_bits, high_bits;

    explicit CosetLayout(uint32_t log_size)
        : low_bits((log_size + 1) / 2), high_bits(log_size - low_bits) {}

    size_t len() const { return (size_t(1) << low_bits) + (size_t(1) << high_bits); }
};

Scale coset_scale(const Transform& t, const void* coset, bool inverse, bool reversed) {
    Scale s{};
    if (coset == nullptr) return s;
    const CosetLayout l(t.layout.log_size);
    s.kind = ScaleKind::kPowers;
    s.reversed = reversed;
    s.powers.low = static_cast<const Fr*>(coset) + (inverse ? l.len() : 0);
    s.powers.high = s.powers.low + (size_t(1) << l.low_bits);
    s.powers.low_bits = l.low_bits;
    return s;
}

// --- the C ABI ---

size_t domain_len(uint32_t log_size) {
    return log_size > kMaxLogSize ? 0 : tables_len(layout(log_size));
}

Status domain_build(const G16Domain* domain, Stream stream) {
    const uint32_t log_size = domain->log_size, all_bits = log_size + 1;
    const Layout l = layout(log_size);
    const Tables t = tables(domain->tables, l);
    const Fr w = Fr::from_limbs(domain->root), one = Fr::one();
    Status status = build_powers(t.low, w, one, l.power_bits, stream);
    if (status != 0) return status;
    status = build_powers(t.low_over_n, w, over_power_of_two(log_size), l.power_bits, stream);
    if (status != 0) return status;
    Fr over_2n;
    over_power_of_two(log_size + 1).to_canonical(over_2n.l);
    status = build_powers(t.low_canonical, w, over_2n, l.power_bits, stream);
    if (status != 0) return status;
    const Fr upper = upper_of(one);
    const uint32_t high_bits = all_bits - l.power_bits;
    const Fr high = raised(w, l.power_bits), root = raised(w, all_bits - l.root_bits);
    status = build_powers(t.high, high, one, high_bits, stream);
    if (status == 0 && l.passes == 3) {
        status = build_powers(t.high + (size_t(1) << high_bits), high, upper, high_bits, stream);
    }
    if (status == 0) status = build_powers(t.roots, root, one, l.root_bits, stream);
    if (status != 0) return status;
    return build_powers(t.roots + (size_t(1) << l.root_bits), root, upper, l.root_bits, stream);
}

size_t coset_len(uint32_t log_size) {
    return log_size > kMaxLogSize ? 0 : 2 * CosetLayout(log_size).len();
}

Status coset_build(void* memory, uint32_t log_size, const void* shift, const void* inverse_shift,
                   Stream stream) {
    const CosetLayout l(log_size);
    for (uint32_t inverse = 0; inverse < 2; inverse++) {
        Fr* low = static_cast<Fr*>(memory) + inverse * l.len();
        const Fr base = read_host(inverse ? inverse_shift : shift);
        const Fr factor = inverse ? over_power_of_two(log_size) : Fr::one();
        Status status = build_powers(low, base, factor, l.low_bits, stream);
        if (status != 0) return status;
        status = build_powers(low + (size_t(1) << l.low_bits), raised(base, l.low_bits), Fr::one(),
                              l.high_bits, stream);
        if (status != 0) return status;
    }
    return 0;
}

Status transform(void* data, const G16Domain* domain, const void* coset, uint32_t batch,
                 uint32_t inverse, uint32_t reversed_input, Stream stream) {
    const Transform t(*domain, data, batch);
    const Layout& l = t.layout;
    const Rounds rounds = inverse ? Rounds::kInverse : Rounds::kForward;
    for (uint32_t step = 0; step < l.passes; step++) {
        const bool first = step == 0, last = step + 1 == l.passes;
        const uint32_t index = reversed_input ? step : l.passes - 1 - step;
        Pass p = reversed_input ? dit_pass(t, index, rounds) : dif_pass(t, index, rounds);
        p.last = last;
        if (first && !inverse && coset != nullptr) {
            p.before = coset_scale(t, coset, false, reversed_input);
        }
        if (last && inverse && coset != nullptr) {
            p.after = coset_scale(t, coset, true, !reversed_input);
        }
        if (inverse && coset == nullptr) multiply(t, index, t.tables.low_over_n, &p);
        const Status status = run(p, stream);
        if (status != 0) return status;
    }
    return 0;
}

Status bit_reverse(void* data, uint32_t log_size, uint32_t batch, Stream stream) {
    const uint32_t total = batch << log_size;
    return simt::launch(bit_reverse_kernel, dim3(element_blocks(total)), dim3(kElementThreads), 0,
                        stream, static_cast<Fr*>(data), log_size, total);
}

}  // namespace

Status load() {
    Status status = load_dif();
    if (status == 0) status = load_dit();
    if (status == 0) status = load_turn();
    if (status == 0) status = simt::load_kernel(powers_kernel);
    if (status == 0) status = simt::load_kernel(bit_reverse_kernel);
    return status;
}

G16NttApi api() {
    return G16NttApi{domain_len, domain_build, coset_len, coset_build, transform, bit_reverse};
}

}  // namespace G16_NS::ntt
