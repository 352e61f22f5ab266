//! `SubsetMultiMapping`: points picked from several states. The file is long since other mappings of several states gather their points
//! by it.
//!
//! yₖ = x(iₖ) of the input that pair k of `indexPairs` names, and the point of it; velocities likewise, f(iₖ) += fₖ.
//!
//! What a mesh that is cut into pieces needs: each piece keeps its points in a state of its own, and its elements lie on a
//! state that gathers all their points, its own and its neighbors'.

use std::marker::PhantomData;
use std::ops::Range;

use sim_core::component::mechanical_state::InitialState;
use sim_core::prelude::*;
use sim_core::scene::Location;

/// Points picked from several states.
#[derive(Attributes)]
struct Settings {
    /// states that move; the output belongs to the first one's object
    input: Vec<LinkTarget>,
    /// for each point of the output, the number of the input and the point of it
    #[attribute(kind = IndexRows(2))]
    index_pairs: Vec<i64>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mapping, "SubsetMultiMapping", build)
        .templates(&["Vec3,Vec3", "Rigid3,Rigid3", "Vec2,Vec2", "Vec1,Vec1", "Rigid3,Vec3"])
        .samples(&[
            Sample::new("input='{input} {other}' indexPairs='0 1 1 0 0 3 1 1'").template("Vec3,Vec3"),
            Sample::new("input='{input} {other}' indexPairs='0 1 1 0'").template("Rigid3,Rigid3"),
            Sample::new("input='{input} {other}' indexPairs='0 1 1 0'").template("Vec2,Vec2"),
            Sample::new("input='{input} {other}' indexPairs='0 1 1 0'").template("Vec1,Vec1"),
            Sample::new("input='{input} {other}' indexPairs='0 1 1 0'").template("Rigid3,Vec3"),
        ]);

/// The points that one of the inputs gives.
pub struct SubsetMultiMapping<S>(PhantomData<S>);

impl<S: StateType> Mapping for SubsetMultiMapping<S> {
    type Input = S;
    type Output = S;
    type Constants = ();
    type Element = Run;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const PARTIAL: bool = true;

    fn apply(_: &(), Apply { elements, x_out, x_in, .. }: Apply<'_, Self>) {
        for run in elements {
            x_out[run.output()].copy_from_slice(&x_in[run.input()]);
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for run in elements {
            v_out[run.output()].copy_from_slice(&v_in[run.input()]);
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for run in elements {
            for (f, mapped) in f_in[run.input()].iter_mut().zip(&f_out[run.output()]) {
                *f += *mapped;
            }
        }
    }

    fn carriers(runs: &[Run], _: usize, mut put: impl FnMut(u32, u32)) {
        runs.iter().for_each(|run| (0..run.n).for_each(|k| put(run.to + k, run.from + k)));
    }
}

/// The centers of frames that one of the inputs gives, or points and numbers as frames that do not turn.
pub struct SubsetMultiCenters<I, O>(PhantomData<(I, O)>);

impl<I: StateType, O: StateType> Mapping for SubsetMultiCenters<I, O> {
    type Input = I;
    type Output = O;
    type Constants = ();
    type Element = Run;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const PARTIAL: bool = true;

    fn apply(_: &(), Apply { elements, x_out, x_in, .. }: Apply<'_, Self>) {
        for run in elements {
            for (x_out, x_in) in x_out[run.output()].iter_mut().zip(&x_in[run.input()]) {
                *x_out = O::Coord::at(x_in.center());
            }
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for run in elements {
            for (v_out, v_in) in v_out[run.output()].iter_mut().zip(&v_in[run.input()]) {
                *v_out = O::Deriv::zero();
                v_out.set_block(0, v_in.linear());
            }
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for run in elements {
            for (f, mapped) in f_in[run.input()].iter_mut().zip(&f_out[run.output()]) {
                f.add_linear(&mapped.linear());
            }
        }
    }

    fn carriers(runs: &[Run], _: usize, mut put: impl FnMut(u32, u32)) {
        runs.iter().for_each(|run| (0..run.n).for_each(|k| put(run.to + k, run.from + k)));
    }
}

/// A state of frames in a node below: what there is in one state, as frames that do not turn, and behind that the frames of another. For
/// mappings of both.
pub(super) fn gather_before_frames<S: VectorsAccess>(
    b: &mut Builder<'_>,
    name: &'static str,
    [first, frames]: [StateId; 2],
) -> Result<StateId, BuildError> {
    let (n, n_frames) = (b.size(first) as u32, b.size(frames) as u32);
    let all = (n + n_frames) as usize;
    let gathered = add_hidden_state::<Rigid3Type>(b, name);
    let as_frames = vec![Run::new(0, 0, n)];
    let parts = MappingParts::<SubsetMultiCenters<S, Rigid3Type>>::new((), as_frames, vec![], all);
    b.add_mapping(first, gathered, parts)?;
    let behind = vec![Run::new(n, 0, n_frames)];
    let parts = MappingParts::<SubsetMultiMapping<Rigid3Type>>::new((), behind, vec![], all);
    b.add_mapping(frames, gathered, parts)?;
    Ok(gathered)
}

/// A state of points in a node below: the points and the centers of the frames of several states, one state after the other. For mappings of
/// all of them.
pub(super) fn gather_centers(
    b: &mut Builder<'_>,
    name: &'static str,
    inputs: &[StateId],
) -> Result<StateId, BuildError> {
    let all = inputs.iter().map(|s| b.size(*s)).sum();
    let gathered = add_hidden_state::<Vec3Type>(b, name);
    let mut to = 0;
    for input in inputs {
        let n = b.size(*input) as u32;
        let run = vec![Run::new(to, 0, n)];
        to += n;
        if b.scene.initial_as::<Vec3Type>(*input).is_some() {
            let parts = MappingParts::<SubsetMultiMapping<Vec3Type>>::new((), run, vec![], all);
            b.add_mapping(*input, gathered, parts)?;
        } else {
            b.check_template::<Rigid3Type>(*input)?;
            let parts = MappingParts::<SubsetMultiCenters<Rigid3Type, Vec3Type>>::new((), run, vec![], all);
            b.add_mapping(*input, gathered, parts)?;
        }
    }
    Ok(gathered)
}

/// A state without points in a node below.
fn add_hidden_state<S: VectorsAccess>(b: &mut Builder<'_>, name: &'static str) -> StateId {
    let node = b.scene.add_node(b.node, name, Location::default());
    let component = b.scene.add_component(node, "MechanicalObject", None, Location::default());
    let (position, velocity, rest_position) = (Vec::new(), Vec::new(), Vec::new());
    b.scene.add_state(component, S::wrap(InitialState { position, velocity, rest_position }))
}

/// Points that follow each other in the output as in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first in the output.
    to: u32,
    /// The first in the input.
    from: u32,
    /// How many.
    n: u32,
}

impl Run {
    /// `n` points from number `from` of the input on, which are those from `to` on in the output.
    pub(super) fn new(to: u32, from: u32, n: u32) -> Self {
        Self { to, from, n }
    }

    fn output(self) -> Range<usize> {
        self.to as usize..(self.to + self.n) as usize
    }

    fn input(self) -> Range<usize> {
        self.from as usize..(self.from + self.n) as usize
    }

    /// Adds a point, to the last run where it follows that.
    fn push(runs: &mut Vec<Run>, to: u32, from: u32) {
        match runs.last_mut() {
            Some(last) if last.to + last.n == to && last.from + last.n == from => last.n += 1,
            _ => runs.push(Run { to, from, n: 1 }),
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let (inputs, output) = several_ends(b, &s.input)?;
    let are_frames = inputs.iter().all(|s| b.scene.initial_as::<Rigid3Type>(*s).is_some());
    if are_frames && b.scene.initial_as::<Vec3Type>(output).is_some() {
        return parts(b, &s.index_pairs, &inputs, |b, input, runs, n| {
            type Centers = SubsetMultiCenters<Rigid3Type, Vec3Type>;
            b.add_mapping(input, output, MappingParts::<Centers>::new((), runs, vec![], n))
        });
    }
    for_state_type!(b, output, S in [Vec3Type, Rigid3Type, Vec2Type, Vec1Type] => add::<S>(b, &s.index_pairs, &inputs, output))
}

/// The inputs that links lead to, and the output.
pub(super) fn several_ends(
    b: &Builder<'_>,
    input: &[LinkTarget],
) -> Result<(Vec<StateId>, StateId), BuildError> {
    let inputs: Vec<StateId> =
        input.iter().map(|target| b.state_at(*target, "input")).collect::<Result<_, _>>()?;
    let output = b.mapping_output()?;
    if inputs.is_empty() || inputs.contains(&output) {
        return Err(BuildError::attribute("input", "`input` must name states other than the output"));
    }
    Ok((inputs, output))
}

/// One part per input that gives points, in the order of the inputs.
pub(super) fn add<S: VectorsAccess>(
    b: &mut Builder<'_>,
    pairs: &[i64],
    inputs: &[StateId],
    output: StateId,
) -> Result<(), BuildError> {
    if let Some(other) = inputs.iter().find(|s| b.scene.initial_as::<S>(**s).is_none()) {
        let path = b.scene.path(b.scene.component_of_state(*other));
        return Err(BuildError::attribute("input", format!("{path} is of another template than the output")));
    }
    parts(b, pairs, inputs, |b, input, runs, n| {
        b.add_mapping(input, output, MappingParts::<SubsetMultiMapping<S>>::new((), runs, vec![], n))
    })
}

/// Calls `add` with each input that gives points, the runs of these, and the number of points of the output.
fn parts(
    b: &mut Builder<'_>,
    pairs: &[i64],
    inputs: &[StateId],
    mut add: impl FnMut(&mut Builder<'_>, StateId, Vec<Run>, usize) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let mut of_input: Vec<Vec<Run>> = vec![Vec::new(); inputs.len()];
    let n = pairs.len() / 2;
    for (to, pair) in pairs.chunks_exact(2).enumerate() {
        let known = usize::try_from(pair[0]).ok().filter(|k| *k < inputs.len());
        let wrong = |what: &str, n: usize| {
            let message = format!("`indexPairs` names {what} for point {to}, but there are {n}");
            BuildError::attribute("indexPairs", message)
        };
        let input = known.ok_or_else(|| wrong(&format!("input {}", pair[0]), inputs.len()))?;
        let n_points = b.scene.initial(inputs[input]).len();
        let point = u32::try_from(pair[1]).ok().filter(|p| (*p as usize) < n_points);
        let point = point.ok_or_else(|| wrong(&format!("point {} of input {input}", pair[1]), n_points))?;
        Run::push(&mut of_input[input], to as u32, point);
    }
    for (k, (input, runs)) in inputs.iter().zip(of_input).enumerate() {
        // The first is there in any case: the output belongs to its object.
        if k == 0 || !runs.is_empty() {
            add(b, *input, runs, n)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        // With all points of the output, as the check expects; each once.
        let parts = MappingParts::<SubsetMultiMapping<Vec3Type>> {
            constants: (),
            elements: vec![
                Run { to: 1, from: 3, n: 1 },
                Run { to: 0, from: 0, n: 1 },
                Run { to: 2, from: 2, n: 2 },
            ],
            stored: vec![],
            n_out: 4,
            map_forces: true,
            map_constraints: true,
            apply_rest_position: false,
            geometric_stiffness: false,
        };
        mapping(&parts, &Random::new(1).moved(&[Vec3::zeros(); 4], 1.0), 1);
    }

    #[test]
    fn points_and_numbers_as_frames_conform() {
        let runs = || vec![Run::new(2, 0, 1), Run::new(0, 1, 2)];
        let parts = MappingParts::<SubsetMultiCenters<Vec3Type, Rigid3Type>>::new((), runs(), vec![], 3);
        mapping(&parts, &Random::new(2).moved(&[Vec3::zeros(); 3], 1.0), 2);
        let parts = MappingParts::<SubsetMultiCenters<Vec1Type, Rigid3Type>>::new((), runs(), vec![], 3);
        mapping(&parts, &Random::new(3).moved(&[Default::default(); 3], 1.0), 3);
    }

    fn two_states(t: &mut TestScene) -> [(&'static str, LinkTarget); 2] {
        ["0 0 0 1 0 0", "2 0 0 3 0 0 4 0 0"].map(|position| {
            let node = t.child(t.root(), "input");
            t.add(&mechanical_object::DESCRIPTION, node, &[("position", position)]).unwrap();
            ("input", LinkTarget::Node(node))
        })
    }

    #[test]
    fn points_come_from_their_inputs() {
        let mut t = TestScene::new();
        let inputs = two_states(&mut t);
        let child = t.child(t.root(), "all");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "0 0 0")]).unwrap();
        t.add_linked(&DESCRIPTION, child, &[("indexPairs", "1 2 0 1 1 0")], &inputs).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let x: Vec<f64> = t.scene.initial(state).centers().iter().map(|p| p.x).collect();
        assert_eq!(x, [4.0, 1.0, 2.0]);
        let again = t.add_linked(&DESCRIPTION, child, &[("indexPairs", "0 0")], &inputs).unwrap_err();
        assert_eq!(again.attribute.as_deref(), Some("output"));
    }

    #[test]
    fn neighbors_go_together() {
        let mut runs = Vec::new();
        for (to, from) in [(0, 4), (1, 5), (2, 7), (3, 8), (5, 9)] {
            Run::push(&mut runs, to, from);
        }
        let run = |to, from, n| Run { to, from, n };
        assert_eq!(runs, [run(0, 4, 2), run(2, 7, 2), run(5, 9, 1)]);
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (pairs, message) in [("0 0 2 0", "input 2"), ("0 0 1 3", "point 3 of input 1")] {
            let mut t = TestScene::new();
            let inputs = two_states(&mut t);
            let child = t.child(t.root(), "all");
            t.add(&mechanical_object::DESCRIPTION, child, &[("position", "0 0 0")]).unwrap();
            let wrong = t.add_linked(&DESCRIPTION, child, &[("indexPairs", pairs)], &inputs).unwrap_err();
            assert!(wrong.message.contains(message), "{wrong}");
        }
    }
}
