//! `ReadState` and `CompareState`: states from a file.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::for_template;
use sim_core::math::{Coord, StateType, Vec3, quat_from_euler_degrees};
use sim_core::scene::StateId;

use super::compressed::read_text;
use super::state_text::{Frame, parse_frames};
use crate::value_syntax::Widths;

/// Gives a state the positions and velocities that a file holds for the time of each step.
#[derive(Attributes)]
#[attributes(ignored("interval"))]
struct Read {
    #[attribute(flatten)]
    file: File,
    /// stretches what is read, first
    #[attribute(default = "1")]
    scale_pos: f64,
    /// turns what is read about x, then y, then z [deg]
    #[attribute(default = "0 0 0")]
    rotation: Vec3,
    /// moves what is read, last [m]
    #[attribute(default = "0 0 0")]
    translation: Vec3,
}

/// Compares a state with what a file holds for the time of each step; the sums of the differences are reported.
#[derive(Attributes)]
#[attributes(ignored("interval", "scalePos", "rotation", "translation"))]
struct Compare {
    #[attribute(flatten)]
    file: File,
}

/// Which file, and how its times are meant.
#[derive(Attributes)]
struct File {
    /// file of times (`T=`), positions (`X=`) and velocities (`V=`), compressed if it ends in `.gz`
    #[attribute(kind = File)]
    _filename: String,
    /// what is added to the time before it is compared with those of the file [s]
    #[attribute(default = "0")]
    shift: f64,
    /// whether the file begins again at its end
    #[attribute(name = "loop")]
    repeats: bool,
}

/// `ReadState` in the registry.
pub(super) const READ: ComponentDescription =
    ComponentDescription::new::<Read>(Family::Playback, "ReadState", |b| {
        let s = Read::read(b)?;
        let mut file = StateFile::of(b, &s.file)?;
        let template = b.scene.initial(file.state).template();
        for_template!(template, S => {
            file.transform::<S>(&Vec3::from_element(s.scale_pos), &s.rotation, &s.translation);
        });
        b.keep(Some(file));
        Ok(())
    });

/// `CompareState` in the registry.
pub(super) const COMPARE: ComponentDescription =
    ComponentDescription::new::<Compare>(Family::Playback, "CompareState", |b| {
        let s = Compare::read(b)?;
        let file = StateFile::of(b, &s.file)?;
        b.keep(Some(StateComparison(file)));
        Ok(())
    });

/// What a file holds of a state.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// The state.
    pub state: StateId,
    /// In the order of the file.
    pub frames: Vec<Frame>,
    /// Added to the time before it is compared with those of the file [s].
    pub shift: f64,
    /// Whether it begins again at its end.
    pub repeats: bool,
}

/// What a state is compared with.
#[derive(Clone, Debug)]
pub struct StateComparison(
    /// The file.
    pub StateFile,
);

impl StateFile {
    /// Reads the file that a component names.
    fn of(b: &mut Builder<'_>, s: &File) -> Result<Self, BuildError> {
        let state = b.state()?;
        let path = b.file("filename")?;
        let wrong = |e: String| BuildError::attribute("filename", format!("{}: {e}", path.display()));
        let (text, is_cut) = read_text(&path).map_err(|e| wrong(e.to_string()))?;
        if is_cut {
            let message = format!("{} ends early; what stands before is read", path.display());
            b.warn(Some("filename"), message);
        }
        let frames = parse_frames(&text).map_err(wrong)?;
        if frames.is_empty() {
            b.warn(Some("filename"), format!("{}: there is no frame in it", path.display()));
        }
        let (n, template) = (b.scene.initial(state).len(), b.scene.initial(state).template());
        let widths = Widths::of_template(template).unwrap_or(Widths::VEC3);
        for f in &frames {
            let vectors =
                [("positions", &f.position, widths.coord), ("velocities", &f.velocity, widths.deriv)];
            for (what, values, width) in vectors {
                if let Some(given) = values.as_ref().map(Vec::len).filter(|given| *given != n * width) {
                    let (line, wanted) = (f.line, n * width);
                    let text = format!("line {line}: {given} numbers of {what}; the state has {wanted}");
                    return Err(wrong(text));
                }
            }
        }
        if s.repeats && frames.iter().all(|f| f.time <= 0.0) {
            return Err(wrong("no time in it is greater than 0, so that it cannot begin again".to_owned()));
        }
        Ok(Self { state, frames, shift: s.shift, repeats: s.repeats })
    }

    fn transform<S: StateType>(&mut self, scale: &Vec3, rotation: &Vec3, translation: &Vec3) {
        let none = *scale == Vec3::from_element(1.0) && *rotation == Vec3::zeros();
        if none && *translation == Vec3::zeros() {
            return;
        }
        let turn = quat_from_euler_degrees(*rotation);
        for position in self.frames.iter_mut().filter_map(|f| f.position.as_mut()) {
            let rows = position.chunks_exact(S::Coord::SIZE).filter_map(S::Coord::from_scalars);
            let mut moved = Vec::with_capacity(position.len());
            rows.for_each(|x| x.transformed(scale, &turn, translation).scalars(&mut moved));
            *position = moved;
        }
    }
}

/// How far a file has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadingPlace {
    /// The next frame.
    next: usize,
    /// When the file began again last [s].
    began: f64,
}

impl StateFile {
    /// The last of the frames that have become due at a time, if any have; those before it count as read.
    ///
    /// **Source:** SOFA's `ReadState`. A frame is due in the step that begins at its time or is the first to begin after it. Who asks adds a
    /// thousandth of the time step, since files have six digits; SOFA does not, and is a step late now and then.
    pub fn due(&self, place: &mut ReadingPlace, time: f64) -> Option<&Frame> {
        let time = time + self.shift;
        let mut due = None;
        loop {
            if place.next == self.frames.len() && self.repeats {
                place.began += self.frames.last().map_or(0.0, |f| f.time);
                place.next = 0;
            }
            match self.frames.get(place.next) {
                Some(frame) if frame.time + place.began <= time => {
                    due = Some(frame);
                    place.next += 1;
                }
                _ => return due,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load_text};

    fn file(repeats: bool) -> StateFile {
        let frames = parse_frames("T= 0\nX= 0\nT= 1\nX= 1\nT= 2\nX= 2").expect("frames");
        StateFile { state: StateId(0), frames, shift: 0.0, repeats }
    }

    fn read(file: &StateFile, times: &[f64]) -> Vec<Option<f64>> {
        let mut place = ReadingPlace::default();
        times.iter().map(|t| file.due(&mut place, *t).map(|f| f.time)).collect()
    }

    #[test]
    fn the_last_frame_that_is_due_counts_once() {
        assert_eq!(
            read(&file(false), &[0.0, 0.5, 1.0, 1.1, 5.0, 6.0]),
            [Some(0.0), None, Some(1.0), None, Some(2.0), None]
        );
        // The end of a turn is the beginning of the next.
        assert_eq!(
            read(&file(true), &[0.0, 1.0, 2.0, 3.0, 4.0]),
            [Some(0.0), Some(1.0), Some(0.0), Some(1.0), Some(0.0)]
        );
    }

    #[test]
    fn what_is_read_is_transformed_and_must_fit() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("state.txt");
        std::fs::write(&path, "T= 0\n  X= 1 0 0\n").expect("written");
        let load = |position: &str, more: &str| {
            let scene = format!(
                "<Node><MechanicalObject position='{position}'/><ReadState filename='{}' {more}/></Node>",
                path.display()
            );
            load_text(&scene, "test.scn", &LoadOptions::default())
        };
        let loaded = load("0 0 0", "scalePos='2' rotation='0 0 90' translation='0 0 1'").expect("loads");
        let scene = loaded.scene;
        let all: Vec<_> = scene.all_components().collect();
        let kept = all.iter().find_map(|c| scene.component(*c).extension::<StateFile>()).expect("a file");
        let x = kept.frames[0].position.as_deref().expect("positions");
        assert!((x[0]).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15 && (x[2] - 1.0).abs() < 1e-15, "{x:?}");
        let first_error = |position: &str, more: &str| {
            let error = load(position, more).err().expect("refused");
            error.errors().next().map(|e| e.message.clone()).unwrap_or_default()
        };
        let error = first_error("0 0 0 1 0 0", "");
        assert!(error.contains("line 1: 3 numbers of positions; the state has 6"), "{error}");
        let error = first_error("0 0 0", "loop='1'");
        assert!(error.contains("cannot begin again"), "{error}");
    }
}
