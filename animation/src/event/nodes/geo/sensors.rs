//! GeoTouchSensor and GeoProximitySensor: what is touched, and where the viewer is, in the words of a map.
//!
//! They do what TouchSensor and ProximitySensor do. A sensor's coordinates are taken for those of the world, whose origin is its GeoOrigin, or the
//! earth's middle.
//!
//! **Source:** ISO/IEC 19775-1, 25.3.8, *GeoProximitySensor*; 25.3.9, *GeoTouchSensor*.

use super::super::port::{MFString, Port, SFNode, SFVec3d};
use super::super::sensors::{Near, touch_sensor};
use super::{Origin, System, origin_of, system_of};
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::host::HostEvent;
use crate::event::scene::NodeType;

/// A sensor on a map; none for other types.
pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    let (sensor, output) = match &*node_type.name {
        "GeoTouchSensor" => (Sensor::Touch(touch_sensor(node_type)?), "hitGeoCoord_changed"),
        "GeoProximitySensor" => {
            let center = Port::of(node_type, "geoCenter")?;
            (Sensor::Near(Near::without_center(node_type)?, center), "geoCoord_changed")
        }
        _ => return None,
    };
    Some(Box::new(GeoSensor {
        sensor,
        system: Port::of(node_type, "geoSystem")?,
        origin: Port::of(node_type, "geoOrigin")?,
        output: Port::of(node_type, output)?,
        at: None,
        said: false,
    }))
}

enum Sensor {
    Touch(Box<dyn Behaviour>),
    Near(Near, Port<SFVec3d>),
}

struct GeoSensor {
    sensor: Sensor,
    system: Port<MFString>,
    origin: Port<SFNode>,
    output: Port<SFVec3d>,
    /// The last place that was sent.
    at: Option<[f64; 3]>,
    said: bool,
}

impl GeoSensor {
    fn map(&mut self, turn: &mut dyn Turn) -> (System, Origin) {
        let words = self.system.get(turn).to_vec();
        let system = system_of(&words, &mut self.said, turn);
        let found = self.origin.get(turn).zip(turn.graph()).and_then(|(node, graph)| origin_of(graph, node));
        let origin =
            found.map(|(words, place, up)| Origin::at(&system_of(&words, &mut self.said, turn), place, up));
        (system, origin.unwrap_or(Origin::MIDDLE))
    }
    fn inner(&mut self) -> &mut dyn Behaviour {
        match &mut self.sensor {
            Sensor::Touch(touch) => &mut **touch,
            Sensor::Near(near, _) => near,
        }
    }
}

impl Behaviour for GeoSensor {
    fn reach(&self) -> Reach {
        // The origin is another node's.
        Reach::Graph
    }
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let (system, origin) = self.map(turn);
        if let Sensor::Near(near, center) = &mut self.sensor {
            near.middle = origin.to_world(system.point(center.get(turn))).map(|c| c as f32);
        }
        self.inner().host(event, turn);
        let seen = match (event, &self.sensor) {
            (HostEvent::Pointer(pointer), Sensor::Touch(_)) => pointer.hit.map(|hit| hit.point),
            (HostEvent::Viewer { position, .. }, Sensor::Near(near, _)) => {
                // Who goes says where, as of the position.
                (near.is_active() || self.at.is_some()).then_some(*position)
            }
            _ => None,
        };
        let place = seen.map(|p| system.place(origin.of_world(p.map(f64::from))));
        if let Some(place) = place.filter(|p| self.at != Some(*p)) {
            self.output.send(turn, place);
        }
        let is_there = match &self.sensor {
            Sensor::Touch(_) => true,
            Sensor::Near(near, _) => near.is_active(),
        };
        self.at = place.filter(|_| is_there);
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        self.inner().receive(field, turn);
    }
}
