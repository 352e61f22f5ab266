//! What a flocking game is made with.

use crate::game::flock::{Batching, FlockError, Rules};

/// How systems post what they compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posting {
    /// Into logs that are merged at the end of a cycle.
    #[default]
    Deferred,
    /// At once, with the pair of entity and attribute locked.
    Immediate,
}

/// What a flocking game is made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlockOptions {
    /// Number of entities at the beginning.
    pub entities: usize,
    /// The time step \[s\].
    pub dt: f64,
    /// What steers and moves them.
    pub rules: Rules,
    /// Length of the edges of the cube about the origin in which entities come into being \[m\].
    pub space: f64,
    /// Decides where they do, and their velocities.
    pub seed: u64,
    /// How many come with one key.
    pub spawn: usize,
    /// How systems post.
    pub posting: Posting,
    /// What decides the number of batches of thinking.
    pub thinking: Batching,
    /// What decides the number of batches of physics.
    pub physics: Batching,
}

impl Default for FlockOptions {
    fn default() -> Self {
        Self {
            entities: 516,
            dt: 1.0 / 60.0,
            rules: Rules::default(),
            space: 40.0,
            seed: 1,
            spawn: 16,
            posting: Posting::default(),
            thinking: Batching::default(),
            physics: Batching { entity: 150.0, neighbour: 3.0, ..Batching::default() },
        }
    }
}

/// The most entities of a flock, whose numbers have 32 bits.
const MOST: usize = 1 << 30;

impl FlockOptions {
    /// Checks that they make sense.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), FlockError> {
        if self.entities > MOST || self.spawn > MOST {
            return Err(FlockError::TooMany { most: MOST });
        }
        let positive = |what, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(FlockError::Number { what, value, must: "greater than 0" }),
        };
        positive("the space of births", self.space)?;
        for batching in [self.thinking, self.physics] {
            positive("the preferred weight of batches", batching.preferred)?;
            positive("the weight of an entity", batching.entity)?;
            positive("the weight of a neighbour", batching.neighbour)?;
        }
        self.rules.check(self.dt)
    }
}

/// What all systems know of the scene: one attribute of an entity that is no member of the flock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scene {
    /// What steers and moves the flock.
    pub rules: Rules,
    /// The time step, before it is multiplied by the pace \[s\].
    pub dt: f64,
    /// The speed of the simulation: 1 is that of the clock.
    pub pace: f64,
}
