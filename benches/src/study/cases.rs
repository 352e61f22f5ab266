//! What each study runs: scenes, executors, and the control.

use super::Study;

/// A gallery scene with its parameters, and the steps that count.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyScene {
    /// Its name in the gallery.
    pub name: &'static str,
    /// Parameters, as `NAME=VALUE`.
    pub set: Vec<String>,
    /// Steps that are run.
    pub steps: u32,
    /// The first step that counts.
    pub from: u32,
}

/// A scene whose speedup is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name, also of its files.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// The scene.
    pub scene: StudyScene,
    /// The work that the machine's limit is measured with.
    pub control: Control,
    /// Whether the integration alone is what the paper's figure shows; else the whole step.
    pub integration: bool,
}

/// Work that can be done in independent parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// So many bars.
    Bars {
        /// Number of bars.
        objects: u32,
        /// Steps that are run.
        steps: u32,
        /// The first step that counts.
        from: u32,
    },
    /// A sheet of so many particles along an edge: parts are smaller sheets.
    Sheet {
        /// Particles along an edge.
        size: u32,
        /// The pieces that it is cut into.
        pieces: &'static str,
        /// Steps that are run.
        steps: u32,
        /// The first step that counts.
        from: u32,
    },
}

/// What a variant is in the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// What speedups refer to.
    Sequential,
    /// The same once more: how far two equal runs differ.
    SequentialAgain,
    /// An executor, placed by a partitioner.
    Executor,
    /// All of the control's work in one process, where that is not the case's own.
    ControlWhole,
    /// As many processes as workers, each with its part of the control's work, times `work` so that the parts are
    /// exactly the whole.
    ControlParts {
        /// A worker's share of the whole by the work of a part.
        work: f64,
    },
}

/// One way of running a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What it is in the comparison.
    pub role: Role,
    /// The scene, of the case or its control.
    pub scene: StudyScene,
    /// The executor.
    pub executor: &'static str,
    /// The partitioner, where there is a choice.
    pub partitioner: Option<&'static str>,
    /// Number of workers (processes, for the control's parts).
    pub workers: u32,
}

impl Variant {
    /// Its name without the number of workers.
    pub fn way(&self) -> String {
        match (self.role, self.partitioner) {
            (Role::SequentialAgain, _) => "sequential again".to_owned(),
            (Role::ControlWhole, _) => "control, all in one process".to_owned(),
            (Role::ControlParts { .. }, _) => "control, a part per process".to_owned(),
            (_, Some(partitioner)) => format!("{} {partitioner}", self.executor),
            (_, None) => self.executor.to_owned(),
        }
    }
}

/// The cases of a study; quick ones take moments and say nothing.
pub fn of(study: Study, quick: bool) -> Vec<Case> {
    let scene = |name, set: &[String], steps: (u32, u32)| StudyScene {
        name,
        set: set.to_vec(),
        steps: if quick { 4 } else { steps.0 },
        from: if quick { 1 } else { steps.1 },
    };
    let (steps, from) = if quick { (4, 1) } else { (150, 20) };
    let objects = if quick { 4 } else { 64 };
    let bars = Control::Bars { objects, steps, from };
    match study {
        // They have pages of their own, and no cases.
        Study::Rig | Study::Events | Study::Crowd | Study::Game | Study::World => Vec::new(),
        Study::Bars => vec![Case {
            name: "bars".to_owned(),
            title: format!("{objects} independent bars of 256 particles"),
            scene: scene("bars", &[format!("objects={objects}")], (150, 20)),
            control: bars,
            integration: false,
        }],
        Study::Falling => {
            let objects = if quick { 5 } else { 40 };
            let with_objects =
                [format!("objects={objects}"), "friction=0".to_owned(), "sleeping=0".to_owned()];
            let case = |name: &str, title: &str, steps| Case {
                name: name.to_owned(),
                title: format!("{objects} objects of five kinds, {title}"),
                // A heap that is measured must neither sleep nor have what SOFA's has not.
                scene: scene("falling", &with_objects, steps),
                control: bars,
                integration: true,
            };
            vec![case("falling", "while they fall", (160, 10)), case("heap", "as one group", (700, 600))]
        }
        Study::Cloth => {
            let sizes = if quick { [12, 16, 24] } else { [128, 256, 512] };
            let steps = [(60, 10), (30, 10), (14, 8)];
            // Small sheets would not be cut by their size.
            let pieces = if quick { "4" } else { "auto" };
            let case = |(size, steps): (u32, (u32, u32))| {
                let scene = scene("cloth", &[format!("size={size}"), format!("pieces={pieces}")], steps);
                Case {
                    name: format!("cloth{size}"),
                    title: format!("a sheet of {size} x {size} particles, cut by size"),
                    control: Control::Sheet { size, pieces, steps: scene.steps, from: scene.from },
                    scene,
                    integration: false,
                }
            };
            sizes.into_iter().zip(steps).map(case).collect()
        }
    }
}

impl Case {
    /// Everything that one round runs.
    pub fn variants(&self, workers: &[u32]) -> Vec<Variant> {
        let variant = |role, scene: &StudyScene, executor, partitioner, workers| Variant {
            role,
            scene: scene.clone(),
            executor,
            partitioner,
            workers,
        };
        let own =
            |role, executor, partitioner, workers| variant(role, &self.scene, executor, partitioner, workers);
        let (whole, _) = self.control.scene(1);
        let mut all = vec![
            own(Role::Sequential, "sequential", None, 1),
            own(Role::SequentialAgain, "sequential", None, 1),
        ];
        // Else replay on one worker is that already.
        if whole != self.scene {
            all.push(variant(Role::ControlWhole, &whole, "replay", None, 1));
        }
        for &n in workers {
            // One worker leaves nothing to place.
            let partitioners = if n == 1 { &[None][..] } else { &[Some("metis"), Some("owner")] };
            for partitioner in partitioners {
                all.push(own(Role::Executor, "replay", *partitioner, n));
            }
            all.push(own(Role::Executor, "stealing", None, n));
            all.push(own(Role::Executor, "fork-join", None, n));
            if n > 1 {
                let (part, work) = self.control.scene(n);
                all.push(variant(Role::ControlParts { work }, &part, "replay", None, n));
            }
        }
        all
    }
}

impl Control {
    /// One of `n` parts, and the exact share of the whole by its work.
    fn scene(self, n: u32) -> (StudyScene, f64) {
        match self {
            Self::Bars { objects, steps, from } => {
                let part = (objects / n).max(1);
                let set = vec![format!("objects={part}")];
                let work = f64::from(objects) / f64::from(n) / f64::from(part);
                (StudyScene { name: "bars", set, steps, from }, work)
            }
            Self::Sheet { size, pieces, steps, from } => {
                let part = (f64::from(size) / f64::from(n).sqrt()).round().max(2.0);
                let set = vec![format!("size={part}"), format!("pieces={pieces}")];
                let work = f64::from(size).powi(2) / f64::from(n) / part.powi(2);
                (StudyScene { name: "cloth", set, steps, from }, work)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        let bars = Control::Bars { objects: 64, steps: 1, from: 0 };
        assert_eq!(bars.scene(1).1, 1.0);
        let (half, work) = bars.scene(3);
        assert_eq!((half.set[0].as_str(), (work * 63.0).round()), ("objects=21", 64.0));
        let (half, work) = Control::Sheet { size: 256, pieces: "auto", steps: 1, from: 0 }.scene(2);
        assert_eq!(half.set[0], "size=181");
        assert!((work * 181.0 * 181.0 * 2.0 - 65_536.0).abs() < 1e-6);
    }

    #[test]
    fn every_case_has_all_executors_and_its_control() {
        for study in [Study::Bars, Study::Falling, Study::Cloth] {
            for case in of(study, false) {
                let variants = case.variants(&[1, 2]);
                let ways: Vec<String> =
                    variants.iter().filter(|v| v.workers == 2).map(Variant::way).collect();
                let control = "control, a part per process";
                assert_eq!(ways, ["replay metis", "replay owner", "stealing", "fork-join", control]);
                assert!(case.scene.from < case.scene.steps);
            }
        }
    }
}
