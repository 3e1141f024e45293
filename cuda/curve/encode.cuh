// Uncompressed encodings of points, as Zcash's files and bls12_381 write them.
//
// Big-endian x, then y; of an element of Fp2 c1, then c0. The first byte's top three bits are
// flags: 0x80 compressed, 0x40 infinity, 0x20 the larger y of a compressed point. They fit because
// p has 381 bits. Infinity is 0x40 and zeros.
#pragma once
#include "curve/xyzz.cuh"

namespace G16_NS {

constexpr uint8_t kCompressedFlag = 0x80;
constexpr uint8_t kInfinityFlag = 0x40;
constexpr uint8_t kSortFlag = 0x20;

// Bytes of an uncompressed point: as many as of an affine point in memory.
template <class F>
constexpr size_t kEncodedBytes = 2 * sizeof(F);

SIMT_HD inline void encode_element(const Fp& x, uint8_t* bytes) {
    uint32_t limbs[Fp::kLimbs];
    x.to_canonical(limbs);
    for (int i = 0; i < Fp::kLimbs; i++) {
        uint8_t* b = bytes + 4 * (Fp::kLimbs - 1 - i);
        b[0] = static_cast<uint8_t>(limbs[i] >> 24);
        b[1] = static_cast<uint8_t>(limbs[i] >> 16);
        b[2] = static_cast<uint8_t>(limbs[i] >> 8);
        b[3] = static_cast<uint8_t>(limbs[i]);
    }
}

SIMT_HD inline void encode_element(const Fp2& x, uint8_t* bytes) {
    encode_element(x.c1, bytes);
    encode_element(x.c0, bytes + sizeof(Fp));
}

// Writes kEncodedBytes<F> bytes.
template <class F>
SIMT_HD inline void encode_uncompressed(const Affine<F>& a, uint8_t* bytes) {
    encode_element(a.x, bytes);
    encode_element(a.y, bytes + sizeof(F));
    if (a.is_infinity()) bytes[0] = kInfinityFlag;
}

// Writes kEncodedBytes<F> bytes. One inversion.
template <class F>
SIMT_HD inline void encode_uncompressed(const Xyzz<F>& p, uint8_t* bytes) {
    encode_uncompressed(to_affine(p), bytes);
}

}  // namespace G16_NS
