//! What steers a flock, and what can be wrong with it.

use thiserror::Error;

use crate::rig::math::vector::Vec3;

/// A component of the steering force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Neighbours that are nearer than this count \[m\].
    pub radius: f64,
    /// The weight of the component.
    pub weight: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its lower corner \[m\].
    pub min: Vec3,
    /// Its upper corner \[m\].
    pub max: Vec3,
}

impl Bounds {
    /// A cube about the origin, of a length of edges \[m\].
    pub fn cube(size: f64) -> Self {
        Self { min: [-size / 2.0; 3], max: [size / 2.0; 3] }
    }
}

/// What steers the entities of a flock. Masses are 1 kg, so that forces are accelerations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Away from neighbours, in inverse proportion to the distance; the weight is the force at a distance of 1 m \[N\].
    pub separation: Rule,
    /// To the center of neighbours; the weight is the force per distance \[N/m\].
    pub cohesion: Rule,
    /// To the mean velocity of neighbours; the weight is the force per difference of speed \[N s/m\].
    pub alignment: Rule,
    /// The largest sum of the three \[N\].
    pub most_force: f64,
    /// Speeds are kept between these \[m/s\].
    pub speeds: [f64; 2],
    /// Where entities are to stay.
    pub bounds: Bounds,
    /// Nearer to a bound than this a force pushes back \[m\].
    pub margin: f64,
    /// The force at a bound; it grows in proportion to the distance from where it begins \[N\].
    pub bound_force: f64,
    /// The radius of an entity's sphere \[m\].
    pub radius: f64,
    /// What is left of the speed at which two spheres meet.
    pub restitution: f64,
    /// A force on everything \[N\].
    pub gravity: Vec3,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            separation: Rule { radius: 4.0, weight: 12.0 },
            cohesion: Rule { radius: 12.0, weight: 0.4 },
            alignment: Rule { radius: 9.0, weight: 0.8 },
            most_force: 25.0,
            speeds: [3.0, 15.0],
            bounds: Bounds::cube(100.0),
            margin: 15.0,
            bound_force: 40.0,
            radius: 0.5,
            restitution: 0.5,
            gravity: [0.0; 3],
        }
    }
}

/// What is wrong with a flock.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FlockError {
    /// A number that is none, or is out of its range.
    #[error("{what} of a flock is {value}; it must be {must}")]
    Number {
        /// The number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// Spheres may meet that were not neighbours.
    #[error(
        "an entity knows its neighbours within {reach} m, and spheres of radius {radius} m that move at {speed} m/s may meet from {from} m \
         on within two steps of {dt} s: enlarge a radius of the rules, or shorten the step"
    )]
    Unseen {
        /// How far neighbours are looked for \[m\].
        reach: f64,
        /// The radius of the spheres \[m\].
        radius: f64,
        /// The largest speed \[m/s\].
        speed: f64,
        /// How far apart they may be when their neighbours are looked for \[m\].
        from: f64,
        /// The time step \[s\].
        dt: f64,
    },
    /// More entities than there are numbers for.
    #[error("a flock has at most {most} entities")]
    TooMany {
        /// The most.
        most: usize,
    },
}

impl Rules {
    /// How far an entity knows its neighbours: the largest radius of a rule \[m\].
    pub fn reach(&self) -> f64 {
        self.separation.radius.max(self.cohesion.radius).max(self.alignment.radius)
    }

    /// Checks that the rules make sense with a time step \[s\].
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, dt: f64) -> Result<(), FlockError> {
        let positive = |what, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(FlockError::Number { what, value, must: "greater than 0" }),
        };
        let not_negative = |what, value: f64| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(FlockError::Number { what, value, must: "0 or more" }),
        };
        positive("the time step", dt)?;
        for (what, rule) in [
            ("the radius or weight of separation", self.separation),
            ("the radius or weight of cohesion", self.cohesion),
            ("the radius or weight of alignment", self.alignment),
        ] {
            not_negative(what, rule.radius)?;
            not_negative(what, rule.weight)?;
        }
        positive("the largest radius of a rule", self.reach())?;
        not_negative("the most force", self.most_force)?;
        not_negative("the least speed", self.speeds[0])?;
        positive("the most speed", self.speeds[1])?;
        if self.speeds[0] > self.speeds[1] {
            let must = "at most the most speed";
            return Err(FlockError::Number { what: "the least speed", value: self.speeds[0], must });
        }
        for axis in 0..3 {
            positive("an edge of the bounds", self.bounds.max[axis] - self.bounds.min[axis])?;
            if !self.gravity[axis].is_finite() {
                let (value, must) = (self.gravity[axis], "finite");
                return Err(FlockError::Number { what: "gravity", value, must });
            }
        }
        positive("the margin of the bounds", self.margin)?;
        not_negative("the force of the bounds", self.bound_force)?;
        not_negative("the radius of the spheres", self.radius)?;
        if !(0.0..=1.0).contains(&self.restitution) {
            let (value, must) = (self.restitution, "from 0 to 1");
            return Err(FlockError::Number { what: "the restitution", value, must });
        }
        let (radius, speed, reach) = (self.radius, self.speeds[1], self.reach());
        let from = 2.0 * radius + 4.0 * speed * dt;
        match radius == 0.0 || from <= reach {
            true => Ok(()),
            false => Err(FlockError::Unseen { reach, radius, speed, from, dt }),
        }
    }
}
