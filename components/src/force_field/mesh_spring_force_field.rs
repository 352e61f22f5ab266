//! `MeshSpringForceField`: springs along the edges and across the elements of a mesh. The file is long for five kinds of elements with
//! attributes of their own.

use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::springs::{Spring, SpringKind, SpringsOneByOne, field};

/// Springs along the edges and across the elements of a mesh.
#[derive(Attributes)]
#[attributes(ignored(
    "drawMinElongationRange",
    "drawMaxElongationRange",
    "drawSpringSize",
    "showArrowSize",
    "drawMode"
))]
struct Settings {
    /// stiffness of a spring of unit length along the edges [N]
    #[attribute(default = "0", alias = "stiffness")]
    lines_stiffness: Real,
    /// damping of a spring of unit length along the edges [N s]
    #[attribute(default = "0", alias = "damping")]
    lines_damping: Real,
    /// the same along the sides of triangles [N]
    #[attribute(default = "0", alias = "stiffness")]
    triangles_stiffness: Real,
    /// the same along the sides of triangles [N s]
    #[attribute(default = "0", alias = "damping")]
    triangles_damping: Real,
    /// the same along sides and diagonals of quads [N]
    #[attribute(default = "0", alias = "stiffness")]
    quads_stiffness: Real,
    /// the same along sides and diagonals of quads [N s]
    #[attribute(default = "0", alias = "damping")]
    quads_damping: Real,
    /// the same along the sides of tetrahedra [N]
    #[attribute(default = "0", alias = "stiffness", alias = "tetrasStiffness")]
    tetrahedra_stiffness: Real,
    /// the same along the sides of tetrahedra [N s]
    #[attribute(default = "0", alias = "damping", alias = "tetrasDamping")]
    tetrahedra_damping: Real,
    /// the same between all nodes of hexahedra [N]
    #[attribute(default = "0", alias = "stiffness")]
    cubes_stiffness: Real,
    /// the same between all nodes of hexahedra [N s]
    #[attribute(default = "0", alias = "damping")]
    cubes_damping: Real,
    /// whether springs only pull
    no_compression: bool,
    /// first and last point; springs with an end before the first, or with both ends behind the last are left out
    #[attribute(default = "-1 -1")]
    local_range: [i64; 2],
    /// topology to read; searched in this node and above if not given
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "MeshSpringForceField", build)
        .old_names(&["ParallelMeshSpringForceField"])
        .templates(&[Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME])
        .samples(&[Sample::new("stiffness='300' damping='0.05'").elements("any")]);

/// The springs of a mesh.
///
/// A spring for each edge, and for each pair of points of an element, at most one between two points, as long as at rest (L): k and c are
/// the stiffness and damping of its kind of elements, over L.
///
/// With u = x₂ − x₁, d = |u| and n = u/d: φ = k (d − L) + c n·(v₂ − v₁), φ n on the first point, −φ n on the second, nothing at d ≤ 1e-9.
/// The tangent (k − φ/d) n nᵀ + (φ/d) I by u leaves out how φ changes with the velocities and n in the damping.
///
/// **Source:** as SOFA's: the first kind of elements that has a spring between two points decides, of edges, triangles, quads,
/// tetrahedra, hexahedra.
pub struct MeshSprings;

impl SpringKind for MeshSprings {
    const NAME: &'static str = DESCRIPTION.class;
    const ASSEMBLED: bool = true;
}

/// Stiffness and damping of the springs of one class of elements, for unit length.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    stiffness: Real,
    damping: Real,
}

/// Makes springs, at most one between two points: the first class that asks for it decides.
struct Net<'x> {
    rest: &'x [Vec3],
    elongation_only: bool,
    /// First and last point, negative where there is none.
    range: [i64; 2],
    /// The larger ends of the springs that start at each point.
    seen: Vec<Vec<u32>>,
    springs: Vec<Spring>,
}

impl Net<'_> {
    fn add<const N: usize>(&mut self, elements: &[[u32; N]], class: Class) {
        if class.stiffness == 0.0 && class.damping == 0.0 {
            return;
        }
        for e in elements {
            for a in 0..N {
                for b in a + 1..N {
                    self.spring(e[a], e[b], class);
                }
            }
        }
    }

    fn spring(&mut self, i: u32, j: u32, class: Class) {
        let ([first, last], nearer) = (self.range, i64::from(i.min(j)));
        if first >= 0 && nearer < first || last >= 0 && nearer > last {
            return;
        }
        let seen = &mut self.seen[i.min(j) as usize];
        if i == j || seen.contains(&i.max(j)) {
            return;
        }
        seen.push(i.max(j));
        let length = (self.rest[i as usize] - self.rest[j as usize]).norm();
        let spring = Spring::per_length(i, j, class.stiffness, class.damping, length);
        self.springs.push(Spring { elongation_only: self.elongation_only, ..spring });
    }

    fn add_all(&mut self, t: &Topology, classes: [Class; 5]) {
        self.add(&t.edges, classes[0]);
        self.add(&t.triangles, classes[1]);
        self.add(&t.quads, classes[2]);
        self.add(&t.tetrahedra, classes[3]);
        self.add(&t.hexahedra, classes[4]);
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    let topology = b
        .topology_component(TopologySearch::Last)
        .and_then(|c| b.scene.component(c).topology.clone())
        .ok_or_else(|| {
            BuildError::attribute(
                "topology",
                "there is no topology to take springs from; put one in this node",
            )
        })?;
    let rest = b.scene.initial(state).rest_centers();
    if topology.n_points > rest.len() {
        let (n, m) = (topology.n_points, rest.len());
        return Err(BuildError::attribute(
            "topology",
            format!("the topology has {n} points, but the state only {m}"),
        ));
    }
    let s = Settings::read(b)?;
    let classes = [
        Class { stiffness: s.lines_stiffness, damping: s.lines_damping },
        Class { stiffness: s.triangles_stiffness, damping: s.triangles_damping },
        Class { stiffness: s.quads_stiffness, damping: s.quads_damping },
        Class { stiffness: s.tetrahedra_stiffness, damping: s.tetrahedra_damping },
        Class { stiffness: s.cubes_stiffness, damping: s.cubes_damping },
    ];
    let (elongation_only, range, seen) = (s.no_compression, s.local_range, vec![Vec::new(); rest.len()]);
    let mut net = Net { rest: &rest, elongation_only, range, seen, springs: Vec::new() };
    net.add_all(&topology, classes);
    let springs = net.springs;
    if springs.is_empty() {
        b.warn(None, "there are no springs: give a stiffness for elements that the topology has");
    }
    let points = springs.iter().filter(|s| s.length <= 2.2e-16).count();
    if points > 0 {
        b.warn(
            None,
            format!("{points} springs join points at the same place; they have no direction at rest"),
        );
    }
    if b.scene.initial_as::<Vec3Type>(state).is_some() {
        return field::add::<MeshSprings>(b, state, &springs);
    }
    for_state_type!(b, state, S in [Vec2Type, Vec1Type] => {
        b.add_force_field(state, SpringsOneByOne::<S, MeshSprings>::parts(springs))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::topology::TopologyKind;

    fn springs(t: &Topology, rest: &[Vec3], classes: [Class; 5]) -> Vec<Spring> {
        springs_within([-1, -1], t, rest, classes)
    }

    fn springs_within(range: [i64; 2], t: &Topology, rest: &[Vec3], classes: [Class; 5]) -> Vec<Spring> {
        let seen = vec![Vec::new(); rest.len()];
        let mut net = Net { rest, elongation_only: false, range, seen, springs: Vec::new() };
        net.add_all(t, classes);
        net.springs
    }

    /// As SOFA's: one end before the first point leaves a spring out, only both ends behind the last do.
    #[test]
    fn a_range_leaves_out_what_begins_before_it_or_lies_behind_it() {
        let rest: Vec<Vec3> = (0..5).map(|i| Vec3::x() * f64::from(i)).collect();
        let edges = vec![[0, 1], [1, 2], [2, 3], [3, 4]];
        let t = Topology { edges, ..Topology::empty(TopologyKind::Mesh) };
        let mut classes = [Class::default(); 5];
        classes[0] = Class { stiffness: 1.0, damping: 0.0 };
        let ends = |range| -> Vec<_> {
            springs_within(range, &t, &rest, classes).iter().map(|s| [s.i, s.j]).collect()
        };
        assert_eq!(ends([1, 2]), [[1, 2], [2, 3]]);
        assert_eq!((ends([-1, 0]), ends([3, -1])), (vec![[0, 1]], vec![[3, 4]]));
    }

    #[test]
    fn two_points_share_one_spring_of_the_first_class() {
        let rest = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::y(), Vec3::z(), Vec3::new(1.0, 1.0, 1.0)];
        let t = Topology {
            edges: vec![[1, 0]],
            tetrahedra: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
            ..Topology::empty(TopologyKind::Mesh)
        };
        let mut classes = [Class::default(); 5];
        classes[3] = Class { stiffness: 100.0, damping: 4.0 };
        let all = springs(&t, &rest, classes);
        assert_eq!(all.len(), 9, "the sides of the common face once");
        assert_eq!((all[0].i, all[0].j), (0, 1));
        assert_eq!((all[0].stiffness, all[0].damping, all[0].length), (50.0, 2.0, 2.0));
        classes[0] = Class { stiffness: 6.0, damping: 0.0 };
        let all = springs(&t, &rest, classes);
        assert_eq!((all.len(), all[0].i, all[0].j, all[0].stiffness), (9, 1, 0, 3.0));
        classes[0] = Class::default();
        classes[4] = Class { stiffness: 1.0, damping: 0.0 };
        let cube =
            Topology { hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]], ..Topology::empty(TopologyKind::Mesh) };
        let corners: Vec<Vec3> = (0..8).map(|i| Vec3::new(f64::from(i), 0.0, 0.0)).collect();
        assert_eq!(springs(&cube, &corners, classes).len(), 28);
    }

    #[test]
    fn one_stiffness_sets_all_classes_and_a_mesh_is_needed() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "4")]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("stiffness", "1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("topology"));
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "RegularGridTopology").unwrap();
        let node = t.child(root, "sheet");
        t.add(grid, node, &[("n", "3 1 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, node, &[]).unwrap();
        t.add(&DESCRIPTION, node, &[("stiffness", "1000"), ("damping", "1")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, node, &[]).unwrap();
        assert!(t.warnings[0].contains("no springs"));
        t.add(&mechanical_object::DESCRIPTION, node, &[("position", "0 0 0 1 1 1")]).unwrap();
        let e = t.add(&DESCRIPTION, node, &[("stiffness", "1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("topology"));
    }
}
