//! The skin of a humanoid: points that follow several joints.
//!
//! **Source:** ISO/IEC 19774-1 (HAnim architecture), 4.9.4, *Skinned body*: a point is the sum of what its joints make of it, each
//! with its weight; displacers move points before. At rest joints leave points where they are, so no bind matrices are needed.

use animation::event::NodeId;

use super::fields::Fields;
use super::place::{Frame, Place};

/// What a joint moves.
#[derive(Clone, Debug)]
struct Influence {
    /// The joint's place.
    place: u32,
    /// Points and weights.
    points: Vec<(u32, f64)>,
    /// The joint's displacers.
    displacers: Vec<NodeId>,
}

/// The skin of a humanoid.
#[derive(Clone, Debug)]
pub struct Skin {
    /// The place of the humanoid.
    pub humanoid: u32,
    /// Where its points at rest are.
    pub coordinates: NodeId,
    influences: Vec<Influence>,
}

/// The skins of all humanoids that have one.
pub fn skins(fields: &Fields<'_>, places: &[Place]) -> Vec<Skin> {
    // The humanoid above each place.
    let mut above: Vec<Option<usize>> = Vec::with_capacity(places.len());
    let mut skins: Vec<Skin> = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let mut of = place.parent.and_then(|p| above[p as usize]);
        match fields.type_name(place.node) {
            "HAnimHumanoid" => {
                of = fields.node(place.node, "skinCoord").map(|coordinates| {
                    skins.push(Skin { humanoid: number as u32, coordinates, influences: Vec::new() });
                    skins.len() - 1
                });
            }
            "HAnimJoint" => {
                if let Some(skin) = of {
                    skins[skin].influences.push(influence(fields, place.node, number as u32));
                }
            }
            _ => {}
        }
        above.push(of);
    }
    skins.retain(|s| s.influences.iter().any(|i| !i.points.is_empty() || !i.displacers.is_empty()));
    skins
}

fn influence(fields: &Fields<'_>, joint: NodeId, place: u32) -> Influence {
    let indices = fields.indices(joint, "skinCoordIndex");
    let weights = fields.numbers(joint, "skinCoordWeight");
    let points = indices.iter().zip(weights).filter(|(i, _)| **i >= 0).map(|(i, w)| (*i as u32, w));
    Influence { place, points: points.collect(), displacers: fields.nodes(joint, "displacers") }
}

impl Skin {
    /// The points of the skin in the humanoid's coordinates, where its joints stand now.
    pub fn points(&self, fields: &Fields<'_>, frames: &[Frame]) -> Vec<[f64; 3]> {
        let rest = self.displaced(fields);
        let humanoid = frames[self.humanoid as usize].map;
        let Some(back) = humanoid.inverse() else { return rest };
        let mut sums: Vec<([f64; 3], f64)> = vec![([0.0; 3], 0.0); rest.len()];
        for influence in &self.influences {
            let map = back.after(&frames[influence.place as usize].map);
            for (point, weight) in &influence.points {
                let Some((sum, total)) = sums.get_mut(*point as usize) else { continue };
                let moved = map.apply(rest[*point as usize]);
                (0..3).for_each(|k| sum[k] += weight * moved[k]);
                *total += weight;
            }
        }
        let point = |((sum, total), rest): (&([f64; 3], f64), &[f64; 3])| {
            // What no joint holds, in part or wholly, stays at rest to that part.
            std::array::from_fn(|k| sum[k] + (1.0 - total).max(0.0) * rest[k])
        };
        sums.iter().zip(&rest).map(point).collect()
    }

    /// The points at rest, with what displacers do to them.
    fn displaced(&self, fields: &Fields<'_>) -> Vec<[f64; 3]> {
        let mut rest = fields.points(self.coordinates, "point");
        self.influences.iter().for_each(|i| displace(fields, &i.displacers, &mut rest));
        rest
    }
}

/// Moves points by displacers, each with its weight.
pub fn displace(fields: &Fields<'_>, displacers: &[NodeId], points: &mut [[f64; 3]]) {
    for displacer in displacers {
        let weight = fields.number(*displacer, "weight", 0.0);
        if weight == 0.0 {
            continue;
        }
        let by = fields.points(*displacer, "displacements");
        for (point, by) in fields.indices(*displacer, "coordIndex").iter().zip(by) {
            if let Some(p) = usize::try_from(*point).ok().and_then(|k| points.get_mut(k)) {
                (0..3).for_each(|k| p[k] += weight * by[k]);
            }
        }
    }
}

/// The displacers that move the points of a shape at a place: those of the segment above it that has these points as its own.
pub fn displacers(fields: &Fields<'_>, places: &[Place], place: u32, coordinates: NodeId) -> Vec<NodeId> {
    let mut at = places[place as usize].parent;
    while let Some(above) = at {
        let Place { node, parent, .. } = places[above as usize];
        if fields.type_name(node) == "HAnimSegment" {
            let is_own = fields.node(node, "coord") == Some(coordinates);
            return if is_own { fields.nodes(node, "displacers") } else { Vec::new() };
        }
        at = parent;
    }
    Vec::new()
}
