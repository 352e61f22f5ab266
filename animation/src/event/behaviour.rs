//! What nodes of a type do with the events that reach them.
//!
//! A runtime keeps a node's values and calls its [`Behaviour`]; the behaviour sees them through a [`Turn`] and sends events by it.
//! All that happens in one cascade has one time stamp, and a field sends at most once in it.
//!
//! **Source:** ISO/IEC 19775-1, 4.4.8, *Event model*.

use std::fmt;

use super::field::Value;
use super::graph_access::GraphAccess;
use super::host::HostEvent;
use super::ids::{FieldId, NodeId};
use super::scene::EventScene;

/// What a node may do while it is evaluated: look at its fields and send events.
pub trait Turn {
    /// The time stamp of the cascade \[s\].
    fn time(&self) -> f64;
    /// The node itself.
    fn node(&self) -> NodeId;
    /// The present value of a field: of an input the last event's.
    fn value(&self, field: FieldId) -> &Value;
    /// Sets a field that sends, and sends its value along the field's routes. A second event of one field in one time stamp is
    /// dropped, and the field keeps the first one's value.
    fn send(&mut self, field: FieldId, value: Value);
    /// Sends a state (`isActive`), which holds until another one is sent. Where the field has sent in this time stamp, the state waits,
    /// and is sent when the next frame begins if it still is another one than what the field has sent.
    fn send_state(&mut self, field: FieldId, state: bool);
    /// Whether a field has sent in this time stamp.
    fn has_sent(&self, field: FieldId) -> bool;
    /// Sets a field without an event.
    fn set(&mut self, field: FieldId, value: Value);
    /// Says what is wrong, in one line; the runtime adds the node's name and its place in the file.
    fn complain(&mut self, message: fmt::Arguments<'_>);
    /// What a node writes for people to read (`Browser.print`).
    fn print(&mut self, text: &str) {
        log::info!("{text}");
    }
    /// The graph around it, for a node whose [`Behaviour::reach`] is [`Reach::Graph`]; none for others.
    fn graph(&mut self) -> Option<&mut dyn GraphAccess> {
        None
    }
}

/// How far a node reaches: what a runtime must keep from others while it is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Its own fields only.
    #[default]
    Own,
    /// Its own fields, and something that it shares with all nodes of the same number: these never run at once.
    Shared(u64),
    /// Any node's fields, routes and nodes: it runs while nothing else does.
    Graph,
}

/// What a node does.
///
/// The runtime has set an input's value, and that of an input and output (which it sends on by itself), before it calls
/// [`Behaviour::receive`].
pub trait Behaviour: Send {
    /// How far the node reaches; the same from its making on.
    fn reach(&self) -> Reach {
        Reach::Own
    }
    /// How far it reaches once something from outside the routes speaks to it: a host, or a Script that sends to it.
    fn reach_of_host(&self) -> Reach {
        self.reach()
    }
    /// Before the first frame, in the order of nodes, and when a node comes later. What is sent here travels in a cascade of its own, before
    /// that of the frame and without [`Behaviour::tick`]; if the node comes in the middle of a frame, in the frame's.
    fn initialize(&mut self, _turn: &mut dyn Turn) {}
    /// Whether the node looks at the clock in each frame.
    fn is_time_dependent(&self) -> bool {
        false
    }
    /// A new frame has begun; called for time-dependent nodes only, before events travel.
    fn tick(&mut self, _turn: &mut dyn Turn) {}
    /// Whether [`Behaviour::events_processed`] is to follow in this frame though nothing may reach the node; asked after each tick. So what
    /// a tick has to say waits for the events that change it.
    fn has_more_to_say(&self) -> bool {
        false
    }
    /// Whether the node takes an event; one that it does not take changes no value and is not sent on, as if it had never come.
    fn accepts(&mut self, _field: FieldId, _value: &Value, _turn: &dyn Turn) -> bool {
        true
    }
    /// The host tells the node something; called at a frame's start, after [`Behaviour::tick`] of all nodes, in the order in which
    /// the host said it.
    fn host(&mut self, _event: &HostEvent, _turn: &mut dyn Turn) {}
    /// An event has reached a field. Events that meet at one field arrive one by one, in the order of routes.
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn);
    /// All events of the time stamp that reach the node have been received (a Script's `eventsProcessed`). Called after one or more
    /// calls of [`Behaviour::receive`], or if [`Behaviour::has_more_to_say`]; nodes whose answer depends on several inputs give it here.
    fn events_processed(&mut self, _turn: &mut dyn Turn) {}
    /// The node goes, or the run ends (a Script's `shutdown`).
    fn shutdown(&mut self, _turn: &mut dyn Turn) {}
}

/// Gives each node of a graph its behaviour: built-in types, and what others add (Scripts).
pub trait Behaviours: Send {
    /// What a node does; none if it only keeps and passes values. Called for all nodes of a graph in order before the first is
    /// initialized, and for nodes that come later.
    fn behaviour_of(&mut self, scene: &EventScene, node: NodeId) -> Option<Box<dyn Behaviour>>;
    /// What a node without a behaviour does once something may send to an input of it that changes another field (`addChildren`); none
    /// if that changes nothing here.
    fn woken(&mut self, _scene: &EventScene, _node: NodeId) -> Option<Box<dyn Behaviour>> {
        None
    }
}
