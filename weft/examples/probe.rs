//! Temporary probe.
use std::io::Write;
use weft::simulation::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let _ = args.next();
    let scene = args.next().unwrap();
    let mut data = vec![];
    let mut steps = 10u64;
    let mut out = None;
    let mut which: Vec<u64> = vec![];
    let mut set: Vec<(String, String)> = vec![];
    let mut o = SimulationOptions::default();
    while let Some(a) = args.next() {
        let v = args.next().unwrap();
        match a.as_str() {
            "--data-path" => data.push(v.into()),
            "--steps" => steps = v.parse().unwrap(),
            "--export-state" => out = Some(v),
            "--export-steps" => which = v.split(',').map(|s| s.parse().unwrap()).collect(),
            "--threads" => o.threads = v.parse().unwrap(),
            "--set" => {
                let (a, b) = v.split_once('=').unwrap();
                set.push((a.into(), b.into()))
            }
            "--dt" => o.dt = Some(v.parse().unwrap()),
            "--sums" => {
                o.sums =
                    if v == "sofa" { sim_core::graph::Sums::Sofa } else { sim_core::graph::Sums::Blocked }
            }
            _ => panic!("{a}"),
        }
    }
    let lo = scenes::load::LoadOptions { data_paths: data, ..Default::default() };
    let r = if std::path::Path::new(&scene).exists() {
        scenes::load::load_file(std::path::Path::new(&scene), &lo)
    } else {
        scenes::load::load_elements(scenes::gallery::find(&scene).unwrap().elements(&set).unwrap(), &lo)
    };
    let l = match r {
        Ok(l) => l,
        Err(e) => {
            for d in &e.diagnostics {
                eprintln!("{d}");
            }
            std::process::exit(1)
        }
    };
    for d in &l.diagnostics {
        eprintln!("{d}");
    }
    let mut sim = Simulation::new(l.scene, o).unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(1)
    });
    let mut f = out.map(|p| std::io::BufWriter::new(std::fs::File::create(p).unwrap()));
    let mut times: Vec<StepReport> = vec![];
    for s in 0..=steps {
        if let Some(f) = &mut f
            && which.contains(&s)
        {
            for v in sim.states() {
                writeln!(f, "{}", serde_json::json!({"step": s, "time": sim.time(), "object": v.path, "template": v.template, "simulated": v.simulated, "mapped": v.mapped, "position": v.position, "velocity": v.velocity})).unwrap();
            }
        }
        if s < steps {
            match sim.step() {
                Ok(r) => {
                    if s % 50 == 0 {
                        eprintln!(
                            "{s}: {:.2} ms coll {:.2} graph {:.2} int {:.2} contacts {} pen {:.4} groups {} changed {} cg {:?}",
                            r.total_ns as f64 / 1e6,
                            r.collision_ns as f64 / 1e6,
                            r.graph_ns as f64 / 1e6,
                            r.integrate_ns as f64 / 1e6,
                            r.contacts,
                            r.max_penetration,
                            r.groups,
                            r.pairs_changed,
                            r.cg_iterations.iter().max()
                        );
                    }
                    times.push(r)
                }
                Err(e) => {
                    eprintln!("{e}");
                    std::process::exit(3)
                }
            }
        }
    }
    let med = |f: &dyn Fn(&StepReport) -> u64| {
        let mut t: Vec<u64> = times.iter().map(f).collect();
        t.sort();
        t.get(t.len() / 2).copied().unwrap_or(0) as f64 / 1e6
    };
    eprintln!(
        "step {:.3} ms collision {:.3} graph {:.3} integrate {:.3} cg {:?} contacts {:?} hash {:?}",
        med(&|r| r.total_ns),
        med(&|r| r.collision_ns),
        med(&|r| r.graph_ns),
        med(&|r| r.integrate_ns),
        times.last().map(|r| r.cg_iterations.iter().copied().max()),
        times.last().map(|r| (r.contacts, r.groups, r.max_penetration)),
        sim.state_hash()
    );
}
