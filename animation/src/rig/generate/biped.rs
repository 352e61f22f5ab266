//! A human character: limbs, fingers, face, clothes, hair.

use super::hero::{Bone, Hero};
use crate::rig::error::RigError;
use crate::rig::nodes::{BlendShape, Joint, MapPoints, Pass, TwoBoneIk};
use crate::rig::rig::{NodeId, Rig};

/// Shares of the nodes beside those of the body: face, clothes; the rest is hair.
const FACE: f64 = 0.2;
const CLOTHES: f64 = 0.4;
/// Links of a strand of hair, and of a strip of cloth.
const LINKS: usize = 8;
/// Weights and points of a patch of the face.
const WEIGHTS: usize = 12;
const POINTS: u32 = 48;

/// A character of so many nodes; as few as it takes if there should be fewer.
///
/// # Errors
/// None for numbers of nodes that fit into memory.
pub fn biped(nodes: usize, seed: u64) -> Result<Rig, RigError> {
    let mut rig = Rig::new("biped");
    build(&mut rig, "", nodes, seed)?;
    Ok(rig)
}

/// Several characters in one rig, each of so many nodes.
///
/// # Errors
/// As [`biped`].
pub fn heroes(n: usize, nodes: usize, seed: u64) -> Result<Rig, RigError> {
    let mut rig = Rig::new("heroes");
    for k in 0..n {
        build(&mut rig, &format!("hero {k} "), nodes, seed + k as u64)?;
    }
    Ok(rig)
}

fn build(rig: &mut Rig, prefix: &str, nodes: usize, seed: u64) -> Result<(), RigError> {
    let begin = rig.n_nodes();
    let mut hero = Hero::new(rig, prefix.into(), seed)?;
    hero.rig.component("body");
    let body = body(&mut hero)?;
    let done = hero.rig.n_nodes() - begin;
    let left = nodes.saturating_sub(done) as f64;
    hero.rig.component("face");
    face(&mut hero, body.head, (FACE * left) as usize)?;
    hero.rig.component("wardrobe");
    let strips = ((CLOTHES * left) as usize / (3 * LINKS + 3)).max(1);
    strands(&mut hero, "cloth", &body.trunk, strips)?;
    hero.rig.component("hair");
    let done = hero.rig.n_nodes() - begin;
    // Parts of merged points are nodes too.
    let strands_left = nodes.saturating_sub(done + 4) as f64 / (3.0 * LINKS as f64 + 3.0 + 1.0 / 64.0);
    strands(&mut hero, "hair", &[body.head], (strands_left as usize).max(1))?;
    // The number of nodes is met exactly.
    let missing = nodes.saturating_sub(hero.rig.n_nodes() - begin);
    let pass = hero.rig.kind(Pass { inputs: 1 });
    let mut before = hero.curve_of_rest(missing)?;
    for k in 1..missing {
        let node = hero.add(&format!("rest {k}"), pass)?;
        if let Some(before) = before.replace(node) {
            hero.rig.bind(before, 0, node, 0)?;
        }
    }
    if let Some(last) = before {
        let name = hero.name("rest");
        hero.rig.output(name, last, 0)?;
    }
    Ok(())
}

impl Hero<'_> {
    /// The first node of those that make up the number.
    fn curve_of_rest(&mut self, missing: usize) -> Result<Option<NodeId>, RigError> {
        (missing > 0).then(|| self.curve("rest 0")).transpose()
    }
}

struct Body {
    head: Bone,
    /// What clothes hang on.
    trunk: Vec<Bone>,
}

fn body(hero: &mut Hero<'_>) -> Result<Body, RigError> {
    let root = hero.animated("root", None, [0.0, 1.0, 0.0])?;
    let mut trunk = vec![root];
    for k in 0..5 {
        let on = trunk.last().copied();
        trunk.push(hero.animated(&format!("spine {k}"), on, [0.0, 0.1, 0.0])?);
    }
    let chest = trunk[5];
    let neck = hero.animated("neck", Some(chest), [0.0, 0.1, 0.0])?;
    let head = hero.animated("head", Some(neck), [0.0, 0.1, 0.0])?;
    let mut skins = vec![hero.skin("trunk skin", &trunk, 600)?, hero.skin("head skin", &[neck, head], 300)?];
    for (side, x) in [("left", 1.0), ("right", -1.0)] {
        let mut arm = vec![hero.animated(&format!("{side} clavicle"), Some(chest), [0.05 * x, 0.08, 0.0])?];
        for (joint, length) in [("shoulder", 0.15), ("elbow", 0.3), ("wrist", 0.25)] {
            let on = arm.last().copied();
            arm.push(hero.animated(&format!("{side} {joint}"), on, [length * x, 0.0, 0.0])?);
        }
        skins.push(hero.skin(&format!("{side} arm skin"), &arm, 400)?);
        reach(hero, side, arm[1])?;
        for finger in ["thumb", "index", "middle", "ring", "little"] {
            let mut bones = Vec::new();
            for k in 0..4 {
                let on = bones.last().copied().unwrap_or(arm[3]);
                let name = format!("{side} {finger} {k}");
                let bone = hero.animated(&name, Some(on), [0.03 * x, 0.0, 0.0])?;
                hero.stretch(&name, bone)?;
                bones.push(bone);
            }
            skins.push(hero.skin(&format!("{side} {finger} skin"), &bones, 80)?);
        }
        let mut leg = vec![hero.animated(&format!("{side} hip"), Some(root), [0.1 * x, -0.05, 0.0])?];
        for (joint, length) in [("knee", 0.45), ("ankle", 0.4), ("ball", 0.1)] {
            let on = leg.last().copied();
            leg.push(hero.animated(&format!("{side} {joint}"), on, [0.0, -length, 0.0])?);
        }
        skins.push(hero.skin(&format!("{side} leg skin"), &leg, 400)?);
        trunk.push(leg[0]);
    }
    let mesh = hero.merge("body", &skins)?;
    let name = hero.name("body mesh");
    hero.rig.output(name, mesh, 0)?;
    Ok(Body { head, trunk })
}

/// Where the hand would be if it reached for a target.
fn reach(hero: &mut Hero<'_>, side: &str, shoulder: Bone) -> Result<(), RigError> {
    let parts = hero.name(&format!("{side} reach from"));
    let from = hero.rig.node(parts, crate::rig::nodes::Decompose)?;
    hero.rig.bind(shoulder.node, Joint::WORLD, from, 0)?;
    let name = hero.name(&format!("{side} reach"));
    let ik = hero.rig.node(name, TwoBoneIk)?;
    hero.rig.bind(from, 0, ik, 0)?;
    let target = hero.angles(&format!("{side} reach target"))?;
    hero.rig.bind_control(target, ik, 1)?;
    let name = hero.name(&format!("{side} reach end"));
    hero.rig.output(name, ik, 3)?;
    Ok(())
}

fn face(hero: &mut Hero<'_>, head: Bone, nodes: usize) -> Result<(), RigError> {
    let corrective = hero.bend("clamp(0.6*wind + 0.4*sin(2*wind)*smile, -1, 1)")?;
    let smile = hero.name("smile");
    let smile = hero.rig.scalar_control(smile)?;
    let mut patches = Vec::new();
    // A curve and a corrective for each weight, a patch, and its place on the head.
    for k in 0..(nodes / (2 * WEIGHTS + 2)).max(1) {
        let mut deltas = Vec::new();
        for _ in 0..WEIGHTS {
            deltas.push((0..3 * POINTS).map(|_| hero.seed.between(-0.01, 0.01)).collect());
        }
        let shape = BlendShape::new(POINTS, deltas);
        let shape = shape.map_err(|message| RigError::Range { control: "face".into(), message })?;
        let name = hero.name(&format!("face {k} shape"));
        let shape = hero.rig.node(name, shape)?;
        let rest: Vec<f64> = (0..3 * POINTS).map(|_| hero.seed.between(-0.1, 0.1)).collect();
        hero.rig.set(shape, 0, &rest)?;
        for w in 0..WEIGHTS {
            let curve = hero.curve(&format!("face {k} muscle {w}"))?;
            let weight = hero.add(&format!("face {k} weight {w}"), corrective)?;
            hero.rig.bind(curve, 0, weight, 0)?;
            hero.rig.bind_control(smile, weight, 1)?;
            hero.rig.bind(weight, 0, shape, 1 + w)?;
        }
        let name = hero.name(&format!("face {k}"));
        let patch = hero.rig.node(name, MapPoints { points: POINTS })?;
        hero.rig.bind(shape, 0, patch, 0)?;
        hero.rig.bind(head.node, Joint::WORLD, patch, 1)?;
        patches.push(patch);
    }
    let mesh = hero.merge_all("face", &patches)?;
    let name = hero.name("face mesh");
    hero.rig.output(name, mesh, 0)?;
    Ok(())
}

fn strands(hero: &mut Hero<'_>, what: &str, on: &[Bone], n: usize) -> Result<(), RigError> {
    let bend = hero.bend("0.3*wind + 0.1*sin(6*wind)")?;
    let mut parts = Vec::with_capacity(n);
    for k in 0..n {
        parts.push(hero.strand(&format!("{what} {k}"), on[k % on.len()], LINKS, bend)?);
    }
    let mesh = hero.merge_all(what, &parts)?;
    let name = hero.name(&format!("{what} mesh"));
    hero.rig.output(name, mesh, 0)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::generate::without_mathematics;
    use crate::rig::{Backend, Evaluator, Fusion, Settings, Structure};

    #[test]
    fn a_character_has_the_nodes_that_it_should_have() {
        for n in [1500, 5000] {
            assert_eq!(biped(n, 1).unwrap().n_nodes(), n);
        }
        let two = heroes(2, 1500, 1).unwrap();
        assert_eq!(two.n_nodes(), 3000);
        let structure = Structure::new(&two, Some(Fusion::default()), 1, Default::default()).unwrap();
        assert!(structure.n_blocks() < 150, "{}", structure.n_blocks());
    }

    #[test]
    fn the_same_seed_gives_the_same_character_and_all_of_it_is_finite() {
        let meshes = [7, 7, 8].map(|seed| {
            let mut e =
                Evaluator::new(biped(2000, seed).unwrap(), Backend::sequential(), Settings::default())
                    .unwrap();
            let time = e.rig().find_control("time").unwrap();
            e.set(time, &[1.3]).unwrap();
            assert_eq!(e.evaluate().unwrap().nodes, 2000);
            let mesh = |name: &str| e.value(e.rig().find_output(name).unwrap()).to_vec();
            let all: Vec<f64> =
                ["body mesh", "face mesh", "cloth mesh", "hair mesh"].iter().flat_map(|n| mesh(n)).collect();
            assert!(all.iter().all(|x| x.is_finite() && x.abs() < 10.0));
            all
        });
        assert_eq!(meshes[0], meshes[1]);
        assert_ne!(meshes[0], meshes[2]);
    }

    #[test]
    fn without_mathematics_the_graph_is_the_same() {
        let biped = biped(1600, 3).unwrap();
        let empty = without_mathematics(&biped).unwrap();
        assert_eq!((empty.n_nodes(), empty.n_bindings()), (biped.n_nodes(), biped.n_bindings()));
        let mut evaluator = Evaluator::new(empty, Backend::sequential(), Settings::default()).unwrap();
        assert_eq!(evaluator.evaluate().unwrap().nodes, 1600);
    }
}
