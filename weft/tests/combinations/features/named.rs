//! Which choices a refusal names.

use super::words::factor::*;
use super::{Choice, Features, Joint};

/// The names that components have in the scenes, with the factors that they are choices of.
const NAMES: [(&str, usize); 14] = [
    ("ode", INTEGRATOR),
    ("led", INTEGRATOR),
    ("linear", LINEAR),
    ("mass", MASS),
    ("field", FIELD),
    ("mapping", CHAIN),
    ("joint", JOINT),
    ("model", JOINT),
    ("beside", BESIDE),
    ("fixed", CONSTRAINT),
    ("held", SECOND_CONSTRAINT),
    ("load", LOAD),
    ("correction", CORRECTION),
    ("multipliers", MULTIPLIERS),
];

impl Features {
    /// The factors whose values in a case are named by what is said of it: by a path, or by their class.
    pub fn named(&self, case: &[usize], said: &str) -> Vec<usize> {
        let class = |c: Option<Choice>| c.map_or("", |c| c.description.class);
        let joint = match self.joints[case[JOINT]] {
            Joint::Contact(c) => Some(c),
            joint => joint.element(),
        };
        let classes = [
            (INTEGRATOR, class(Some(self.integrators[case[INTEGRATOR]]))),
            (LINEAR, class(self.linears[case[LINEAR]])),
            (MASS, class(Some(self.masses[case[MASS]]))),
            (FIELD, class(self.fields[case[FIELD]])),
            (JOINT, class(joint)),
            (CONSTRAINT, class(self.constraints[case[CONSTRAINT]])),
            (SECOND_CONSTRAINT, class(self.constraints[case[SECOND_CONSTRAINT]])),
            (LOAD, class(self.loads[case[LOAD]])),
            (CORRECTION, class(self.corrections[case[CORRECTION]])),
            (MULTIPLIERS, class(self.sweeps[case[MULTIPLIERS]])),
        ];
        let chain = self.chains[case[CHAIN]].iter().map(|m| (CHAIN, m.description.class));
        let classes: Vec<(usize, &str)> = classes.into_iter().chain(chain).collect();
        let mut named = Vec::new();
        for word in said.split(|c: char| !(c.is_alphanumeric() || c == '/' || c == '_')) {
            let last = word.rsplit_once('/').map(|(_, last)| last);
            let of_path = NAMES.iter().filter(|(name, _)| last == Some(*name)).map(|(_, factor)| *factor);
            let of_class = classes.iter().filter(|(_, class)| *class == word).map(|(factor, _)| *factor);
            named.extend(of_path.chain(of_class));
        }
        // What is missing is a value, too.
        if said.contains("linear solver") || said.contains("integrator's matrix") {
            named.push(LINEAR);
        }
        named
    }
}
