//! Meshes: what `VTKExporter`, `MeshExporter`, `STLExporter` and `VisualModelOBJExporter` write.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use scenes::mesh::write_stl::write_stl;
use scenes::mesh::write_vtk::write_vtk;
use scenes::mesh::write_vtu::write_vtu;
use scenes::playback::{ExportTimes, MeshFiles, ObjFile, StlFile, VtkFile};
use sim_core::scene::{Component, ComponentId};

use super::{Place, RecordError, files, visual};
use crate::simulation::Simulation;

/// Significant digits of a `VTKExporter`.
const VTK_DIGITS: usize = 6;

/// One exporter.
pub(super) struct MeshRecorder {
    component: ComponentId,
    what: What,
    /// The files' name without what is put behind it.
    name: String,
    /// Steps so far.
    steps: u64,
    /// Files so far.
    files: u64,
}

#[derive(Clone)]
pub(super) enum What {
    Vtk(VtkFile),
    Mesh(MeshFiles),
    Stl(StlFile),
    Obj(ObjFile),
}

impl What {
    pub(super) fn of(c: &Component) -> Option<Self> {
        let vtk = || c.extension().cloned().map(Self::Vtk);
        let mesh = || c.extension().cloned().map(Self::Mesh);
        let stl = || c.extension().cloned().map(Self::Stl);
        vtk().or_else(mesh).or_else(stl).or_else(|| c.extension().cloned().map(Self::Obj))
    }

    /// The files that it writes again and again, if their name begins so; numbers are 0. Those of names with counts are known when they
    /// are written.
    pub(super) fn files(&self, name: &str) -> Vec<String> {
        let number = if self.times().every > 0 { "00000" } else { "" };
        match self {
            _ if !self.times().writes() => Vec::new(),
            Self::Vtk(w) => vec![files::vtk_name(w, name, 0)],
            Self::Mesh(_) if name.contains('%') => Vec::new(),
            Self::Mesh(w) => {
                let parts = w.formats.iter().flat_map(|format| files::parts(*format, w.elements));
                parts.map(|(ending, _)| format!("{name}{number}.{ending}")).collect()
            }
            Self::Stl(_) => vec![format!("{name}{number}.stl")],
            Self::Obj(_) => {
                let stem = format!("{name}{number}");
                let stem = stem.strip_suffix(".obj").unwrap_or(&stem);
                vec![format!("{stem}.obj"), format!("{stem}.mtl")]
            }
        }
    }

    pub(super) fn times(&self) -> &ExportTimes {
        match self {
            Self::Vtk(w) => &w.times,
            Self::Mesh(w) => &w.times,
            Self::Stl(w) => &w.times,
            Self::Obj(w) => &w.times,
        }
    }
}

impl MeshRecorder {
    /// Of a component, if it is an exporter of meshes.
    pub(super) fn of(simulation: &Simulation, component: ComponentId, name: &str) -> Option<Self> {
        let what = What::of(simulation.world().scene.component(component))?;
        Some(Self { component, what, name: name.to_owned(), steps: 0, files: 0 })
    }

    /// Whether a component is one.
    pub(super) fn is(component: &Component) -> bool {
        What::of(component).is_some()
    }

    pub(super) fn begin(&mut self, simulation: &Simulation, place: &mut Place) -> Result<(), RecordError> {
        if self.what.times().at_begin { self.write(simulation, place) } else { Ok(()) }
    }

    pub(super) fn after_step(
        &mut self,
        simulation: &Simulation,
        place: &mut Place,
    ) -> Result<(), RecordError> {
        self.steps += 1;
        let every = self.what.times().every;
        if every > 0 && self.steps.is_multiple_of(every) { self.write(simulation, place) } else { Ok(()) }
    }

    pub(super) fn finish(&mut self, simulation: &Simulation, place: &mut Place) -> Result<(), RecordError> {
        if self.what.times().at_end { self.write(simulation, place) } else { Ok(()) }
    }

    fn write(&mut self, simulation: &Simulation, place: &mut Place) -> Result<(), RecordError> {
        let scene = &simulation.world().scene;
        if !scene.has_component(self.component) {
            return Ok(());
        }
        let component = self.component;
        let owner = scene.path(component);
        let base = self.name.clone();
        let mut create = |name: &str, fill: &dyn Fn(&mut BufWriter<File>) -> io::Result<()>| {
            let path = place.path(name);
            let file = place.create(&path, &owner).map(BufWriter::new);
            let written = file.and_then(|mut out| fill(&mut out).and_then(|()| out.flush()));
            written.map_err(|e| RecordError::new(simulation, component, &path, e))
        };
        match &self.what {
            What::Vtk(w) => {
                let mesh = files::mesh(simulation, w.topology, &w.points, w.elements);
                let points = files::data_arrays(simulation, &w.point_fields, mesh.positions.len());
                let cells = files::data_arrays(simulation, &w.cell_fields, files::n_elements(&mesh));
                let data = [&points[..], &cells[..]];
                create(&files::vtk_name(w, &base, self.files), &|out| match w.xml {
                    true => write_vtu(out, &mesh, data, VTK_DIGITS),
                    false => write_vtk(out, "Exported VTK file", &mesh, data, VTK_DIGITS),
                })?;
            }
            What::Mesh(w) => {
                let mesh = files::mesh(simulation, w.topology, &w.points, w.elements);
                let name = self.numbered(files::with_counts(&base, &mesh, self.steps));
                for format in &w.formats {
                    for (ending, fill) in files::parts(*format, w.elements) {
                        create(&format!("{name}.{ending}"), &|out| fill(out, &mesh))?;
                    }
                }
            }
            What::Stl(w) => {
                let positions = files::positions(simulation, &w.points);
                let name = self.numbered(base);
                create(&format!("{name}.stl"), &|out| write_stl(out, &positions, &w.triangles, w.binary))?;
            }
            What::Obj(w) => {
                let numbered = self.numbered(base);
                let name = numbered.strip_suffix(".obj").unwrap_or(&numbered);
                let seen = visual::seen_below(simulation, w.node);
                if seen.is_empty() {
                    log::warn!("{}: there is no visual model in its node or below", scene.path(component));
                }
                let states = visual::present(simulation);
                create(&format!("{name}.obj"), &|out| visual::write(out, name, &seen, &states))?;
                create(&format!("{name}.mtl"), &|out| visual::write_materials(out, &seen))?;
            }
        }
        self.files += 1;
        Ok(())
    }

    /// With the number of the export behind it, where files are written after steps.
    fn numbered(&self, name: String) -> String {
        match self.steps.checked_div(self.what.times().every) {
            Some(number) => format!("{name}{number:05}"),
            None => name,
        }
    }
}
