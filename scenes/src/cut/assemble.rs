//! The element tree of a body that is cut.

use super::deal::{Deal, local};
use super::part::{Body, Part};
use crate::element::{Element, numbers};

/// The node of the body with a child per piece, and with the whole state, mapped from the pieces, where it is needed.
/// `forces` adds to a piece what acts within it and on its borders.
pub(super) fn assemble(
    body: &Body<'_>,
    parts: &[Part],
    deal: &Deal,
    mut forces: impl FnMut(u32, &mut Element),
) -> Element {
    let components = || body.node.children.iter().zip(parts);
    let whole = body.named_elsewhere || parts.iter().any(|p| matches!(p, Part::NeedsWhole));
    let mut node = Element { children: Vec::new(), ..body.node.clone() };
    let stays = |p: &Part| match p {
        Part::Stays => true,
        Part::WithWhole | Part::NeedsWhole => whole,
        Part::PerPoint | Part::Indexed(_) | Part::PerElement(_) | Part::Springs(_) => false,
    };
    node.children.extend(components().filter(|(_, p)| stays(p)).map(|(e, _)| e.clone()));
    if whole {
        node.push(deal.whole());
    }
    for piece in 0..deal.n {
        let mut child = Element::node(&format!("piece{piece}")).child(deal.own_state(body, piece));
        for (e, part) in components() {
            match part {
                Part::PerPoint => child.push(share_of_mass(e, body.state.position.len())),
                Part::Indexed(indices) => {
                    let own = indices.iter().filter(|i| deal.of_point[**i as usize] as usize == piece);
                    let own: Vec<u32> = own.map(|i| deal.place[*i as usize]).collect();
                    if !own.is_empty() {
                        child.push(local(e).with("indices", numbers(own)));
                    }
                }
                _ => {}
            }
        }
        forces(piece as u32, &mut child);
        node.push(child);
    }
    node
}

/// The mass of each point, where that of all together is given. Where nothing is, each piece has a mass that only weighs, too.
fn share_of_mass(e: &Element, n_points: usize) -> Element {
    let mut e = local(e);
    let total: Option<f64> = e.get("totalMass").and_then(|t| t.trim().parse().ok());
    if let Some(total) = total {
        e.attributes.retain(|a| a.name != "totalMass");
        e = e.with("vertexMass", total / n_points as f64);
    }
    e
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_share_a_total_and_nothing_that_is_not_given() {
        let shared = |e: Element| share_of_mass(&e, 4).get("vertexMass").map(str::to_owned);
        assert_eq!(shared(Element::new("UniformMass").with("totalMass", 2)), Some("0.5".to_owned()));
        assert_eq!(shared(Element::new("UniformMass").with("vertexMass", 3)), Some("3".to_owned()));
        assert_eq!(shared(Element::new("UniformMass")), None);
    }
}
