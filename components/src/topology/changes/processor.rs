//! `TopologicalChangeProcessor`: what is to be removed from a topology, and added to it, at which times. The file is long for lists and
//! files, which are two ways to say what changes, and for what is due by when.

use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::renumbering::ElementKind;
use sim_core::scene::ComponentId;

use super::script::{Block, Command, parse};

/// Removes elements of a topology, or adds some, at given times.
#[derive(Attributes)]
#[attributes(ignored("listChanges", "draw", "epsilonSnapPath", "epsilonSnapBorder", "saveIndicesAtInit"))]
struct Settings {
    /// topology that changes; that of this node or above if not given
    topology: Option<LinkTarget>,
    /// file of what is to be done at which times
    #[attribute(kind = File)]
    filename: Deferred<Option<String>>,
    /// whether the lists count, and not the file
    use_data_inputs: bool,
    /// time after which the lists are removed first [s]
    #[attribute(default = "0")]
    time_to_remove: Deferred<f64>,
    /// time between removals of the lists; once, where it is 0 [s]
    #[attribute(default = "0", non_negative)]
    interval: f64,
    /// what is added to the time before it is compared with those of the file [s]
    #[attribute(default = "0")]
    shift: f64,
    /// whether the file begins again at its end
    #[attribute(name = "loop")]
    repeats: bool,
    /// edges to remove
    edges_to_remove: Deferred<Vec<i64>>,
    /// triangles to remove
    triangles_to_remove: Deferred<Vec<i64>>,
    /// quads to remove
    quads_to_remove: Deferred<Vec<i64>>,
    /// tetrahedra to remove
    tetrahedra_to_remove: Deferred<Vec<i64>>,
    /// hexahedra to remove
    hexahedra_to_remove: Deferred<Vec<i64>>,
    /// elements to remove of the kind of the modifier; points where it is for points
    points_to_remove: Deferred<Vec<i64>>,
}

/// The component in the registry.
pub(in crate::topology) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "TopologicalChangeProcessor", build);

/// What a processor is to do, kept with its component.
#[derive(Clone, Debug)]
pub struct TopologicalChanges {
    /// The topology.
    pub topology: ComponentId,
    schedule: Schedule,
}

#[derive(Clone, Debug)]
enum Schedule {
    /// The lists, all at once, at a time and then again and again.
    Lists { time: f64, interval: f64, lists: Vec<(Option<ElementKind>, Command)> },
    /// The blocks of a file.
    Script { blocks: Vec<Block>, shift: f64, repeats: bool },
}

impl TopologicalChanges {
    /// The kinds of elements whose lists are to be removed.
    pub fn kinds(&self) -> Vec<ElementKind> {
        match &self.schedule {
            Schedule::Lists { lists, .. } => lists.iter().filter_map(|(kind, _)| *kind).collect(),
            Schedule::Script { .. } => Vec::new(),
        }
    }

    /// Whether points are added at some time.
    pub fn adds_points(&self) -> bool {
        match &self.schedule {
            Schedule::Lists { .. } => false,
            Schedule::Script { blocks, .. } => {
                let mut all = blocks.iter().flat_map(|b| &b.commands);
                all.any(|c| matches!(c, Command::AddPointsInTriangles(_)))
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    if let Some(LinkTarget::Component(c)) = s.topology
        && b.scene.topology(c).is_none()
    {
        return Err(BuildError::attribute("topology", "`topology` leads to no topology component"));
    }
    let topology = b.topology_component(TopologySearch::First).ok_or_else(|| {
        BuildError::new("there is no topology in this node or above it; put one before this component")
    })?;
    let schedule = if s.use_data_inputs {
        let lists = [
            (Some(ElementKind::Hexahedron), s.hexahedra_to_remove, "hexahedraToRemove"),
            (Some(ElementKind::Tetrahedron), s.tetrahedra_to_remove, "tetrahedraToRemove"),
            (Some(ElementKind::Quad), s.quads_to_remove, "quadsToRemove"),
            (Some(ElementKind::Triangle), s.triangles_to_remove, "trianglesToRemove"),
            (Some(ElementKind::Edge), s.edges_to_remove, "edgesToRemove"),
            (None, s.points_to_remove, "pointsToRemove"),
        ];
        let mut given = Vec::new();
        for (kind, list, name) in lists {
            let numbers = list.get(b)?.into_iter().map(u32::try_from).collect::<Result<Vec<_>, _>>();
            let numbers = numbers.map_err(|_| {
                BuildError::attribute(name, format!("`{name}` holds a number that no element has"))
            })?;
            // What a list that is linked will hold is not known: whether its kind may change is.
            if !numbers.is_empty() || b.source(name).is_some() {
                given.push((kind, Command::Remove(numbers)));
            }
        }
        Schedule::Lists { time: s.time_to_remove.get(b)?, interval: s.interval, lists: given }
    } else {
        if s.filename.get(b)?.is_none_or(|name| name.trim().is_empty()) {
            let text = "no file is given; set `filename`, or `useDataInputs` and lists";
            return Err(BuildError::attribute("filename", text));
        }
        let path = b.file("filename")?;
        let wrong = |e: String| BuildError::attribute("filename", format!("{}: {e}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|e| wrong(e.to_string()))?;
        let blocks = parse(&text).map_err(|e| wrong(e.to_string()))?;
        if s.repeats && blocks.iter().all(|block| block.time <= 0.0) {
            return Err(wrong("no time in it is greater than 0, so that it cannot begin again".to_owned()));
        }
        let incises = |block: &&Block| block.commands.iter().any(|c| matches!(c, Command::Incise(_)));
        if let Some(first) = blocks.iter().find(incises) {
            let text =
                format!("`INCISE=` is not supported: the step at time {} will fail", first.time - s.shift);
            b.warn(Some("filename"), text);
        }
        Schedule::Script { blocks, shift: s.shift, repeats: s.repeats }
    };
    b.keep(Some(TopologicalChanges { topology, schedule }));
    Ok(())
}

/// How far a processor has come.
#[derive(Clone, Debug)]
pub struct DueChanges {
    /// Its component.
    pub component: ComponentId,
    /// What it does.
    pub changes: TopologicalChanges,
    /// The next block of the file.
    next: usize,
    /// When the file began again last [s].
    began: f64,
    /// When the lists are due [s]; none: not again.
    due: Option<f64>,
}

impl DueChanges {
    /// Nothing has been done.
    pub fn new(component: ComponentId, changes: &TopologicalChanges) -> Self {
        let due = match &changes.schedule {
            Schedule::Lists { time, .. } => Some(*time),
            Schedule::Script { .. } => None,
        };
        Self { component, changes: changes.clone(), next: 0, began: 0.0, due }
    }

    /// Takes over lists that have changed; what is due when stays.
    pub fn renew(&mut self, changes: &TopologicalChanges) {
        self.changes = changes.clone();
    }

    /// What is due at the beginning of a step, which then counts as done: commands for one kind of elements, none for that of the
    /// modifier.
    ///
    /// **Source:** SOFA's `TopologicalChangeProcessor`. Lists are due in the first step that begins after their time. Of a file,
    /// only the last block that is due is carried out: those that became due together with it are left out.
    pub fn take(&mut self, time: f64) -> Vec<(Option<ElementKind>, Command)> {
        match &self.changes.schedule {
            Schedule::Lists { interval, lists, .. } => {
                let Some(due) = self.due.filter(|due| *due < time) else { return Vec::new() };
                self.due = (*interval != 0.0).then_some(due + interval);
                let is_empty = |c: &Command| matches!(c, Command::Remove(numbers) if numbers.is_empty());
                lists.iter().filter(|(_, command)| !is_empty(command)).cloned().collect()
            }
            Schedule::Script { blocks, shift, repeats } => {
                let time = time + shift;
                let mut last = None;
                loop {
                    if self.next == blocks.len() && *repeats {
                        self.began += blocks.last().map_or(0.0, |b| b.time);
                        self.next = 0;
                    }
                    let Some(block) = blocks.get(self.next) else { break };
                    let at = block.time + self.began;
                    if !(at < time || (at - time).abs() < f64::EPSILON) {
                        break;
                    }
                    last = Some(block);
                    self.next += 1;
                }
                last.map_or(Vec::new(), |b| b.commands.iter().map(|c| (None, c.clone())).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(schedule: Schedule) -> DueChanges {
        let component = ComponentId(0);
        DueChanges::new(component, &TopologicalChanges { topology: component, schedule })
    }

    #[test]
    fn lists_are_removed_after_their_time_and_again() {
        let lists = vec![(Some(ElementKind::Triangle), Command::Remove(vec![3]))];
        let mut once = due(Schedule::Lists { time: 0.0, interval: 0.0, lists: lists.clone() });
        let n = |d: &mut DueChanges, t: f64| d.take(t).len();
        assert_eq!([0.0, 0.01, 0.02].map(|t| n(&mut once, t)), [0, 1, 0]);
        let mut again = due(Schedule::Lists { time: 0.1, interval: 0.2, lists });
        assert_eq!([0.1, 0.11, 0.3, 0.31, 0.32].map(|t| n(&mut again, t)), [0, 1, 0, 1, 0]);
    }

    #[test]
    fn of_several_blocks_that_are_due_the_last_counts() {
        let blocks = parse("T= 0.1\nREMOVE= 1\n1\nT= 0.2\nREMOVE= 1\n2\nT= 0.3\nREMOVE= 1\n3").unwrap();
        let mut d = due(Schedule::Script { blocks: blocks.clone(), shift: 0.0, repeats: false });
        assert!(d.take(0.05).is_empty());
        assert_eq!(d.take(0.25), [(None, Command::Remove(vec![2]))]);
        assert_eq!(d.take(0.1 + 0.2), [(None, Command::Remove(vec![3]))]);
        assert!(d.take(9.0).is_empty());
        let mut d = due(Schedule::Script { blocks, shift: 0.1, repeats: true });
        assert_eq!(d.take(0.0), [(None, Command::Remove(vec![1]))]);
        assert_eq!(d.take(0.2).len(), 1);
        assert_eq!(d.take(0.35), [(None, Command::Remove(vec![1]))], "0.1 after the end");
    }
}
