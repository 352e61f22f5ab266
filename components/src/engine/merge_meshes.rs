//! `MergeMeshes`: several meshes as one. The file is long for the attributes of up to eight meshes, with a list for each kind of
//! elements.

use sim_core::component::attributes::{Attributes, Deferred, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// Several meshes as one: points and elements of the first, then those of the second, and so on.
#[derive(Attributes)]
#[attributes(
    ignored("npoints", "position", "edges", "triangles", "quads", "polygons", "tetrahedra"),
    ignored("hexahedra")
)]
struct Settings {
    /// how many meshes there are, at most 6
    #[attribute(default = "2")]
    nb_meshes: i64,
}

/// The attributes of one mesh.
struct Mesh {
    position: Deferred<Vec<Vec3>>,
    edges: Deferred<Option<IndexRows<2>>>,
    triangles: Deferred<Option<IndexRows<3>>>,
    quads: Deferred<Option<IndexRows<4>>>,
    tetrahedra: Deferred<Option<IndexRows<4>>>,
    hexahedra: Deferred<Option<IndexRows<8>>>,
}

/// Declares the attributes of a mesh with its number.
macro_rules! meshes {
    ($($Name:ident $position:ident $edges:ident $triangles:ident $quads:ident $tetrahedra:ident $hexahedra:ident;)*) => {$(
        /// What one mesh consists of.
        #[derive(Attributes)]
        struct $Name {
            /// points of the mesh with this number [m]
            $position: Deferred<Vec<Vec3>>,
            /// its edges
            $edges: Deferred<Option<IndexRows<2>>>,
            /// its triangles
            $triangles: Deferred<Option<IndexRows<3>>>,
            /// its quads
            $quads: Deferred<Option<IndexRows<4>>>,
            /// its tetrahedra
            $tetrahedra: Deferred<Option<IndexRows<4>>>,
            /// its hexahedra
            $hexahedra: Deferred<Option<IndexRows<8>>>,
        }

        impl From<$Name> for Mesh {
            fn from(m: $Name) -> Self {
                Self {
                    position: m.$position,
                    edges: m.$edges,
                    triangles: m.$triangles,
                    quads: m.$quads,
                    tetrahedra: m.$tetrahedra,
                    hexahedra: m.$hexahedra,
                }
            }
        }
    )*};
}

meshes! {
    First position1 edges1 triangles1 quads1 tetrahedra1 hexahedra1;
    Second position2 edges2 triangles2 quads2 tetrahedra2 hexahedra2;
    Third position3 edges3 triangles3 quads3 tetrahedra3 hexahedra3;
    Fourth position4 edges4 triangles4 quads4 tetrahedra4 hexahedra4;
    Fifth position5 edges5 triangles5 quads5 tetrahedra5 hexahedra5;
    Sixth position6 edges6 triangles6 quads6 tetrahedra6 hexahedra6;
}

/// All meshes that a scene may give.
#[derive(Attributes)]
struct Meshes {
    #[attribute(flatten)]
    first: First,
    #[attribute(flatten)]
    second: Second,
    #[attribute(flatten)]
    third: Third,
    #[attribute(flatten)]
    fourth: Fourth,
    #[attribute(flatten)]
    fifth: Fifth,
    #[attribute(flatten)]
    sixth: Sixth,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, Meshes)>(Family::Engine, "MergeMeshes", build)
        .templates(&["Vec3"]);

/// What has been put together.
#[derive(Default)]
struct Merged {
    points: Vec<Vec3>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    quads: Vec<[u32; 4]>,
    tetrahedra: Vec<[u32; 4]>,
    hexahedra: Vec<[u32; 8]>,
}

impl Merged {
    fn add(&mut self, b: &Builder<'_>, mesh: &Mesh) -> Result<(), BuildError> {
        let points = mesh.position.get(b)?;
        let (n, first) = (points.len(), self.points.len() as u32);
        append(&mut self.edges, mesh.edges.get(b)?, n, first)?;
        append(&mut self.triangles, mesh.triangles.get(b)?, n, first)?;
        append(&mut self.quads, mesh.quads.get(b)?, n, first)?;
        append(&mut self.tetrahedra, mesh.tetrahedra.get(b)?, n, first)?;
        append(&mut self.hexahedra, mesh.hexahedra.get(b)?, n, first)?;
        self.points.extend(points);
        Ok(())
    }
}

fn append<const N: usize>(
    all: &mut Vec<[u32; N]>,
    rows: Option<IndexRows<N>>,
    n: usize,
    first: u32,
) -> Result<(), BuildError> {
    let rows = rows.map(|rows| rows.below(n)).transpose()?.unwrap_or_default();
    all.extend(rows.into_iter().map(|row| row.map(|p| p + first)));
    Ok(())
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, m) = (Settings::read(b)?, Meshes::read(b)?);
    let all: [Mesh; 6] =
        [m.first.into(), m.second.into(), m.third.into(), m.fourth.into(), m.fifth.into(), m.sixth.into()];
    let n = usize::try_from(s.nb_meshes).ok().filter(|n| *n <= all.len()).ok_or_else(|| {
        let text = format!("`nbMeshes` is {}; it must be between 0 and {}", s.nb_meshes, all.len());
        BuildError::attribute("nbMeshes", text)
    })?;
    let mut merged = Merged::default();
    for mesh in &all[..n] {
        merged.add(b, mesh)?;
    }
    b.offer("npoints", Value::Integer(merged.points.len() as i64));
    b.offer("position", Value::from_points(&merged.points));
    b.offer("edges", Value::from_rows(&merged.edges));
    b.offer("triangles", Value::from_rows(&merged.triangles));
    b.offer("quads", Value::from_rows(&merged.quads));
    b.offer("tetrahedra", Value::from_rows(&merged.tetrahedra));
    b.offer("hexahedra", Value::from_rows(&merged.hexahedra));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn elements_name_the_points_of_their_own_mesh() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [
            ("position1", "0 0 0 1 0 0 0 1 0"),
            ("triangles1", "0 1 2"),
            ("position2", "5 0 0 6 0 0 5 1 0"),
            ("triangles2", "0 2 1"),
            ("edges2", "0 1"),
        ];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let get = |name: &str| t.scene.component(c).fields[name].reals().unwrap();
        assert_eq!(get("triangles"), [0.0, 1.0, 2.0, 3.0, 5.0, 4.0]);
        assert_eq!((get("edges"), get("position").len()), (vec![3.0, 4.0], 18));
        assert_eq!(get("npoints"), [6.0]);
        let wrong = [given[0], ("triangles1", "0 1 3")];
        assert_eq!(t.add(&DESCRIPTION, root, &wrong).unwrap_err().attribute.as_deref(), Some("triangles1"));
        assert!(t.add(&DESCRIPTION, root, &[("nbMeshes", "7")]).is_err());
    }
}
