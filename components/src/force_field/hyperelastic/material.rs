//! The laws of hyperelastic materials: second Piola-Kirchhoff stress S of the right Cauchy-Green tensor C, and its derivative.
//!
//! Each is S = a I + b B + c C⁻¹ with a, b, c functions of the invariants I₁ = tr C, I₂ = ½(I₁² − C:C), J = det F, and one that is
//! the material's own, Q. B is C, for Costa's material the weighted strain, for Ogden's a power of C.
//!
//! **Source:** as SOFA's materials, including what they leave out: the chains of Arruda and Boyce lock at λ² = 8, Ogden's sum has one
//! term. No law knows the direction of fibers; Costa's are the axes of the world.

use sim_core::component::attributes::Word;
use sim_core::math::{Mat3, Vec3};

use super::dual::Dual;
use super::strain::{Strain, power_of};

/// The names of the laws.
#[derive(Word, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Long-chain molecules: μ, k0.
    #[word("ArrudaBoyce")]
    ArrudaBoyce,
    /// Linear in the strain of Green: μ, λ.
    #[word("StVenantKirchhoff")]
    StVenantKirchhoff,
    /// Networks of chains: μ, λ.
    #[word("NeoHookean")]
    NeoHookean,
    /// Rubber: c1, c2, k0.
    #[word("MooneyRivlin")]
    MooneyRivlin,
    /// Skin: c1, c2, k0.
    #[word("VerondaWestman")]
    VerondaWestman,
    /// The heart's wall: a, k0, six weights.
    #[word("Costa")]
    Costa,
    /// Powers of stretches: μ, α, k0.
    #[word("Ogden")]
    Ogden,
    /// Neo-Hookean that does not break down where an element is inverted: μ, λ.
    #[word("StableNeoHookean")]
    StableNeoHookean,
}

/// A law with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Material {
    law: Law,
    parameters: [f64; 8],
    /// Whether the derivative of Costa's law lacks nothing.
    exact_tangent: bool,
}

/// c_i of the series of Arruda and Boyce, locked at λ² = 8.
const CHAINS: [f64; 5] =
    [0.5, 1.0 / 160.0, 11.0 / (1050.0 * 64.0), 19.0 / (7000.0 * 512.0), 519.0 / (673_750.0 * 4096.0)];

impl Law {
    /// What its parameters are called, in their order.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::StVenantKirchhoff | Self::NeoHookean | Self::StableNeoHookean => &["mu", "lambda"],
            Self::ArrudaBoyce => &["mu", "k0"],
            Self::MooneyRivlin | Self::VerondaWestman => &["c1", "c2", "k0"],
            Self::Ogden => &["mu", "alpha", "k0"],
            Self::Costa => &["a", "k0", "bff", "bfs", "bss", "bfn", "bsn", "bnn"],
        }
    }
}

/// S = a I + b B + c C⁻¹, with derivatives; `inverse` is the c of the derivative of C⁻¹.
struct Coefficients {
    a: Dual,
    b: Dual,
    c: Dual,
    inverse: f64,
}

/// The stress in a deformation, and what its derivative takes.
pub struct Stress {
    /// Second Piola-Kirchhoff stress [Pa].
    pub stress: Mat3,
    coefficients: Coefficients,
    strain: Strain,
    tensor: Mat3,
    material: Material,
}

impl Material {
    /// A law with its parameters, which are as many as [`Law::parameters`] says; none if there are too few.
    pub fn new(law: Law, given: &[f64]) -> Option<Self> {
        let given = given.get(..law.parameters().len())?;
        let mut parameters = [0.0; 8];
        parameters[..given.len()].copy_from_slice(given);
        Some(Self { law, parameters, exact_tangent: false })
    }

    /// The same with a derivative of Costa's law that lacks nothing, if it is to; SOFA's lacks k0 in one term.
    #[must_use]
    pub fn with_exact_tangent(mut self, is_exact: bool) -> Self {
        self.exact_tangent = is_exact;
        self
    }

    /// Costa's weights by pairs of axes.
    fn weights(&self) -> Mat3 {
        let [_, _, ff, fs, ss, fn_, sn, nn] = self.parameters;
        Mat3::new(ff, fs, fn_, fs, ss, sn, fn_, sn, nn)
    }

    /// The tensor B and the invariant Q.
    fn own(&self, s: &Strain) -> (Mat3, f64) {
        match self.law {
            Law::Costa => {
                let e = (s.c - Mat3::identity()) * 0.5;
                let weighted = self.weights().component_mul(&e);
                (weighted, weighted.dot(&e))
            }
            Law::Ogden => {
                let p = self.parameters[1] / 2.0;
                (s.power(p - 1.0), s.eigenvalues.iter().map(|l| l.powf(p)).sum())
            }
            _ => (s.c, 0.0),
        }
    }

    /// How B and Q change with C.
    fn change_of_own(&self, s: &Strain, tensor: &Mat3, h: &Mat3) -> (Mat3, f64) {
        match self.law {
            Law::Costa => (self.weights().component_mul(h) * 0.5, tensor.dot(h)),
            Law::Ogden => {
                let p = self.parameters[1] / 2.0;
                (power_of(s, p - 1.0, h), p * tensor.dot(h))
            }
            _ => (*h, 0.0),
        }
    }

    fn coefficients(&self, s: &Strain, own: f64) -> Coefficients {
        let i1 = Dual::variable(s.i1, 0);
        let i2 = Dual::variable(s.i2, 1);
        let j = Dual::variable(s.j, 2);
        let own = Dual::variable(own, 3);
        let none = Dual::constant(0.0);
        let (p, q) = (j.powf(-2.0 / 3.0), j.powf(-4.0 / 3.0));
        let [x, y, z, ..] = self.parameters;
        let [a, b, c] = match self.law {
            Law::StVenantKirchhoff => [(i1 + -3.0) * (0.5 * y) + -x, Dual::constant(x), none],
            Law::NeoHookean => [Dual::constant(x), none, j.ln() * y + -x],
            Law::StableNeoHookean => {
                let rest = 1.0 + x / (x + y);
                [Dual::constant(x), none, j * (j + -rest) * (x + y)]
            }
            Law::MooneyRivlin => {
                let (first, second) = (p * (2.0 * x), q * (2.0 * y));
                let c = first * i1 * (-1.0 / 3.0) - second * i2 * (2.0 / 3.0) + j.ln() * z;
                [first + second * i1, second * -1.0, c]
            }
            Law::VerondaWestman => {
                let first = p * (p * i1 * y + -3.0 * y).exp() * (2.0 * x * y);
                let second = q * (x * y);
                let c = first * i1 * (-1.0 / 3.0) + second * i2 * (2.0 / 3.0) + j.ln() * z;
                [first - second * i1, second, c]
            }
            Law::ArrudaBoyce => {
                let (mut a, mut c) = (none, j.ln() * y);
                // p I₁ to the i-th, begun with the power 0.
                let mut power = Dual::constant(1.0);
                for (i, chain) in CHAINS.iter().enumerate() {
                    let term = power * p * (2.0 * x * chain * (i + 1) as f64);
                    a = a + term;
                    c = c - term * i1 * (1.0 / 3.0);
                    power = power * p * i1;
                }
                [a, none, c]
            }
            Law::Costa => {
                let b = q * (q * own).exp() * x;
                [none, b, b * own * (-2.0 / 3.0) + j * j.ln() * y]
            }
            Law::Ogden => {
                let b = j.powf(-y / 3.0) * (x / y);
                [none, b, b * own * (-1.0 / 3.0) + j.ln() * z]
            }
        };
        // SOFA's derivative lacks Costa's k0 in front of one of its terms.
        let lacks = self.law == Law::Costa && !self.exact_tangent;
        let lacking = if lacks { (1.0 - y) * s.j * s.j.ln() } else { 0.0 };
        Coefficients { a, b, c, inverse: c.value + lacking }
    }

    /// What this law sees of a deformation gradient.
    pub fn strain(&self, f: Mat3) -> Strain {
        let strain = Strain::new(f);
        if self.law == Law::Ogden { strain.spectral() } else { strain }
    }

    /// The stress in a deformation.
    pub fn stress(&self, strain: Strain) -> Stress {
        let (tensor, own) = self.own(&strain);
        let coefficients = self.coefficients(&strain, own);
        let Coefficients { a, b, c, .. } = &coefficients;
        let stress =
            Mat3::from_diagonal(&Vec3::repeat(a.value)) + tensor * b.value + strain.inverse * c.value;
        Stress { stress, coefficients, strain, tensor, material: *self }
    }
}

impl Stress {
    /// How the stress changes where C changes by a symmetric `h`.
    pub fn change(&self, h: &Mat3) -> Mat3 {
        let (s, k) = (&self.strain, &self.coefficients);
        let trace = h.trace();
        let (tensor, own) = self.material.change_of_own(s, &self.tensor, h);
        let invariants = [trace, s.i1 * trace - s.c.dot(h), 0.5 * s.j * s.inverse.dot(h), own];
        Mat3::from_diagonal(&Vec3::repeat(k.a.change(&invariants)))
            + self.tensor * k.b.change(&invariants)
            + tensor * k.b.value
            + s.inverse * k.c.change(&invariants)
            - s.inverse * h * s.inverse * k.inverse
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use sim_core::testing::Random;

    /// Each law with parameters; Costa's k0 is 1, for which its derivative lacks nothing.
    pub fn materials() -> Vec<Material> {
        let of = |law, parameters: &[f64]| Material::new(law, parameters).unwrap();
        vec![
            of(Law::ArrudaBoyce, &[30.0, 70.0]),
            of(Law::StVenantKirchhoff, &[30.0, 70.0]),
            of(Law::NeoHookean, &[30.0, 70.0]),
            of(Law::MooneyRivlin, &[30.0, 20.0, 70.0]),
            of(Law::VerondaWestman, &[30.0, 0.8, 70.0]),
            of(Law::Costa, &[10.0, 1.0, 1.5, 0.7, 1.1, 0.4, 0.3, 0.9]),
            of(Law::Ogden, &[30.0, 2.6, 70.0]),
            of(Law::StableNeoHookean, &[30.0, 70.0]),
        ]
    }

    /// With another k0 than 1 Costa's derivative is exact only where it is asked for.
    #[test]
    fn the_derivative_of_costas_law_lacks_nothing_if_it_is_not_to() {
        let sofas = Material::new(Law::Costa, &[10.0, 40.0, 1.5, 0.7, 1.1, 0.4, 0.3, 0.9]).unwrap();
        let exact = sofas.with_exact_tangent(true);
        let (f, d) = (deformation(2), deformation(12) - Mat3::identity());
        let at = |e: f64| exact.stress(exact.strain(f + d * e)).stress;
        let wanted = (at(1e-6) - at(-1e-6)) / 2e-6;
        let error = |m: &Material| {
            let found = m.stress(m.strain(f)).change(&(f.transpose() * d + d.transpose() * f));
            (found - wanted).norm() / wanted.norm()
        };
        assert!(error(&exact) < 1e-6 && error(&sofas) > 1e-3, "{} {}", error(&exact), error(&sofas));
        assert_eq!(exact.stress(exact.strain(f)).stress, sofas.stress(sofas.strain(f)).stress);
    }

    fn deformation(seed: u64) -> Mat3 {
        let mut random = Random::new(seed);
        Mat3::identity() + Mat3::from_fn(|_, _| 0.3 * (random.real() - 0.5))
    }

    #[test]
    fn what_changes_is_the_derivative_of_the_stress() {
        for (k, material) in materials().iter().enumerate() {
            for seed in 1..4 {
                let (f, d) = (deformation(seed), deformation(seed + 10) - Mat3::identity());
                let at = |e: f64| material.stress(material.strain(f + d * e)).stress;
                let step = 1e-6;
                let wanted = (at(step) - at(-step)) / (2.0 * step);
                let found =
                    material.stress(material.strain(f)).change(&(f.transpose() * d + d.transpose() * f));
                assert!((found - wanted).norm() < 1e-6 * (1.0 + wanted.norm()), "{k}: {found} {wanted}");
            }
        }
    }

    /// Nothing pulls at rest but what SOFA's law of Mooney and Rivlin, and the others, have no stress for either.
    #[test]
    fn there_is_no_stress_at_rest() {
        for (k, material) in materials().iter().enumerate() {
            let stress = material.stress(material.strain(Mat3::identity())).stress;
            // That of Veronda and Westman has none either: 2 c1 c2 - c1 c2 I1 + c1 c2 is 0.
            assert!(stress.norm() < 1e-12 * 100.0, "{k}: {stress}");
        }
    }

    /// Neo-Hookean: S = μ I + (λ ln J − μ) C⁻¹, by hand, in a stretch of one axis.
    #[test]
    fn a_stretch_has_the_stress_of_the_closed_form() {
        let (mu, lambda, stretch) = (30.0, 70.0, 1.3_f64);
        let f = Mat3::from_diagonal(&Vec3::new(stretch, 1.0, 1.0));
        let stress = Material::new(Law::NeoHookean, &[mu, lambda]).unwrap().stress(Strain::new(f)).stress;
        let along = mu + (lambda * stretch.ln() - mu) / (stretch * stretch);
        let across = lambda * stretch.ln();
        let wanted = Mat3::from_diagonal(&Vec3::new(along, across, across));
        assert!((stress - wanted).norm() < 1e-12, "{stress}");
        // Saint Venant and Kirchhoff: λ tr E I + 2 μ E.
        let stress =
            Material::new(Law::StVenantKirchhoff, &[mu, lambda]).unwrap().stress(Strain::new(f)).stress;
        let e = 0.5 * (stretch * stretch - 1.0);
        let wanted = Mat3::from_diagonal(&Vec3::new(lambda * e + 2.0 * mu * e, lambda * e, lambda * e));
        assert!((stress - wanted).norm() < 1e-12, "{stress}");
    }

    #[test]
    fn parameters_that_lack_are_no_material() {
        assert!(Material::new(Law::Ogden, &[1.0, 2.0]).is_none());
        assert!(Material::new(Law::Ogden, &[1.0, 2.0, 3.0, 4.0]).is_some());
    }
}
