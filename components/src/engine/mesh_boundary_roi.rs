//! `MeshBoundaryROI`: the points on the border of a surface.

use std::collections::{BTreeMap, BTreeSet};

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

/// The points of edges that belong to one triangle or quad only.
#[derive(Attributes)]
#[attributes(ignored("indices"))]
struct Settings {
    /// triangles of the surface
    triangles: Option<IndexRows<3>>,
    /// quads of the surface
    quads: Option<IndexRows<4>>,
    /// points that count: an element counts with all its points; all of them if not given
    #[attribute(name = "inputROI")]
    input_roi: Vec<i64>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshBoundaryROI", build);

/// **Source:** as SOFA's, which does not look for a topology: without `triangles` and `quads` no point is chosen.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let triangles = s.triangles.map(|t| t.below(u32::MAX as usize)).transpose()?.unwrap_or_default();
    let quads = s.quads.map(|q| q.below(u32::MAX as usize)).transpose()?.unwrap_or_default();
    if triangles.is_empty() && quads.is_empty() {
        b.warn(None, "neither `triangles` nor `quads` are given, so no point is chosen, as in SOFA");
    }
    let within: BTreeSet<i64> = s.input_roi.iter().copied().collect();
    let mut uses: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let faces = triangles.iter().map(|t| &t[..]).chain(quads.iter().map(|q| &q[..]));
    for face in faces.filter(|f| within.is_empty() || f.iter().all(|p| within.contains(&i64::from(*p)))) {
        for (k, p) in face.iter().enumerate() {
            let q = face[(k + 1) % face.len()];
            *uses.entry([*p.min(&q), *p.max(&q)]).or_default() += 1;
        }
    }
    let border: BTreeSet<u32> = uses.iter().filter(|(_, n)| **n == 1).flat_map(|(e, _)| *e).collect();
    b.offer("indices", Value::Integers(border.into_iter().map(i64::from).collect()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn border(attributes: &[(&'static str, &str)]) -> Vec<i64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes).unwrap();
        t.scene.component(c).fields["indices"].integers().unwrap()
    }

    #[test]
    fn the_middle_of_a_sheet_is_not_on_its_border() {
        let fan = ("triangles", "0 1 4 1 2 4 2 3 4 3 0 4");
        assert_eq!(border(&[fan]), [0, 1, 2, 3]);
        assert_eq!(border(&[fan, ("quads", "0 3 2 1")]), [0; 0], "closed");
        assert_eq!(border(&[fan, ("inputROI", "0 1 4")]), [0, 1, 4]);
        assert!(border(&[]).is_empty());
    }
}
