//! What all regions of interest do: choose points and elements, and offer them to links.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::mechanical_state::{for_initial_state, for_template, template_name};
use sim_core::component::value::Value;
use sim_core::math::{Coord, StateType, Vec3, Vec3Type};
use sim_core::scene::NodeId;
use sim_core::topology::Topology;

/// What points and elements are chosen among.
#[derive(Attributes)]
#[attributes(
    ignored("indices", "pointsInROI", "edgeIndices", "triangleIndices", "quadIndices"),
    ignored("tetrahedronIndices", "hexahedronIndices", "drawPoints", "drawEdges", "drawTriangles"),
    ignored("drawTetrahedra", "drawHexahedra", "drawQuads", "drawROI", "drawSize")
)]
pub(super) struct Selection {
    /// points; the rest positions of the state if not given [m]
    #[attribute(alias = "rest_position")]
    position: Option<CoordRows>,
    /// edges; those of this node's topology if not given
    edges: Option<IndexRows<2>>,
    /// triangles, likewise
    triangles: Option<IndexRows<3>>,
    /// quads, likewise
    #[attribute(alias = "quad")]
    quads: Option<IndexRows<4>>,
    /// tetrahedra, likewise
    tetrahedra: Option<IndexRows<4>>,
    /// hexahedra, likewise
    hexahedra: Option<IndexRows<8>>,
    /// whether an element is inside only with all its nodes, not its centre; of a MeshROI 0 if not set
    #[attribute(default = "1")]
    pub strict: bool,
    /// whether edges are chosen
    #[attribute(default = "1")]
    compute_edges: bool,
    /// whether triangles are chosen
    #[attribute(default = "1")]
    compute_triangles: bool,
    /// whether quads are chosen
    #[attribute(default = "1", alias = "computeQuad")]
    compute_quads: bool,
    /// whether tetrahedra are chosen
    #[attribute(default = "1")]
    compute_tetrahedra: bool,
    /// whether hexahedra are chosen
    #[attribute(default = "1")]
    compute_hexahedra: bool,
    /// whether who is inside is found again when what it is found from changes
    #[attribute(default = "1")]
    _do_update: bool,
}

/// Which points are inside, and which elements may be.
pub(super) struct Region<'r> {
    /// Whether a position is inside [m].
    pub contains: &'r dyn Fn(&Vec3) -> bool,
    /// Whether an element with these corners may be chosen [m].
    pub accepts: &'r dyn Fn(&[Vec3]) -> bool,
    /// Whether an element all of whose nodes are inside is inside, wherever its centre is.
    pub nodes_suffice: bool,
    /// Where points that are not given are looked for.
    pub points: PointSearch,
    /// Where elements that are not given are looked for.
    pub elements: TopologySearch,
}

/// Where points that are not given are looked for.
#[derive(Clone, Copy)]
pub(super) enum PointSearch {
    /// The state of this node, else a mesh loader of this node.
    Here,
    /// The same, else the state of a node above.
    HereFirst,
    /// The state of this node or one above, else a mesh loader of this node or one above.
    StateFirst,
}

impl<'r> Region<'r> {
    /// A region that chooses by place only.
    pub fn of(contains: &'r dyn Fn(&Vec3) -> bool) -> Self {
        let (points, elements) = (PointSearch::HereFirst, TopologySearch::FirstHere);
        Self { contains, accepts: &|_| true, nodes_suffice: false, points, elements }
    }
}

impl Selection {
    /// The same for a region whose elements are inside with their centre unless `strict` is set.
    pub fn strict_if_asked(self, b: &Builder<'_>) -> Self {
        Self { strict: self.strict && b.is_set("strict"), ..self }
    }

    /// Offers what is inside; `name` is the attribute that says where. Warns where nothing is.
    pub fn offer(self, b: &mut Builder<'_>, region: &Region<'_>, name: &str) -> Result<(), BuildError> {
        let inside = region.contains;
        let points = points(b, self.position.as_ref(), region.points);
        if points.is_empty() {
            let class = b.scene.component(b.component).class;
            let text =
                format!("there are no points to choose from; put the {class} after a MechanicalObject");
            b.warn(Some("position"), text);
        }
        let indices: Vec<u32> = (0..).zip(&points).filter(|(_, x)| inside(x)).map(|(i, _)| i).collect();
        if indices.is_empty() && !points.is_empty() {
            b.warn(Some(name), "no point is inside");
        }
        let is_in: Vec<bool> = points.iter().map(inside).collect();
        let outside: Vec<i64> = (0..).zip(&is_in).filter(|(_, inside)| !**inside).map(|(i, _)| i).collect();
        let chosen: Vec<Vec3> = indices.iter().map(|i| points[*i as usize]).collect();
        let others: Vec<Vec3> = outside.iter().map(|i| points[*i as usize]).collect();

        let chooser = Chooser { points: &points, is_in: &is_in, strict: self.strict, region };
        let topology = b
            .scene
            .find_topology(b.node, region.elements)
            .and_then(|c| b.scene.component(c).topology.clone());
        let from: Option<&Topology> = topology.as_deref();
        let names = ["edgeIndices", "edgesInROI", "edgeOutIndices", "edgesOutROI"];
        chooser.offer(b, self.edges, from.map(|t| &t.edges), self.compute_edges, names)?;
        let names = ["triangleIndices", "trianglesInROI", "triangleOutIndices", "trianglesOutROI"];
        chooser.offer(b, self.triangles, from.map(|t| &t.triangles), self.compute_triangles, names)?;
        let names = ["quadIndices", "quadInROI", "quadOutIndices", "quadsOutROI"];
        chooser.offer(b, self.quads, from.map(|t| &t.quads), self.compute_quads, names)?;
        if let Some(nodes) = b.offered("quadInROI").cloned() {
            b.offer("quadsInROI", nodes);
        }
        let names = ["tetrahedronIndices", "tetrahedraInROI", "tetrahedronOutIndices", "tetrahedraOutROI"];
        chooser.offer(b, self.tetrahedra, from.map(|t| &t.tetrahedra), self.compute_tetrahedra, names)?;
        let names = ["hexahedronIndices", "hexahedraInROI", "hexahedronOutIndices", "hexahedraOutROI"];
        chooser.offer(b, self.hexahedra, from.map(|t| &t.hexahedra), self.compute_hexahedra, names)?;

        b.offer("nbIndices", Value::Integer(indices.len() as i64));
        b.offer("indices", Value::Integers(indices.into_iter().map(i64::from).collect()));
        b.offer("indicesOut", Value::Integers(outside));
        b.offer("pointsInROI", Value::from_points(&chosen));
        b.offer("pointsOutROI", Value::from_points(&others));
        Ok(())
    }
}

/// The points of rows of numbers, if the numbers fill rows.
fn centers<S: StateType>(reals: &[f64]) -> Option<Vec<Vec3>> {
    let rows = reals.len().is_multiple_of(S::Coord::SIZE).then(|| reals.chunks_exact(S::Coord::SIZE));
    Some(rows?.filter_map(S::Coord::from_scalars).map(|x| x.center()).collect())
}

/// The attribute, else the rest positions of a state or the points of a mesh loader.
pub(super) fn points(b: &Builder<'_>, given: Option<&CoordRows>, search: PointSearch) -> Vec<Vec3> {
    if let Some(CoordRows { reals, .. }) = given {
        let template = b.attributes.template.as_deref().map_or(Vec3Type::NAME, template_name);
        let in_rows = for_template!(template, S => centers::<S>(reals)).flatten();
        return in_rows.or_else(|| centers::<Vec3Type>(reals)).unwrap_or_default();
    }
    let rest = |state| b.scene.initial(state).rest_centers();
    let here = || b.scene.state_in(b.node).map(rest).or_else(|| loaded_points(b, b.node));
    let of_state = || b.scene.state_from(b.node).map(rest);
    let found = match search {
        PointSearch::Here => here(),
        PointSearch::HereFirst => here().or_else(of_state),
        PointSearch::StateFirst => {
            of_state().or_else(|| b.scene.upward(b.node).find_map(|node| loaded_points(b, node)))
        }
    };
    found.unwrap_or_default()
}

/// The points of the first mesh loader of a node.
fn loaded_points(b: &Builder<'_>, node: NodeId) -> Option<Vec<Vec3>> {
    let mut of_node = b.scene.components_of(node).map(|c| b.scene.component(c));
    let loader = of_node.find(|c| c.topology.is_none() && is_mesh_loader(c.class))?;
    let reals = loader.fields.get("position").and_then(Value::reals)?;
    Some(reals.chunks_exact(3).map(Vec3::from_column_slice).collect())
}

/// Whether components of a class load meshes: SOFA's derive from `MeshLoader`, unlike those of spheres and voxels.
fn is_mesh_loader(class: &str) -> bool {
    class.contains("Mesh") && ["Loader", "Creator"].iter().any(|end| class.ends_with(end))
}

/// The attribute, else the present positions of the state from this node on.
pub(super) fn current_points(b: &Builder<'_>, given: Option<&CoordRows>) -> Vec<Vec3> {
    match (given, b.scene.state_from(b.node)) {
        (None, Some(state)) => {
            for_initial_state!(b.scene.initial(state), S, s => s.position.iter().map(|x: &<S as StateType>::Coord| x.center()).collect())
        }
        _ => points(b, given, PointSearch::StateFirst),
    }
}

struct Chooser<'c> {
    points: &'c [Vec3],
    is_in: &'c [bool],
    strict: bool,
    region: &'c Region<'c>,
}

impl Chooser<'_> {
    /// Offers the numbers and the nodes of the elements inside, and of the others, under these names; none where they are not wanted.
    fn offer<const N: usize>(
        &self,
        b: &mut Builder<'_>,
        given: Option<IndexRows<N>>,
        of_topology: Option<&Vec<[u32; N]>>,
        wanted: bool,
        [numbers, nodes, other_numbers, other_nodes]: [&'static str; 4],
    ) -> Result<(), BuildError> {
        let n = self.points.len();
        let given = given.map(|rows| rows.below(n)).transpose()?;
        let elements = given.as_ref().or(of_topology).map_or(&[][..], Vec::as_slice);
        let is_chosen = |e: &[u32; N]| e.iter().all(|p| (*p as usize) < n) && self.has(e);
        let all = (0..).zip(elements).filter(|_| wanted);
        let (inside, outside): (Vec<_>, Vec<_>) = all.partition(|(_, e)| is_chosen(e));
        let offers = [(inside, numbers, nodes), (outside, other_numbers, other_nodes)];
        for (of_side, numbers, nodes) in offers {
            let (indices, rows): (Vec<i64>, Vec<[u32; N]>) =
                of_side.into_iter().map(|(i, e): (i64, _)| (i, *e)).unzip();
            b.offer(numbers, Value::Integers(indices));
            b.offer(nodes, Value::from_rows(&rows));
        }
        Ok(())
    }

    fn has(&self, nodes: &[u32]) -> bool {
        let corners: Vec<Vec3> = nodes.iter().map(|p| self.points[*p as usize]).collect();
        if !(self.region.accepts)(&corners) {
            return false;
        }
        let all_nodes = || nodes.iter().all(|p| self.is_in[*p as usize]);
        if self.strict || (self.region.nodes_suffice && all_nodes()) {
            return all_nodes();
        }
        (self.region.contains)(&(corners.iter().sum::<Vec3>() / nodes.len() as f64))
    }
}
