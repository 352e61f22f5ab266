//! The scene as it is drawn: its surfaces, a floor, light.

use std::cell::RefCell;
use std::rc::Rc;

use kiss3d::color::Color;
use kiss3d::glamx::{Vec2, Vec3};
use kiss3d::light::{Fog, Light};
use kiss3d::prelude::SceneNode3d;
use kiss3d::resource::GpuMesh3d;
use kiss3d::window::Window;

use super::mesh::Mesh;
use crate::camera::{Bounds, Camera};
use crate::display::{Display, worker_color};
use crate::snapshot::Snapshot;
use crate::surface::{Role, Rows, seen};
use crate::viewed::Viewed;

/// Behind everything, and far away.
pub(super) const BACKGROUND: Color = Color::new(0.90, 0.92, 0.95, 1.0);
const CONTACT: Color = Color::new(0.9, 0.0, 0.0, 1.0);
const FLOOR: Color = Color::new(0.80, 0.81, 0.83, 1.0);

/// One surface and when it is shown.
struct Actor {
    mesh: Mesh,
    role: Role,
    /// Shown with the visual models: a visual model, or the behavior model of an object without one.
    is_seen: bool,
    object: Option<u32>,
}

/// All surfaces of a scene.
pub(super) struct Stage {
    pub(super) root: SceneNode3d,
    actors: Vec<Actor>,
    floor: SceneNode3d,
    up: Vec3,
    /// Height of the floor at the beginning, and now [m].
    floor_level: f32,
    level: f32,
}

impl Stage {
    pub(super) fn new(viewed: &Viewed, states: &[Rows]) -> Self {
        let mut root = SceneNode3d::empty();
        let seen: Vec<*const _> = seen(&viewed.surfaces).map(std::ptr::from_ref).collect();
        let actors = viewed
            .surfaces
            .iter()
            .map(|s| Actor {
                mesh: Mesh::new(s, states, &mut root),
                role: s.role,
                is_seen: seen.contains(&std::ptr::from_ref(s)),
                object: s.object,
            })
            .collect();
        let bounds = viewed.bounds(states);
        let camera = viewed.camera(states, 1.0);
        add_lights(&mut root, &camera);
        let (floor, level) = add_floor(&mut root, bounds, &camera);
        Self { root, actors, floor, up: vec3(camera.up), floor_level: level, level }
    }

    /// Moves everything to where it is in a state.
    pub(super) fn update(&mut self, states: &[Rows]) {
        self.actors.iter_mut().for_each(|a| a.mesh.update(states));
        // The floor gives way to what falls deeper, so that nothing vanishes below it.
        let up = self.up.to_array();
        let seen = self.actors.iter().filter(|a| a.is_seen);
        let lowest = seen.map(|a| a.mesh.lowest(up)).fold(f32::INFINITY, f32::min);
        if lowest.is_finite() && lowest < self.level {
            self.level = lowest;
            self.floor.set_position(self.up * (lowest - self.floor_level));
        }
    }

    /// Paints every body in its worker's color, or in its own where there are no workers.
    pub(super) fn paint(&mut self, owners: Option<&[Option<u32>]>) {
        for a in &mut self.actors {
            let owner = a.object.zip(owners).and_then(|(o, owners)| *owners.get(o as usize)?);
            a.mesh.paint(owner.map(worker_color));
        }
    }

    /// Shows what is to be shown, and draws what is drawn anew each frame.
    pub(super) fn show(&mut self, display: &Display, snapshot: &Snapshot, window: &mut Window) {
        for a in &mut self.actors {
            let visible = match a.role {
                Role::Behavior => display.behavior || display.visual && a.is_seen,
                role => display.shows(role),
            };
            a.mesh.show(visible, display.wireframe || a.role == Role::Collision);
            if visible {
                a.mesh.draw_thin(window);
            }
            if display.mappings && a.role == Role::Visual {
                a.mesh.draw_mapping(&snapshot.states, window);
            }
        }
        if display.contacts {
            for [a, b] in &snapshot.contacts {
                window.draw_line(vec3(*a), vec3(*b), CONTACT, 2.0, false);
                window.draw_point(vec3(*a), CONTACT, 4.0);
            }
        }
        self.floor.set_visible(display.floor);
    }
}

fn vec3(v: sim_core::math::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

/// A light from above and one side, which throws shadows, and a weaker one from the other side.
fn add_lights(root: &mut SceneNode3d, camera: &Camera) {
    let [right, _, back] = camera.axes();
    let key = -(camera.up * 1.6 + right * -0.7 + back * 0.9);
    let fill = -(camera.up * 0.5 + right * 1.0 + back * 0.3);
    root.add_light(Light::directional(vec3(key).normalize()).with_intensity(2.2));
    root.add_light(Light::directional(vec3(fill).normalize()).with_intensity(0.6).with_casts_shadows(false));
}

/// A floor under the box, far larger than it, and its height [m].
fn add_floor(root: &mut SceneNode3d, bounds: Bounds, camera: &Camera) -> (SceneNode3d, f32) {
    let size = camera.extent;
    let center = bounds.center();
    // A little lower than all there is, so that a floor of the scene's own stays in front.
    let below = (bounds.max - bounds.min).dot(&camera.up.abs()) / 2.0 + 0.002 * size;
    let [right, _, back] = camera.axes();
    let ahead = (back - camera.up * back.dot(&camera.up)).normalize();
    let origin = center - camera.up * below;
    let reach = 40.0 * size;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let coords: Vec<Vec3> =
        corners.iter().map(|(a, b)| vec3(origin + right * (a * reach) - ahead * (b * reach))).collect();
    let normals = vec![vec3(camera.up); 4];
    let gpu =
        GpuMesh3d::new(coords, vec![[0, 1, 2], [0, 2, 3]], Some(normals), Some(vec![Vec2::ZERO; 4]), false);
    let mut floor = root.add_mesh(Rc::new(RefCell::new(gpu)), Vec3::ONE);
    floor.set_color(FLOOR).enable_backface_culling(false).set_metallic(0.0).set_roughness(1.0);
    floor.set_casts_shadows(false);
    (floor, origin.dot(&camera.up) as f32)
}

/// The floor fades into the background, wherever the camera is.
pub(super) fn fog(camera: &Camera) -> Fog {
    let near = camera.distance + 2.0 * camera.extent;
    Fog::linear(BACKGROUND, near as f32, (near + 12.0 * camera.extent) as f32)
}
