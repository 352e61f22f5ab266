//! The numbers of which scenes are made: points, frames, elements, masses.

use sim_core::component::description::Sample;

use crate::features::Choice;

/// Points of the grid of 2 by 2 by 3, moved a little so that no force is zero at the beginning.
pub(super) const GRID: [[f64; 3]; 12] = [
    [0.03, -0.02, 0.01],
    [0.98, 0.01, -0.03],
    [-0.01, 1.02, 0.02],
    [1.02, 0.97, 0.03],
    [0.02, 0.01, 0.97],
    [1.01, -0.03, 1.02],
    [-0.02, 0.99, 1.01],
    [0.97, 1.03, 0.98],
    [0.01, 0.02, 2.03],
    [1.03, -0.01, 1.98],
    [-0.03, 1.01, 2.01],
    [0.99, 0.98, 1.97],
];
pub(super) const VELOCITIES: [f64; 36] = [
    0.1, -0.3, 0.2, -0.2, -0.4, 0.1, 0.3, -0.2, -0.1, -0.1, -0.5, 0.2, 0.2, -0.3, -0.2, -0.3, -0.2, 0.1, 0.1,
    -0.4, 0.3, -0.2, -0.1, -0.3, 0.2, -0.3, 0.1, -0.1, -0.2, 0.2, 0.3, -0.4, -0.1, 0.1, -0.2, 0.3,
];
pub(super) const TETRAHEDRA: &str =
    "0 5 1 7 0 1 3 7 0 3 2 7 0 2 6 7 0 6 4 7 0 4 5 7 4 9 5 11 4 5 7 11 4 7 6 11 4 6 10 11 4 10 8 11 4 8 9 11";
pub(super) const HEXAHEDRA: &str = "0 1 3 2 4 5 7 6 4 5 7 6 8 9 11 10";
pub(super) const TRIANGLES: &str =
    "0 1 3 0 3 2 0 1 5 0 5 4 4 5 9 4 9 8 2 3 7 2 7 6 6 7 11 6 11 10 8 9 11 8 11 10";
pub(super) const FRAMES: &str =
    "0 0 0 0 0 0 1  1 0.2 0.1 0.1 0.2 0.3 0.927361849549570  0.2 1 0.8 -0.3 0.1 0.2 0.927361849549570";
pub(super) const FRAME_VELOCITIES: &str =
    "0.1 -0.3 0.2 0.5 -0.2 0.3  -0.2 -0.4 0.1 -0.3 0.4 0.2  0.3 -0.2 -0.1 0.2 0.3 -0.5";

pub(super) fn numbers(list: impl IntoIterator<Item = f64>) -> String {
    list.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

/// Numbers of a row of a template whose rows are neither points nor frames in space.
pub(super) fn width(template: &str) -> Option<usize> {
    match template {
        "Vec1" => Some(1),
        "Vec2" => Some(2),
        "Vec6" => Some(6),
        "Rigid2" => Some(3),
        _ => None,
    }
}

/// Rows of `width` numbers, the first of which grow from row to row by about a half.
pub(super) fn scattered(width: usize, rows: usize) -> String {
    let one = |row: usize, k: usize| {
        let step = [0.5, 0.0, 0.3, 0.2, 0.1, 0.0][k];
        let turn = [0.0, 0.4, 0.0, -0.3, 0.0, 0.25][k];
        let noise = GRID[row % 12][k % 3] - GRID[row % 12][k % 3].round();
        step * row as f64 + turn * (row % 2) as f64 + noise
    };
    numbers((0..rows).flat_map(|row| (0..width).map(move |k| one(row, k))))
}

/// A mass of each point or frame of a template.
pub(super) fn mass_of(template: &str) -> &'static str {
    match template {
        "Rigid3" => "<UniformMass vertexMass='1.5 1 0.1 0 0 0 0.2 0 0 0 0.35'/>",
        "Rigid2" => "<UniformMass vertexMass='1.5 1 0.2'/>",
        _ => "<UniformMass vertexMass='0.4'/>",
    }
}

/// The grid's points at rest.
pub(super) fn rest() -> impl Iterator<Item = f64> {
    (0..12).flat_map(|i| [f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4)])
}

pub(super) fn element(choice: &Choice, name: &str) -> String {
    let Sample { attributes, before, after, .. } = choice.sample;
    format!("{before}<{} name='{name}' {attributes}/>{after}", choice.description.class)
}

pub(super) fn changed_element(choice: &Choice, name: &str, changed: bool) -> String {
    let text = element(choice, name);
    match choice.change().filter(|_| changed) {
        Some((attribute, value)) => {
            let own = choice.sample.before.len();
            let at = text[own..].find(&format!("{attribute}='")).map_or(0, |k| own + k + attribute.len() + 2);
            let end = text[at..].find('\'').map_or(text.len(), |k| at + k);
            format!("{}{value}{}", &text[..at], &text[end..])
        }
        None => text,
    }
}

/// A state of a template with some points or frames.
pub(super) fn state(template: &str, name: &str, of: usize) -> String {
    if let Some(width) = width(template) {
        let (x, v) = (scattered(width, of), numbers(VELOCITIES.iter().copied().cycle().take(width * of)));
        return format!(
            "<MechanicalObject template='{template}' name='{name}' position='{x}' velocity='{v}'/>"
        );
    }
    let take = |text: &str, width: usize| {
        let words: Vec<&str> = text.split_whitespace().take(of * width).collect();
        words.join(" ")
    };
    let (x, v) = if template == "Rigid3" {
        (take(FRAMES, 7), take(FRAME_VELOCITIES, 6))
    } else {
        let grid = GRID.iter().take(of).flatten().copied();
        (numbers(grid), numbers(VELOCITIES.iter().take(3 * of).copied()))
    };
    format!("<MechanicalObject template='{template}' name='{name}' position='{x}' velocity='{v}'/>")
}

/// The first points, of 12, with their places at rest.
pub(super) fn points(name: &str, n: usize) -> String {
    state("Vec3", name, n).replace("/>", &format!(" rest_position='{}'/>", numbers(rest().take(3 * n))))
}

/// Elements of some kind, each with so many nodes, as they are before or after a change of the body's topology, as SOFA numbers them.
pub(super) fn elements_of(all: &str, nodes: usize, change: &str, after: bool) -> String {
    let nodes_of: Vec<&str> = all.split(' ').collect();
    let mut elements: Vec<&[&str]> = nodes_of.chunks_exact(nodes).collect();
    match change {
        "points go" if after => {
            for gone in gone_with_points(all, nodes).into_iter().rev() {
                elements.swap_remove(gone);
            }
        }
        "elements go" if after => {
            elements.swap_remove(GOES);
        }
        "elements come" => {
            let new = elements.swap_remove(GOES);
            elements.extend(after.then_some(new));
        }
        _ => {}
    }
    elements.concat().join(" ")
}

/// The element that goes, or comes, alone.
pub const GOES: usize = 3;
/// How many points are left where some go.
pub const LEFT: usize = 8;

/// The elements with points that go.
pub fn gone_with_points(all: &str, nodes: usize) -> Vec<usize> {
    let numbers: Vec<usize> = all.split(' ').filter_map(|n| n.parse().ok()).collect();
    let goes = |(k, element): (usize, &[usize])| element.iter().any(|p| *p >= LEFT).then_some(k);
    numbers.chunks_exact(nodes).enumerate().filter_map(goes).collect()
}

/// A sample without the points that have gone in its lists.
pub(super) fn left_of(choice: &Choice, text: String) -> String {
    let Some(following) = choice.description.following else { return text };
    let mut text = text;
    for name in following.points {
        let begin = format!(" {name}='");
        let Some(at) = text.find(&begin).map(|k| k + begin.len()) else { continue };
        let end = text[at..].find('\'').map_or(text.len(), |k| at + k);
        let left: Vec<&str> =
            text[at..end].split_whitespace().filter(|n| n.parse::<usize>().is_ok_and(|n| n < LEFT)).collect();
        text.replace_range(at..end, &left.join(" "));
    }
    text
}
