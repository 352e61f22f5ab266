//! Isotropic linear elasticity.

use sim_core::component::build::Builder;
use sim_core::component::value::Value;

use super::attributes::ElasticAttributes;

/// Young's moduli and Poisson's ratios: one each, or one per element.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    young: Vec<f64>,
    poisson: Vec<f64>,
}

/// What SOFA takes for a missing or wrong Young's modulus [Pa].
const DEFAULT_YOUNG: f64 = 5000.0;
/// What SOFA takes for a missing or wrong Poisson's ratio.
const DEFAULT_POISSON: f64 = 0.45;

/// The two Lamé constants of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// First constant [Pa].
    pub lambda: f64,
    /// Shear modulus [Pa].
    pub mu: f64,
}

impl Lame {
    /// From Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> Self {
        Self {
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu: young / (2.0 * (1.0 + poisson)),
        }
    }
}

impl Material {
    /// The same for all elements.
    pub fn uniform(young: f64, poisson: f64) -> Self {
        Self { young: vec![young], poisson: vec![poisson] }
    }

    /// Young's moduli [Pa] and Poisson's ratios, one or one per element each; elements beyond a list take its first entry.
    pub fn per_element(young: Vec<f64>, poisson: Vec<f64>) -> Self {
        Self { young, poisson }
    }

    /// From the attributes `youngModulus` and `poissonRatio`; wrong entries are replaced, with a warning, as SOFA does.
    pub(crate) fn from_attributes(b: &mut Builder<'_>, given: ElasticAttributes, n_elements: usize) -> Self {
        let mut material = Self { young: given.young_modulus, poisson: given.poisson_ratio };
        repair(b, "youngModulus", &mut material.young, DEFAULT_YOUNG, "at least 0", |e| e >= 0.0);
        repair(b, "poissonRatio", &mut material.poisson, DEFAULT_POISSON, "in [0, 0.5)", |p| {
            (0.0..0.5).contains(&p)
        });
        for (name, n) in [("youngModulus", material.young.len()), ("poissonRatio", material.poisson.len())] {
            if n != 1 && n < n_elements {
                b.warn(
                    Some(name),
                    format!(
                        "`{name}` has {n} entries for {n_elements} elements; the others take the first entry"
                    ),
                );
            }
        }
        material
    }

    /// The same with Young's modulus of each element multiplied by its factor.
    #[must_use]
    pub fn scaled(self, factors: &[f64]) -> Self {
        let (young, poisson) = factors
            .iter()
            .enumerate()
            .map(|(e, factor)| (self.young_and_poisson(e), factor))
            .map(|((y, p), f)| (y * f, p))
            .unzip();
        Self { young, poisson }
    }

    /// The constants of element `e`, with its Young's modulus multiplied by `factor`.
    pub fn lame(&self, e: usize, factor: f64) -> Lame {
        let (young, poisson) = self.young_and_poisson(e);
        Lame::new(young * factor, poisson)
    }

    /// Young's modulus [Pa] and Poisson's ratio of element `e`.
    pub fn young_and_poisson(&self, e: usize) -> (f64, f64) {
        let pick = |list: &[f64], default| *list.get(e).or(list.first()).unwrap_or(&default);
        (pick(&self.young, DEFAULT_YOUNG), pick(&self.poisson, DEFAULT_POISSON))
    }
}

fn repair(
    b: &mut Builder<'_>,
    name: &'static str,
    list: &mut Vec<f64>,
    default: f64,
    range: &str,
    valid: impl Fn(f64) -> bool,
) {
    if list.is_empty() {
        list.push(default);
        b.replace(name, Value::Reals(list.clone()), format!("`{name}` is empty; {default} is taken"));
    }
    let n = list.len();
    let wrong: Vec<f64> = list.iter().copied().filter(|v| !valid(*v)).collect();
    if let Some(first) = wrong.first() {
        let text = format!(
            "`{name}` must be {range}, but {} of {n} entries are not (the first: {first}); {default} is taken for them",
            wrong.len()
        );
        list.iter_mut().filter(|v| !valid(**v)).for_each(|v| *v = default);
        b.replace(name, Value::Reals(list.clone()), text);
    }
}
