//! Synthesis of bellman circuits, with bellman's rules for evaluation and density.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;
use ff::Field;

use super::{Assignment, Densities, Evaluations};
use crate::Result;
use crate::density::DensityMap;

impl Assignment {
    /// Runs the circuit and keeps its evaluations and densities.
    ///
    /// As in bellman, a term with the coefficient zero is ignored and the terms of a repeated
    /// variable add up; a variable whose terms cancel still counts as occurring, though bellman's
    /// generator leaves it out of the key. Such a key is reported as another circuit's.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Synthesis`] passes the circuit's error on. A term with a variable that was
    /// not allocated is `Unsatisfiable`.
    pub fn synthesize<C: Circuit<Scalar>>(circuit: C) -> Result<Self> {
        let mut system = System::default();
        system.alloc_input(|| "", || Ok(Scalar::ONE))?;
        circuit.synthesize(&mut system)?;
        for input in 0..system.inputs.len() {
            let variable = Variable::new_unchecked(Index::Input(input));
            system.enforce(|| "", |lc| lc + variable, |lc| lc, |lc| lc);
        }
        if system.foreign_variable {
            return Err(SynthesisError::Unsatisfiable.into());
        }
        let evaluations = Evaluations { a: system.a, b: system.b, c: Some(system.c) };
        let densities = Densities {
            a_aux: DensityMap::from_bits(system.a_aux)?,
            b_inputs: DensityMap::from_bits(system.b_inputs)?,
            b_aux: DensityMap::from_bits(system.b_aux)?,
        };
        Self::new(evaluations, system.inputs, system.aux, densities)
    }
}

/// Evaluates constraints as the circuit writes them.
#[derive(Default)]
struct System {
    a: Vec<Scalar>,
    b: Vec<Scalar>,
    c: Vec<Scalar>,
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    a_aux: Vec<bool>,
    b_inputs: Vec<bool>,
    b_aux: Vec<bool>,
    /// A constraint named a variable that does not exist.
    foreign_variable: bool,
}

impl System {
    /// ⟨lc, z⟩, with a visit of each variable that occurs; `None` for an unknown variable.
    fn evaluate(
        lc: &LinearCombination<Scalar>,
        inputs: &[Scalar],
        aux: &[Scalar],
        mut occurs: impl FnMut(Index),
    ) -> Option<Scalar> {
        let mut sum = Scalar::ZERO;
        for (variable, coefficient) in lc.as_ref() {
            if coefficient.is_zero_vartime() {
                continue;
            }
            let index = variable.get_unchecked();
            let value = match index {
                Index::Input(i) => inputs.get(i)?,
                Index::Aux(i) => aux.get(i)?,
            };
            occurs(index);
            // Most coefficients are 1, and a product costs three times this comparison.
            sum += if *coefficient == Scalar::ONE { *value } else { value * coefficient };
        }
        Some(sum)
    }
}

impl ConstraintSystem<Scalar> for System {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        self.a_aux.push(false);
        self.b_aux.push(false);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        self.b_inputs.push(false);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let (inputs, aux) = (&self.inputs, &self.aux);
        let a = Self::evaluate(&a(LinearCombination::zero()), inputs, aux, |index| {
            // Inputs occur in A always, by their own rows.
            if let Index::Aux(i) = index {
                self.a_aux[i] = true;
            }
        });
        let b = Self::evaluate(&b(LinearCombination::zero()), inputs, aux, |index| match index {
            Index::Input(i) => self.b_inputs[i] = true,
            Index::Aux(i) => self.b_aux[i] = true,
        });
        let c = Self::evaluate(&c(LinearCombination::zero()), inputs, aux, |_| ());
        self.foreign_variable |= a.is_none() || b.is_none() || c.is_none();
        self.a.push(a.unwrap_or_default());
        self.b.push(b.unwrap_or_default());
        self.c.push(c.unwrap_or_default());
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
