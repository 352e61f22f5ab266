//! `ArticulatedSystemMapping`: rigid bodies in a tree of joints, from the angles and lengths of these; `kinematics.rs` has the
//! mathematics. The file is long since the tree of joints is read here from SOFA's three classes of components.

mod kinematics;

use sim_core::math::RigidCoord;
use sim_core::prelude::*;
use sim_core::scene::{ComponentId, NodeId, Scene};

use super::subset_multi_mapping::gather_before_frames;
use crate::topology::articulation::{ARTICULATION, ArticulatedJoint, CENTER, CONTAINER, joints_below};
use kinematics::{Above, ArticulatedSystem, Freedom, Joint, Part};

/// Rigid bodies in a tree of joints, from the angles and lengths of these.
#[derive(Attributes)]
struct Settings {
    /// angles and lengths of the articulations, a number each
    input1: Option<LinkTarget>,
    /// frames that carry body 0; it stays where it is if not given
    input2: Option<LinkTarget>,
    /// what has the joints below it; the first such component below `input1` if not given
    container: Option<LinkTarget>,
    /// frame of `input2` that carries body 0; the last one if not given
    index_input2: Option<i64>,
    /// whether the stiffness from turning forces counts; an addition of ours
    geometric_stiffness: bool,
}

/// The component in the registry: bodies in a tree of joints.
///
/// **Source:** as SOFA's ArticulatedSystemMapping (ArticulatedSystemPlugin), `articulationProcess` 0: a child begins with the orientation
/// of its parent. Each articulation then turns it around, and moves it along, its axis in the axes of the child as it is by then:
/// c = A - q posOnChild with A the place of the joint, which slides along. v_c = v_p + w_p x (c - c_p) + sum n x (c - A) theta' (a
/// rotation) or n theta' (a translation), w_c = w_p + sum n theta'. A body that is no child stays where it is. SOFA's
/// has no geometric stiffness; with `geometricStiffness` there is one here.
///
/// With processes 1 and 2 SOFA adds up turns around axes in the world, as they come from step to step: the axes of one joint do not depend
/// on each other's order, but the child leaves its place where the parent turns across the axis. Here a joint with one articulation
/// is the hinge or slider that is meant, and one with several is refused.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "ArticulatedSystemMapping", build)
        .summary("Rigid bodies in a tree of joints, from the angles and lengths of these")
        .templates(&["Vec1,Rigid3,Rigid3"])
        .built_after(&[ARTICULATION, CENTER]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let input1 =
        s.input1.ok_or_else(|| BuildError::attribute("input1", "`input1` must lead to a state of Vec1"))?;
    let numbers = b.state_at(input1, "input1")?;
    let output = b.mapping_output()?;
    b.check_template::<Vec1Type>(numbers)?;
    b.check_template::<Rigid3Type>(output)?;
    let frames = s.input2.map(|target| b.state_at(target, "input2")).transpose()?;
    let (n, n_bodies) = (b.size(numbers), b.size(output));
    let joints = joints(b, &s, input1)?;
    let bodies = b.scene.initial_as::<Rigid3Type>(output).map(|o| o.position.clone()).unwrap_or_default();
    let of_root = |root| parts(&b.scene, &joints, [n, n_bodies], &bodies, root);
    let stored = |parts: &[Part]| vec![[Vec3::zeros(); 2]; parts.len()];
    let Some(frames) = frames else {
        let parts = of_root(None)?;
        let stored = stored(&parts);
        let parts = MappingParts::<ArticulatedSystem<Vec1Type>>::new((), parts, stored, n_bodies);
        return b.add_mapping(numbers, output, parts.with_geometric_stiffness(s.geometric_stiffness));
    };
    b.check_template::<Rigid3Type>(frames)?;
    let n_frames = b.size(frames);
    let index = s.index_input2.unwrap_or(n_frames as i64 - 1);
    if index < 0 || index >= n_frames as i64 {
        let text = format!("there is no frame {index}; there are {n_frames}");
        return Err(BuildError::attribute("indexInput2", text));
    }
    let parts = of_root(Some(n as u32 + index as u32))?;
    let gathered = gather_before_frames::<Vec1Type>(b, "articulations", [numbers, frames])?;
    let stored = stored(&parts);
    let parts = MappingParts::<ArticulatedSystem<Rigid3Type>>::new((), parts, stored, n_bodies);
    b.add_mapping(gathered, output, parts.with_geometric_stiffness(s.geometric_stiffness))
}

/// The joints below the container, of which there is at least one.
fn joints(b: &Builder<'_>, s: &Settings, input1: LinkTarget) -> Result<Vec<ArticulatedJoint>, BuildError> {
    let node_of = |target: LinkTarget| match target {
        LinkTarget::Node(n) => n,
        LinkTarget::Component(c) => b.scene.component(c).node,
    };
    let container = match s.container {
        Some(target) => Some(node_of(target)),
        None => container_below(&b.scene, node_of(input1)),
    };
    let container = container.ok_or_else(|| {
        BuildError::new(format!(
            "there is no {CONTAINER} below the node of `input1`; put one there, or link it by `container`"
        ))
    })?;
    let joints = joints_below(&b.scene, container);
    if joints.is_empty() {
        let text = format!("there is no {CENTER} below {}", b.scene.node_path(container));
        return Err(BuildError::attribute("container", text));
    }
    Ok(joints)
}

/// The node of the first container in a node or below.
fn container_below(scene: &Scene, node: NodeId) -> Option<NodeId> {
    let is_container = |c: ComponentId| scene.component(c).class == CONTAINER;
    scene.depth_first_from(node).into_iter().find(|n| scene.components_of(*n).any(is_container))
}

/// The joints in the order in which they are computed, and the bodies that none of them moves, which come first; body 0 may follow the
/// frame `root` of the input.
fn parts(
    scene: &Scene,
    joints: &[ArticulatedJoint],
    [n, n_bodies]: [usize; 2],
    bodies: &[RigidCoord],
    root: Option<u32>,
) -> Result<Vec<Part>, BuildError> {
    let of = |joint: &ArticulatedJoint, text: String| {
        BuildError::new(format!("{}: {text}", scene.path(joint.component)))
    };
    let below = |joint, what: &str, index: i64, limit: usize| {
        let known = usize::try_from(index).ok().filter(|i| *i < limit);
        known.ok_or_else(|| of(joint, format!("there is no {what} {index}; there are {limit}")))
    };
    let mut is_child = vec![false; n_bodies];
    for joint in joints {
        let child = below(joint, "body", joint.center.child, n_bodies)?;
        if std::mem::replace(&mut is_child[child], true) {
            return Err(of(joint, format!("body {child} is the child of another joint, too")));
        }
        if child == 0 && root.is_some() {
            return Err(of(joint, "body 0 follows `input2`, and cannot be a child".to_owned()));
        }
    }
    let mut parts = Vec::new();
    // What is above each body that has its place already.
    let mut above: Vec<Option<Above>> = vec![None; n_bodies];
    for body in (0..n_bodies).filter(|body| !is_child[*body]) {
        let at = bodies.get(body).copied().unwrap_or_default();
        let (from, part) = match root.filter(|_| body == 0) {
            Some(frame) => (Above::Root { frame, stored: parts.len() as u32 }, Part::Root(frame)),
            None => (Above::Nothing, Part::Still(body as u32, at)),
        };
        above[body] = Some(from);
        parts.push(part);
    }
    for joint in joints {
        let c = &joint.center;
        let (parent, child) = (below(joint, "body", c.parent, n_bodies)?, c.child as usize);
        let Some(from) = above[parent] else {
            let text = format!(
                "its parent, body {parent}, is the child of a joint that comes later; put that one first"
            );
            return Err(of(joint, text));
        };
        if c.process != 0 && joint.articulations.len() > 1 {
            let text = format!(
                "`articulationProcess` {} with several articulations depends on the way on which the child came where it is; only 0 has that",
                c.process
            );
            return Err(of(joint, text));
        }
        above[child] = Some(Above::Joint(parts.len() as u32));
        parts.push(Part::Joint(Joint {
            parent: parent as u32,
            child: child as u32,
            above: from,
            on_parent: c.on_parent,
            on_child: c.on_child,
            freedoms: joint.articulations.len() as u32,
        }));
        for a in &joint.articulations {
            let number = below(joint, "number of an articulation", a.index, n)? as u32;
            let (rotation, translation) = (a.rotation, a.translation);
            parts.push(Part::Freedom(Freedom { axis: a.axis, number, rotation, translation }));
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests;
