//! `WriteTopology`: elements into a file.

use std::io::{self, Write};

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::scene::ComponentId;
use sim_core::topology::Topology;

use crate::mesh::General;

/// Significant digits of the times.
const DIGITS: usize = 6;

/// Writes the elements of a topology into a file, at given times, then in steps of a period.
#[derive(Attributes)]
#[attributes(ignored("interval", "writeShellContainers"))]
struct Settings {
    /// file; compressed if it ends in `.gz`
    filename: Option<String>,
    /// whether elements are written; else times alone
    #[attribute(default = "1")]
    write_containers: bool,
    /// times of the first frames [s]
    time: Vec<f64>,
    /// time between frames after those; 0 for every step [s]
    #[attribute(default = "0", non_negative)]
    period: f64,
    /// topology to write; the last of this node, or above, if not given
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "WriteTopology", build);

/// What is written of a topology, and when.
///
/// **Source:** SOFA's `WriteTopology`: it writes at the beginning of a step, the elements and time with which the step begins: of edges,
/// triangles, quads, tetrahedra and hexahedra their number, then a line with the nodes of all. After the times that are listed (and time 0
/// where none is) a frame is due once the period has gone since the last one.
#[derive(Clone, Debug)]
pub struct TopologyWriter {
    /// The topology.
    pub topology: ComponentId,
    /// The file as the scene names it.
    pub filename: String,
    /// Whether elements are written.
    pub elements: bool,
    /// Times of the first frames [s].
    pub times: Vec<f64>,
    /// Time between frames after those [s].
    pub period: f64,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = b.topology_component(TopologySearch::Last).ok_or_else(|| {
        BuildError::attribute("topology", "there is no topology to write; put one in this node")
    })?;
    let Some(filename) = s.filename.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()) else {
        b.warn(Some("filename"), "no file is given; nothing is written");
        return Ok(());
    };
    b.keep(Some(TopologyWriter {
        topology,
        filename,
        elements: s.write_containers,
        times: s.time,
        period: s.period,
    }));
    Ok(())
}

/// Writes a frame as SOFA's `WriteTopology` does.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_elements(out: &mut impl Write, time: f64, topology: Option<&Topology>) -> io::Result<()> {
    writeln!(out, "T= {}", General(time, DIGITS))?;
    let Some(t) = topology else { return Ok(()) };
    list(out, "Edges", &t.edges)?;
    list(out, "Triangles", &t.triangles)?;
    list(out, "Quads", &t.quads)?;
    list(out, "Tetrahedra", &t.tetrahedra)?;
    list(out, "Hexahedra", &t.hexahedra)
}

fn list<const N: usize>(out: &mut impl Write, name: &str, elements: &[[u32; N]]) -> io::Result<()> {
    writeln!(out, "  {name}= {}", elements.len())?;
    for (k, node) in elements.as_flattened().iter().enumerate() {
        write!(out, "{}{node}", if k > 0 { " " } else { "" })?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    #[test]
    fn a_frame_is_as_sofas() {
        let t = Topology { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Topology::empty(TopologyKind::Mesh) };
        let mut out = Vec::new();
        write_elements(&mut out, 0.5, Some(&t)).expect("a Vec takes everything");
        let text = String::from_utf8(out).expect("text");
        let wanted = "T= 0.5\n  Edges= 0\n\n  Triangles= 2\n0 1 2 0 2 3\n  Quads= 0\n\n  Tetrahedra= 0\n\n  Hexahedra= 0\n\n";
        assert_eq!(text, wanted);
    }
}
