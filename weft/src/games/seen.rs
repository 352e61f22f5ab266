//! What is seen of a flock: an arrowhead for each member, and the edges of its world.

use std::sync::Arc;

use animation::game::flock::{Bounds, Picture};
use sim_core::math::Vec3;
use viewer::surface::{Color, Faces, Motion, Role, Rows, Surface};
use viewer::viewed::Viewed;

const MEMBERS: Color = [0.90, 0.55, 0.25, 1.0];
const WORLD: Color = [0.45, 0.50, 0.60, 1.0];
/// Down, for who looks.
const DOWN: [f64; 3] = [0.0, -9.81, 0.0];
/// The path of the members' surface.
const PATH: &str = "/flock";
/// Corners of an arrowhead: its point, and three behind.
const CORNERS: usize = 4;
/// Surfaces have room for more members in steps of so many.
const ROOM: usize = 256;

/// What is seen of a flock.
pub(super) struct Shapes {
    /// Half the length of an arrowhead \[m\].
    size: f64,
    bounds: Bounds,
    /// Members that the surface at the beginning has room for.
    room: usize,
    /// The surface with more room, once there are more members.
    larger: Option<(usize, Arc<Vec<Arc<Surface>>>)>,
}

impl Shapes {
    /// Of members of a radius \[m\], so many at the beginning.
    pub fn new(radius: f64, bounds: Bounds, members: usize) -> Self {
        Self { size: (2.0 * radius).max(0.1), bounds, room: room(members), larger: None }
    }

    /// What a window needs to know before the first state.
    pub fn viewed(&self, title: &str) -> Viewed {
        let surfaces = vec![Arc::new(flock(self.room)), Arc::new(world(&self.bounds))];
        Viewed { title: title.to_owned(), surfaces, gravity: Vec3::from(DOWN), ..Viewed::default() }
    }

    /// Makes room for so many members.
    pub fn grow(&mut self, members: usize) {
        let has = self.larger.as_ref().map_or(self.room, |(room, _)| *room);
        if members > has {
            let room = room(members);
            self.larger = Some((room, Arc::new(vec![Arc::new(flock(room))])));
        }
    }

    /// The surface with more room, if there are more members than at the beginning.
    pub fn changed(&self) -> Option<&Arc<Vec<Arc<Surface>>>> {
        self.larger.as_ref().map(|(_, changed)| changed)
    }

    /// Writes corners of arrowheads over `out`, whose list keeps its memory. Where there is no member, all corners are at one point, so that
    /// nothing is seen.
    pub fn positions(&self, picture: &Picture, out: &mut Vec<Rows>) {
        out.resize_with(1, Rows::default);
        let Rows { stride, values, .. } = &mut out[0];
        *stride = 3;
        values.clear();
        let room = self.larger.as_ref().map_or(self.room, |(room, _)| *room);
        for (x, v) in picture.positions.iter().zip(&picture.velocities) {
            for corner in arrowhead(*x, *v, self.size) {
                values.extend(corner);
            }
        }
        let nowhere = picture.positions.first().copied().unwrap_or([0.0; 3]);
        let missing = room.saturating_sub(picture.positions.len());
        (0..missing * CORNERS).for_each(|_| values.extend(nowhere));
    }
}

fn room(members: usize) -> usize {
    (members + 1).next_multiple_of(ROOM)
}

/// The corners of an arrowhead at a place, which points where it goes.
fn arrowhead(x: [f64; 3], v: [f64; 3], size: f64) -> [[f64; 3]; CORNERS] {
    let (x, v) = (Vec3::from(x), Vec3::from(v));
    let way = v.try_normalize(1e-12).unwrap_or_else(|| Vec3::new(1.0, 0.0, 0.0));
    let up = if way[1].abs() < 0.9 { Vec3::new(0.0, 1.0, 0.0) } else { Vec3::new(1.0, 0.0, 0.0) };
    let side = way.cross(&up).normalize();
    let up = side.cross(&way);
    let back = x - way * size;
    let (wide, high) = (side * (0.6 * size), up * (0.45 * size));
    [x + way * size, back + wide - high * 0.5, back - wide - high * 0.5, back + high].map(Into::into)
}

fn flock(room: usize) -> Surface {
    let of = |member: u32| {
        let k = CORNERS as u32 * member;
        [[k, k + 1, k + 3], [k, k + 2, k + 1], [k, k + 3, k + 2], [k + 1, k + 2, k + 3]]
    };
    let faces = Faces::new((0..room as u32).flat_map(of).collect(), Vec::new());
    Surface::new(PATH.to_owned(), Role::Visual, Some(0), Motion::Points(0, CORNERS * room), faces, MEMBERS)
}

/// The edges of a box.
fn world(bounds: &Bounds) -> Surface {
    let corner = |k: usize| -> Vec3 {
        let at = |axis: usize| if k >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        Vec3::new(at(0), at(1), at(2))
    };
    let lines = (0..8_u32)
        .flat_map(|k| (0..3).filter(move |axis| k >> axis & 1 == 0).map(move |axis| [k, k | 1 << axis]));
    let faces = Faces { lines: lines.collect(), ..Faces::default() };
    Surface::new(
        "/world".to_owned(),
        Role::Visual,
        None,
        Motion::Still((0..8).map(corner).collect()),
        faces,
        WORLD,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrowhead_points_where_its_member_goes_and_room_grows() {
        let [point, ..] = arrowhead([1.0, 2.0, 3.0], [0.0, 0.0, 5.0], 0.5);
        assert_eq!(point, [1.0, 2.0, 3.5]);
        for v in [[0.0, 4.0, 0.0], [0.0; 3], [0.0, -1.0, 1e-9]] {
            assert!(arrowhead([0.0; 3], v, 1.0).as_flattened().iter().all(|x| x.is_finite()));
        }
        let mut shapes = Shapes::new(0.5, Bounds::cube(10.0), 3);
        assert!(shapes.changed().is_none());
        let picture = Picture { positions: vec![[1.0; 3]; 300], velocities: vec![[1.0; 3]; 300], frame: 0 };
        shapes.grow(300);
        let mut rows = Vec::new();
        shapes.positions(&picture, &mut rows);
        let points = shapes.changed().expect("larger")[0].motion.n_points();
        assert_eq!((rows[0].values.len() / 3, points), (512 * CORNERS, 512 * CORNERS));
        assert_eq!(world(&Bounds::cube(2.0)).faces.lines.len(), 12);
    }
}
