//! Writes a mesh in Gmsh's format 2.2, for generated volumes that a scene file is to load.

use std::io::{self, Write};

use super::Mesh;

/// Writes nodes and elements as text, numbers with round-trip precision.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_gmsh(out: &mut impl Write, mesh: &Mesh) -> io::Result<()> {
    writeln!(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}", mesh.positions.len())?;
    for (i, x) in mesh.positions.iter().enumerate() {
        writeln!(out, "{} {} {} {}", i + 1, x.x, x.y, x.z)?;
    }
    let n = mesh.edges.len()
        + mesh.triangles.len()
        + mesh.quads.len()
        + mesh.tetrahedra.len()
        + mesh.hexahedra.len();
    writeln!(out, "$EndNodes\n$Elements\n{n}")?;
    let mut number = 0;
    write_elements(out, &mut number, 1, &mesh.edges)?;
    write_elements(out, &mut number, 2, &mesh.triangles)?;
    write_elements(out, &mut number, 3, &mesh.quads)?;
    write_elements(out, &mut number, 4, &mesh.tetrahedra)?;
    write_elements(out, &mut number, 5, &mesh.hexahedra)?;
    writeln!(out, "$EndElements")
}

fn write_elements<const N: usize>(
    out: &mut impl Write,
    number: &mut usize,
    kind: u32,
    elements: &[[u32; N]],
) -> io::Result<()> {
    for element in elements {
        *number += 1;
        write!(out, "{number} {kind} 0")?;
        for i in element {
            write!(out, " {}", u64::from(*i) + 1)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sim_core::math::Vec3;

    use super::super::gmsh;
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mesh = Mesh {
            positions: (0..8).map(|i| Vec3::new(f64::from(i) / 3.0, 0.1, -1e-17)).collect(),
            edges: vec![[0, 1]],
            triangles: vec![[0, 1, 2]],
            quads: vec![[0, 1, 2, 3]],
            tetrahedra: vec![[4, 5, 6, 7]],
            hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]],
            ..Mesh::default()
        };
        let mut file = Vec::new();
        write_gmsh(&mut file, &mesh).unwrap();
        assert_eq!(gmsh::parse(Path::new("m.msh"), &file).unwrap(), mesh);
    }
}
