//! What cannot be combined, or would be undefined.

use super::words::factor::*;
use super::words::{AHEAD, CHANGES, COEFFICIENTS, METHODS, OF_TOPOLOGY, ON, OTHER_ENDS, TEMPLATES};
use super::{Choice, Elements, Features, Joint, Partial};

impl Features {
    /// Whether what is chosen so far cannot be, or would be undefined.
    pub fn conflict(&self, case: &Partial) -> bool {
        self.conflict_of_body(case)
            || self.conflict_of_joint(case)
            || self.conflict_of_change(case)
            || self.conflict_of_multipliers(case)
    }

    fn conflict_of_multipliers(&self, case: &Partial) -> bool {
        let Some(correction) = case[CORRECTION].and_then(|c| self.corrections[c]) else { return false };
        let others =
            case[INTEGRATOR].filter(|_| case[OTHER_SOLVER] == Some(1)).map(|i| self.other_integrator(i));
        let linear = case[LINEAR].map(|l| self.linears[l].map_or("", |l| l.description.class));
        let of_matrix = correction.description.class != "UncoupledConstraintCorrection";
        // A matrix is there if the integrator has one, and its inverse if that is factorised itself.
        let is_explicit = |i: &usize| self.integrators[*i].is_explicit();
        let is_preconditioned = |l: &str| l.contains("Precondition") || l == "PCGLinearSolver";
        // What is found in the first step is of one integrator's matrix, whatever solves by it.
        let is_first = correction.description.class == "PrecomputedConstraintCorrection";
        let is_euler = |i: &usize| self.integrators[*i].description.class == "EulerImplicitSolver";
        let numbers = [
            "nothing",
            "gravity",
            "number of the field",
            "number of the mass",
            "number of the solver",
            "time step",
        ];
        let of_one_matrix = case[INTEGRATOR].iter().all(is_euler)
            && case[OTHER_SOLVER] != Some(1)
            && case[CHANGE].is_none_or(|c| numbers.contains(&CHANGES[c]));
        let of_matrix = of_matrix && !is_first;
        // A stop is found by the violation as it is, and these sweeps answer a share of it: they stop elsewhere, as SOFA's do.
        let is = |c: Option<Choice>, class: &str| c.is_some_and(|c| c.description.class == class);
        let stops_elsewhere =
            is(case[MULTIPLIERS].and_then(|m| self.sweeps[m]), "ImprovedJacobiConstraintSolver")
                && is(case[JOINT].and_then(|j| self.joints[j].element()), "StopperLagrangianConstraint");
        // These know contacts with friction only, whose coefficient is theirs, and correct positions whatever is asked.
        let of_contacts_only = is(case[MULTIPLIERS].and_then(|m| self.sweeps[m]), "LCPConstraintSolver")
            && (case[JOINT].is_some_and(|j| !matches!(self.joints[j], Joint::Contact(_)))
                || case[FRICTION].is_some_and(|f| COEFFICIENTS[f] != "0.5")
                || case[ORDER_OF_MULTIPLIERS].is_some_and(|o| o != 0));
        // Bodies that are cut are held by springs; contacts that merge solvers are penalties.
        case[PIECES] == Some(1)
            || stops_elsewhere
            || of_contacts_only
            || case[GROUPS] == Some(1)
            || is_first && !of_one_matrix
            || of_matrix && case[INTEGRATOR].iter().chain(&others).any(is_explicit)
            || of_matrix && linear.is_some_and(is_preconditioned)
            || case[TEMPLATE].is_some_and(|t| !correction.fits(TEMPLATES[t]))
    }

    fn conflict_of_body(&self, case: &Partial) -> bool {
        let takes_two = |c: usize| self.chains[c].iter().any(Choice::takes_two);
        // What SOFA's assembled matrix has in wrong places is known only where forces are mapped back.
        let kept = |c: usize| self.chains[c].iter().any(Choice::keeps_forces);
        let inexact = |l: usize| self.linears[l].is_some_and(|l| l.is_inexact());
        if case[CHAIN].is_some_and(kept) && case[LINEAR].is_some_and(inexact) {
            return true;
        }
        // How old factors are that serve late is a matter of time in SOFA, and here of systems: of one in each step only is it known
        // beside contacts, that come and go.
        let class = |l: usize| self.linears[l].map_or("", |l| l.description.class);
        let solves_several = |i: usize| {
            let several = ["BDFOdeSolver", "StaticSolver", "VariationalSymplecticSolver"];
            several.contains(&self.integrators[i].description.class)
        };
        if case[LINEAR].is_some_and(|l| class(l) == "AsyncSparseLDLSolver")
            && case[INTEGRATOR].is_some_and(solves_several)
            && case[JOINT].is_some_and(|j| matches!(self.joints[j], Joint::Contact(_)))
        {
            return true;
        }
        // An integrator that goes on from another one sees no mapped states, and no multipliers correct it.
        if case[INTEGRATOR].is_some_and(|i| self.integrators[i].goes_on())
            && (case[CHAIN].is_some_and(|c| c != 0)
                || case[CORRECTION].is_some_and(|c| self.corrections[c].is_some()))
        {
            return true;
        }
        // What two inputs move needs one solver for both.
        if case[SOLVER_AT] == Some(0) && case[CHAIN].is_some_and(takes_two) {
            return true;
        }
        let template = case[TEMPLATE].map(|t| TEMPLATES[t]);
        let end = match (template, case[CHAIN]) {
            (Some(t), Some(c)) => match self.end_template(c, t) {
                Some(end) => Some(end),
                None => return true,
            },
            _ => None,
        };
        let no_chain = case[CHAIN] == Some(0);
        if let (Some(mass), Some(on)) = (case[MASS].map(|m| self.masses[m]), case[MASS_ON]) {
            let mapped_only = ON[on] == "mapped";
            if !mapped_only && template.is_some_and(|t| !mass.fits(t)) {
                return true;
            }
            if ON[on] != "body" {
                let copies = case[CHAIN].is_none_or(|c| self.copies(c));
                // A body that has its mass from fewer points than it has would be undefined.
                if no_chain || mapped_only && (!copies || end.is_some_and(|t| !mass.fits(t))) {
                    return true;
                }
            }
        }
        if let (Some(field), Some(on)) = (case[FIELD].map(|f| self.fields[f]), case[FIELD_ON]) {
            let on_body = ON[on] == "body";
            let asks =
                |f: Choice| f.elements() != Elements::None && case[CHAIN].is_some_and(|c| !self.copies(c));
            let misfit = match field {
                None => !on_body,
                Some(f) if on_body => template.is_some_and(|t| !f.fits(t)),
                Some(f) => no_chain || asks(f) || end.is_some_and(|t| !f.fits(t)),
            };
            if misfit {
                return true;
            }
        }
        let of_state = [
            case[CONSTRAINT].and_then(|c| self.constraints[c]),
            case[SECOND_CONSTRAINT].and_then(|c| self.constraints[c]),
            case[LOAD].and_then(|l| self.loads[l]),
        ];
        if template.is_some_and(|t| of_state.iter().flatten().any(|c| !c.fits(t))) {
            return true;
        }
        self.elements(case).is_none()
    }

    fn conflict_of_joint(&self, case: &Partial) -> bool {
        let is = |factor: usize, value: usize| case[factor].is_none_or(|v| v == value);
        let other = case[OTHER_END].map(|o| OTHER_ENDS[o]);
        let among = |list: &[&str]| other.is_none_or(|o| list.contains(&o));
        let template = case[TEMPLATE].map(|t| TEMPLATES[t]);
        let end = match (template, case[CHAIN]) {
            (Some(t), Some(c)) => self.end_template(c, t),
            _ => None,
        };
        let first = match case[FIRST_END] {
            Some(0) => template,
            Some(_) => end,
            None => None,
        };
        let no_chain = case[CHAIN] == Some(0);
        if no_chain && (case[FIRST_END] == Some(1) || other == Some("own other state")) {
            return true;
        }
        let another = case[OTHER_SOLVER].is_some_and(|o| o != 0);
        let lacks_number = |i: usize| self.integrators[i].change().is_none();
        if case[OTHER_SOLVER] == Some(2) && case[INTEGRATOR].is_some_and(lacks_number) {
            return true;
        }
        if another && (!among(&["other body", "other mapped", "unsimulated body"]) || !is(SOLVER_AT, 0)) {
            return true;
        }
        let passes = case[PASSES] == Some(1);
        let contact = case[JOINT].is_none_or(|j| matches!(self.joints[j], Joint::Contact(_)));
        if (!is(FRICTION, 0) || !is(METHOD, 0)) && !contact {
            return true;
        }
        if passes && !(contact && among(&["other body", "other mapped", "unsimulated body"])) {
            return true;
        }
        if case[BESIDE] == Some(1) && first.is_some_and(|t| self.spring(t).is_none()) {
            return true;
        }
        match case[JOINT].map(|j| self.joints[j]) {
            None => false,
            Some(Joint::Nothing) => {
                !(is(FIRST_END, 0)
                    && is(OTHER_END, 0)
                    && is(JOINT_AT, 0)
                    && is(GROUPS, 0)
                    && is(BESIDE, 0)
                    && is(OTHER_SOLVER, 0))
            }
            Some(Joint::Springs(c)) => {
                let differ =
                    other == Some("own other state") && template.zip(end).is_some_and(|(a, b)| a != b);
                let ends = [
                    "same state",
                    "own other state",
                    "other body",
                    "other mapped",
                    "obstacle",
                    "obstacle mapped",
                ];
                // What joins two templates has no second end of the first one, and no such spring beside it.
                let mixed = c.second_template().is_some()
                    && (other.is_some_and(|o| ["same state", "own other state"].contains(&o))
                        || !is(BESIDE, 0));
                let itself = other == Some("same state") && !c.joins_itself();
                differ
                    || mixed
                    || itself
                    || !is(GROUPS, 0)
                    || !among(&ends)
                    || first.is_some_and(|t| !c.fits(t))
            }
            Some(Joint::Multipliers(c)) => {
                let ends: &[&str] = if c.joins() {
                    &["own other state", "other body", "other mapped", "obstacle", "obstacle mapped"]
                } else {
                    // It stands beside the one state that it is on.
                    &["same state"]
                };
                let differ =
                    other == Some("own other state") && template.zip(end).is_some_and(|(a, b)| a != b);
                let elsewhere = !(c.joins() || is(JOINT_AT, 0) && is(BESIDE, 0));
                differ
                    || elsewhere
                    || c.second_template().is_some() && !is(BESIDE, 0)
                    || !is(GROUPS, 0)
                    || !among(ends)
                    || first.is_some_and(|t| !c.fits(t))
            }
            Some(Joint::Contact(c)) => {
                let ends = [
                    "other body",
                    "other mapped",
                    "obstacle",
                    "simulated obstacle",
                    "unsimulated body",
                    "obstacle mapped",
                ];
                let mapped = case[FIRST_END] == Some(1);
                // Points meet triangles only, and both lie on points.
                let ahead = case[METHOD].is_some_and(|m| METHODS[m] == AHEAD);
                let templates = [first, c.second_template()];
                if ahead
                    && (c.elements() != Elements::Triangles
                        || templates.into_iter().flatten().any(|t| t != "Vec3"))
                {
                    return true;
                }
                // Spheres on frames meet nothing there.
                let local = case[METHOD].is_some_and(|m| METHODS[m].starts_with("LocalMinDistance"));
                if local && first == Some("Rigid3") {
                    return true;
                }
                let lacks_elements =
                    c.elements() != Elements::None && mapped && case[CHAIN].is_some_and(|c| !self.copies(c));
                lacks_elements || !among(&ends) || !is(JOINT_AT, 0) || first.is_some_and(|t| !c.fits(t))
            }
        }
    }

    fn conflict_of_change(&self, case: &Partial) -> bool {
        let field = case[FIELD].map(|f| self.fields[f]);
        let change = case[CHANGE].map(|c| CHANGES[c]);
        let lacks = match change {
            Some("number of the field") => field.is_some_and(|f| f.is_none_or(|f| f.change().is_none())),
            Some("field goes") => field.is_some_and(|f| f.is_none()),
            Some("number of the solver") => {
                case[INTEGRATOR].is_some_and(|i| self.integrators[i].change().is_none())
            }
            // A mouse pulls points and frames in space.
            Some("mouse comes") => {
                case[TEMPLATE].is_some_and(|t| !["Vec3", "Rigid3"].contains(&TEMPLATES[t]))
            }
            Some("number of the mass") => case[MASS].is_some_and(|m| self.masses[m].change().is_none()),
            _ => false,
        };
        let cut = case[PIECES] == Some(1);
        // What bodies can be cut by, and what their constraints may be.
        let solids =
            ["HexahedronFEMForceField", "TetrahedralCorotationalFEMForceField", "TetrahedronFEMForceField"];
        let solid = field.is_none_or(|f| f.is_some_and(|f| solids.contains(&f.description.class)));
        let dealt_out = ["FixedProjectiveConstraint", "PartialFixedProjectiveConstraint"];
        let held = |c: Choice| !dealt_out.contains(&c.description.class);
        let constraint = |factor: usize| case[factor].and_then(|c| self.constraints[c]);
        let held = [CONSTRAINT, SECOND_CONSTRAINT].into_iter().filter_map(constraint).any(held);
        let whole = !solid
            || held
            || case[FIELD_ON] == Some(1)
            || case[TEMPLATE].is_some_and(|t| TEMPLATES[t] != "Vec3");
        let changes = change.is_some_and(|c| !["nothing", "gravity", "time step"].contains(&c));
        lacks || cut && (whole || changes) || self.conflict_of_topology(case)
    }

    /// What cannot be compared where elements of the body come or go.
    fn conflict_of_topology(&self, case: &Partial) -> bool {
        let Some(change) = case[CHANGE].map(|c| CHANGES[c]) else { return false };
        if OF_TOPOLOGY.contains(&change) != self.change_topology {
            return true;
        }
        if !self.change_topology {
            return false;
        }
        let elements = self.elements(case);
        let lies = |c: usize| self.chains[c].iter().any(|m| m.description.class == "BarycentricMapping");
        let on_body = [
            case[MASS].map(|m| self.masses[m]),
            case[FIELD].and_then(|f| self.fields[f]),
            case[LOAD].and_then(|l| self.loads[l]),
            case[CONSTRAINT].and_then(|c| self.constraints[c]),
            case[SECOND_CONSTRAINT].and_then(|c| self.constraints[c]),
        ];
        case[TEMPLATE].is_some_and(|t| TEMPLATES[t] != "Vec3")
            // A grid has no modifier, and of two hexahedra none goes without its points.
            || matches!(elements, Some(Elements::Grid | Elements::Edges))
            || elements == Some(Elements::Hexahedra) && change != "points go"
            // Points beside a surface, or in a cell that is not straight, are mapped elsewhere at once; from there another element may be
            // the nearest.
            || matches!(elements, Some(Elements::Triangles | Elements::Hexahedra)) && case[CHAIN].is_some_and(lies)
            || on_body.iter().flatten().any(|c| c.is_rewritten())
            || self.sees_the_order_of_elements(case, elements)
            // Which end of an edge is its second, which the matrix lacks, is as when the edge came.
            || change != "points go"
                && on_body[1].is_some_and(|f| f.description.class == "FastTriangularBendingSprings")
    }

    /// Whether contacts tell in which order elements came and went, which those of a new scene have in another one: sides of a triangle
    /// are outside or inside as when it came with its first tetrahedron, by which cones go; and where contacts with friction hold more
    /// than needed, which of their multipliers are found by sweeps is a matter of their order. Of points that
    /// are held at one place the first that is found has the contact, and moves by it under a solver that does not know what is held.
    /// SOFA's matrix counts points that contacts have of their own, in that order, where one solver moves both ends.
    fn sees_the_order_of_elements(&self, case: &Partial, elements: Option<Elements>) -> bool {
        let touches = case[JOINT].is_some_and(|j| matches!(self.joints[j], Joint::Contact(_)));
        let by_cones = case[METHOD].is_some_and(|m| METHODS[m].starts_with("LocalMinDistance"))
            && elements != Some(Elements::Triangles);
        // A point in reach of several triangles of one plane is as near to each: the first that is found has the contact.
        let by_planes = case[METHOD].is_some_and(|m| METHODS[m] == AHEAD);
        let sweeps = case[MULTIPLIERS].and_then(|m| self.sweeps[m]).map(|s| s.description.class);
        let by_friction =
            sweeps == Some("UnbuiltGaussSeidelConstraintSolver") && case[FRICTION].is_some_and(|f| f != 0);
        let on_elements = case[JOINT]
            .and_then(|j| self.joints[j].element())
            .is_some_and(|c| c.elements() != Elements::None);
        let by_matrix = on_elements
            && case[SOLVER_AT].is_some_and(|s| s != 0)
            && case[LINEAR].and_then(|l| self.linears[l]).is_some_and(|l| l.is_inexact());
        let lays_together = |factor: usize| {
            let constraint = case[factor].and_then(|c| self.constraints[c]);
            constraint.is_some_and(|c| c.description.class == "LineProjectiveConstraint")
        };
        let by_place = on_elements && (lays_together(CONSTRAINT) || lays_together(SECOND_CONSTRAINT));
        let by_order = by_cones || by_planes || by_friction || by_matrix || by_place;
        touches && (by_order || sweeps == Some("LCPConstraintSolver"))
    }
}
