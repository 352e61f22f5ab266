//! A simulation on its own thread: it publishes whole states, obeys between steps, and ends when nobody looks.

mod changes;
mod frames;
mod measured;
mod session;
mod support;
