//! The mouse as X3D's pointing device.
//!
//! **Source:** ISO/IEC 19775-1, 20.2, *Concepts*, 20.4.4, *TouchSensor*: a sensor hears of a device that moves over what it listens to,
//! pressed or not; while one is active, it alone hears of it, wherever it moves.

use std::collections::VecDeque;

use animation::event::NodeId;
use animation::event::host::{Hit, HostEvent, Pointer};
use viewer::viewpoint::Bearing;
use x3d::shape::{Affine, Shapes, Touched};

use super::EventSimulation;

/// What the mouse did.
#[derive(Clone, Copy, Debug)]
enum Happened {
    Moved(Option<Bearing>),
    Button(bool),
}

/// A sensor that hears of the mouse, and the map from the world to its coordinates.
#[derive(Clone, Copy, Debug)]
struct Listener {
    sensor: NodeId,
    map: Affine,
}

/// The mouse over the shapes of an event graph.
#[derive(Default)]
pub(super) struct Mouse {
    /// What the sensors have not heard of yet.
    happened: VecDeque<Happened>,
    /// Where it points; none at no place of the scene.
    bearing: Option<Bearing>,
    /// The sensors that it is over.
    over: Vec<Listener>,
    /// The sensors on which its button went down, until it goes up.
    grabbed: Vec<Listener>,
}

impl Mouse {
    /// It points along a ray now; none at no place of the scene.
    pub fn point(&mut self, bearing: Option<Bearing>) {
        // Of movements between two frames only the last counts.
        if let Some(Happened::Moved(last)) = self.happened.back_mut() {
            *last = bearing;
        } else {
            self.happened.push_back(Happened::Moved(bearing));
        }
    }

    /// Its button went down (true) or up. Says whether it did so over a shape that sensors listen to, or where it had gone down.
    pub fn button(&mut self, simulation: &EventSimulation, shapes: &Shapes, down: bool) -> bool {
        let moved = self.happened.iter().rev().find_map(|h| match h {
            Happened::Moved(bearing) => Some(*bearing),
            Happened::Button(_) => None,
        });
        self.happened.push_back(Happened::Button(down));
        !down || touched(simulation, shapes, moved.unwrap_or(self.bearing)).is_some()
    }

    /// Tells the sensors before a frame what happened: a movement, and the button once, since a field sends once in a frame.
    pub fn tell(&mut self, simulation: &mut EventSimulation, shapes: &Shapes) {
        while let Some(happened) = self.happened.pop_front() {
            match happened {
                Happened::Moved(bearing) => self.moved(simulation, shapes, bearing),
                Happened::Button(down) => {
                    self.pressed(simulation, shapes, down);
                    break;
                }
            }
        }
    }

    fn moved(&mut self, simulation: &mut EventSimulation, shapes: &Shapes, bearing: Option<Bearing>) {
        // A device that points nowhere keeps its last ray: a sensor is told that the ray meets nothing of it.
        let ray = bearing.or(self.bearing);
        self.bearing = bearing;
        let touched = touched(simulation, shapes, bearing);
        if self.grabbed.is_empty() {
            self.hover(simulation, ray, touched.as_ref());
        } else if ray.is_some() {
            self.drag(simulation, shapes, ray, touched.as_ref(), true);
        }
    }

    fn pressed(&mut self, simulation: &mut EventSimulation, shapes: &Shapes, down: bool) {
        if down && !self.grabbed.is_empty() {
            // The window has lost that it went up: it is still down.
            return self.moved(simulation, shapes, self.bearing);
        }
        let (ray, touched) = (self.bearing, touched(simulation, shapes, self.bearing));
        if down {
            self.hover(simulation, ray, touched.as_ref());
            self.grabbed = touched.as_ref().map(listeners).unwrap_or_default();
            self.drag(simulation, shapes, ray, touched.as_ref(), true);
        } else {
            self.drag(simulation, shapes, ray, touched.as_ref(), false);
            let heard = std::mem::take(&mut self.grabbed);
            let is_over = |l: &Listener| touched.as_ref().is_some_and(|t| t.sensors.contains(&l.sensor));
            self.over = heard.into_iter().filter(is_over).collect();
            self.hover(simulation, ray, touched.as_ref());
        }
    }

    /// Without a button: those that it comes over and those that it leaves hear of it.
    fn hover(&mut self, simulation: &mut EventSimulation, ray: Option<Bearing>, touched: Option<&Touched>) {
        let now = touched.map(listeners).unwrap_or_default();
        let Some(ray) = ray else { return };
        for left in self.over.iter().filter(|l| now.iter().all(|n| n.sensor != l.sensor)) {
            tell(simulation, left, ray, None, false);
        }
        let hit = touched.map(hit);
        now.iter().for_each(|listener| tell(simulation, listener, ray, hit, false));
        self.over = now;
    }

    /// With the button down, or as it goes up: those on which it went down hear of it.
    fn drag(
        &mut self,
        simulation: &mut EventSimulation,
        shapes: &Shapes,
        ray: Option<Bearing>,
        touched: Option<&Touched>,
        down: bool,
    ) {
        let Some(ray) = ray else { return };
        for listener in &mut self.grabbed {
            let over = touched.filter(|t| t.sensors.contains(&listener.sensor));
            let scene = simulation.graph().scene();
            let map = over.map(|t| t.map).or_else(|| shapes.map_to(scene, simulation, listener.sensor));
            listener.map = map.unwrap_or(listener.map);
            tell(simulation, listener, ray, over.map(hit), down);
        }
    }
}

fn touched(simulation: &EventSimulation, shapes: &Shapes, bearing: Option<Bearing>) -> Option<Touched> {
    let Bearing { origin, direction } = bearing?;
    shapes.touched(simulation.graph().scene(), simulation, origin.into(), direction.into())
}

fn listeners(touched: &Touched) -> Vec<Listener> {
    touched.sensors.iter().map(|sensor| Listener { sensor: *sensor, map: touched.map }).collect()
}

fn hit(touched: &Touched) -> Hit {
    Hit {
        point: touched.point.map(|c| c as f32),
        normal: touched.normal.map(|c| c as f32),
        tex_coord: touched.tex_coord.map(|c| c as f32),
    }
}

fn tell(simulation: &mut EventSimulation, to: &Listener, ray: Bearing, hit: Option<Hit>, pressed: bool) {
    let origin = to.map.apply(ray.origin.into()).map(|c| c as f32);
    let direction = to.map.turn(ray.direction.into()).map(|c| c as f32);
    let pointer = Pointer { origin, direction, hit, pressed };
    simulation.graph_mut().tell(to.sensor, HostEvent::Pointer(pointer));
}
