//! Writes surfaces as Wavefront OBJ: snapshots of a scene, several objects to a file.

use std::io::{self, Write};

use sim_core::math::Vec3;

/// One object of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct ObjObject<'a> {
    /// Name; line breaks in it are written as blanks.
    pub name: &'a str,
    /// The material of its faces, if the file names any.
    pub material: Option<&'a str>,
    /// Positions [m].
    pub positions: &'a [Vec3],
    /// Edges, written as line elements.
    pub edges: &'a [[u32; 2]],
    /// Triangles.
    pub triangles: &'a [[u32; 3]],
    /// Quads.
    pub quads: &'a [[u32; 4]],
}

/// Writes the objects one after the other, numbers with round-trip precision.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_obj(out: &mut impl Write, objects: &[ObjObject]) -> io::Result<()> {
    let mut offset = 1;
    for object in objects {
        let line = |name: &str| name.replace(['\n', '\r'], " ");
        writeln!(out, "o {}", line(object.name))?;
        for x in object.positions {
            writeln!(out, "v {} {} {}", x.x, x.y, x.z)?;
        }
        if let Some(material) = object.material {
            writeln!(out, "usemtl {}", line(material))?;
        }
        write_elements(out, 'l', offset, object.edges)?;
        write_elements(out, 'f', offset, object.triangles)?;
        write_elements(out, 'f', offset, object.quads)?;
        offset += object.positions.len();
    }
    Ok(())
}

fn write_elements<const N: usize>(
    out: &mut impl Write,
    kind: char,
    offset: usize,
    elements: &[[u32; N]],
) -> io::Result<()> {
    for element in elements {
        write!(out, "{kind}")?;
        for i in element {
            write!(out, " {}", *i as usize + offset)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::obj;
    use super::*;

    #[test]
    fn two_objects_are_read_back_as_one_mesh() {
        let positions =
            [Vec3::new(0.1, 1e-300, -0.0), Vec3::new(1.0 / 3.0, 1e300, 2.0), Vec3::zeros(), Vec3::zeros()];
        let object = ObjObject {
            name: "a\nb",
            material: None,
            positions: &positions,
            edges: &[[0, 1]],
            triangles: &[[0, 1, 2]],
            quads: &[[0, 1, 2, 3]],
        };
        let mut file = Vec::new();
        write_obj(&mut file, &[object, object]).unwrap();
        let mesh = obj::parse(Path::new("m.obj"), &file, false, false).unwrap();
        assert_eq!(mesh.positions[..4], positions);
        assert_eq!(mesh.positions[4..], positions);
        assert_eq!(mesh.triangles, [[0, 1, 2], [4, 5, 6]]);
        assert_eq!(mesh.quads, [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(mesh.edges, [[0, 1], [4, 5]]);
    }
}
