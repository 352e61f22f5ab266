//! The scene as it is drawn: its surfaces, a floor, light.

use std::sync::Arc;

use kiss3d::color::Color;
use kiss3d::glamx::{Vec2, Vec3};
use kiss3d::light::{Fog, Light};
use kiss3d::prelude::SceneNode3d;
use kiss3d::resource::GpuMesh3d;

use super::actor::{Actor, draw_link};
use super::lens::vec3;
use super::matte::Material;
use super::pen::Pen;
use super::root::Root;
use crate::camera::{Bounds, Camera};
use crate::display::{Display, pale, worker_color};
use crate::snapshot::{Lamp, Snapshot};
use crate::surface::{Links, Role, Rows, Surface, color_of, is_seen};
use crate::viewed::{Viewed, present};

/// Behind everything, and far away.
pub(super) const BACKGROUND: Color = Color::new(0.90, 0.92, 0.95, 1.0);
const CONTACT: Color = Color::new(0.9, 0.0, 0.0, 1.0);
const FLOOR: Color = Color::new(0.80, 0.81, 0.83, 1.0);

/// All surfaces of a scene.
pub(super) struct Stage {
    pub(super) root: Root,
    /// The surfaces in the beginning.
    begin: Vec<Arc<Surface>>,
    actors: Vec<Actor>,
    /// Those that look otherwise than in the beginning.
    changed: Arc<Vec<Arc<Surface>>>,
    links: Vec<Links>,
    /// Whether there is a newer state than the one that was last drawn.
    is_stale: bool,
    floor: SceneNode3d,
    up: Vec3,
    /// Height of the floor at the beginning, and now [m].
    floor_level: f32,
    level: f32,
}

impl Stage {
    pub(super) fn new(viewed: &Viewed, states: &[Rows], material: Option<Material>) -> Self {
        let mut root = Root::new(material);
        let flags = is_seen(&viewed.surfaces);
        let actors =
            viewed.surfaces.iter().zip(flags).map(|(s, is_seen)| Actor::new(s.clone(), is_seen)).collect();
        let bounds = viewed.bounds(states);
        let camera = viewed.camera(states, 1.0);
        add_lights(&mut root.node, &camera);
        let (floor, level) = add_floor(&mut root, bounds, &camera);
        let links = viewed.links.clone();
        let up = vec3(camera.up);
        let (begin, changed) = (viewed.surfaces.clone(), Arc::default());
        Self { root, begin, actors, changed, links, is_stale: true, floor, up, floor_level: level, level }
    }

    /// Says that there is a newer state.
    pub(super) fn age(&mut self) {
        self.is_stale = true;
        self.actors.iter_mut().for_each(Actor::age);
    }

    /// Takes up what looks otherwise now.
    fn change(&mut self, changed: &Arc<Vec<Arc<Surface>>>) {
        if Arc::ptr_eq(changed, &self.changed) {
            return;
        }
        self.changed = changed.clone();
        let now = present(&self.begin, changed);
        // What came goes again.
        self.actors.drain(now.len().min(self.actors.len())..).for_each(Actor::leave);
        for (k, (s, is_seen)) in now.iter().zip(is_seen(&now)).enumerate() {
            match self.actors.get_mut(k) {
                Some(a) => a.change(s, is_seen),
                None => self.actors.push(Actor::new(s.clone(), is_seen)),
            }
        }
    }

    /// Paints every body in its worker's color, or in its own where there are no workers; those that sleep are pale.
    pub(super) fn paint(&mut self, owners: Option<&[Option<u32>]>, asleep: &[bool]) {
        for a in &mut self.actors {
            let owner = a.surface.object.zip(owners).and_then(|(o, owners)| *owners.get(o as usize)?);
            let sleeps = a.surface.object.is_some_and(|o| asleep.get(o as usize) == Some(&true));
            let painted = owner.map(worker_color);
            a.painted = if sleeps { Some(pale(painted.unwrap_or(a.surface.look.color))) } else { painted };
        }
    }

    /// Shows what is to be shown where it is now, and draws what is drawn anew each frame.
    pub(super) fn show(&mut self, display: &Display, snapshot: &Snapshot, pen: &mut Pen<'_>) {
        self.change(&snapshot.changed);
        let states = &snapshot.states;
        for a in &mut self.actors {
            let role = a.surface.role;
            let visible = match role {
                Role::Behavior | Role::Collision => display.shows(role) || display.visual && a.is_seen,
                role => display.shows(role),
            };
            // What collides is wires over a body, unless it stands for one that has no other shape.
            let stands_in = role == Role::Collision && a.is_seen && !display.collision;
            let wireframe = display.wireframe || role == Role::Collision && !stands_in;
            let own = a.surface.object.filter(|_| stands_in).map(color_of);
            a.recolored = a.surface.object.and_then(|o| *snapshot.colors.get(o as usize)?).or(own);
            if role == Role::Visual && !snapshot.lamps.is_empty() {
                a.recolored = lit(&a.surface, states, &snapshot.lamps).or(a.recolored);
            }
            a.show(visible, wireframe, states, &mut self.root, pen);
            if display.mappings && role == Role::Visual {
                a.draw_mapping(states, pen);
            }
        }
        if display.mappings {
            self.links
                .iter()
                .for_each(|l| l.for_each(states, |point, carrier| draw_link(&point, &carrier, pen)));
        }
        if std::mem::take(&mut self.is_stale) {
            self.lower_floor(states);
        }
        if display.contacts {
            for contact in &snapshot.contacts {
                let ends = contact.map(vec3);
                pen.line(ends, CONTACT, 2.0);
                pen.point(ends[0], CONTACT, 4.0);
            }
        }
        self.floor.set_visible(display.floor);
    }

    /// The floor gives way to what falls deeper, so that nothing vanishes below it.
    fn lower_floor(&mut self, states: &[Rows]) {
        let seen = self.actors.iter().filter(|a| a.is_seen);
        let lowest = seen.map(|a| a.lowest(states, self.up)).fold(f32::INFINITY, f32::min);
        if lowest.is_finite() && lowest < self.level {
            self.level = lowest;
            self.floor.set_position(self.up * (lowest - self.floor_level));
        }
    }
}

/// The color of a surface in the light of lamps; none where nothing of it reaches its middle.
fn lit(surface: &Surface, states: &[Rows], lamps: &[Lamp]) -> Option<crate::surface::Color> {
    let middle = surface.motion.middle(states)?;
    let light = lamps
        .iter()
        .map(|l| l.reaching(&middle))
        .fold([1.0_f32; 3], |sum, l| std::array::from_fn(|k| sum[k] + l[k]));
    let [r, g, b, alpha] = surface.look.color;
    let is_lit = light.iter().any(|c| *c > 1.001);
    is_lit.then(|| [(r * light[0]).min(1.0), (g * light[1]).min(1.0), (b * light[2]).min(1.0), alpha])
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
fn add_floor(root: &mut Root, bounds: Bounds, camera: &Camera) -> (SceneNode3d, f32) {
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
    let mut floor = root.add(gpu);
    floor.set_color(FLOOR).enable_backface_culling(false).set_metallic(0.0).set_roughness(1.0);
    floor.set_casts_shadows(false);
    (floor, origin.dot(&camera.up) as f32)
}

/// The floor fades into the background, wherever the camera is.
pub(super) fn fog(camera: &Camera, background: Color) -> Fog {
    let near = camera.distance + 2.0 * camera.extent;
    Fog::linear(background, near as f32, (near + 12.0 * camera.extent) as f32)
}
