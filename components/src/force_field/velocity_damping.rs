//! `UniformVelocityDampingForceField`, `DiagonalVelocityDampingForceField` and `NodalLinearDampingForceField`: forces against velocities.
//! The file is long for its three classes, which are one law.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// A force against the velocity of each degree of freedom.
#[derive(Attributes)]
struct Settings {
    /// force per velocity [N s/m]
    #[attribute(default = "0.1", alias = "damping")]
    damping_coefficient: Real,
    /// whether implicit solvers know how the force changes with the velocity
    implicit: bool,
}

/// A force against the velocity of each degree of freedom, scalar by scalar.
#[derive(Attributes)]
struct DiagonalSettings {
    /// force per velocity of each degree of freedom; the last is repeated [N s/m]
    damping_coefficient: DerivRows,
}

/// A force against the velocity of each degree of freedom, the same for all or of its own.
#[derive(Attributes)]
struct NodalSettings {
    /// force per velocity of every scalar, which goes before `dampingCoefficientVector` [N s/m]
    #[attribute(non_negative)]
    damping_coefficient: Option<Real>,
    /// force per velocity of each scalar of each degree of freedom, or of one for all [N s/m]
    damping_coefficient_vector: Option<DerivRows>,
}

/// The class `UniformVelocityDampingForceField`.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "UniformVelocityDampingForceField", build)
        .follows(Following::PLAIN)
        .templates(TEMPLATES)
        .samples(&[
            Sample::new("dampingCoefficient='0.3'"),
            Sample::new("dampingCoefficient='0.3' implicit='1'"),
        ]);

/// The class `DiagonalVelocityDampingForceField`.
pub const DIAGONAL: ComponentDescription = ComponentDescription::new::<DiagonalSettings>(
    Family::ForceField,
    "DiagonalVelocityDampingForceField",
    build_diagonal,
)
.templates(TEMPLATES)
.samples(&[
    Sample::new("dampingCoefficient='0.3 0.1 0.2'").template("Vec3"),
    Sample::new("dampingCoefficient='0.3 0.1 0.2 0.05 0.06 0.07'").template("Rigid3"),
]);

/// The class `NodalLinearDampingForceField`.
pub const NODAL: ComponentDescription = ComponentDescription::new::<NodalSettings>(
    Family::ForceField,
    "NodalLinearDampingForceField",
    build_nodal,
)
.templates(TEMPLATES)
.samples(&[
    Sample::new("dampingCoefficient='0.3'"),
    Sample::new("dampingCoefficientVector='0.3 0.1 0.2'").template("Vec3"),
    Sample::new("dampingCoefficientVector='0.3 0.1 0.2 0.05 0.06 0.07'").template("Rigid3"),
]);

/// Marks the class with one number.
pub struct Uniform;
/// Marks the class with a number for each scalar.
pub struct Diagonal;

/// Marks the class with a row for each degree of freedom, or one number.
pub struct Nodal;

/// What tells the classes apart.
pub trait Kind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
}
impl Kind for Uniform {
    const NAME: &'static str = DESCRIPTION.class;
}
impl Kind for Diagonal {
    const NAME: &'static str = DIAGONAL.class;
}
impl Kind for Nodal {
    const NAME: &'static str = NODAL.class;
}

/// Forces against velocities; elements are the coefficients, one for each degree of freedom, and the constant says whether implicit solvers
/// see them.
///
/// **Source:** as SOFA's: f = −c v; the classes with a number for each scalar are always implicit.
pub struct VelocityDamping<S, K>(PhantomData<(S, K)>);

/// Scalar by scalar.
fn times<D: Deriv>(coefficient: &D, v: &D) -> D {
    let mut product = D::zero();
    for k in 0..D::SIZE {
        *product.scalar_mut(k) = coefficient.scalar(k) * v.scalar(k);
    }
    product
}

impl<S: StateType, K: Kind> ForceField for VelocityDamping<S, K> {
    type State = S;
    type Constants = bool;
    type Element = S::Deriv;
    type Stored = ();
    const NAME: &'static str = K::NAME;

    fn add_force(_: &bool, AddForce { elements, f, v, .. }: AddForce<'_, Self>) {
        for ((f, v), c) in f.iter_mut().zip(v).zip(elements) {
            *f -= times(c, v);
        }
    }

    fn add_d_force(implicit: &bool, AddDForce { b_factor, elements, df, dx, .. }: AddDForce<'_, Self>) {
        if *implicit {
            for ((df, dx), c) in df.iter_mut().zip(dx).zip(elements) {
                *df -= times(c, dx) * b_factor;
            }
        }
    }

    fn add_k_to_matrix(
        implicit: &bool,
        AddKToMatrix { b_factor, elements, matrix, .. }: AddKToMatrix<'_, Self>,
    ) {
        if !implicit {
            return;
        }
        for (i, c) in elements.iter().enumerate() {
            for k in 0..S::Deriv::BLOCKS {
                let row = (i * S::Deriv::BLOCKS + k) as u32;
                matrix.add_block(row, row, &(Mat3::from_diagonal(&c.block(k)) * -b_factor));
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S => {
        let elements = vec![all::<S>(s.damping_coefficient); b.size(state)];
        b.add_force_field(state, ForceFieldParts::<VelocityDamping<S, Uniform>>::new(s.implicit, elements, vec![]))
    })
}

/// The same number for each scalar.
fn all<S: StateType>(value: Real) -> S::Deriv {
    let mut all = S::Deriv::zero();
    for k in 0..<S::Deriv as Deriv>::SIZE {
        *all.scalar_mut(k) = value;
    }
    all
}

fn build_diagonal(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, DiagonalSettings::read(b)?);
    for_state_type!(b, state, S => {
        let given = s.damping_coefficient.of::<S>()?;
        if given.is_empty() {
            b.warn(Some("dampingCoefficient"), "`dampingCoefficient` is empty, so there will be no force");
        }
        let entry = |i: usize| given.get(i).or(given.last()).copied().unwrap_or_else(|| all::<S>(0.0));
        let elements = (0..b.size(state)).map(entry).collect();
        b.add_force_field(state, ForceFieldParts::<VelocityDamping<S, Diagonal>>::new(true, elements, vec![]))
    })
}

/// **Source:** as SOFA's, where coefficients that are negative or not as many as there are points do nothing; here they are errors.
fn build_nodal(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, NodalSettings::read(b)?);
    for_state_type!(b, state, S => {
        let n = b.size(state);
        let elements = match (s.damping_coefficient, &s.damping_coefficient_vector) {
            (Some(coefficient), rows) => {
                if rows.is_some() {
                    let text = "has no effect beside `dampingCoefficient`, as in SOFA";
                    b.warn(Some("dampingCoefficientVector"), text);
                }
                vec![all::<S>(coefficient); n]
            }
            (None, Some(rows)) => of_points::<S>(&rows.of::<S>()?, n)?,
            (None, None) => {
                b.warn(Some("dampingCoefficient"), "no coefficient is given, so there is no force");
                vec![all::<S>(0.0); n]
            }
        };
        b.add_force_field(state, ForceFieldParts::<VelocityDamping<S, Nodal>>::new(true, elements, vec![]))
    })
}

/// A row for each of `n` points, of which one alone is that of all.
fn of_points<S: StateType>(given: &[S::Deriv], n: usize) -> Result<Vec<S::Deriv>, BuildError> {
    let name = "dampingCoefficientVector";
    let is_negative = |c: &S::Deriv| (0..<S::Deriv as Deriv>::SIZE).any(|k| c.scalar(k) < 0.0);
    if given.iter().any(is_negative) {
        return Err(BuildError::attribute(name, format!("`{name}` has a negative entry")));
    }
    match given {
        [one] => Ok(vec![*one; n]),
        rows if rows.len() == n => Ok(rows.to_vec()),
        rows => Err(BuildError::attribute(name, format!("`{name}` has {} rows for {n} points", rows.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::{RigidCoord, RigidDeriv};
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let mut random = Random::new(4);
        let coefficients: Vec<RigidDeriv> = random.derivs(3);
        let x = random.moved(&[RigidCoord::default(); 3], 1.0);
        let parts = ForceFieldParts::<VelocityDamping<Rigid3Type, Diagonal>>::new(true, coefficients, vec![]);
        ForceFieldCheck::new(&parts, x, random.derivs(3)).seed(4).symmetric().assembled().run();
    }

    #[test]
    fn an_explicit_one_has_no_matrix() {
        let parts = ForceFieldParts::<VelocityDamping<Vec3Type, Uniform>>::new(
            false,
            vec![Vec3::repeat(2.0); 2],
            vec![],
        );
        let (mut df, dx) = ([Vec3::zeros(); 2], [Vec3::x(); 2]);
        let (elements, stored) = (&parts.elements, &[][..]);
        let at = AddDForce { k_factor: 1.0, b_factor: 1.0, elements, stored, df: &mut df, dx: &dx };
        VelocityDamping::<Vec3Type, Uniform>::add_d_force(&false, at);
        assert_eq!(df, [Vec3::zeros(); 2]);
        let mut f = [Vec3::zeros(); 2];
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let at = AddForce { params, elements, stored: &mut [], f: &mut f, x: &dx, v: &dx };
        VelocityDamping::<Vec3Type, Uniform>::add_force(&false, at);
        assert_eq!(f, [Vec3::x() * -2.0; 2]);
    }

    #[test]
    fn points_have_coefficients_of_their_own() {
        let rows = [Vec3::new(1.0, 2.0, 3.0), Vec3::zeros()];
        assert_eq!(of_points::<Vec3Type>(&rows, 2).unwrap(), rows);
        assert_eq!(of_points::<Vec3Type>(&rows[..1], 3).unwrap(), [rows[0]; 3]);
        assert!(of_points::<Vec3Type>(&rows, 3).is_err());
        assert!(of_points::<Vec3Type>(&[-rows[0]], 3).is_err());
        let parts = ForceFieldParts::<VelocityDamping<Vec3Type, Nodal>>::new(true, rows.to_vec(), vec![]);
        let mut random = Random::new(5);
        let x = random.moved(&[Vec3::zeros(); 2], 1.0);
        ForceFieldCheck::new(&parts, x, random.derivs(2)).seed(5).symmetric().assembled().run();
        let mut t = crate::test_support::TestScene::new();
        let root = t.root();
        t.add(&crate::state::mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        t.add(&NODAL, root, &[]).unwrap();
        let both = [("dampingCoefficient", "1"), ("dampingCoefficientVector", "1 2 3")];
        t.add(&NODAL, root, &both).unwrap();
        assert_eq!(t.warnings.len(), 2, "{:?}", t.warnings);
        let e = t.add(&NODAL, root, &[("dampingCoefficient", "-1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("dampingCoefficient"));
    }
}
