//! Event graphs on the engine: the same values and the same log for every mode, executor, number of workers and fusion; loops,
//! fan-in, gates, aliases; the paper's scenes.

mod before;
mod corpus;
mod edits;
mod hierarchy;
mod measured;
mod paper;
mod player;
mod random;
mod structure;
mod toys;
