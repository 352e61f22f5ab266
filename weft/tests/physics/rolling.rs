//! Rolling friction of penalty contacts against closed forms: where what rolls stops, and which slopes hold it.

use super::friction::{G, ball_motion, ball_with};
use super::support::*;

/// Radius of the ball [m].
const R: f64 = 0.3;

fn rolling(length: f64) -> String {
    format!(r#"friction="0.5" rollingFriction="{length}""#)
}

/// It has the energy 7/10 m v^2, and the moment m g times the length works along each radian.
#[test]
fn a_rolling_ball_stops_where_its_energy_is_spent() {
    for (v, length) in [(1.0, 0.03), (0.6, 0.01)] {
        let mut simulation = ball_with(0.002, 0.0, &rolling(length), &format!("{v} 0 0 0 0 {}", -v / R));
        let decelerates = 5.0 / 7.0 * length / R * G;
        steps(&mut simulation, (0.5 * v / decelerates / 0.002) as usize);
        let (half, spin) = ball_motion(&simulation);
        println!("length {length}: half way {half}, surface {spin}, expected {}", 0.5 * v);
        close(half, 0.5 * v, 0.01);
        close(spin, half, 1e-3);
        steps(&mut simulation, (1.5 * v / decelerates / 0.002) as usize);
        let (x, speed) = along(&simulation, "ball/dofs", 0);
        let expected = 0.7 * v * v * R / (length * G);
        println!("length {length}: {x} instead of {expected}, still {speed:e}");
        close(x, expected, 0.01 * expected / (1.0 + expected));
        assert!(speed.abs() < 1e-6);
    }
}

#[test]
fn a_ball_on_a_slope_below_the_length_over_its_radius_stays() {
    let mut simulation = ball_with(0.01, 0.08f64.atan(), &rolling(0.1 * R), "0 0 0 0 0 0");
    steps(&mut simulation, 1000);
    let (x, v) = along(&simulation, "ball/dofs", 0);
    println!("moved by {x}, moves with {v:e}");
    assert!(x.abs() < 2e-3 && v.abs() < 1e-6);
    steps(&mut simulation, 1000);
    assert!((along(&simulation, "ball/dofs", 0).0 - x).abs() < 1e-6);
}

#[test]
fn on_a_steeper_slope_it_rolls_as_gravity_beyond_the_moment_says() {
    let angle = 0.3f64.atan();
    let mut simulation = ball_with(0.002, angle, &rolling(0.1 * R), "0 0 0 0 0 0");
    steps(&mut simulation, 250);
    let (before, _) = ball_motion(&simulation);
    steps(&mut simulation, 250);
    let (v, spin) = ball_motion(&simulation);
    let expected = 5.0 / 7.0 * G * (angle.sin() - 0.1 * angle.cos());
    println!("{} instead of {expected}", (v - before) / 0.5);
    close((v - before) / 0.5, expected, 0.01);
    close(spin, v, 5e-3);
}
