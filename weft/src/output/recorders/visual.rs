//! Visual models in files.

use std::collections::BTreeSet;
use std::io::{self, Write};

use scenes::mesh::write_obj::{ObjObject, write_obj};
use sim_core::math::Vec3;
use sim_core::scene::{ComponentId, NodeId};
use viewer::surface::{Role, Rows, Surface, surfaces};

use crate::simulation::Simulation;

/// The present points of a visual model [m].
pub(super) fn positions(simulation: &Simulation, component: ComponentId) -> Vec<Vec3> {
    let path = simulation.world().scene.path(component);
    let states = present(simulation);
    let all = surfaces(simulation.world(), &simulation.state_order());
    let own = all.iter().find(|s| s.role == Role::Visual && s.path == path);
    own.map(|s| s.motion.points(&states)).unwrap_or_default()
}

/// The positions of all states, in the order of the scene.
pub(super) fn present(simulation: &Simulation) -> Vec<Rows> {
    let rows = |state| {
        let mut rows = Rows::default();
        rows.stride = simulation.append_positions(state, &mut rows.values);
        rows
    };
    simulation.state_order().into_iter().map(rows).collect()
}

/// The visual models of a node and below.
pub(super) fn seen_below(simulation: &Simulation, node: NodeId) -> Vec<Surface> {
    let scene = &simulation.world().scene;
    let nodes = scene.depth_first_from(node);
    let paths: BTreeSet<String> =
        nodes.iter().flat_map(|n| scene.components_of(*n)).map(|c| scene.path(c)).collect();
    let mut all = surfaces(simulation.world(), &simulation.state_order());
    all.retain(|s| s.role == Role::Visual && paths.contains(&s.path));
    all
}

/// Writes visual models, each with its material.
pub(super) fn write(out: &mut impl Write, name: &str, seen: &[Surface], states: &[Rows]) -> io::Result<()> {
    let file = name.rsplit('/').next().unwrap_or(name);
    writeln!(out, "mtllib {file}.mtl")?;
    let points: Vec<Vec<Vec3>> = seen.iter().map(|s| s.motion.points(states)).collect();
    let objects: Vec<ObjObject<'_>> = seen
        .iter()
        .zip(&points)
        .map(|(s, positions)| ObjObject {
            name: &s.path,
            material: Some(&s.path),
            positions,
            edges: &s.faces.lines,
            triangles: &s.faces.triangles,
            quads: &s.faces.quads,
        })
        .collect();
    write_obj(out, &objects)
}

/// Writes the materials of visual models: their colors.
pub(super) fn write_materials(out: &mut impl Write, seen: &[Surface]) -> io::Result<()> {
    for s in seen {
        let [r, g, b, a] = s.look.color;
        writeln!(out, "newmtl {}\nKd {r} {g} {b}\nd {a}", s.path.replace(['\n', '\r'], " "))?;
        if let Some(texture) = &s.look.texture {
            writeln!(out, "map_Kd {}", texture.display())?;
        }
    }
    Ok(())
}
