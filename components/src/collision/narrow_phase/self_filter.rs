//! Which elements of models in one scene node may meet.

use crate::collision::{EdgeStars, Element, ModelKind, ModelView};

/// Decides for each pair of elements whether it is tested: always, unless the two models stand in the same node.
///
/// **Source:** as SOFA's element filters for self-collision; two points of one model never pass there.
#[derive(Clone, Copy, Debug)]
pub struct SelfFilter<'a> {
    rule: Rule<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Rule<'a> {
    Everything,
    /// Of one model: each pair of elements once.
    Ascending,
    Nothing,
    TriangleWithoutPoint(&'a [Element]),
    /// Of one model of capsules: no end in common.
    CapsulesApart(&'a [Element]),
    /// Of one line model: no edge in common around their ends.
    LinesApart(&'a [Element], EdgeStars<'a>),
    /// The point is neither an end of the line nor of an edge around its ends.
    LineAwayFromPoint(&'a [Element], EdgeStars<'a>),
}

impl<'a> SelfFilter<'a> {
    /// Of two models in different nodes: everything is tested.
    pub const NONE: SelfFilter<'static> = SelfFilter { rule: Rule::Everything };

    /// Of two models in one node, in the order in which they are tested; `stars` are the line model's, where there is one.
    pub fn same_node(
        first: &ModelView<'a>,
        second: &ModelView<'a>,
        same_model: bool,
        stars: &'a [u32],
    ) -> Self {
        let stars = EdgeStars(stars);
        let rule = match (first.kind, second.kind) {
            (ModelKind::Triangle, ModelKind::Point) => Rule::TriangleWithoutPoint(first.elements),
            (ModelKind::Line, ModelKind::Line) if same_model => Rule::LinesApart(first.elements, stars),
            (ModelKind::Line, ModelKind::Point) => Rule::LineAwayFromPoint(first.elements, stars),
            (ModelKind::Point, ModelKind::Point) if same_model => Rule::Nothing,
            (ModelKind::LineCapsule, ModelKind::LineCapsule) if same_model => {
                Rule::CapsulesApart(first.elements)
            }
            _ if same_model => Rule::Ascending,
            _ => Rule::Everything,
        };
        Self { rule }
    }

    /// Whether both elements are of one model.
    pub(super) fn is_same_model(&self) -> bool {
        matches!(self.rule, Rule::Ascending | Rule::CapsulesApart(_) | Rule::LinesApart(..) | Rule::Nothing)
    }

    /// Whether element `i` of the first is tested against element `j` of the second model.
    #[inline]
    pub fn allows(&self, i: u32, j: u32) -> bool {
        match &self.rule {
            Rule::Everything => true,
            _ => self.allows_in_node(i, j),
        }
    }

    fn allows_in_node(&self, i: u32, j: u32) -> bool {
        match &self.rule {
            Rule::Everything => true,
            Rule::Ascending => i < j,
            Rule::Nothing => false,
            Rule::CapsulesApart(axes) => {
                let [a, b] = [i, j].map(|k| axes[k as usize].vertices);
                i < j && !a.iter().any(|v| b.contains(v))
            }
            Rule::TriangleWithoutPoint(triangles) => !triangles[i as usize].vertices.contains(&j),
            Rule::LinesApart(lines, stars) => {
                let around = |l: u32| lines[l as usize].vertices[..2].iter().flat_map(|&v| stars.around(v));
                i < j && !around(i).any(|e| around(j).any(|o| o == e))
            }
            Rule::LineAwayFromPoint(lines, stars) => {
                let ends = &lines[i as usize].vertices[..2];
                let near = |e: &u32| lines[*e as usize].vertices.contains(&j);
                !ends.contains(&j) && !ends.iter().any(|&v| stars.around(v).iter().any(near))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::test_meshes::Body;

    const PATH: [[u32; 2]; 5] = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]];

    fn zigzag() -> [[f64; 3]; 6] {
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|x| [x, 0.0, 0.0])
    }

    #[test]
    fn lines_of_one_model_need_two_edges_between_them() {
        let body = Body::lines(&PATH, &zigzag());
        let v = body.view();
        let filter = SelfFilter::same_node(&v, &v, true, &body.model.edge_stars);
        assert!(!filter.allows(0, 0) && !filter.allows(0, 1) && !filter.allows(0, 2));
        assert!(filter.allows(0, 3) && !filter.allows(3, 0));
    }

    #[test]
    fn a_line_ignores_points_up_to_its_neighbors() {
        let (lines, points) = (Body::lines(&PATH, &zigzag()), Body::points(&zigzag()));
        let filter =
            SelfFilter::same_node(&lines.view(), &points.view(), false, &lines.model.edge_stars).rule;
        let filter = SelfFilter { rule: filter };
        assert_eq!(
            (0..6).map(|p| filter.allows(1, p)).collect::<Vec<_>>(),
            [false, false, false, false, true, true]
        );
    }

    #[test]
    fn a_triangle_ignores_its_own_points_and_points_ignore_each_other() {
        let triangles = Body::triangles(&[[0, 1, 2], [1, 3, 2]], &zigzag());
        let points = Body::points(&zigzag());
        let (t, p) = (triangles.view(), points.view());
        let filter = SelfFilter::same_node(&t, &p, false, &[]);
        assert!(!filter.allows(1, 3) && filter.allows(1, 0));
        assert!(!SelfFilter::same_node(&p, &p, true, &[]).allows(0, 5));
        let filter = SelfFilter::same_node(&t, &t, true, &[]);
        assert!(filter.allows(0, 1) && !filter.allows(1, 1) && filter.is_same_model());
    }
}
