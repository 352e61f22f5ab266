//! Meshes without a file: `filename="generated:torus?major=1&minor=0.3&around=40&across=20"`.

use sim_core::math::Vec3;

use crate::diagnostics::did_you_mean;
use crate::mesh::{Mesh, generate};

/// What the file name of a generated mesh begins with.
pub const PREFIX: &str = "generated:";

/// A parameter: a length [m], or a number of divisions.
#[derive(Clone, Copy)]
enum Parameter {
    Length(&'static str, f64),
    /// A length that may be 0, and is where nothing is said.
    Height(&'static str),
    Count(&'static str, usize),
}
use Parameter::{Count, Height, Length};

struct Shape {
    name: &'static str,
    parameters: &'static [Parameter],
    make: fn(&Values) -> Mesh,
}

/// The values of a shape's parameters, in the order in which the shape lists them.
struct Values(Vec<f64>);

impl Values {
    fn length(&self, i: usize) -> f64 {
        self.0[i]
    }
    fn count(&self, i: usize) -> usize {
        self.0[i] as usize
    }
    fn size(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }
    fn cells(&self) -> [usize; 3] {
        [self.count(3), self.count(4), self.count(5)]
    }
}

const BOX: &[Parameter] =
    &[Length("x", 1.0), Length("y", 1.0), Length("z", 1.0), Count("nx", 4), Count("ny", 4), Count("nz", 4)];
const TORUS: &[Parameter] =
    &[Length("major", 0.7), Length("minor", 0.27), Count("around", 24), Count("across", 10)];
const SOLID_TORUS: &[Parameter] =
    &[Length("major", 0.7), Length("minor", 0.27), Count("around", 24), Count("across", 2)];
const KNOT: &[Parameter] = &[
    Count("p", 2),
    Count("q", 3),
    Length("major", 0.6),
    Length("minor", 0.27),
    Length("tube", 0.11),
    Count("along", 110),
    Count("across", 10),
];
const SOLID_KNOT: &[Parameter] = &[
    Count("p", 2),
    Count("q", 3),
    Length("major", 0.6),
    Length("minor", 0.27),
    Length("tube", 0.11),
    Count("along", 60),
    Count("across", 1),
];

const SHAPES: &[Shape] = &[
    Shape {
        name: "ball_tetrahedra",
        parameters: &[Length("radius", 0.75), Count("frequency", 4), Count("layers", 3)],
        make: |v| generate::ball_tetrahedra(v.length(0), v.count(1), v.count(2)),
    },
    Shape {
        name: "bowl",
        parameters: &[
            Length("radius", 6.0),
            Length("thickness", 0.3),
            Count("around", 48),
            Count("rings", 12),
            Height("rim"),
        ],
        make: |v| generate::bowl([v.length(0), v.length(1), v.length(4)], v.count(2), v.count(3)),
    },
    Shape { name: "box", parameters: BOX, make: |v| generate::box_surface(v.size(), v.cells()) },
    Shape { name: "box_hexahedra", parameters: BOX, make: |v| generate::box_hexahedra(v.size(), v.cells()) },
    Shape {
        name: "box_tetrahedra",
        parameters: BOX,
        make: |v| generate::box_tetrahedra(v.size(), v.cells()),
    },
    Shape {
        name: "cylinder",
        parameters: &[Length("radius", 0.4), Length("height", 1.6), Count("around", 24), Count("along", 10)],
        make: |v| generate::cylinder(v.length(0), v.length(1), v.count(2), v.count(3)),
    },
    Shape {
        name: "knot",
        parameters: KNOT,
        make: |v| {
            let sizes = [v.length(2), v.length(3), v.length(4)];
            generate::knot([v.count(0) as u32, v.count(1) as u32], sizes, v.count(5), v.count(6))
        },
    },
    Shape { name: "knot_tetrahedra", parameters: SOLID_KNOT, make: knot_tetrahedra },
    Shape {
        name: "sheet",
        parameters: &[Length("x", 10.0), Length("z", 10.0), Count("nx", 10), Count("nz", 10)],
        make: |v| generate::sheet(v.length(0), v.length(1), v.count(2), v.count(3)),
    },
    Shape {
        name: "sphere",
        parameters: &[Length("radius", 0.75), Count("frequency", 6)],
        make: |v| generate::sphere(v.length(0), v.count(1)),
    },
    Shape {
        name: "torus",
        parameters: TORUS,
        make: |v| generate::torus(v.length(0), v.length(1), v.count(2), v.count(3)),
    },
    Shape {
        name: "torus_hexahedra",
        parameters: SOLID_TORUS,
        make: |v| generate::torus_hexahedra(v.length(0), v.length(1), v.count(2), v.count(3)),
    },
    Shape {
        name: "torus_tetrahedra",
        parameters: SOLID_TORUS,
        make: |v| {
            let grid = generate::torus_hexahedra(v.length(0), v.length(1), v.count(2), v.count(3));
            generate::tetrahedra_of(&grid, [v.count(3), v.count(3)])
        },
    },
    Shape {
        name: "walls",
        parameters: &[
            Length("x", 8.0),
            Length("y", 6.0),
            Length("z", 8.0),
            Length("thickness", 0.5),
            Count("cells", 8),
        ],
        make: |v| generate::walls(v.size(), v.length(3), v.count(4)),
    },
];

fn knot_tetrahedra(v: &Values) -> Mesh {
    let sizes = [v.length(2), v.length(3), v.length(4)];
    let turns = [v.count(0) as u32, v.count(1) as u32];
    let grid = generate::knot_hexahedra(turns, sizes, v.count(5), v.count(6));
    generate::tetrahedra_of(&grid, [v.count(6), v.count(6)])
}

/// The mesh that a name behind [`PREFIX`] describes.
///
/// # Errors
/// One line: no such shape, no such parameter, or a value out of range.
pub fn mesh(name: &str) -> Result<Mesh, String> {
    let (shape, query) = name.split_once('?').unwrap_or((name, ""));
    let hint = |s: Option<String>| s.map_or_else(String::new, |s| format!("; {s}"));
    let Some(shape) = SHAPES.iter().find(|s| s.name == shape.trim()) else {
        let near = did_you_mean(shape, SHAPES.iter().map(|s| s.name));
        return Err(format!("there is no generated mesh `{shape}`{}", hint(near)));
    };
    let mut values = Values(shape.parameters.iter().map(|p| p.default()).collect());
    for part in query.split('&').filter(|p| !p.trim().is_empty()) {
        let (name, text) = part.split_once('=').unwrap_or((part, ""));
        let Some(i) = shape.parameters.iter().position(|p| p.name() == name.trim()) else {
            let near = did_you_mean(name, shape.parameters.iter().map(|p| p.name()));
            return Err(format!("a generated {} has no parameter `{name}`{}", shape.name, hint(near)));
        };
        values.0[i] = shape.parameters[i].read(text)?;
    }
    // Meshes have at most the product of all their divisions.
    let counts = shape.parameters.iter().zip(&values.0).filter(|(p, _)| matches!(p, Count(..)));
    if counts.map(|(_, v)| *v).product::<f64>() > 5e6 {
        return Err(format!("the generated {} would have more than 5 million cells", shape.name));
    }
    Ok((shape.make)(&values))
}

impl Parameter {
    fn name(&self) -> &'static str {
        match self {
            Length(name, _) | Height(name) | Count(name, _) => name,
        }
    }
    fn default(&self) -> f64 {
        match self {
            Length(_, v) => *v,
            Height(_) => 0.0,
            Count(_, n) => *n as f64,
        }
    }
    fn read(&self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        match self {
            Length(name, _) => {
                let value = text.parse::<f64>().ok().filter(|v| (1e-6..=1e6).contains(v));
                value.ok_or_else(|| format!("`{name}` must be a length between 1e-6 and 1e6, not `{text}`"))
            }
            Height(name) => {
                let value = text.parse::<f64>().ok().filter(|v| (0.0..=1e6).contains(v));
                value.ok_or_else(|| format!("`{name}` must be a length between 0 and 1e6, not `{text}`"))
            }
            Count(name, _) => {
                let value = text.parse::<u32>().ok().filter(|n| (1..=10_000).contains(n)).map(f64::from);
                value.ok_or_else(|| format!("`{name}` must be an integer between 1 and 10000, not `{text}`"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_points_and_elements() {
        assert!(SHAPES.is_sorted_by_key(|s| s.name));
        for s in SHAPES {
            let m = mesh(s.name).expect("a mesh");
            let elements = m.triangles.len() + m.tetrahedra.len() + m.hexahedra.len();
            assert!(!m.positions.is_empty() && elements > 0, "{}", s.name);
        }
        assert_eq!(mesh("torus?around=5&across=4").expect("a torus").positions.len(), 20);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(mesh("tors").expect_err("no shape").contains("did you mean `torus`?"));
        assert!(mesh("torus?majr=1").expect_err("no parameter").contains("did you mean `major`?"));
        assert!(mesh("torus?major=-1").expect_err("range").contains("between"));
        assert!(mesh("torus?around=x").expect_err("integer").contains("integer"));
        assert!(mesh("torus?around=9999&across=9999").expect_err("too large").contains("5 million"));
    }
}
