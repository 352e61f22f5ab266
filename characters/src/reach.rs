//! Warnings of numbers that grow beyond single precision when a character is played.

use animation::skeleton::{Clip, Mesh, Reach};

use crate::character::Character;

/// What is greater may overflow where numbers are summed and rounded.
const MOST: f64 = f32::MAX as f64 / 8.0;

impl Character {
    /// The same, with a warning for each clip in which joints or vertices may go beyond single precision; one for all if they do so at rest.
    pub(crate) fn with_warnings_of_reach(mut self) -> Self {
        let sizes: Vec<Sizes> = self.meshes.iter().map(Sizes::of).collect();
        let at_rest = self.beyond(None, &sizes).map(|what| format!("{what} at rest"));
        let warnings: Vec<String> = match at_rest {
            Some(what) => vec![what],
            None => {
                let in_clip = |clip: &Clip| {
                    let what = self.beyond(Some(clip), &sizes)?;
                    Some(format!("{what} in the clip `{}`", clip.name()))
                };
                self.clips.iter().filter_map(in_clip).collect()
            }
        };
        let why = "single precision ends at 3.4e38, beyond which poses are not finite";
        self.warnings.extend(warnings.into_iter().map(|what| format!("{what}: {why}")));
        self
    }

    /// What goes too far, and how far.
    fn beyond(&self, clip: Option<&Clip>, sizes: &[Sizes]) -> Option<String> {
        let reach = self.skeleton.reach(clip);
        for (joint, of) in self.skeleton.joints().iter().zip(&reach) {
            if is_beyond(of.scale) {
                return Some(format!("joint `{}` may be scaled by {:.1e}", joint.name, of.scale));
            }
            if is_beyond(of.distance) {
                return Some(format!("joint `{}` may be {:.1e} from the origin", joint.name, of.distance));
            }
        }
        for ((k, mesh), size) in (0..).zip(&self.meshes).zip(sizes) {
            let weight = clip.and_then(|clip| clip.greatest_weight(k));
            let at_rest = mesh.weights.iter().fold(0.0, |most: f64, w| most.max(f64::from(w.abs())));
            let distance = size.position + weight.unwrap_or(at_rest) * size.targets;
            let vertex = self.carrier(mesh, &reach).of(Reach { scale: 1.0, distance });
            // Normals are turned by products of two columns and made of length one: squares of these are summed.
            if !mesh.normals.is_empty() && is_beyond(12.0 * vertex.scale.powi(4)) {
                return Some(format!("normals of `{}` may be scaled by {:.1e}", mesh.name, vertex.scale));
            }
            if is_beyond(vertex.distance) {
                let name = &mesh.name;
                return Some(format!("vertices of `{name}` may be {:.1e} from the origin", vertex.distance));
            }
        }
        None
    }

    /// The reach of all that moves a mesh's vertices.
    fn carrier(&self, mesh: &Mesh, reach: &[Reach]) -> Reach {
        let Some((skin, _)) = &mesh.skin else { return reach[mesh.joint as usize] };
        let of = &self.skins[*skin as usize];
        let matrices = of.joints().iter().zip(of.inverse_binds()).map(|(joint, bind)| {
            let of = |columns: &[[f32; 4]]| {
                columns.as_flattened().iter().fold(0.0, |most: f64, x| most.max(f64::from(x.abs())))
            };
            // Three columns of numbers that are at most so large.
            reach[*joint as usize].of(Reach { scale: 3.0 * of(&bind[..3]), distance: of(&bind[3..]) })
        });
        let none = Reach { scale: 0.0, distance: 0.0 };
        matrices
            .fold(none, |a, b| Reach { scale: a.scale.max(b.scale), distance: a.distance.max(b.distance) })
    }
}

fn is_beyond(size: f64) -> bool {
    size.is_nan() || size > MOST
}

/// The greatest numbers of a mesh.
struct Sizes {
    position: f64,
    /// Of all targets together.
    targets: f64,
}

impl Sizes {
    fn of(mesh: &Mesh) -> Self {
        let greatest =
            |of: &[[f32; 3]]| of.as_flattened().iter().fold(0.0, |most: f64, x| most.max(f64::from(x.abs())));
        let targets = mesh.targets.iter().map(|t| greatest(&t.positions)).sum();
        Self { position: greatest(&mesh.positions), targets }
    }
}
