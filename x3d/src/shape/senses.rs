//! What nodes that sense the viewer are told: ProximitySensor, VisibilitySensor, TransformSensor, and LOD.
//!
//! **Source:** ISO/IEC 19775-1, clause 22, *Environmental sensor component*; 23.4.3, *LOD*.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::host::HostEvent;
use animation::event::scene::{ContextKind, EventScene};

use super::affine::Affine;
use super::fields::{FieldValues, Fields};
use super::place::{self, Frame, Place, inner_roots};
use super::viewer::{Viewer, axis_angle, turn_of};

/// What a node senses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    /// Where the viewer is, within a box if the node has one.
    Viewer,
    /// Whether its box is seen.
    Visibility,
    /// Where another node is.
    Target,
}

fn sense(type_name: &str) -> Option<Sense> {
    match type_name {
        "ProximitySensor" | "GeoProximitySensor" | "LOD" => Some(Sense::Viewer),
        "VisibilitySensor" => Some(Sense::Visibility),
        "TransformSensor" => Some(Sense::Target),
        _ => None,
    }
}

/// The nodes of a scene that sense the viewer, and the viewpoints, with what stands above them.
#[derive(Clone, Debug, Default)]
pub struct Senses {
    places: Vec<Place>,
    /// Nodes that sense something, each with all of its places.
    sensors: Vec<(NodeId, Sense, Vec<u32>)>,
    /// Viewpoints and targets, each with its first place.
    others: Vec<(NodeId, u32)>,
    /// Viewpoints that may be bound as long as nothing has bound one, in the file's order.
    viewpoints: Vec<NodeId>,
}

impl Senses {
    /// Those of a scene with the present values of its fields.
    pub fn of(scene: &EventScene, values: &dyn FieldValues) -> Self {
        let is_viewpoint =
            |node: NodeId| matches!(&*scene.node(node).node_type.name, "Viewpoint" | "OrthoViewpoint");
        let ids = || (0..scene.nodes.len() as u32).map(NodeId);
        let sensing: Vec<(NodeId, Sense)> =
            ids().filter_map(|id| Some((id, sense(&scene.node(id).node_type.name)?))).collect();
        let viewpoints: Vec<NodeId> =
            ids().filter(|id| is_viewpoint(*id) && !is_inlined(scene, *id)).collect();
        if sensing.is_empty() && viewpoints.is_empty() {
            return Self::default();
        }
        let fields = Fields { scene, values };
        let all = place::places(&fields, &inner_roots(scene));
        let targets: Vec<NodeId> = sensing
            .iter()
            .filter(|(_, sense)| *sense == Sense::Target)
            .filter_map(|(node, _)| fields.node(*node, "targetObject"))
            .collect();
        let is_sensing = |node: NodeId| sensing.binary_search_by_key(&node, |(id, _)| *id).is_ok();
        let is_wanted = |place: &Place| {
            is_sensing(place.node) || is_viewpoint(place.node) || targets.contains(&place.node)
        };
        let (places, kept) = place::with_what_is_above(&all, is_wanted);
        let mut senses = Self { places, viewpoints, ..Self::default() };
        for (node, sense) in sensing {
            let of_it = kept.iter().filter(|k| senses.places[**k as usize].node == node);
            senses.sensors.push((node, sense, of_it.copied().collect()));
        }
        for k in kept {
            let node = senses.places[k as usize].node;
            let is_new = senses.others.iter().all(|(known, _)| *known != node);
            if (is_viewpoint(node) || targets.contains(&node)) && is_new {
                senses.others.push((node, k));
            }
        }
        senses
    }

    /// Whether nodes of a type sense something.
    pub fn are_of(type_name: &str) -> bool {
        sense(type_name).is_some()
    }

    /// The viewpoint that is bound among some as long as nothing has bound one.
    pub fn first(&self, is_meant: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        self.viewpoints.iter().copied().find(|node| is_meant(*node))
    }

    /// Who looks at the scene from a viewpoint; from the first one if none is bound, from where X3D says if there is none.
    pub fn viewer(&self, scene: &EventScene, values: &dyn FieldValues, bound: Option<NodeId>) -> Viewer {
        self.viewpoint(scene, values, bound).unwrap_or_default()
    }

    /// The same; none where the scene has no viewpoint.
    pub fn viewpoint(
        &self,
        scene: &EventScene,
        values: &dyn FieldValues,
        bound: Option<NodeId>,
    ) -> Option<Viewer> {
        let node = bound.or_else(|| self.first(|_| true))?;
        let fields = Fields { scene, values };
        let map = match self.others.iter().find(|(known, _)| *known == node) {
            Some((_, place)) => {
                let mut frames = Vec::with_capacity(self.places.len());
                place::frames(&fields, &self.places, &mut frames);
                frames[*place as usize].map
            }
            // One that stands in no group stands in the world.
            None => Affine::IDENTITY,
        };
        Viewer::at(&fields, node, &map)
    }

    /// Tells each node what it senses of a viewer, who moves as a NavigationInfo says, if one is bound.
    pub fn tell(
        &self,
        scene: &EventScene,
        values: &dyn FieldValues,
        viewer: &Viewer,
        navigation: Option<NodeId>,
        mut tell: impl FnMut(NodeId, HostEvent),
    ) {
        let fields = Fields { scene, values };
        let mut frames: Vec<Frame> = Vec::with_capacity(self.places.len());
        place::frames(&fields, &self.places, &mut frames);
        let looks_at = navigation.and_then(|node| fields.get(node, "type")).is_some_and(
            |words| matches!(words, Value::MFString(words) if words.iter().any(|word| &**word == "LOOKAT")),
        );
        for (node, sense, places) in &self.sensors {
            let maps = places.iter().map(|k| &frames[*k as usize]);
            let event = match sense {
                Sense::Viewer => near(&fields, *node, (viewer, looks_at), maps),
                Sense::Visibility => {
                    let sees =
                        |frame: &Frame| frame.is_seen && viewer.sees(&corners(&fields, *node, &frame.map));
                    Some(HostEvent::Visible(maps.into_iter().any(sees)))
                }
                Sense::Target => self.target(&fields, *node, &frames, places),
            };
            if let Some(event) = event {
                tell(*node, event);
            }
        }
    }

    /// Where a TransformSensor's target is, in the sensor's coordinates.
    fn target(
        &self,
        fields: &Fields<'_>,
        sensor: NodeId,
        frames: &[Frame],
        places: &[u32],
    ) -> Option<HostEvent> {
        let target = fields.node(sensor, "targetObject")?;
        let (_, place) = self.others.iter().find(|(node, _)| *node == target)?;
        let own = frames.get(*places.first()? as usize)?.map.inverse()?;
        let map = own.after(&frames[*place as usize].map);
        let position = map.offset.map(|c| c as f32);
        Some(HostEvent::Target { position, orientation: axis_angle(turn_of(&map)) })
    }
}

/// The viewer as a node in several places sees it: from the place in whose box it is, else from the first.
fn near<'f>(
    fields: &Fields<'_>,
    node: NodeId,
    (viewer, looks_at): (&Viewer, bool),
    frames: impl Iterator<Item = &'f Frame>,
) -> Option<HostEvent> {
    let (size, center) = (fields.three(node, "size", [0.0; 3]), fields.three(node, "center", [0.0; 3]));
    let is_inside = |v: &Viewer| (0..3).all(|k| (v.position[k] - center[k]).abs() <= size[k] / 2.0);
    let mut found = None;
    for frame in frames {
        let Some(local) = viewer.seen_from(&frame.map) else { continue };
        if is_inside(&local) {
            found = Some(local);
            break;
        }
        found = found.or(Some(local));
    }
    let local = found?;
    Some(HostEvent::Viewer {
        position: local.position.map(|c| c as f32),
        orientation: local.axis_angle(),
        center_of_rotation: looks_at.then(|| local.center_of_rotation.map(|c| c as f32)),
    })
}

/// The corners of a node's box, in the world.
fn corners(fields: &Fields<'_>, node: NodeId, map: &Affine) -> Vec<[f64; 3]> {
    let (size, center) = (fields.three(node, "size", [0.0; 3]), fields.three(node, "center", [0.0; 3]));
    let corner = |k: usize| {
        map.apply(std::array::from_fn(|a| center[a] + size[a] * if k >> a & 1 == 1 { 0.5 } else { -0.5 }))
    };
    (0..8).map(corner).collect()
}

/// Whether a node comes with an inlined file: its viewpoints are not bound by themselves.
fn is_inlined(scene: &EventScene, node: NodeId) -> bool {
    let mut context = Some(scene.node(node).context);
    while let Some(c) = context.and_then(|c| scene.contexts.get(c.0 as usize)) {
        if matches!(c.kind, ContextKind::Inline(_)) {
            return true;
        }
        context = c.parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use animation::event::scene;

    use super::*;
    use crate::{LoadOptions, load_text};

    fn told(text: &str) -> Vec<HostEvent> {
        told_by(text, None)
    }
    /// The same where a NavigationInfo of a name is bound.
    fn told_by(text: &str, navigation: Option<&str>) -> Vec<HostEvent> {
        let text = format!("#X3D V3.3 utf8\nPROFILE Full\n{text}");
        let scene = load_text(&text, "a.x3dv", &LoadOptions::default()).expect("it loads").scene;
        let senses = Senses::of(&scene, &scene);
        let viewer = senses.viewer(&scene, &scene, None);
        let is_navigation = |node: &scene::Node| navigation.is_some() && node.def.as_deref() == navigation;
        let navigation = scene.nodes.iter().position(is_navigation).map(|k| NodeId(k as u32));
        let mut all = Vec::new();
        senses.tell(&scene, &scene, &viewer, navigation, |_, event| all.push(event));
        all
    }

    #[test]
    fn sensors_hear_of_the_first_viewpoint_in_their_own_coordinates() {
        let text = "Transform { translation 0 0 5 rotation 0 1 0 1.5707964 children Viewpoint { position 0 0 2 } }
                    Transform { translation 1 0 0 scale 2 2 2 children ProximitySensor { size 100 100 100 } }";
        let [HostEvent::Viewer { position, orientation, .. }] = told(text)[..] else { panic!() };
        for (a, b) in position.iter().zip([0.5, 0.0, 2.5]) {
            assert!((a - b).abs() < 1e-6, "{position:?}");
        }
        assert!(
            (orientation[1] - 1.0).abs() < 1e-6 && (orientation[3] - 1.570_796_4).abs() < 1e-6,
            "{orientation:?}"
        );
    }

    #[test]
    fn the_center_of_rotation_is_told_of_who_looks_at_something() {
        let text = "DEF WALK NavigationInfo { type \"WALK\" } DEF LOOK NavigationInfo { type [ \"ANY\" \"LOOKAT\" ] }
                    Viewpoint { centerOfRotation 1 2 3 } ProximitySensor { size 100 100 100 }";
        for (navigation, center) in
            [(None, None), (Some("WALK"), None), (Some("LOOK"), Some([1.0, 2.0, 3.0]))]
        {
            let told = told_by(text, navigation);
            let [HostEvent::Viewer { center_of_rotation, .. }] = told[..] else { panic!("{told:?}") };
            assert_eq!(center_of_rotation, center, "{navigation:?}");
        }
    }

    #[test]
    fn without_a_viewpoint_the_viewer_stands_where_the_standard_says() {
        let [HostEvent::Viewer { position, .. }, HostEvent::Visible(seen)] =
            told("LOD { range [ 5 ] } VisibilitySensor { size 1 1 1 }")[..]
        else {
            panic!()
        };
        assert_eq!((position, seen), ([0.0, 0.0, 10.0], true));
    }

    #[test]
    fn of_several_places_the_one_that_the_viewer_is_in_counts() {
        let text = "Transform { translation 50 0 0 children DEF P ProximitySensor { size 2 2 2 } }
                    Transform { translation 0 0 10 children USE P }";
        let [HostEvent::Viewer { position, .. }] = told(text)[..] else { panic!() };
        assert_eq!(position, [0.0; 3]);
    }

    #[test]
    fn a_transform_sensor_hears_of_its_target() {
        let text = "Transform { translation 1 2 3 children DEF T Transform { translation 1 0 0 rotation 0 0 1 0.5 } }
                    Transform { translation 1 0 0 children TransformSensor { size 9 9 9 targetObject USE T } }";
        let [HostEvent::Target { position, orientation }] = told(text)[..] else { panic!() };
        assert_eq!(position, [1.0, 2.0, 3.0]);
        assert!((orientation[3] - 0.5).abs() < 1e-6 && (orientation[2] - 1.0).abs() < 1e-6);
    }
}
