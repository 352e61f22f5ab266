//! Moments of inertia.

use animation::event::NodeId;
use animation::event::field::Value;

use super::reader::Reader;

/// A symmetric matrix, row after row \[kg m^2\].
pub(super) type Inertia = [f64; 9];

fn diagonal([x, y, z]: [f64; 3]) -> Inertia {
    [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
}

/// Whether all of its leading minors are positive, and it is symmetric.
pub(super) fn is_positive(m: &Inertia) -> bool {
    let second = m[0] * m[4] - m[1] * m[3];
    let third = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
        + m[2] * (m[3] * m[7] - m[4] * m[6]);
    let largest = m.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let is_symmetric = [(1, 3), (2, 6), (5, 7)].iter().all(|(a, b)| (m[*a] - m[*b]).abs() <= 1e-6 * largest);
    m.iter().all(|c| c.is_finite()) && m[0] > 0.0 && second > 0.0 && third > 0.0 && is_symmetric
}

impl Reader<'_> {
    /// The moments of inertia of a body about its center of mass: those of its massDensityModel, else its own.
    pub(super) fn inertia(&mut self, body: NodeId, mass: f64) -> Inertia {
        if let Some(model) = self.node(body, "massDensityModel") {
            // Some files have a Shape there.
            let geometry = match self.fields.type_name(model) {
                "Shape" => self.node(model, "geometry"),
                _ => Some(model),
            };
            if let Some(inertia) = geometry.and_then(|g| self.of_geometry(g, mass)) {
                return inertia;
            }
            let text = "no Box, Sphere, Cone or Cylinder: the field `inertia` counts";
            self.warn(body, "massDensityModel", text);
        }
        match self.fields.get(body, "inertia") {
            Some(Value::SFMatrix3f(m)) => m.map(f64::from),
            Some(Value::SFMatrix3d(m)) => *m,
            _ => diagonal([1.0; 3]),
        }
    }

    fn of_geometry(&self, geometry: NodeId, mass: f64) -> Option<Inertia> {
        let number = |name, otherwise| self.fields.number(geometry, name, otherwise);
        let square = |x: f64| x * x;
        Some(diagonal(match self.fields.type_name(geometry) {
            "Box" => {
                let [x, y, z] = self.fields.three(geometry, "size", [2.0; 3]).map(square);
                [y + z, x + z, x + y].map(|sum| mass * sum / 12.0)
            }
            "Sphere" => [0.4 * mass * square(number("radius", 1.0)); 3],
            "Cylinder" => {
                let (r, h) = (square(number("radius", 1.0)), square(number("height", 2.0)));
                let across = mass * (3.0 * r + h) / 12.0;
                [across, 0.5 * mass * r, across]
            }
            "Cone" => {
                let (r, h) = (square(number("bottomRadius", 1.0)), square(number("height", 2.0)));
                let across = mass * (0.15 * r + 0.0375 * h);
                [across, 0.3 * mass * r, across]
            }
            _ => return None,
        }))
    }
}
