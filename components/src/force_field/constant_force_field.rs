//! `ConstantForceField`: the same force on some points at all times.

use engine::data::InnerProduct;
use sim_core::component::MechanicalParams;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::force_field::{ForceField, ForceFieldParts};
use sim_core::math::{Coord, Deriv, Real, Rigid3Type, StateType, Vec3Type};
use sim_core::scene::StateId;
use sim_core::visitor::vectors::VectorsAccess;
use std::marker::PhantomData;

use crate::attributes::{FORCE_FIELD, attribute, ignored};
use crate::indices::checked_indices;

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute("indices", AttributeKind::IndexRows(1), "points that are pushed; all if not given"),
    attribute("forces", AttributeKind::Derivs, "force on each of them; one is repeated").unit("N"),
    attribute(
        "totalForce",
        AttributeKind::Derivs,
        "force shared out equally; unused where `forces` is given",
    )
    .unit("N"),
    attribute("indexFromEnd", AttributeKind::Bool, "whether indices count backward from the last point")
        .default("0"),
    ignored("showArrowSize"),
    ignored("showColor"),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "ConstantForceField",
    old_names: &[],
    family: Family::ForceField,
    summary: "The same force on some points at all times",
    templates: &["Vec3", "Rigid3"],
    attributes: &[ATTRIBUTES, FORCE_FIELD],
    samples: &[
        Sample::new("totalForce='1 2 3'").template("Vec3"),
        Sample::new("totalForce='1 2 3 0.1 0.2 0.3'").template("Rigid3"),
    ],
    build,
};

/// A force on one point.
#[derive(Clone, Copy, Debug)]
pub struct PointForce<D> {
    point: u32,
    force: D,
}

/// Constant forces; no tangent.
pub struct ConstantForceField<S>(PhantomData<S>);

impl<S: StateType> ForceField for ConstantForceField<S> {
    type State = S;
    type Constants = ();
    type Element = PointForce<S::Deriv>;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const HAS_STIFFNESS: bool = false;

    fn add_force(
        _: &(),
        _: &MechanicalParams,
        forces: &[PointForce<S::Deriv>],
        _: &mut [()],
        f: &mut [S::Deriv],
        _: &[S::Coord],
        _: &[S::Deriv],
    ) {
        for e in forces {
            f[e.point as usize] += e.force;
        }
    }

    fn add_d_force(
        _: &(),
        _: Real,
        _: Real,
        _: &[PointForce<S::Deriv>],
        _: &[()],
        _: &mut [S::Deriv],
        _: &[S::Deriv],
    ) {
    }

    /// Minus the work of the linear parts, from the origin.
    fn potential_energy(_: &(), forces: &[PointForce<S::Deriv>], x: &[S::Coord]) -> Option<Real> {
        Some(-forces.iter().map(|e| e.force.linear().inner(&x[e.point as usize].center())).sum::<Real>())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    if b.scene.initial(state).template() == Vec3Type::NAME {
        build_as::<Vec3Type>(b, state)
    } else {
        build_as::<Rigid3Type>(b, state)
    }
}

fn rows<S: StateType>(b: &Builder<'_>, name: &str) -> Result<Vec<S::Deriv>, BuildError> {
    let reals = b.reals(name)?;
    let width = S::Deriv::SIZE;
    if reals.len() % width != 0 || reals.is_empty() {
        let n = reals.len();
        return Err(BuildError::attribute(
            name,
            format!("`{name}` needs {width} numbers a force; there are {n}"),
        ));
    }
    Ok(reals.chunks_exact(width).filter_map(S::Deriv::from_scalars).collect())
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId) -> Result<(), BuildError> {
    let n = b.scene.initial(state).len();
    let mut points = checked_indices(b, "indices", n)?;
    if points.is_empty() {
        points = (0..n as u32).collect();
    }
    if b.boolean("indexFromEnd")? {
        points.iter_mut().for_each(|p| *p = n as u32 - 1 - *p);
    }
    let forces = if b.is_set("forces") {
        if b.is_set("totalForce") {
            b.warn(Some("totalForce"), "`forces` and `totalForce` are both given; `forces` is used");
        }
        rows::<S>(b, "forces")?
    } else if b.is_set("totalForce") {
        vec![rows::<S>(b, "totalForce")?[0] * (1.0 / points.len().max(1) as Real)]
    } else {
        return Err(BuildError::attribute("forces", "a ConstantForceField needs `forces` or `totalForce`"));
    };
    if forces.len() != 1 && forces.len() != points.len() {
        return Err(BuildError::attribute(
            "forces",
            format!(
                "`forces` has {} forces for {} points; give one, or one for each",
                forces.len(),
                points.len()
            ),
        ));
    }
    let force = |i: usize| *forces.get(i).unwrap_or(&forces[0]);
    let elements: Vec<_> =
        points.iter().enumerate().map(|(i, p)| PointForce { point: *p, force: force(i) }).collect();
    let rayleigh_stiffness = b.real("rayleighStiffness")?;
    b.scene.add_force_field(
        b.component,
        state,
        ForceFieldParts::<ConstantForceField<S>> {
            constants: (),
            elements,
            stored: Vec::new(),
            rayleigh_stiffness,
        },
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::Vec3;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let elements = vec![PointForce { point: 2, force: Vec3::new(1.0, -2.0, 0.5) }];
        let parts = ForceFieldParts::<ConstantForceField<Vec3Type>> {
            constants: (),
            elements,
            stored: vec![],
            rayleigh_stiffness: 0.0,
        };
        let x = Random::new(1).moved(&[Vec3::zeros(); 4], 1.0);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 4]).seed(1).conservative().run();
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "4")]).unwrap();
        t.add(&DESCRIPTION, root, &[("totalForce", "0 0 4")]).unwrap();
        t.add(&DESCRIPTION, root, &[("forces", "0 0 4"), ("indices", "0 3")]).unwrap();
        for (wrong, attribute) in [
            (&[][..], "forces"),
            (&[("forces", "1 2")], "forces"),
            (&[("forces", "1 2 3 4 5 6")], "forces"),
            (&[("indices", "4"), ("forces", "1 2 3")], "indices"),
        ] {
            let e = t.add(&DESCRIPTION, root, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute));
        }
    }
}
