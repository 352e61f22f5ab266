//! `BoxROI`: the points and elements inside boxes.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use super::selection::{Region, Selection};
use crate::topology::changes::region::{BoxRegion, Shape};

/// The points and elements inside boxes, as lists that others link to.
#[derive(Attributes)]
struct Settings {
    /// boxes: two opposite corners each; 0 0 0 1 1 1 if none is given [m]
    #[attribute(name = "box")]
    boxes: Option<Vec<[f64; 6]>>,
    /// boxes: three corners of a parallelogram and a thickness [m]
    oriented_box: Option<Vec<[f64; 10]>>,
    #[attribute(flatten)]
    selection: Selection,
    /// whether the boxes are drawn with the behavior models
    draw_boxes: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "BoxROI", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Rigid3", "Vec6"]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let regions = regions(&s)?;
    b.keep(Some(BoxRegion { shapes: regions.clone(), is_drawn: s.draw_boxes }));
    let contains = |x: &Vec3| regions.iter().any(|r| r.contains(x));
    s.selection.offer(b, &Region::of(&contains), "box")
}

fn regions(s: &Settings) -> Result<Vec<Shape>, BuildError> {
    if s.boxes.is_none() && s.oriented_box.is_none() {
        return Ok(vec![Shape::aligned(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])]);
    }
    let mut regions: Vec<Shape> = s.boxes.iter().flatten().map(|c| Shape::aligned(c)).collect();
    for c in s.oriented_box.iter().flatten() {
        regions.push(Shape::oriented(c).ok_or_else(|| {
            BuildError::attribute("orientedBox", "the three corners of an `orientedBox` lie on a line")
        })?);
    }
    Ok(regions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::component::value::Value;
    use sim_core::scene::ComponentId;

    fn integers(t: &TestScene, c: ComponentId, name: &str) -> Vec<i64> {
        t.scene.component(c).fields[name].integers().unwrap()
    }

    #[test]
    fn chooses_rest_positions_with_the_border_and_swapped_corners() {
        let mut t = TestScene::new();
        let root = t.root();
        let state = [("position", "0 0 0 1 0 0 2 0 0 3 0 0"), ("translation2", "10 0 0")];
        t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
        let roi = t.add(&DESCRIPTION, root, &[("box", "2 1 1 1 -1 -1")]).unwrap();
        assert_eq!(integers(&t, roi, "indices"), [1, 2]);
        assert_eq!(integers(&t, roi, "indicesOut"), [0, 3]);
        assert_eq!(t.scene.component(roi).fields["nbIndices"], Value::Integer(2));
        let unit = t.add(&DESCRIPTION, root, &[]).unwrap();
        assert_eq!(integers(&t, unit, "indices"), [0, 1]);
        let e = t.add(&DESCRIPTION, root, &[("box", "1 2 3")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("box"));
    }

    #[test]
    fn elements_are_inside_with_all_nodes_or_with_their_centre() {
        let mut t = TestScene::new();
        let root = t.root();
        let mut attributes =
            vec![("position", "0 0 0 1 0 0 2 0 0"), ("edges", "0 1 1 2"), ("box", "-1 -1 -1 1.6 1 1")];
        let strict = t.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(integers(&t, strict, "edgeIndices"), [0]);
        attributes.push(("strict", "0"));
        let by_centre = t.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(integers(&t, by_centre, "edgeIndices"), [0, 1]);
        assert_eq!(integers(&t, by_centre, "edgesInROI"), [0, 1, 1, 2]);
        assert_eq!(integers(&t, strict, "edgeOutIndices"), [1]);
        assert_eq!(integers(&t, strict, "edgesOutROI"), [1, 2]);
        assert_eq!(t.scene.component(strict).fields["pointsOutROI"].reals().unwrap(), [2.0, 0.0, 0.0]);
    }

    #[test]
    fn a_turned_box_is_a_thick_parallelogram() {
        let mut t = TestScene::new();
        let root = t.root();
        let attributes =
            [("position", "1 0 0  0 1 0  1 1 0  1 0 0.6"), ("orientedBox", "0 0 0  1 -1 0  2 0 0  1")];
        let roi = t.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(integers(&t, roi, "indices"), [0, 2]);
        let drawn = [("position", "0 0 0"), ("orientedBox", attributes[1].1), ("drawBoxes", "1")];
        let drawn = t.add(&DESCRIPTION, root, &drawn).unwrap();
        let region = t.scene.component(drawn).extension::<BoxRegion>().expect("a region");
        let boxes: Vec<[Vec3; 8]> = region.drawn().collect();
        assert_eq!(boxes[0][..2], [Vec3::new(0.0, 0.0, -0.5), Vec3::new(1.0, -1.0, -0.5)]);
        assert_eq!(boxes[0][7], Vec3::new(2.0, 0.0, 0.5));
        let line = [("position", "0 0 0"), ("orientedBox", "0 0 0 1 0 0 2 0 0 1")];
        assert!(t.add(&DESCRIPTION, root, &line).is_err());
    }
}
