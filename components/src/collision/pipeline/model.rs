//! One collision model at work: its geometry as data, its bounds as a task.

use engine::data::{Data, ObjectId, Role, Store, read, update, val, write};
use sim_core::math::{Rigid3Type, RigidCoord, Vec3, Vec3Type};
use sim_core::scene::{ComponentId, NodeId, StateId};
use sim_core::visitor::vectors::{StateVectors, VecCoordId, VecDerivId, VectorsAccess};
use sim_core::visitor::visit::{Visit, tag_of};

use crate::collision::bounding_tree::{build, build_swept, refit, refit_swept};
use crate::collision::motion::{Motion, follow, places};
use crate::collision::narrow_phase::{Sweep, facets_of, normals_of};
use crate::collision::{
    Aabb, CollisionModel, Element, ModelAttributes, ModelKind, ModelView, Positions, Surroundings, TreeNode,
};

/// The buffers of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelData {
    pub(super) elements: Data<Element>,
    pub(super) sizes: Data<f64>,
    pub(super) edge_stars: Data<u32>,
    pub(super) surroundings: Data<u32>,
    pub(super) tree: Data<TreeNode>,
    pub(super) root: Data<Aabb>,
    pub(super) motion: Data<Motion>,
    /// Unit normals of the triangles of a surface that rays meet, and of its points; empty of others.
    pub(super) facets: Data<Vec3>,
    pub(super) normals: Data<Vec3>,
    /// Places in the step before.
    previous: Data<Vec3>,
    pub(super) positions: PositionData,
}

/// The positions of the state under a model.
#[derive(Clone, Copy, Debug)]
pub(super) enum PositionData {
    Points(Data<Vec3>),
    Frames(Data<RigidCoord>),
}

/// One model.
pub(super) struct RunningModel {
    pub(super) component: ComponentId,
    pub(super) at: NodeId,
    /// The part of the pipeline that it belongs to.
    pub(super) part: usize,
    pub(super) state: StateId,
    pub(super) kind: ModelKind,
    /// As rules of contacts name it.
    pub(super) name: String,
    pub(super) attributes: ModelAttributes,
    pub(super) object: ObjectId,
    /// It says that it is not `simulated`, and a solver stands above it all the same. Contacts with it act under the solver of the
    /// other model, maybe after the model was moved: so they may push though they did not where they were detected.
    pub(super) moves_unsimulated: bool,
    /// It has left the simulation; its rank stays taken.
    pub(super) is_gone: bool,
    geometry: Option<CollisionModel>,
    data: Option<ModelData>,
    /// Alarm distance and skins: at which elements begin to matter [m].
    scale: f64,
    /// Levels of the bounding tree.
    depth: usize,
}

impl RunningModel {
    pub(super) fn new(
        component: ComponentId,
        at: NodeId,
        state: StateId,
        geometry: CollisionModel,
        attributes: ModelAttributes,
    ) -> Self {
        let kind = geometry.kind;
        Self {
            component,
            at,
            part: 0,
            state,
            kind,
            name: String::new(),
            attributes,
            object: ObjectId(0),
            moves_unsimulated: false,
            is_gone: false,
            geometry: Some(geometry),
            data: None,
            scale: 0.0,
            depth: 0,
        }
    }

    /// The same in another part of the pipeline.
    pub(super) fn in_part(mut self, part: usize) -> Self {
        self.part = part;
        self
    }

    /// Its buffers.
    pub(super) fn data(&self) -> ModelData {
        self.data.expect("the pipeline was frozen before recording")
    }

    /// A point of an element that a method has found, which of a sphere may be its center, and of a capsule on points its axis, on the surface.
    pub(super) fn on_surface(&self, store: &Store, element: u32, point: Vec3, outward: Vec3) -> Vec3 {
        if self.kind == ModelKind::LineCapsule {
            return point
                + outward * store.read(self.data().sizes).get(element as usize).copied().unwrap_or(0.0);
        }
        if !matches!(self.kind, ModelKind::Sphere | ModelKind::RigidSphere) {
            return point;
        }
        let i = element as usize;
        let center = match self.data().positions {
            PositionData::Points(x) => store.read(x).get(i).copied(),
            PositionData::Frames(x) => store.read(x).get(i).map(|x| x.center),
        };
        let radius = store.read(self.data().sizes).get(i);
        let on_surface = center
            .zip(radius)
            .map(|(center, radius)| point + outward * (radius - (point - center).dot(&outward)));
        on_surface.unwrap_or(point)
    }

    /// Puts the geometry into the store, and builds the bounding tree from the present positions: its shape stays for ever.
    ///
    /// `alarm_distance` is the intersection method's [m].
    pub(super) fn freeze(
        &mut self,
        store: &mut Store,
        vectors: &StateVectors,
        depth: usize,
        alarm_distance: f64,
    ) {
        let Some(geometry) = self.geometry.take() else { return };
        let object = vectors.object();
        self.object = object;
        let points = Vec3Type::vectors(vectors).map(|v| PositionData::Points(v.position()));
        let frames = || Rigid3Type::vectors(vectors).map(|v| PositionData::Frames(v.position()));
        let positions =
            points.or_else(frames).expect("a model of any other state was refused when it was built");
        let x = match positions {
            PositionData::Points(x) => Positions::Points(store.read(x)),
            PositionData::Frames(x) => Positions::Frames(store.read(x)),
        };
        let tree = build(&geometry.view(x, &[], self.attributes.contact_distance), depth);
        let root = if geometry.n == 0 { Aabb::EMPTY } else { tree[0].bounds };
        let previous = places(x);
        let (facets, normals) = normals_at(&geometry, x.points());
        self.scale = alarm_distance + 2.0 * self.attributes.contact_distance;
        self.depth = depth;
        self.data = Some(ModelData {
            elements: store.create("collision.elements", object, Role::Parameter, geometry.elements),
            sizes: store.create("collision.sizes", object, Role::Parameter, geometry.sizes),
            edge_stars: store.create("collision.edge_stars", object, Role::Parameter, geometry.edge_stars),
            surroundings: store.create(
                "collision.surroundings",
                object,
                Role::Parameter,
                geometry.surroundings,
            ),
            tree: store.create("collision.tree", object, Role::Scratch, tree),
            root: store.create("collision.root", object, Role::Scratch, vec![root]),
            facets: store.create("collision.facets", object, Role::Scratch, facets),
            normals: store.create("collision.normals", object, Role::Scratch, normals),
            motion: store.create("collision.motion", object, Role::Scratch, vec![Motion::FIRST]),
            previous: store.create("collision.previous", object, Role::Scratch, previous),
            positions,
        });
    }

    /// Frees its buffers: no task names them any more.
    pub(super) fn free(&mut self, store: &mut Store) {
        self.is_gone = true;
        if let Some(ModelData {
            elements,
            sizes,
            edge_stars,
            surroundings,
            tree,
            root,
            motion,
            previous,
            facets,
            normals,
            ..
        }) = self.data
        {
            let geometry = [elements.id(), sizes.id(), edge_stars.id(), surroundings.id()];
            let moving = [tree.id(), root.id(), motion.id(), previous.id(), facets.id(), normals.id()];
            for id in geometry.into_iter().chain(moving) {
                store.free(id);
            }
        }
    }

    /// The box around it, of the last bounds task.
    pub(super) fn root(&self, store: &Store) -> Aabb {
        if self.attributes.active && !self.is_gone { store.read(self.data().root)[0] } else { Aabb::EMPTY }
    }

    /// The positions in which a free motion ends; those of the beginning where there is none. None of frames.
    pub(super) fn ends(&self, visit: &mut Visit<'_, '_>) -> Option<Data<Vec3>> {
        let PositionData::Points(x) = self.data().positions else { return None };
        let is_free = visit.vectors[self.state.0 as usize].has_free_motion();
        Some(if is_free { visit.coord::<Vec3Type>(self.state, VecCoordId::FREE_POSITION) } else { x })
    }

    /// Records the refit of its boxes to where its elements go in the step, unless it is not to move.
    ///
    /// **Source:** as SOFA's, the tree has the shape that the way of the first step gives it, which decides the order of contacts.
    fn record_swept_bounds(&self, visit: &mut Visit<'_, '_>, sweep: Sweep) -> Option<()> {
        let ModelData { elements, tree, root, motion, positions: PositionData::Points(x), .. } = self.data()
        else {
            return None;
        };
        let (kind, skin, moving) = (self.kind, self.attributes.contact_distance, self.attributes.moving);
        let (tag, depth) = (tag_of(self.component), self.depth);
        let ends = match sweep {
            Sweep::Begin => x,
            Sweep::FreeMotion => self.ends(visit)?,
            Sweep::Inertia => {
                let v = visit.deriv::<Vec3Type>(self.state, VecDerivId::VELOCITY);
                let ends = self.data().previous;
                let accesses = (write(ends), read(x), read(v), val(visit.parameters.dt));
                visit.rec.own("ends", tag, self.object, accesses, |(ends, x, v, dt)| {
                    ends.iter_mut().zip(x.iter().zip(v)).for_each(|(end, (x, v))| *end = x + v * dt);
                });
                ends
            }
        };
        let has_way = ends.id() != x.id();
        let accesses = (update(tree), update(root), update(motion), read(elements), read(x), read(ends));
        visit.rec.own(
            "bounds",
            tag,
            self.object,
            accesses,
            move |(tree, root, motion, elements, x, ends)| {
                let begin = ModelView { skin, ..ModelView::on_points(kind, elements, x) };
                let end = ModelView { positions: Positions::Points(ends), ..begin };
                if moving && !begin.is_empty() {
                    // Nobody keeps lists of what may come near by the motion, which says here whether the tree is that of a way.
                    if has_way && motion[0].epoch == Motion::FIRST.epoch {
                        tree.copy_from_slice(&build_swept(&begin, &end, depth));
                        motion[0].epoch += 1;
                    } else {
                        refit_swept(tree, &begin, &end);
                    }
                    root[0] = tree[0].bounds;
                }
            },
        );
        Some(())
    }

    /// Records the refit of its boxes, unless it is not to move, and how far it moves. Boxes hold the way of a step where the method looks
    /// ahead.
    pub(super) fn record_bounds(&self, visit: &mut Visit<'_, '_>, sweep: Option<Sweep>) {
        if sweep.is_some_and(|sweep| self.record_swept_bounds(visit, sweep).is_some()) {
            return;
        }
        let ModelData { elements, sizes, tree, root, motion, previous, facets, normals, positions, .. } =
            self.data();
        let (kind, skin, moving) = (self.kind, self.attributes.contact_distance, self.attributes.moving);
        let scale = self.scale;
        let tag = tag_of(self.component);
        macro_rules! record {
            ($x:expr, $Positions:path) => {
                visit.rec.own(
                    "bounds",
                    tag,
                    self.object,
                    (
                        update(tree),
                        update(root),
                        update(motion),
                        update(previous),
                        update(facets),
                        update(normals),
                        read(elements),
                        read(sizes),
                        read($x),
                    ),
                    move |(tree, root, motion, previous, facets, normals, elements, sizes, x)| {
                        let positions = $Positions(x);
                        follow(positions, previous, &mut motion[0], scale);
                        let view = ModelView {
                            kind,
                            elements,
                            sizes,
                            surroundings: Surroundings::UNKNOWN,
                            positions,
                            tree: &[],
                            skin,
                            both_side: false,
                        };
                        if moving && !view.is_empty() {
                            refit(tree, &view);
                            root[0] = tree[0].bounds;
                            if kind == ModelKind::TriangleOctree {
                                // As in SOFA, points have the normals that triangles had a step before.
                                normals_of(elements, facets, normals);
                                facets_of(elements, positions.points(), facets);
                            }
                        }
                    },
                )
            };
        }
        match positions {
            PositionData::Points(x) => record!(x, Positions::Points),
            PositionData::Frames(x) => record!(x, Positions::Frames),
        }
    }
}

/// The normals of the triangles and of the points of a surface that rays meet, at some positions; none of others.
fn normals_at(geometry: &CollisionModel, x: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
    if geometry.kind != ModelKind::TriangleOctree {
        return (Vec::new(), Vec::new());
    }
    let (mut facets, mut normals) =
        (vec![Vec3::zeros(); geometry.elements.len()], vec![Vec3::zeros(); x.len()]);
    facets_of(&geometry.elements, x, &mut facets);
    normals_of(&geometry.elements, &facets, &mut normals);
    (facets, normals)
}
