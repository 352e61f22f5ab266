//! How a state moves by a displacement.

/// x moved by d: centers are added; a rotation vector turns the orientation from the left, in world axes.
///
/// **Source:** SOFA's RigidCoord: with u half the rotation vector, e = (sin|u|/|u| u, cos|u|), orientation := e orientation.
pub fn moved(x: &[f64], d: &[f64], rigid: bool) -> Vec<f64> {
    if !rigid {
        return x.iter().zip(d).map(|(x, d)| x + d).collect();
    }
    let mut out = Vec::with_capacity(x.len());
    for (x, d) in x.chunks_exact(7).zip(d.chunks_exact(6)) {
        out.extend((0..3).map(|i| x[i] + d[i]));
        let u = [d[3] / 2.0, d[4] / 2.0, d[5] / 2.0];
        let angle = u.iter().map(|c| c * c).sum::<f64>().sqrt();
        let scale = if angle < 1e-12 { 1.0 } else { angle.sin() / angle };
        let (ev, ew) = (u.map(|c| c * scale), angle.cos());
        let (q, w) = ([x[3], x[4], x[5]], x[6]);
        let cross = [ev[1] * q[2] - ev[2] * q[1], ev[2] * q[0] - ev[0] * q[2], ev[0] * q[1] - ev[1] * q[0]];
        out.extend((0..3).map(|i| ew * q[i] + w * ev[i] + cross[i]));
        out.push(ew * w - (0..3).map(|i| ev[i] * q[i]).sum::<f64>());
    }
    out
}
