//! Arithmetic modulo BLS12-381's two primes, bit by bit: slow and obvious.

/// A number below 2^384, limbs from the lowest.
pub type Number = [u64; 6];

/// p, the base field's modulus.
pub const P: Modulus = Modulus {
    m: [
        0xb9fe_ffff_ffff_aaab,
        0x1eab_fffe_b153_ffff,
        0x6730_d2a0_f6b0_f624,
        0x6477_4b84_f385_12bf,
        0x4b1b_a7b6_434b_acd7,
        0x1a01_11ea_397f_e69a,
    ],
    limb_bits: 384,
};

/// r, the scalar field's modulus.
pub const R: Modulus = Modulus {
    m: [
        0xffff_ffff_0000_0001,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
        0,
        0,
    ],
    limb_bits: 256,
};

/// A prime, and the bits of the kernels' numbers below it: Montgomery's R is 2^`limb_bits`.
#[derive(Clone, Copy, Debug)]
pub struct Modulus {
    /// The prime.
    pub m: Number,
    /// Bits of a number in memory.
    pub limb_bits: u32,
}

/// a + b, which must not overflow.
fn sum(a: Number, b: Number) -> Number {
    let mut carry = 0;
    let sum = std::array::from_fn(|i| {
        let wide = u128::from(a[i]) + u128::from(b[i]) + carry;
        carry = wide >> 64;
        wide as u64
    });
    assert_eq!(carry, 0);
    sum
}

/// a − b for a ≥ b.
fn difference(a: Number, b: Number) -> Number {
    let mut borrow = false;
    let difference = std::array::from_fn(|i| {
        let (d, first) = a[i].overflowing_sub(b[i]);
        let (d, second) = d.overflowing_sub(u64::from(borrow));
        borrow = first || second;
        d
    });
    assert!(!borrow);
    difference
}

/// Whether a < b.
pub fn less(a: Number, b: Number) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

fn shifted_right(a: Number) -> Number {
    std::array::from_fn(|i| a[i] >> 1 | a.get(i + 1).map_or(0, |next| next << 63))
}

fn bit(a: Number, i: usize) -> bool {
    a[i / 64] >> (i % 64) & 1 == 1
}

impl Modulus {
    /// a + b.
    pub fn add(&self, a: Number, b: Number) -> Number {
        let sum = sum(a, b);
        if less(sum, self.m) { sum } else { difference(sum, self.m) }
    }

    /// a − b.
    pub fn sub(&self, a: Number, b: Number) -> Number {
        self.add(a, self.neg(b))
    }

    /// −a.
    pub fn neg(&self, a: Number) -> Number {
        if a == [0; 6] { a } else { difference(self.m, a) }
    }

    /// a b: doublings and additions.
    pub fn mul(&self, a: Number, b: Number) -> Number {
        (0..384).rev().fold([0; 6], |product, i| {
            let twice = self.add(product, product);
            if bit(b, i) { self.add(twice, a) } else { twice }
        })
    }

    /// a^e: squarings and multiplications.
    pub fn pow(&self, a: Number, e: u64) -> Number {
        (0..64).rev().fold([1, 0, 0, 0, 0, 0], |power, i| {
            let square = self.mul(power, power);
            if e >> i & 1 == 1 { self.mul(square, a) } else { square }
        })
    }

    /// a / 2.
    pub fn half(&self, a: Number) -> Number {
        shifted_right(if a[0] & 1 == 0 { a } else { sum(a, self.m) })
    }

    /// a R.
    pub fn times_r(&self, a: Number) -> Number {
        (0..self.limb_bits).fold(a, |x, _| self.add(x, x))
    }

    /// a / R.
    pub fn over_r(&self, a: Number) -> Number {
        (0..self.limb_bits).fold(a, |x, _| self.half(x))
    }
}

/// The number with these 32-bit limbs.
pub fn from_limbs(limbs: &[u32]) -> Number {
    let mut number = [0; 6];
    for (i, limb) in limbs.iter().enumerate() {
        number[i / 2] |= u64::from(*limb) << (32 * (i % 2));
    }
    number
}

/// The lowest N 32-bit limbs of a number.
pub fn to_limbs<const N: usize>(number: Number) -> [u32; N] {
    std::array::from_fn(|i| (number[i / 2] >> (32 * (i % 2))) as u32)
}

/// The number's 48 big-endian bytes.
pub fn to_big_endian(number: Number) -> [u8; 48] {
    std::array::from_fn(|i| (number[(47 - i) / 8] >> (8 * ((47 - i) % 8))) as u8)
}

#[test]
fn two_primes_and_small_numbers() {
    let number = |x: u64| [x, 0, 0, 0, 0, 0];
    for field in [P, R] {
        let minus_one = field.neg(number(1));
        assert_eq!(field.mul(minus_one, minus_one), number(1));
        assert_eq!(field.mul(number(1 << 40), number(3)), number(3 << 40));
        assert_eq!(field.add(field.half(number(7)), field.half(number(7))), number(7));
        assert_eq!(field.over_r(field.times_r(minus_one)), minus_one);
        assert_eq!(field.pow(number(3), 20), number(3_486_784_401));
        assert_eq!(field.sub(number(2), number(3)), minus_one);
    }
    assert_eq!(from_limbs(&to_limbs::<12>(P.m)), P.m);
    assert_eq!(to_big_endian(P.m)[..2], [0x1a, 0x01]);
}
