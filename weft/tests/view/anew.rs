//! What begins anew in the real window: the file is read again, and may say something else, or nothing that can be read.

use std::path::Path;

use crate::desktop::Desktop;
use crate::picture::{Picture, blue, green, red};

const ESCAPE: u32 = 0xff1b;
const P: u32 = 'p' as u32;
const R: u32 = 'r' as u32;
const N: u32 = 'n' as u32;

fn start(file: &Path, text: &str) -> Option<Desktop> {
    std::fs::write(file, text).expect("it is written");
    let file = file.to_str().expect("its name is text");
    let desktop = Desktop::start(&[file, "--paused", "--size", "480x360", "--threads", "1"])?;
    // Without the panels, which would cover a part of so small a window.
    desktop.key(P);
    Some(desktop)
}

fn many(p: &Picture, color: fn([u8; 3]) -> bool) -> Option<[f64; 2]> {
    p.find(color).filter(|(n, _)| *n > 300).map(|(_, at)| at)
}

/// Bodies that do not move, each a square of a color at a place.
fn bodies(all: &[(&str, f64)]) -> String {
    let body = |(color, x): &(&str, f64)| {
        format!(
            "<Node>
            <EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-9'/>
            <MechanicalObject template='Rigid3' position='{x} 0 0  0 0 0 1'/><UniformMass totalMass='1'/>
            <Node><OglModel position='0 0 0  1 0 0  1 1 0  0 1 0' quads='0 1 2 3' color='{color}'/><RigidMapping/></Node>
        </Node>"
        )
    };
    let all: String = all.iter().map(body).collect();
    format!("<Node dt='0.01' gravity='0 0 0'>{all}</Node>")
}

#[test]
fn the_window_shows_the_bodies_that_the_file_has_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bodies.scn");
    let Some(mut desktop) = start(&file, &bodies(&[("red", 0.0), ("green", 2.0)])) else { return };
    desktop.wait("red and green", |p| many(p, red).and(many(p, green)));
    let write = |text: &str| std::fs::write(&file, text).expect("it is written");
    write(&bodies(&[("blue", -2.0), ("green", 0.0), ("blue", 2.0)]));
    desktop.key(R);
    desktop.wait("blue on both sides of green, and no red", |p| {
        let middle = many(p, green)?[0] as usize;
        let blues = p.rgb.chunks_exact(3).enumerate().filter(|(_, c)| blue([c[0], c[1], c[2]]));
        let (left, right): (Vec<_>, Vec<_>) = blues.partition(|(k, _)| k % p.width < middle);
        (left.len() > 300 && right.len() > 300 && many(p, red).is_none()).then_some(())
    });
    write(&bodies(&[("red", 0.0)]));
    desktop.key(R);
    desktop.wait("red alone", |p| many(p, red).filter(|_| many(p, blue).or(many(p, green)).is_none()));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

/// Letters in the color of what is wrong, in the lowest part of the window.
fn is_told(p: &Picture) -> bool {
    let low = &p.rgb[3 * p.width * 280..];
    let is_letter = |c: &&[u8]| c[0] > 110 && c[1] < 60 && c[2] < 60;
    low.chunks_exact(3).filter(is_letter).count() > 40
}

#[test]
fn what_cannot_be_read_is_told_and_what_was_there_stays() {
    let shape = |color: &str| {
        format!(
            "#X3D V3.3 utf8
PROFILE Immersive
DEF CLOCK TimeSensor {{ loop TRUE }}
Shape {{ appearance Appearance {{ material Material {{ diffuseColor {color} }} }} geometry Box {{ }} }}
"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("shape.x3dv");
    let Some(mut desktop) = start(&file, &shape("0 0 1")) else { return };
    desktop.wait("a blue box", |p| many(p, blue).filter(|_| !is_told(p)));
    std::fs::write(&file, "#X3D V3.3 utf8\nPROFILE Immersive\nShape { geometry Box { size 1 }\n")
        .expect("written");
    desktop.key(R);
    desktop.wait("what is wrong, and the box", |p| many(p, blue).filter(|_| is_told(p)));
    desktop.key(N);
    desktop.wait("a frame, and no message", |p| many(p, blue).filter(|_| !is_told(p)));
    std::fs::write(&file, shape("0 1 0")).expect("written");
    desktop.key(R);
    desktop.wait("a green box", |p| many(p, green).filter(|_| many(p, blue).is_none()));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}

#[test]
fn a_window_of_another_size_shows_the_scene_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wide.scn");
    let row: Vec<(&str, f64)> = (0..6).map(|k| ("blue", f64::from(k))).collect();
    let Some(mut desktop) = start(&file, &bodies(&row)) else { return };
    desktop.wait("a row", |p| many(p, blue));
    desktop.resize([180, 500]);
    let is_whole = |p: &Picture| {
        let columns: Vec<usize> = p
            .rgb
            .chunks_exact(3)
            .enumerate()
            .filter(|(_, c)| blue([c[0], c[1], c[2]]))
            .map(|(k, _)| k % p.width)
            .collect();
        let (least, most) = (columns.iter().min().copied()?, columns.iter().max().copied()?);
        (least > 2 && most < 177 && most - least > 100).then_some(())
    };
    desktop.wait("the whole row", is_whole);
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}
