//! Bodies of springs.
//!
//! A spring between points of one piece acts on the state of that piece. Those that lead from one piece to another act on a state that gathers
//! their ends: few points, so that little is copied.

use components::force_field::springs::Spring;
use partition::{CutError, cut_net};

use super::assemble::assemble;
use super::deal::Deal;
use super::part::{Body, Part};
use crate::element::{Element, numbers};

/// The body with its points dealt out, and with them its springs.
pub(super) fn cut_springs(body: &Body<'_>, parts: &[Part], n: usize) -> Result<Element, CutError> {
    let fields: Vec<(&Element, &[Spring])> = body
        .node
        .children
        .iter()
        .zip(parts)
        .filter_map(|(e, p)| if let Part::Springs(s) = p { Some((e, &s[..])) } else { None })
        .collect();
    let links: Vec<[u32; 2]> = fields.iter().flat_map(|(_, s)| s.iter()).map(|s| [s.i, s.j]).collect();
    let pieces = cut_net(&links, body.state.position.len(), n)?;
    let deal = Deal::new(pieces.of_point, n);
    // The springs of each piece, by field: those within it, and those that lead out of it.
    let mut dealt: Vec<Vec<[Vec<Spring>; 2]>> = vec![vec![Default::default(); fields.len()]; n];
    let mut owners = pieces.of_element.iter();
    for (field, (_, springs)) in fields.iter().enumerate() {
        for (s, owner) in springs.iter().zip(owners.by_ref()) {
            let leads_out = deal.of_point[s.i as usize] != deal.of_point[s.j as usize];
            dealt[*owner as usize][field][usize::from(leads_out)].push(*s);
        }
    }
    Ok(assemble(body, parts, &deal, |piece, node| {
        let dealt = &dealt[piece as usize];
        for ((e, _), [within, _]) in fields.iter().zip(dealt) {
            if !within.is_empty() {
                node.push(field(e, within, |p| deal.place[p as usize] as usize));
            }
        }
        let ends = dealt.iter().flat_map(|[_, out]| out.iter()).flat_map(|s| [s.i, s.j]);
        let gathered = deal.gather(body, piece, ends.collect());
        let out = fields.iter().zip(dealt).filter(|(_, [_, out])| !out.is_empty());
        let out: Vec<Element> = out.map(|((e, _), [_, out])| field(e, out, |p| gathered.place(p))).collect();
        if !out.is_empty() {
            let mut seam = Element::node("seam").child(gathered.state);
            seam.children.extend(out);
            node.push(seam.child(gathered.mapping));
        }
    }))
}

/// Some springs of a field, as a list.
fn field(e: &Element, springs: &[Spring], place: impl Fn(u32) -> usize) -> Element {
    let list = |of: fn(&Spring) -> f64| {
        let same = springs.iter().all(|s| of(s).to_bits() == of(&springs[0]).to_bits());
        numbers(springs[..if same { 1 } else { springs.len() }].iter().map(of))
    };
    let mut field = Element::new("SpringForceField");
    for attribute in e.attributes.iter().filter(|a| matches!(a.name.as_str(), "name" | "rayleighStiffness")) {
        field = field.with(&attribute.name, &attribute.value);
    }
    field = field
        .with("springsIndices1", numbers(springs.iter().map(|s| place(s.i))))
        .with("springsIndices2", numbers(springs.iter().map(|s| place(s.j))))
        .with("stiffness", list(|s| s.stiffness))
        .with("damping", list(|s| s.damping))
        .with("lengths", list(|s| s.length));
    if springs.iter().any(|s| s.elongation_only) {
        field = field.with("elongationOnly", numbers(springs.iter().map(|s| u8::from(s.elongation_only))));
    }
    field
}
