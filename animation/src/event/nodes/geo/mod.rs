//! Nodes on maps. GeoPositionInterpolator: places on the earth between key places, in the words of the file and as positions in the world.
//!
//! Between keys numbers go straight in the file's own spatial reference frame. A position in the world is relative to the GeoOrigin, if the
//! node has one, and to the earth's middle otherwise; X3D's positions are single precision, which leaves half a metre there.
//!
//! **Source:** ISO/IEC 19775-1, 25.3.9, *GeoPositionInterpolator*.

pub mod ellipsoid;
mod sensors;
pub mod system;

use std::sync::Arc;

use super::interpolation::keys::{self, Place};
use super::port::ports;
use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::field::Value;
use crate::event::graph_access::GraphAccess;
use crate::event::scene::NodeType;
use crate::event::{FieldId, NodeId};
use system::{Origin, System};

/// Types that have a behaviour here.
pub const TYPES: &[&str] = &["GeoPositionInterpolator", "GeoTouchSensor", "GeoProximitySensor"];

ports! {
    struct Ports {
        fraction: SFFloat = "set_fraction",
        key: MFFloat = "key",
        values: MFVec3d = "keyValue",
        system: MFString = "geoSystem",
        origin: SFNode = "geoOrigin",
        value: SFVec3f = "value_changed",
        place: SFVec3d = "geovalue_changed",
    }
}

/// The behaviour of a node on a map; none for other types.
pub fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    if &*node_type.name != "GeoPositionInterpolator" {
        return sensors::behaviour_of(node_type);
    }
    let ports = Ports::of(node_type)?;
    Some(Box::new(Interpolator {
        ports,
        keys: None,
        system: None,
        cursor: 0,
        asked: false,
        said: [false; 3],
    }))
}

#[derive(Clone)]
struct Interpolator {
    ports: Ports,
    /// Keys as the search wants them; none until they are read.
    keys: Option<Vec<f32>>,
    system: Option<System>,
    cursor: usize,
    asked: bool,
    /// What has been said: of keys, of frames, of the fraction.
    said: [bool; 3],
}

/// The words of a frame, and mistakes in them.
fn system_of(words: &[Arc<str>], told: &mut bool, turn: &mut dyn Turn) -> System {
    match System::of(words) {
        Ok(system) => system,
        Err(word) => {
            if !std::mem::replace(told, true) {
                turn.complain(format_args!(
                    "geoSystem: `{word}` is not known; it is read as latitude and longitude on WE"
                ));
            }
            System::of(&[]).unwrap_or(System::Geocentric)
        }
    }
}

/// The words of a spatial reference frame.
type Words = Arc<[Arc<str>]>;

/// What a GeoOrigin says: its frame's words, its place, and whether up is y there.
fn origin_of(graph: &dyn GraphAccess, node: NodeId) -> Option<(Words, [f64; 3], bool)> {
    let node_type = graph.node_type(node)?;
    let value = |name: &str| graph.value(node, node_type.field(name)?).ok();
    match (value("geoSystem")?, value("geoCoords")?, value("rotateYUp")?) {
        (Value::MFString(words), Value::SFVec3d(place), Value::SFBool(up)) => Some((words, place, up)),
        _ => None,
    }
}

impl Interpolator {
    fn read_keys(&mut self, turn: &mut dyn Turn) {
        let (mut usable, fault) = keys::usable(self.ports.key.get(turn));
        let n = self.ports.values.get(turn).len();
        if (fault.is_some() || usable.len() != n) && !std::mem::replace(&mut self.said[0], true) {
            turn.complain(format_args!("{} keys and {n} keyValues: those that decrease count as the one before, a surplus is left out", usable.len()));
        }
        usable.truncate(n);
        self.keys = Some(usable);
    }

    fn origin(&mut self, turn: &mut dyn Turn) -> Origin {
        let found =
            self.ports.origin.get(turn).zip(turn.graph()).and_then(|(node, graph)| origin_of(graph, node));
        let Some((words, place, up)) = found else { return Origin::MIDDLE };
        Origin::at(&system_of(&words, &mut self.said[1], turn), place, up)
    }

    fn send(&mut self, turn: &mut dyn Turn) {
        if self.keys.is_none() {
            self.read_keys(turn);
        }
        let fraction = self.ports.fraction.get(turn);
        if fraction.is_nan() && !std::mem::replace(&mut self.said[2], true) {
            turn.complain(format_args!("set_fraction is not a number: no event is sent"));
        }
        let keys = self.keys.as_deref().unwrap_or_default();
        let Some(Place { index, weight }) = keys::find(keys, fraction, &mut self.cursor) else { return };
        let values = self.ports.values.get(turn);
        let Some(a) = values.get(index).copied() else { return };
        let b = values.get(index + 1).copied().unwrap_or(a);
        let t = f64::from(weight);
        let place = if weight == 0.0 { a } else { std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t) };
        let system = match self.system {
            Some(system) => system,
            None => {
                let words: Vec<Arc<str>> = self.ports.system.get(turn).to_vec();
                *self.system.insert(system_of(&words, &mut self.said[1], turn))
            }
        };
        let position = self.origin(turn).to_world(system.point(place));
        self.ports.place.send(turn, place);
        self.ports.value.send(turn, position.map(|x| x as f32));
    }
}

impl Behaviour for Interpolator {
    fn reach(&self) -> Reach {
        // The origin is another node's.
        Reach::Graph
    }
    fn receive(&mut self, field: FieldId, _turn: &mut dyn Turn) {
        if self.ports.fraction.is(field) {
            self.asked = true;
        } else {
            self.keys = None;
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        if std::mem::take(&mut self.asked) {
            self.send(turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::field::Access::{InitializeOnly, InputOnly, InputOutput, OutputOnly};
    use crate::event::nodes::bench::Bench;

    #[test]
    fn places_between_keys_and_where_they_are() {
        let words: Arc<[Arc<str>]> = ["GD".into(), "WE".into()].into();
        let places: Arc<[[f64; 3]]> = [[0.0, 0.0, 0.0], [0.0, 90.0, 10.0]].into();
        let mut bench = Bench::new(
            "GeoPositionInterpolator",
            &[
                ("set_fraction", InputOnly, Value::SFFloat(0.0)),
                ("key", InputOutput, Value::MFFloat([0.0, 1.0].into())),
                ("keyValue", InputOutput, Value::MFVec3d(places)),
                ("geoSystem", InitializeOnly, Value::MFString(words)),
                ("geoOrigin", InitializeOnly, Value::SFNode(None)),
                ("value_changed", OutputOnly, Value::SFVec3f([0.0; 3])),
                ("geovalue_changed", OutputOnly, Value::SFVec3d([0.0; 3])),
            ],
        );
        let sent = bench.event("set_fraction", Value::SFFloat(0.5));
        assert_eq!(sent[0], ("geovalue_changed", Value::SFVec3d([0.0, 45.0, 5.0])));
        let Value::SFVec3f([x, y, z]) = sent[1].1 else { panic!("{sent:?}") };
        let r = (6_378_142.0 / 2.0_f64.sqrt()) as f32;
        assert!((x - r).abs() <= 0.5 && (y - r).abs() <= 0.5 && z == 0.0, "{x} {y} {z}");
        assert!(bench.event("set_fraction", Value::SFFloat(f32::NAN)).is_empty());
        assert_eq!(bench.complaints(), ["set_fraction is not a number: no event is sent"]);
    }
}
