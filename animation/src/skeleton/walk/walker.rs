//! One who walks: where it is, where it wants to, and how it steers.

use std::f64::consts::{PI, TAU};

use super::obstacle::Obstacle;
use crate::game::flock::{Bounds, Rule, Rules, steering};

/// One who walks on the plane of x and z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Walker {
    /// Where it is: x and z \[m\].
    pub at: [f64; 2],
    /// Which way it looks: the angle about y from the z axis \[rad\].
    pub heading: f64,
    /// How fast it goes \[m/s\].
    pub speed: f64,
    /// Where it wants to be: x and z \[m\].
    pub goal: [f64; 2],
    /// How fast it wants to go \[m/s\].
    pub wish: f64,
    /// How long it still rests, where it rests \[s\].
    pub rest: f64,
    /// For how long another one has been in its way \[s\].
    pub stuck: f64,
    /// What its decisions come from: changes with each.
    pub seed: u64,
}

/// How models walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkRules {
    /// Speed of who walks \[m/s\].
    pub walk: f64,
    /// Speed of who runs \[m/s\].
    pub run: f64,
    /// Half the distance below which nobody comes nearer to another \[m\].
    pub radius: f64,
    /// Goals are within so much of the origin, along x and z \[m\].
    pub area: [f64; 2],
    /// How fast speeds change \[m/s^2\].
    pub acceleration: f64,
    /// How fast headings change \[rad/s\].
    pub turn: f64,
}

impl Default for WalkRules {
    fn default() -> Self {
        Self { walk: 1.3, run: 3.2, radius: 0.4, area: [5.0, 5.0], acceleration: 3.0, turn: 2.5 }
    }
}

/// Others are seen within so many radii.
const SEEN: f64 = 6.0;
/// So many others are seen at most; of radii that do not overlap there is hardly room for more.
const MOST_SEEN: usize = 32;
/// How long one rests at a goal at most \[s\].
const REST: f64 = 3.0;
/// From so many radii before an obstacle one walks around it.
const AROUND: f64 = 3.0;
/// How much an obstacle that is near turns one aside, relative to how much one wants to go to one's goal.
const ASIDE: f64 = 2.5;
/// One that is no further than so many radii from an obstacle ahead waits.
const WAIT: f64 = 0.25;

impl WalkRules {
    /// Nobody goes further from the origin along x and z than that \[m\].
    fn edge(&self) -> [f64; 2] {
        self.area.map(|half| half + 2.0 * self.radius)
    }

    /// What steers one among others, relative to how much it wants to go to its goal.
    fn flock(&self) -> Rules {
        let rule = |weight| Rule { radius: SEEN * self.radius, weight };
        let ([x, z], high) = (self.edge(), 1e3 * self.radius);
        Rules {
            separation: rule(2.0 * self.radius),
            cohesion: rule(0.02 / self.radius),
            alignment: rule(0.15 / self.walk),
            most_force: 4.0,
            bounds: Bounds { min: [-x, -high, -z], max: [x, high, z] },
            margin: 2.0 * self.radius,
            bound_force: 3.0,
            ..Rules::default()
        }
    }
}

/// A number from 0 to 1 that looks random (Marsaglia's xorshift).
fn random(seed: &mut u64) -> f64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn length(a: [f64; 2]) -> f64 {
    a[0].hypot(a[1])
}

impl Walker {
    /// One that stands at a place and decides where to go first by a seed.
    pub fn new(at: [f64; 2], heading: f64, seed: u64, rules: &WalkRules) -> Self {
        // A seed of zero would stay zero.
        let mut made =
            Self { at, heading, seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, ..Self::default() };
        for _ in 0..8 {
            let _ = random(&mut made.seed);
        }
        made.choose(rules);
        made
    }

    /// Chooses another goal, and how long it will rest there.
    pub(super) fn choose(&mut self, rules: &WalkRules) {
        self.goal = rules.area.map(|half| half * (2.0 * random(&mut self.seed) - 1.0));
        self.rest = REST * random(&mut self.seed);
    }

    /// Which way it looks: x and z, of length one.
    pub fn ahead(&self) -> [f64; 2] {
        let (s, c) = self.heading.sin_cos();
        [s, c]
    }

    /// Where it is a time later \[s\], among others as they are now; itself may be among them. If it wants to go it goes to its goal, away from
    /// who is near and somewhat as its neighbours go (as a flock does), and stops before who is in its way. It never comes nearer to another than two radii, but for what
    /// the other one does in this time. It walks around obstacles that it looks at, on the side to which it turns less, and waits where one
    /// is close before it; into one it never walks, but an obstacle that moves may come upon it.
    ///
    /// **Source:** C. Reynolds, *Steering Behaviors For Autonomous Characters*, GDC 1999: seek, obstacle avoidance; [`steering`] for what a
    /// flock does.
    #[must_use]
    pub fn after(
        &self,
        dt: f64,
        rules: &WalkRules,
        others: impl Iterator<Item = Walker> + Clone,
        obstacles: impl Iterator<Item = Obstacle> + Clone,
    ) -> Self {
        let mut next = *self;
        let is_other = |other: &Walker| other.at != self.at;
        let to_goal = minus(self.goal, self.at);
        let away = length(to_goal);
        let (mut blocked, ahead) = (false, self.ahead());
        // Itself first, then those that it sees.
        let (mut places, mut speeds, mut n) = ([[0.0; 3]; MOST_SEEN + 1], [[0.0; 3]; MOST_SEEN + 1], 0);
        let mut see = |walker: &Walker| {
            let [x, z] = walker.ahead().map(|x| x * walker.speed);
            (places[n], speeds[n]) = ([walker.at[0], 0.0, walker.at[1]], [x, 0.0, z]);
            n += 1;
            n <= MOST_SEEN
        };
        see(self);
        for other in others.clone().filter(is_other) {
            let apart = minus(self.at, other.at);
            let distance = length(apart);
            if distance > SEEN * rules.radius {
                continue;
            }
            let is_ahead = -(apart[0] * ahead[0] + apart[1] * ahead[1]) > 0.5 * distance;
            blocked |= is_ahead && distance < 3.0 * rules.radius;
            if !see(&other) {
                break;
            }
        }
        let near: [u32; MOST_SEEN] = std::array::from_fn(|k| k as u32 + 1);
        let force = steering(&rules.flock(), 0, &places[..n], &speeds[..n], &near[..n - 1]);
        let goes_to = |k: usize| to_goal[k] / away.max(1e-9);
        let mut aside = 0.0_f64;
        for (gap, apart) in obstacles.clone().filter_map(|o| o.gap(self.at, rules.radius)) {
            let reach = AROUND * rules.radius;
            if gap > reach {
                continue;
            }
            let distance = length(apart).max(1e-9);
            let along = -(apart[0] * ahead[0] + apart[1] * ahead[1]) / distance;
            if along <= 0.3 {
                continue;
            }
            blocked |= along > 0.7 && gap < WAIT * rules.radius;
            // Headings grow towards (cos, -sin): one turns to the side that it is on already.
            let side = (ahead[1] * apart[0] - ahead[0] * apart[1]) / distance;
            let push = along * (1.0 - gap.max(0.0) / reach) * if side >= 0.0 { 1.0 } else { -1.0 };
            aside = if push.abs() > aside.abs() { push } else { aside };
        }
        let across = [ahead[1] * ASIDE * aside, -ahead[0] * ASIDE * aside];
        let way = [goes_to(0) + force[0] + across[0], goes_to(1) + force[2] + across[1]];
        let wanted_speed = if blocked { 0.0 } else { self.wish };
        let change = rules.acceleration * dt;
        next.speed = self.speed + (wanted_speed - self.speed).clamp(-2.0 * change, change);
        if self.wish > 0.0 {
            let wanted = way[0].atan2(way[1]);
            let turn = (wanted - self.heading + PI).rem_euclid(TAU) - PI;
            let heading = self.heading + turn.clamp(-rules.turn * dt, rules.turn * dt);
            next.heading = (heading + PI).rem_euclid(TAU) - PI;
        }
        let ahead = next.ahead();
        let at = std::array::from_fn(|k| self.at[k] + dt * next.speed * ahead[k]);
        let edge = rules.edge();
        let is_inside = (0..2).all(|k| at[k].abs() <= edge[k].max(self.at[k].abs()));
        let is_free = is_inside
            && others.filter(is_other).all(|other| {
                let (before, then) = (length(minus(self.at, other.at)), length(minus(at, other.at)));
                then >= 2.0 * rules.radius || then >= before
            })
            && obstacles
                .filter_map(|o| Some((o.gap(self.at, rules.radius)?.0, o.gap(at, rules.radius)?.0)))
                .all(|(before, then)| then >= 0.0 || then >= before);
        if is_free {
            next.at = at;
        } else {
            next.speed = 0.0;
        }
        let is_stuck = self.wish > 0.0 && (blocked || !is_free);
        next.stuck = if is_stuck { self.stuck + dt } else { 0.0 };
        next
    }
}

/// How much is seen of clips for standing, walking and running at a speed \[m/s\]; of fewer clips the last one stays.
pub fn mix(speed: f64, rules: &WalkRules, weights: &mut [f32]) {
    weights.fill(0.0);
    let pace = if speed <= rules.walk {
        speed / rules.walk
    } else {
        1.0 + (speed - rules.walk) / (rules.run - rules.walk).max(1e-9)
    };
    let last = weights.len().min(3).saturating_sub(1);
    let pace = pace.clamp(0.0, last as f64);
    let low = (pace.floor() as usize).min(last);
    let share = (pace - low as f64) as f32;
    if let Some(weight) = weights.get_mut(low) {
        *weight = 1.0 - share;
    }
    if let Some(weight) = weights.get_mut(low + 1).filter(|_| share > 0.0) {
        *weight = share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::walk::mind::{Mind, TREE};

    #[test]
    fn a_crowd_walks_for_a_minute_and_nobody_runs_into_another() {
        let rules = WalkRules { area: [4.0, 4.0], ..WalkRules::default() };
        let place = |k: usize| [(k % 5) as f64 - 2.0, (k / 5) as f64 - 2.0];
        let mut all: Vec<Walker> =
            (0..25).map(|k| Walker::new(place(k), 0.3 * k as f64, k as u64, &rules)).collect();
        let mut minds: Vec<Mind> = (0..25).map(|_| Mind::read("walk", TREE).expect("a tree")).collect();
        let (dt, mut walked, mut rested) = (1.0 / 60.0, vec![0.0; 25], 0);
        for step in 0..3600 {
            all.iter_mut().zip(&mut minds).for_each(|(w, mind)| mind.decide(w, &rules, (step, dt)));
            let next: Vec<Walker> =
                all.iter().map(|w| w.after(dt, &rules, all.iter().copied(), std::iter::empty())).collect();
            for (k, (a, b)) in all.iter().zip(&next).enumerate() {
                walked[k] += length(minus(a.at, b.at));
                rested += usize::from(a.speed == 0.0);
                assert!(b.at.iter().all(|x| x.abs() <= 4.8) && b.heading.abs() <= PI + 1e-9);
            }
            all = next;
            for (k, a) in all.iter().enumerate() {
                for b in &all[..k] {
                    // Two that walk towards each other come nearer by what both go in a step.
                    assert!(length(minus(a.at, b.at)) > 2.0 * rules.radius - 2.0 * rules.run * dt - 1e-9);
                }
            }
        }
        assert!(walked.iter().all(|way| *way > 2.0), "{walked:?}");
        assert!(rested > 3600, "they rest, too: {rested}");
    }

    /// Where one is who wants to go from (0, -3) to (0, 3), step by step, past obstacles; for so long \[s\].
    fn path(obstacles: impl Fn(f64) -> Vec<Obstacle>, seconds: f64) -> Vec<Walker> {
        let rules = WalkRules::default();
        let (dt, mut walkers) = (0.01, vec![Walker::new([0.0, -3.0], 0.0, 1, &rules)]);
        (walkers[0].goal, walkers[0].wish) = ([0.0, 3.0], rules.walk);
        while walkers.len() as f64 * dt < seconds {
            let now = walkers[walkers.len() - 1];
            let there = obstacles(walkers.len() as f64 * dt);
            walkers.push(now.after(dt, &rules, std::iter::once(now), there.iter().copied()));
        }
        walkers
    }

    #[test]
    fn a_post_is_walked_around() {
        for x in [-0.2, 0.0, 0.1, 0.4] {
            let post = Obstacle { at: [x, 0.0], radius: 0.3 };
            let walked = path(|_| vec![post, Obstacle::NONE], 12.0);
            for w in &walked {
                assert!(length(minus(w.at, post.at)) >= 0.7 - 1e-9, "{w:?}");
            }
            let nearest = walked.iter().map(|w| length(minus(w.at, [0.0, 3.0]))).fold(f64::MAX, f64::min);
            assert!(nearest < 0.3, "{x}: it comes to {nearest} m from its goal");
        }
    }

    #[test]
    fn a_door_is_waited_for_until_it_opens() {
        // A wall from side to side, whose middle opens after 8 seconds.
        let wall = |time: f64| {
            let all = (-80..=80).map(|k| Obstacle { at: [0.1 * f64::from(k), 0.0], radius: 0.05 });
            all.filter(|o| time < 8.0 || o.at[0].abs() > 1.0).collect::<Vec<_>>()
        };
        let walked = path(wall, 20.0);
        let (shut, open) = walked.split_at(800);
        assert!(shut.iter().all(|w| w.at[1] <= -0.45 + 1e-9), "nobody walks through it");
        assert!(open.iter().any(|w| w.at[1] > 2.5), "{:?}", open.last());
    }

    #[test]
    fn clips_follow_the_speed() {
        let rules = WalkRules::default();
        let of = |speed: f64, n: usize| {
            let mut weights = vec![9.0; n];
            mix(speed, &rules, &mut weights);
            weights
        };
        assert_eq!(of(0.0, 3), [1.0, 0.0, 0.0]);
        assert_eq!(of(0.65, 3), [0.5, 0.5, 0.0]);
        assert_eq!(of(1.3, 3), [0.0, 1.0, 0.0]);
        assert_eq!(of(99.0, 3), [0.0, 0.0, 1.0]);
        assert_eq!((of(99.0, 2), of(99.0, 1), of(1.0, 0)), (vec![0.0, 1.0], vec![1.0], vec![]));
    }
}
