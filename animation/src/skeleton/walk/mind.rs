//! What one who walks decides: a behaviour tree whose tasks are what it can do.

use std::time::Duration;

use diagnostics::{Diagnostic, Location, Severity};

use super::walker::{WalkRules, Walker};
use crate::game::schedule::tree::{BehaviourTree, read_tree};
use crate::game::schedule::{Cycle, Outcome, Query, Released, TaskId, TaskInfo, TaskSupplier, Tasks};

/// What one who walks can do: the tasks of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// It chooses another goal.
    Choose,
    /// It succeeds if the goal is far away.
    IsFar,
    /// It walks to the goal; it fails if it stands in front of another for long.
    Walk,
    /// It runs until the goal is near; it fails as when it walks.
    Run,
    /// It stands still.
    Stand,
    /// It stands still for a while.
    Rest,
}

const ACTIONS: [(&str, Action); 6] = [
    ("choose goal", Action::Choose),
    ("is far", Action::IsFar),
    ("walk", Action::Walk),
    ("run", Action::Run),
    ("stand", Action::Stand),
    ("rest", Action::Rest),
];

/// The names of all tasks that trees of models that walk may have.
pub fn task_names() -> impl Iterator<Item = &'static str> {
    ACTIONS.iter().map(|(name, _)| *name)
}

/// The tree of who has no other: to a goal, there rest for a while, and on to another one.
pub const TREE: &str = include_str!("walk.tree.json");

/// Goals further away are far \[m\].
const FAR: f64 = 5.0;
/// Goals within so many radii are reached.
const REACHED: f64 = 2.0;
/// Who stands in front of another for longer gives up \[s\].
const PATIENCE: f64 = 2.0;

/// What one who walks decides.
pub struct Mind {
    tree: BehaviourTree,
    actions: Vec<(TaskId, Action)>,
    out: Vec<Released>,
}

impl Mind {
    /// Of a behaviour tree in JSON with the tasks `choose goal`, `is far`, `walk`, `run`, `stand` and `rest`; `file` is how messages call
    /// the text.
    ///
    /// # Errors
    /// All that is wrong, each with its line.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut tasks = Tasks::new();
        let add =
            |(name, action)| (tasks.add(TaskInfo::new(name, Duration::ZERO), |_| Outcome::Success), action);
        let actions = ACTIONS.map(add).to_vec();
        let mut tree = BehaviourTree::new();
        for root in read_tree(&mut tree, &tasks, file, text)? {
            tree.submit(root, &tasks).map_err(|wrong| {
                let at = Location { file: file.into(), ..Location::default() };
                vec![Diagnostic::new(Severity::Error, &at, wrong.to_string())]
            })?;
        }
        Ok(Self { tree, actions, out: Vec::new() })
    }

    /// Decides for a step of a number and a length \[s\].
    pub(super) fn decide(&mut self, walker: &mut Walker, rules: &WalkRules, (step, dt): (u64, f64)) {
        let Self { tree, actions, out } = self;
        let time = Duration::try_from_secs_f64(step as f64 * dt).unwrap_or_default();
        let length = Duration::try_from_secs_f64(dt).unwrap_or_default();
        tree.begin_cycle(&Cycle { number: step + 1, time, dt: length });
        // A node begins once in a cycle at most, so that this ends.
        while tree.query_many(out) == Query::Success {
            for released in out.drain(..) {
                let action = actions.iter().find(|(task, _)| *task == released.task);
                let outcome = action.map_or(Outcome::Failure, |(_, action)| act(*action, walker, rules, dt));
                tree.report(released, outcome);
            }
        }
    }
}

fn act(action: Action, walker: &mut Walker, rules: &WalkRules, dt: f64) -> Outcome {
    let away = (walker.goal[0] - walker.at[0]).hypot(walker.goal[1] - walker.at[1]);
    let go = |walker: &mut Walker, speed: f64, near: f64| {
        if away < near {
            return Outcome::Success;
        }
        if walker.stuck > PATIENCE {
            walker.stuck = 0.0;
            return Outcome::Failure;
        }
        walker.wish = speed;
        Outcome::Progress
    };
    match action {
        Action::Choose => {
            walker.choose(rules);
            Outcome::Success
        }
        Action::IsFar if away > FAR => Outcome::Success,
        Action::IsFar => Outcome::Failure,
        Action::Walk => go(walker, rules.walk, REACHED * rules.radius),
        Action::Run => go(walker, rules.run, 0.5 * FAR),
        Action::Stand => {
            walker.wish = 0.0;
            Outcome::Success
        }
        Action::Rest => {
            walker.wish = 0.0;
            walker.rest -= dt;
            if walker.rest > 0.0 { Outcome::Progress } else { Outcome::Success }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_goes_from_goal_to_goal_and_rests_between() {
        let rules = WalkRules::default();
        let mut walker = Walker::new([0.0; 2], 0.0, 3, &rules);
        let mut mind = Mind::read("walk", TREE).expect("a tree");
        let (mut goals, mut rested, mut ran) = (0, 0, 0);
        for step in 0..60 * 60 {
            let before = walker.goal;
            mind.decide(&mut walker, &rules, (step, 1.0 / 60.0));
            goals += usize::from(walker.goal != before);
            walker = walker.after(1.0 / 60.0, &rules, std::iter::empty(), std::iter::empty());
            rested += usize::from(walker.speed == 0.0);
            ran += usize::from(walker.speed > rules.walk);
        }
        assert!(goals > 8 && rested > 300 && ran > 60, "{goals} goals, {rested} at rest, {ran} running");
    }

    #[test]
    fn a_tree_of_ones_own_and_one_that_is_wrong() {
        let text = r#"{"roots": ["a"], "nodes": [{"name": "a", "kind": "task", "task": "run"}]}"#;
        let rules = WalkRules::default();
        let mut walker = Walker::new([0.0; 2], 0.0, 3, &rules);
        walker.goal = [100.0, 0.0];
        Mind::read("mine", text).expect("a tree").decide(&mut walker, &rules, (0, 0.01));
        assert_eq!(walker.wish, rules.run);
        let wrong = Mind::read("mine", &text.replace("\"run\"", "\"rnu\"")).err().expect("no such task");
        assert!(wrong[0].to_string().contains("rnu"), "{}", wrong[0]);
    }
}
