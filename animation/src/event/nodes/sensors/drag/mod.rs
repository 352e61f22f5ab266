//! PlaneSensor, CylinderSensor and SphereSensor: dragging as translation or rotation.
//!
//! A drag begins where the pointer is pressed on the geometry, and goes on until it is let go, wherever the pointer is then.

mod shapes;

use super::super::port::{Kind, Port, SFBool, SFVec3f};
use super::ray::{Ray, Vec3};
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::host::HostEvent;
use crate::event::scene::NodeType;
use shapes::{Cylinder, Plane, Sphere, Surface};

pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    // Sensors of old files have no `axisRotation`: their axes are those of the coordinates.
    let axis = Port::of(node_type, "axisRotation");
    match &*node_type.name {
        "PlaneSensor" => sensor(
            node_type,
            Plane {
                axis,
                lowest: Port::of(node_type, "minPosition")?,
                highest: Port::of(node_type, "maxPosition")?,
                start: [0.0; 3],
            },
        ),
        "CylinderSensor" => sensor(
            node_type,
            Cylinder {
                axis,
                disk_angle: Port::of(node_type, "diskAngle")?,
                lowest: Port::of(node_type, "minAngle")?,
                highest: Port::of(node_type, "maxAngle")?,
                start: [0.0; 3],
                on: Surface::Disk,
                turned: 0.0,
                before: 0.0,
            },
        ),
        _ => sensor(node_type, Sphere { start: [0.0; 3] }),
    }
}

fn sensor<D: Drag>(node_type: &NodeType, drag: D) -> Option<Box<dyn Behaviour>> {
    Some(Box::new(DragSensor {
        enabled: Port::of(node_type, "enabled")?,
        auto_offset: Port::of(node_type, "autoOffset")?,
        offset: Port::of(node_type, "offset")?,
        is_active: Port::of(node_type, "isActive")?,
        is_over: Port::of(node_type, "isOver"),
        track_point: Port::of(node_type, "trackPoint_changed")?,
        moved: Port::of(node_type, D::MOVED)?,
        drag,
        pressed: false,
        over: false,
        active: false,
        at: None,
    }))
}

/// How a pointer's way becomes a movement.
trait Drag: Copy + Send + 'static {
    /// What is sent.
    type Moved: Kind<Set = Self::Value>;
    /// The same as a value.
    type Value: Copy + Send + 'static;
    /// The type of `offset`.
    type Offset: Kind;
    /// The field that sends it.
    const MOVED: &str;
    /// The pointer was pressed here.
    fn begin(&mut self, turn: &dyn Turn, ray: Ray, hit: Vec3);
    /// The point that is dragged, and how far; none if the ray shows nowhere.
    fn follow(
        &mut self,
        turn: &dyn Turn,
        ray: Ray,
        offset: <Self::Offset as Kind>::Get<'_>,
    ) -> Option<(Vec3, Self::Value)>;
    /// The offset from which the next drag goes on.
    fn offset(moved: Self::Value) -> <Self::Offset as Kind>::Set;
}

#[derive(Clone, Copy)]
struct DragSensor<D: Drag> {
    enabled: Port<SFBool>,
    auto_offset: Port<SFBool>,
    offset: Port<D::Offset>,
    is_active: Port<SFBool>,
    is_over: Option<Port<SFBool>>,
    track_point: Port<SFVec3f>,
    moved: Port<D::Moved>,
    drag: D,
    pressed: bool,
    over: bool,
    active: bool,
    at: Option<D::Value>,
}

impl<D: Drag> DragSensor<D> {
    fn end(&mut self, turn: &mut dyn Turn) {
        if !std::mem::take(&mut self.active) {
            return;
        }
        self.is_active.say(turn, false);
        if let (Some(at), true) = (self.at.take(), self.auto_offset.get(turn)) {
            self.offset.send(turn, D::offset(at));
        }
    }
}

impl<D: Drag> Behaviour for DragSensor<D> {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Pointer(pointer) = event else { return };
        let was_pressed = std::mem::replace(&mut self.pressed, pointer.pressed);
        if !self.enabled.get(turn) {
            return;
        }
        let over = pointer.hit.is_some();
        if std::mem::replace(&mut self.over, over) != over
            && let Some(is_over) = self.is_over
        {
            is_over.say(turn, over);
        }
        let ray = Ray { origin: pointer.origin, direction: pointer.direction };
        if let (Some(hit), true, false) = (pointer.hit, pointer.pressed, was_pressed) {
            self.drag.begin(turn, ray, hit.point);
            self.active = true;
            self.is_active.say(turn, true);
        }
        if self.active && pointer.pressed {
            let followed = self.drag.follow(turn, ray, self.offset.get(turn));
            if let Some((point, moved)) = followed {
                self.at = Some(moved);
                self.track_point.send(turn, point);
                self.moved.send(turn, moved);
            }
        }
        if !pointer.pressed {
            self.end(turn);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.enabled.is(field) && !self.enabled.get(turn) {
            self.end(turn);
            if let (true, Some(is_over)) = (std::mem::take(&mut self.over), self.is_over) {
                is_over.say(turn, false);
            }
        }
    }
}
