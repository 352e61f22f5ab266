//! Where nodes stand: the tree of groups above the shapes, with the map of each into the world.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::scene::{ContextKind, EventScene};

use super::affine::Affine;
use super::fields::Fields;

/// Places that a scene may have at most: a node that is used in many places stands in each of them.
const MOST_PLACES: usize = 2_000_000;
/// Nodes within nodes; deeper ones are not seen.
const MOST_LEVELS: u32 = 20_000;

/// The fields whose nodes stand under a node.
const CHILDREN: &[&str] = &["children", "skeleton", "skin", "shape", "collidable", "layers"];

/// A node where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// The place above.
    pub parent: Option<u32>,
    /// Whether the node moves what is under it.
    pub moves: bool,
    /// Its number among the children of a Switch or LOD, which show one of them, or of a CADLayer, which says of each.
    choice: Option<i32>,
    levels: u32,
}

/// A place in the world.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// From the node's inner coordinates to the world's.
    pub map: Affine,
    /// Whether what stands there is seen.
    pub is_seen: bool,
}

/// Whether a node of a type has the fields of a Transform.
fn moves(type_name: &str) -> bool {
    matches!(
        type_name,
        "Transform"
            | "HAnimJoint"
            | "HAnimSite"
            | "HAnimHumanoid"
            | "CADPart"
            | "CollidableShape"
            | "CollidableOffset"
    )
}

fn chooses(type_name: &str) -> bool {
    matches!(type_name, "Switch" | "LOD" | "CADLayer")
}

/// The nodes that an instance of a prototype, or an Inline, shows: by node, in order.
pub type InnerRoots = Vec<(NodeId, Vec<NodeId>)>;

/// What instances of prototypes and Inlines show.
pub fn inner_roots(scene: &EventScene) -> InnerRoots {
    let mut all: InnerRoots = scene
        .contexts
        .iter()
        .filter_map(|context| match context.kind {
            ContextKind::File => None,
            // The first node of a body is what the instance is; the others are not seen.
            ContextKind::Prototype(node) => Some((node, context.roots.iter().take(1).copied().collect())),
            ContextKind::Inline(node) => Some((node, context.roots.clone())),
        })
        // Of an Inline that shows another file now, the first one's context has nothing left.
        .filter(|(_, roots): &(NodeId, Vec<NodeId>)| !roots.is_empty())
        .collect();
    all.sort_by_key(|(node, _)| *node);
    all
}

/// All places of a scene; a place comes after the one above it.
pub fn places(fields: &Fields<'_>, inner: &InnerRoots) -> Vec<Place> {
    let scene = fields.scene;
    let mut all: Vec<Place> = Vec::new();
    let Some(file) = scene.contexts.first() else { return all };
    let mut open: Vec<Place> = Vec::new();
    let place = |node: NodeId, parent: Option<u32>, choice, levels| {
        let moves = moves(fields.type_name(node));
        Place { node, parent, moves, choice, levels }
    };
    open.extend(file.roots.iter().rev().map(|root| place(*root, None, None, 0)));
    while let Some(at) = open.pop() {
        if all.len() == MOST_PLACES {
            log::warn!("only the first {MOST_PLACES} nodes are seen");
            break;
        }
        let number = all.len() as u32;
        all.push(at);
        if at.levels == MOST_LEVELS {
            continue;
        }
        let chooses = chooses(fields.type_name(at.node));
        let mut children = Vec::new();
        if let Ok(k) = inner.binary_search_by_key(&at.node, |(node, _)| *node) {
            children.extend_from_slice(&inner[k].1);
        }
        for field in CHILDREN {
            if !scene.node(at.node).node_type.is_prototype {
                children.extend(fields.nodes(at.node, field));
            }
        }
        for (k, child) in children.iter().enumerate().rev() {
            open.push(place(*child, Some(number), chooses.then_some(k as i32), at.levels + 1));
        }
    }
    all
}

/// The places that are wanted and all above them, and which of them are wanted; a place comes after the one above it.
pub fn with_what_is_above(all: &[Place], is_wanted: impl Fn(&Place) -> bool) -> (Vec<Place>, Vec<u32>) {
    let mut stays = vec![false; all.len()];
    for (k, _) in all.iter().enumerate().filter(|(_, place)| is_wanted(place)) {
        let mut at = Some(k as u32);
        while let Some(number) = at.filter(|n| !std::mem::replace(&mut stays[*n as usize], true)) {
            at = all[number as usize].parent;
        }
    }
    let (mut kept, mut wanted) = (Vec::new(), Vec::new());
    let mut numbers = vec![0; all.len()];
    for (k, place) in all.iter().enumerate().filter(|(k, _)| stays[*k]) {
        numbers[k] = kept.len() as u32;
        if is_wanted(place) {
            wanted.push(kept.len() as u32);
        }
        kept.push(Place { parent: place.parent.map(|p| numbers[p as usize]), ..*place });
    }
    (kept, wanted)
}

/// Where all places are now, written over `frames`.
pub fn frames(fields: &Fields<'_>, places: &[Place], frames: &mut Vec<Frame>) {
    frames.clear();
    for place in places {
        let above = place.parent.map(|p| (frames[p as usize], places[p as usize].node));
        let is_layer = |above: Option<(Frame, NodeId)>| {
            above.is_some_and(|(_, node)| fields.type_name(node) == "CADLayer")
        };
        let mut frame = above.map_or(Frame { map: Affine::IDENTITY, is_seen: true }, |(frame, _)| frame);
        if let (Some((_, layer)), Some(choice), true) = (above, place.choice, is_layer(above)) {
            // What a layer does not say of a child is seen.
            if let Some(Value::MFBool(visible)) = fields.get(layer, "visible") {
                frame.is_seen &=
                    usize::try_from(choice).ok().and_then(|k| visible.get(k)).copied().unwrap_or(true);
            }
        } else if let (Some((_, switch)), Some(choice)) = (above, place.choice) {
            let is_switch = fields.type_name(switch) == "Switch";
            let name = if is_switch { "whichChoice" } else { "level_changed" };
            let shown = fields.number(switch, name, if is_switch { -1.0 } else { 0.0 }) as i32;
            // Distances beyond the last child show that one.
            let is_last =
                |k: i32| !is_switch && k < shown && k + 1 == fields.nodes(switch, "children").len() as i32;
            frame.is_seen &= shown == choice || is_last(choice);
        }
        if place.moves {
            frame.map = frame.map.after(&own_map(fields, place.node));
        }
        frame.is_seen &= fields.flag(place.node, "visible", true);
        frames.push(frame);
    }
}

/// The map of a node that has the fields of a Transform.
fn own_map(fields: &Fields<'_>, node: NodeId) -> Affine {
    Affine::transform(
        fields.three(node, "translation", [0.0; 3]),
        fields.three(node, "center", [0.0; 3]),
        fields.rotation(node, "rotation"),
        fields.three(node, "scale", [1.0; 3]),
        fields.rotation(node, "scaleOrientation"),
    )
}
