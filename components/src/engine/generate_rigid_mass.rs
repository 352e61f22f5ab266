//! `GenerateRigidMass`: mass, centre and inertia of what a closed surface holds.

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Mat3, Vec3};

/// Mass, centre and inertia of what a closed surface holds, as a rigid body of one density.
#[derive(Attributes)]
#[attributes(
    ignored("rigidMass", "mass", "volume", "inertiaMatrix", "massCenter", "centerToOrigin"),
    unsupported("polygons", summary = "faces of more than four corners")
)]
struct Settings {
    /// density [kg/m^3]
    #[attribute(default = "1000", positive)]
    density: f64,
    /// points of the surface [m]
    position: Vec<Vec3>,
    /// triangles, counter-clockwise from outside
    triangles: Option<IndexRows<3>>,
    /// quads, likewise
    quads: Option<IndexRows<4>>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "GenerateRigidMass", build).templates(&["Rigid3"]);

/// What a body of density 1 has: volume [m^3], first moments [m^4], second moments [m^5].
#[derive(Default)]
struct Moments {
    volume: f64,
    first: Vec3,
    second: Mat3,
}

impl Moments {
    /// Adds the tetrahedron of the origin and a face.
    fn add(&mut self, corners: [Vec3; 3]) {
        let [a, b, c] = corners;
        let volume = a.dot(&b.cross(&c)) / 6.0;
        let sum = a + b + c;
        let squares: Mat3 = corners.iter().map(|x| x * x.transpose()).sum();
        self.volume += volume;
        self.first += sum * (volume / 4.0);
        self.second += (squares + sum * sum.transpose()) * (volume / 20.0);
    }

    /// The inertia about the centre, over the volume [m^2].
    fn inertia(&self) -> Mat3 {
        let center = self.first / self.volume;
        let about_center = self.second / self.volume - center * center.transpose();
        Mat3::identity() * about_center.trace() - about_center
    }
}

/// **Source:** as SOFA's: a quad is two triangles, of its first three corners and of the first, third and fourth; the inertia is about the
/// centre, divided by the mass.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = s.position.len();
    let triangles = s.triangles.map(|t| t.below(n)).transpose()?.unwrap_or_default();
    let quads = s.quads.map(|q| q.below(n)).transpose()?.unwrap_or_default();
    let halves = |q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    let mut moments = Moments::default();
    for face in triangles.iter().copied().chain(quads.iter().flat_map(halves)) {
        moments.add(face.map(|p| s.position[p as usize]));
    }
    if moments.volume <= 0.0 {
        let text =
            format!("the surface holds a volume of {}; is it closed and seen from outside?", moments.volume);
        if moments.volume == 0.0 {
            return Err(BuildError::attribute("triangles", text));
        }
        b.warn(Some("triangles"), text);
    }
    let (mass, center, inertia) =
        (s.density * moments.volume, moments.first / moments.volume, moments.inertia());
    let inertia: Vec<f64> = inertia.transpose().iter().copied().collect();
    b.offer("rigidMass", Value::Reals([&[mass, moments.volume][..], &inertia].concat()));
    b.offer("inertiaMatrix", Value::Reals(inertia));
    b.offer("mass", Value::Real(mass));
    b.offer("volume", Value::Real(moments.volume));
    b.offer("massCenter", Value::from_points(&[center]));
    b.offer("centerToOrigin", Value::from_points(&[-center]));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn a_box_has_its_inertia() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [
            ("density", "2"),
            ("position", "1 1 1 3 1 1 3 4 1 1 4 1 1 1 5 3 1 5 3 4 5 1 4 5"),
            ("quads", "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6"),
            ("triangles", "3 0 4 3 4 7"),
        ];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let get = |name: &str| t.scene.component(c).fields[name].reals().unwrap();
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(
            near(&get("massCenter"), &[2.0, 2.5, 3.0]) && near(&get("centerToOrigin"), &[-2.0, -2.5, -3.0])
        );
        let (x, y, z) = (4.0 / 12.0, 9.0 / 12.0, 16.0 / 12.0);
        let inertia = [y + z, 0.0, 0.0, 0.0, x + z, 0.0, 0.0, 0.0, x + y];
        assert!(near(&get("rigidMass"), &[48.0, 24.0]) && near(&get("rigidMass")[2..], &inertia));
        let flat = [given[1], ("triangles", "0 1 2 0 2 1")];
        assert!(t.add(&DESCRIPTION, root, &flat).is_err());
    }
}
