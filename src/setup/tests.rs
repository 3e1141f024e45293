//! Whatever is cut into tasks and chunks gives the same key, and nobody is waited for in a turn.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use bls12_381::Scalar;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::{Column, Columns, SILENT, Sizes, Step, Trapdoor, generate, generate_by};
use crate::Error;
use crate::key::KeyPart;
use crate::synthetic::Shape;
use crate::testing::target::device;

fn trapdoor() -> Trapdoor {
    Trapdoor::random(&mut ChaCha20Rng::seed_from_u64(1))
}

const SIZES: [Sizes; 4] = [
    Sizes { rows: 1, columns: 1, g1: 1, g2: 1 },
    Sizes { rows: 3, columns: 4, g1: 5, g2: 3 },
    Sizes { rows: 7, columns: 5, g1: 16, g2: 9 },
    Sizes { rows: 40, columns: 30, g1: 33, g2: 100 },
];

#[test]
fn tasks_and_chunks_of_any_size_give_the_same_key() {
    let circuit = Shape::porep(6).synthetic(3).expect("a circuit");
    let whole = generate(&device(), &circuit, &trapdoor(), SILENT).expect("a key");
    for sizes in SIZES {
        let key = generate_by(sizes, &device(), &circuit, &trapdoor(), SILENT).expect("a key");
        assert!(key == whole, "{sizes:?}");
    }
}

/// A system whose variable of this number is in no row.
struct Hole(usize);

impl Columns for Hole {
    fn inputs(&self) -> usize {
        2
    }
    fn aux(&self) -> usize {
        50
    }
    fn constraints(&self) -> usize {
        50
    }
    fn column(&self, variable: usize, weights: &[Scalar]) -> Column {
        let c = if variable == self.0 + 2 { Scalar::zero() } else { weights[variable % 50] };
        Column { c, ..Column::default() }
    }
}

#[test]
fn an_unconstrained_variable_is_named_in_any_piece() {
    for sizes in SIZES {
        for hole in [0, 3, 4, 5, 29, 30, 49] {
            let key = generate_by(sizes, &device(), &Hole(hole), &trapdoor(), SILENT);
            let error = key.expect_err("no key");
            assert!(matches!(error, Error::Unconstrained { variable } if variable == hole));
        }
    }
}

/// All of rayon's threads are held from h's first chunk on: proofs that wait for the turn may do
/// so.
#[test]
fn points_are_made_without_rayons_threads() {
    let circuit = Shape::dense(6).synthetic(3).expect("a circuit");
    let sizes = Sizes { rows: 8, columns: 8, g1: 8, g2: 8 };
    let (held, free) = (AtomicBool::new(false), AtomicBool::new(false));
    let all_held = Barrier::new(rayon::current_num_threads() + 1);
    let (done, wait) = channel();
    std::thread::scope(|scope| {
        let (circuit, held, free, all_held) = (&circuit, &held, &free, &all_held);
        let hold = move || {
            rayon::broadcast(|_| {
                all_held.wait();
                while !free.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        };
        let tell = move |step: Step, _: usize, _: usize| {
            if step == Step::Points(KeyPart::H) && !held.swap(true, Ordering::SeqCst) {
                scope.spawn(hold);
                all_held.wait();
            }
        };
        scope.spawn(move || {
            let _ = done.send(generate_by(sizes, &device(), circuit, &trapdoor(), &tell));
        });
        let key = wait.recv_timeout(Duration::from_secs(60));
        free.store(true, Ordering::SeqCst);
        assert!(held.load(Ordering::SeqCst));
        key.expect("not a wait for ever").expect("a key");
    });
}
