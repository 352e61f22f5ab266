//! The mouse as X3D's pointing device.

use animation::event::NodeId;
use animation::event::host::{Hit, HostEvent, Pointer};
use sim_core::math::Vec3;
use viewer::pick::Grip;
use x3d::shape::{Affine, Shapes};

use super::EventSimulation;

/// A button that went down on a shape, until it goes up.
pub(super) struct Press {
    sensors: Vec<NodeId>,
    /// From the world to the sensors.
    map: Affine,
    /// Where the viewer is \[m\].
    eye: Vec3,
    /// Where the button went down \[m\].
    at: Vec3,
}

impl Press {
    /// The button went down on a shape that sensors listen to; none where none does.
    pub fn on(simulation: &mut EventSimulation, shapes: &Shapes, grip: &Grip) -> Option<Self> {
        let scene = simulation.graph().scene();
        let (sensors, map) = shapes.sensors(scene, simulation, grip.state)?;
        let eye = grip.at - grip.direction * grip.depth;
        let press = Self { sensors, map, eye, at: grip.at };
        // It is over the shape before it is pressed there.
        press.tell(simulation, press.at, true, false);
        press.tell(simulation, press.at, true, true);
        Some(press)
    }

    /// It was moved to where a point is seen.
    pub fn moved(&self, simulation: &mut EventSimulation, to: Vec3) {
        self.tell(simulation, to, true, true);
    }

    /// The button went up.
    pub fn ended(self, simulation: &mut EventSimulation) {
        self.tell(simulation, self.at, true, false);
        self.tell(simulation, self.at, false, false);
    }

    fn tell(&self, simulation: &mut EventSimulation, to: Vec3, hits: bool, pressed: bool) {
        let local = |p: Vec3| self.map.apply(p.into()).map(|c| c as f32);
        let ray = to - self.eye;
        let towards = self.map.turn(ray.into());
        let direction = towards.map(|c| c as f32);
        // Nothing says which way the surface looks; it is seen, so it looks at the viewer.
        let normal = towards.map(|c| -(c / ray.norm().max(f64::MIN_POSITIVE)) as f32);
        let hit = hits.then(|| Hit { point: local(self.at), normal, tex_coord: [0.0; 2] });
        let pointer = Pointer { origin: local(self.eye), direction, hit, pressed };
        for sensor in &self.sensors {
            simulation.graph_mut().tell(*sensor, HostEvent::Pointer(pointer));
        }
    }
}
