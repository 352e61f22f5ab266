//! States as lines of JSON: one object per step and mechanical object, numbers with round-trip precision.

use std::io::{self, Write};

use serde::Serialize;

use crate::simulation::StateView;

/// One line.
#[derive(Serialize)]
struct Line<'a> {
    step: u64,
    time: f64,
    object: &'a str,
    template: &'a str,
    simulated: bool,
    mapped: bool,
    position: &'a [Vec<f64>],
    velocity: &'a [Vec<f64>],
}

/// Writes the states of one step, in the order given.
///
/// # Errors
/// What the writer says.
pub fn write_states(out: &mut impl Write, step: u64, time: f64, states: &[StateView]) -> io::Result<()> {
    for s in states {
        let line = Line {
            step,
            time,
            object: &s.path,
            template: s.template,
            simulated: s.simulated,
            mapped: s.mapped,
            position: &s.position,
            velocity: &s.velocity,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_to_the_same_bits() {
        let x = [0.1 + 0.2, -1.0 / 3.0, 5e-324];
        let state = StateView {
            path: "/A/\"b\"".into(),
            template: "Vec3",
            simulated: true,
            mapped: false,
            position: vec![x.to_vec()],
            velocity: vec![vec![0.0; 3]],
        };
        let mut out = Vec::new();
        write_states(&mut out, 3, 0.03, &[state]).expect("a Vec takes everything");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        let line = text.strip_suffix('\n').expect("a line");
        assert!(line.starts_with(r#"{"step":3,"time":0.03,"object":"/A/\"b\"","template":"Vec3","simulated":true,"mapped":false,"position":[["#));
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        for (k, x) in x.iter().enumerate() {
            assert_eq!(value["position"][0][k].as_f64().map(f64::to_bits), Some(x.to_bits()));
        }
    }
}
