//! `MakeAlias`: another name for a class, from where it stands to the end of the scene; `MakeDataAlias`, which has no effect.

use std::collections::BTreeMap;

use sim_core::component::description::{ComponentDescription, Family};

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::Element;
use crate::ignored::without_attributes;

/// The class that names another one.
const CLASS: &str = "MakeAlias";

/// The constraint solver of scenes of before SOFA 25.12, which has become one class for each of its methods.
const GENERIC: &str = "GenericConstraintSolver";
const METHODS: [(&str, &str); 3] = [
    ("ProjectedGaussSeidel", "BlockGaussSeidelConstraintSolver"),
    ("UnbuiltGaussSeidel", "UnbuiltGaussSeidelConstraintSolver"),
    ("NonsmoothNonlinearConjugateGradient", "NNCGConstraintSolver"),
];

/// The conjugate gradient of the MultiThreading plugin, which has templates of its own, all of assembled matrices.
const PARALLEL_CG: &str = "ParallelCGLinearSolver";
const ASSEMBLED: &str = "CompressedRowSparseMatrix";

/// The descriptions of both.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        without_attributes(Family::Ignored, CLASS)
            .summary("`alias` is another name of the class `targetcomponent` from here to the end of the scene"),
        ComponentDescription::new::<()>(Family::Ignored, "MakeDataAlias", |b| {
            b.warn(None, "gives attributes no other name, as in SOFA, whose code adds a name only where it is already there; write the attribute's own name");
            Ok(())
        })
        .summary("Accepted with a warning; has no effect, as in SOFA"),
    ]
}

/// Says whether there is a class of a name.
type IsKnown<'a> = dyn Fn(&str) -> bool + 'a;

/// Gives components their class where a scene calls them by a name that it has made.
///
/// **Source:** as SOFA's, in the order of the file; a name for a class that does not exist is none, and classes keep their own names.
pub fn resolve(root: &mut Element, is_known: &IsKnown<'_>, found: &mut Vec<Diagnostic>) {
    resolve_in(root, is_known, &mut BTreeMap::new(), found);
}

fn resolve_in(
    element: &mut Element,
    is_known: &IsKnown<'_>,
    names: &mut BTreeMap<String, String>,
    found: &mut Vec<Diagnostic>,
) {
    if element.class == CLASS {
        match pair(element, is_known) {
            Ok((alias, class)) => {
                names.insert(alias, class);
            }
            Err(message) => found.push(
                Diagnostic::new(Severity::Warning, &element.location, message).component(CLASS.to_owned()),
            ),
        }
    }
    if element.class == GENERIC
        && let Some(method) = element.get("resolutionMethod").map(|m| m.trim().to_owned())
        && let Some((_, class)) = METHODS.iter().find(|(name, _)| *name == method)
    {
        element.class = (*class).to_owned();
        element.attributes.retain(|a| a.name != "resolutionMethod");
    }
    if element.class == PARALLEL_CG {
        let (template, location) = match element.attribute("template") {
            Some(a) => (a.value.trim().trim_start_matches("Parallel").to_owned(), a.location.clone()),
            None => (ASSEMBLED.to_owned(), element.location.clone()),
        };
        element.set("template", template, location);
    }
    if !is_known(&element.class)
        && let Some(class) = names.get(&element.class)
    {
        element.class.clone_from(class);
    }
    element.children.iter_mut().for_each(|child| resolve_in(child, is_known, names, found));
}

/// The name and its class.
fn pair(element: &Element, is_known: &IsKnown<'_>) -> Result<(String, String), String> {
    let of = |name| element.get(name).ok_or(format!("`{name}` is missing, so there is no other name"));
    let (class, alias) = (of("targetcomponent")?, of("alias")?);
    if !is_known(class) {
        return Err(format!("there is no component `{class}`, so that `{alias}` is no name of one"));
    }
    if is_known(alias) {
        return Err(format!("`{alias}` is a component itself, and stays it"));
    }
    Ok((alias.to_owned(), class.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::load::load_text;
    use crate::options::LoadOptions;

    #[test]
    fn a_name_holds_after_it_is_made() {
        let scene = |before: &str, after: &str| {
            let text = format!(
                "<Node>{before}<MakeAlias targetcomponent='MechanicalObject' alias='Mecha'/><Node name='a'>{after}</Node></Node>"
            );
            load_text(&text, "t.scn", &LoadOptions::default())
        };
        let loaded = scene("", "<Mecha position='1 2 3 4 5 6'/>").unwrap();
        assert_eq!(loaded.scene.n_states(), 1);
        let early = scene("<Mecha/>", "").err().unwrap();
        assert!(early.to_string().contains("no component `Mecha`"), "{early}");
    }

    #[test]
    fn what_makes_no_name_is_warned_of() {
        for (attributes, said) in [
            ("alias='A'", "`targetcomponent` is missing"),
            ("targetcomponent='MechanicalObject'", "`alias` is missing"),
            ("targetcomponent='Nothing' alias='A'", "no component `Nothing`"),
            ("targetcomponent='MechanicalObject' alias='UniformMass'", "a component itself"),
        ] {
            let text = format!("<Node><MakeAlias {attributes}/><MechanicalObject/></Node>");
            let loaded = load_text(&text, "t.scn", &LoadOptions::default()).unwrap();
            let warned = loaded.diagnostics.iter().any(|d| d.message.contains(said));
            assert!(warned, "{attributes}: {:?}", loaded.diagnostics);
        }
    }

    #[test]
    fn a_generic_constraint_solver_is_that_of_its_method() {
        for (method, class) in super::METHODS {
            let text = format!(
                "<Node><FreeMotionAnimationLoop/><GenericConstraintSolver resolutionMethod='{method}'/><MechanicalObject/></Node>"
            );
            let loaded = load_text(&text, "t.scn", &LoadOptions::default()).unwrap();
            assert!(
                loaded.scene.all_components().any(|c| loaded.scene.component(c).class == class),
                "{method}"
            );
            assert!(loaded.diagnostics.iter().all(|d| !d.message.contains("no such attribute")));
        }
    }

    /// Its product is that with an assembled matrix, whether a template says so or not.
    #[test]
    fn a_parallel_conjugate_gradient_is_one_of_an_assembled_matrix() {
        for template in ["", "template='ParallelCompressedRowSparseMatrixMat3x3d'"] {
            let text = format!(
                "<Node><EulerImplicitSolver/><ParallelCGLinearSolver {template}/><MechanicalObject/><UniformMass totalMass='1'/></Node>"
            );
            let loaded = load_text(&text, "t.scn", &LoadOptions::default()).unwrap();
            let find =
                |class| loaded.scene.all_components().find(|c| loaded.scene.component(*c).class == class);
            assert!(find("CGLinearSolver").is_some());
            let said: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
            assert!(said.iter().all(|d| !d.contains("template")), "{template}: {said:?}");
        }
    }

    #[test]
    fn attributes_have_their_own_names_only() {
        let text = "<Node><MakeDataAlias componentname='MechanicalObject' dataname='position' alias='p'/><MechanicalObject p='1 2 3'/></Node>";
        let loaded = load_text(text, "t.scn", &LoadOptions::default()).unwrap();
        let said: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|d| d.contains("as in SOFA")), "{said:?}");
        assert!(said.iter().any(|d| d.contains("no such attribute")), "{said:?}");
    }
}
