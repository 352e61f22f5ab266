//! Hyperelastic materials in homogeneous deformations: the forces on the faces of a block are the derivatives of its energy.

use super::support::*;

type Tensor = [[f64; 3]; 3];

/// Invariants of C = F^T F that the energies are written in.
struct Invariants {
    c: Tensor,
    i1: f64,
    i2: f64,
    j: f64,
}

impl Invariants {
    fn of(f: &Tensor) -> Self {
        let c = [0, 1, 2].map(|a| [0, 1, 2].map(|b| (0..3).map(|k| f[k][a] * f[k][b]).sum::<f64>()));
        let i1 = c[0][0] + c[1][1] + c[2][2];
        let square: f64 = c.iter().flatten().map(|x| x * x).sum();
        let j = dot(&f[0], &cross(&f[1], &f[2]));
        Self { c, i1, i2: 0.5 * (i1 * i1 - square), j }
    }

    /// The invariants without the part that is a change of volume.
    fn isochoric(&self) -> (f64, f64) {
        (self.j.powf(-2.0 / 3.0) * self.i1, self.j.powf(-4.0 / 3.0) * self.i2)
    }

    /// Strain E = (C - I) / 2, entry by entry.
    fn strain(&self, a: usize, b: usize) -> f64 {
        0.5 * (self.c[a][b] - f64::from(u8::from(a == b)))
    }

    /// The eigenvalues of C, which are the squares of the principal stretches.
    ///
    /// **Source:** the trigonometric solution of the characteristic polynomial of a symmetric matrix.
    fn eigenvalues(&self) -> [f64; 3] {
        let c = &self.c;
        let q = self.i1 / 3.0;
        let off = c[0][1].powi(2) + c[0][2].powi(2) + c[1][2].powi(2);
        let p = (((0..3).map(|k| (c[k][k] - q).powi(2)).sum::<f64>() + 2.0 * off) / 6.0).sqrt();
        if p < 1e-300 {
            return [q; 3];
        }
        let b = [0, 1, 2].map(|a| [0, 1, 2].map(|k| (c[a][k] - if a == k { q } else { 0.0 }) / p));
        let r = (0.5 * dot(&b[0], &cross(&b[1], &b[2]))).clamp(-1.0, 1.0);
        let angle = r.acos() / 3.0;
        let third = std::f64::consts::TAU / 3.0;
        let (first, last) = (q + 2.0 * p * angle.cos(), q + 2.0 * p * (angle + third).cos());
        [first, self.i1 - first - last, last]
    }
}

/// A material: its name, its parameters, its energy per volume at rest.
struct Material {
    name: &'static str,
    parameters: &'static str,
    energy: fn(&Invariants) -> f64,
    is_isotropic: bool,
}

/// **Source:** the energies as they stand in textbooks (Holzapfel, Nonlinear Solid Mechanics, 6; Ogden 1972; Arruda and Boyce 1993 with
/// five terms and locking stretch root of 8; Veronda and Westmann 1970; Costa, Holmes and McCulloch 2001), with a volumetric term k ln(J)^2 / 2,
/// or k (J ln J - J + 1) for Costa's.
const MATERIALS: [Material; 8] = [
    Material {
        name: "StVenantKirchhoff",
        parameters: "900 1500",
        energy: |s| {
            let trace = 0.5 * (s.i1 - 3.0);
            let square: f64 = (0..9).map(|k| s.strain(k / 3, k % 3).powi(2)).sum();
            0.5 * 1500.0 * trace * trace + 900.0 * square
        },
        is_isotropic: true,
    },
    Material {
        name: "NeoHookean",
        parameters: "900 1500",
        energy: |s| {
            let l = s.j.ln();
            0.5 * 900.0 * (s.i1 - 3.0) - 900.0 * l + 0.5 * 1500.0 * l * l
        },
        is_isotropic: true,
    },
    Material {
        name: "StableNeoHookean",
        parameters: "900 1500",
        energy: |s| {
            let alpha = 1.0 + 900.0 / 2400.0;
            0.5 * (900.0 * (s.i1 - 3.0) + 2400.0 * (s.j - alpha).powi(2))
        },
        is_isotropic: true,
    },
    Material {
        name: "MooneyRivlin",
        parameters: "700 300 1500",
        energy: |s| {
            let (a, b) = s.isochoric();
            700.0 * (a - 3.0) + 300.0 * (b - 3.0) + 0.5 * 1500.0 * s.j.ln().powi(2)
        },
        is_isotropic: true,
    },
    Material {
        name: "ArrudaBoyce",
        parameters: "900 1500",
        energy: |s| {
            let a = s.isochoric().0;
            let c = [1.0 / 2.0, 1.0 / 20.0, 11.0 / 1050.0, 19.0 / 7000.0, 519.0 / 673_750.0];
            let term = |(k, c): (usize, f64)| {
                c / 8f64.powi(k as i32) * (a.powi(k as i32 + 1) - 3f64.powi(k as i32 + 1))
            };
            900.0 * c.into_iter().enumerate().map(term).sum::<f64>() + 0.5 * 1500.0 * s.j.ln().powi(2)
        },
        is_isotropic: true,
    },
    Material {
        name: "VerondaWestman",
        parameters: "700 0.6 1500",
        energy: |s| {
            let (a, b) = s.isochoric();
            let exponential = 700.0 * ((0.6 * (a - 3.0)).exp() - 1.0);
            exponential - 0.5 * 700.0 * 0.6 * (b - 3.0) + 0.5 * 1500.0 * s.j.ln().powi(2)
        },
        is_isotropic: true,
    },
    Material {
        name: "Costa",
        parameters: "300 900 1.5 0.7 1.1 0.4 0.3 0.9",
        energy: |s| {
            // Fiber, sheet and normal are the axes of the world; b_ff b_fs b_ss b_fn b_sn b_nn.
            let b = [[1.5, 0.7, 0.4], [0.7, 1.1, 0.3], [0.4, 0.3, 0.9]];
            let q: f64 = (0..9).map(|k| b[k / 3][k % 3] * s.strain(k / 3, k % 3).powi(2)).sum();
            let isochoric = s.j.powf(-4.0 / 3.0) * q;
            0.5 * 300.0 * (isochoric.exp() - 1.0) + 900.0 * (s.j * s.j.ln() - s.j + 1.0)
        },
        is_isotropic: false,
    },
    Material {
        name: "Ogden",
        parameters: "900 2.6 1500",
        energy: |s| {
            let trace: f64 = s.eigenvalues().iter().map(|e| e.powf(1.3)).sum();
            900.0 / (2.6 * 2.6) * (s.j.powf(-2.6 / 3.0) * trace - 3.0) + 0.5 * 1500.0 * s.j.ln().powi(2)
        },
        is_isotropic: true,
    },
];

impl Material {
    fn energy_at(&self, f: &Tensor) -> f64 {
        (self.energy)(&Invariants::of(f))
    }

    /// The first Piola-Kirchhoff stress dW/dF, by central differences: an error of 1e-10 of the moduli or so.
    fn stress(&self, f: &Tensor) -> Tensor {
        let h = 1e-5;
        [0, 1, 2].map(|a| {
            [0, 1, 2].map(|b| {
                let moved = |by: f64| {
                    let mut f = *f;
                    f[a][b] += by;
                    self.energy_at(&f)
                };
                // Four points: the error is of fourth order.
                (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h)
            })
        })
    }

    /// The stretch across a bar that is stretched along x, with nothing that pulls at its sides.
    fn thinning(&self, stretch: f64) -> f64 {
        let across = |t: f64| self.stress(&[[stretch, 0.0, 0.0], [0.0, t, 0.0], [0.0, 0.0, t]])[1][1];
        let (mut low, mut high) = (0.5, 1.6);
        assert!(across(low) < 0.0 && across(high) > 0.0, "{}: the bracket holds", self.name);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if across(middle) < 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The forces of a block of tetrahedra with sides 1.2, 0.9 and 1.5 on its upper faces across x, y and z, per area at rest, when it is
    /// deformed by F: after one forward step of length 1 with unit masses the velocity is the force.
    fn tractions(&self, field: &str, f: &Tensor) -> Tensor {
        let sides = [1.2, 0.9, 1.5];
        let grid = r#"<RegularGridTopology name="grid" n="3 3 3" min="0 0 0" max="1.2 0.9 1.5"/>"#;
        let rest =
            state(&simulate(&format!(r#"<Node>{grid}<MechanicalObject name="dofs"/></Node>"#)), "dofs")
                .position;
        let moved: Vec<Vec<f64>> = rest.iter().map(|p| (0..3).map(|a| dot(&f[a], p)).collect()).collect();
        let text = format!(
            r#"<Node name="root" dt="1" gravity="0 0 0"><EulerExplicitSolver/>{grid}
                <MechanicalObject name="dofs" position="{}" rest_position="{}"/>
                <TetrahedronSetTopologyContainer name="tetrahedra"/>
                <Hexa2TetraTopologicalMapping input="@grid" output="@tetrahedra" swapping="true"/>
                <UniformMass vertexMass="1"/>
                <{field} materialName="{}" ParameterSet="{}"/></Node>"#,
            numbers(&moved),
            numbers(&rest),
            self.name,
            self.parameters
        );
        let mut s = simulate(&text);
        steps(&mut s, 1);
        let force = state(&s, "dofs").velocity;
        let mut tractions = [[0.0; 3]; 3];
        for face in 0..3 {
            let area: f64 = (0..3).filter(|k| *k != face).map(|k| sides[k]).product();
            let on_face = (0..rest.len()).filter(|i| (rest[*i][face] - sides[face]).abs() < 1e-9);
            // The shape functions of a layer of points add up to one that falls from 1 to 0 across a layer of cells: in a
            // homogeneous deformation their forces add up to the stress times the area, edges included.
            let sum = on_face.fold([0.0; 3], |s, i| [0, 1, 2].map(|k| s[k] + force[i][k]));
            (0..3).for_each(|k| tractions[k][face] = -sum[k] / area);
        }
        tractions
    }

    fn check(&self, field: &str, f: &Tensor) {
        let (found, wanted) = (self.tractions(field, f), self.stress(f));
        // Moduli are up to some thousands, so differences of the energies leave 1e-7.
        for (a, b) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert!(
                (a - b).abs() < 2e-6 * (1.0 + b.abs()),
                "{} {}: {found:?}, dW/dF is {wanted:?}",
                self.name,
                field
            );
        }
    }
}

const FIELDS: [&str; 2] = ["TetrahedronHyperelasticityFEMForceField", "StandardTetrahedralFEMForceField"];

fn each(act: impl Fn(&Material, &str)) {
    for material in &MATERIALS {
        for field in FIELDS {
            if field == FIELDS[1] && material.name == "StableNeoHookean" {
                continue;
            }
            act(material, field);
        }
    }
}

/// A bar is stretched and pressed: its sides are free, and along it the stress is the derivative of the energy.
#[test]
fn uniaxial_stretch_of_every_material() {
    each(|material, field| {
        for stretch in [0.8, 1.1, 1.4] {
            // Costa's fibers resist differently along each axis: there the sides are held.
            let across = if material.is_isotropic { material.thinning(stretch) } else { 0.95 };
            let f = [[stretch, 0.0, 0.0], [0.0, across, 0.0], [0.0, 0.0, across]];
            material.check(field, &f);
            if material.is_isotropic {
                let p = material.tractions(field, &f);
                assert!(p[1][1].abs() < 1e-5 && p[2][2].abs() < 1e-5, "{}: free sides {p:?}", material.name);
                assert!(p[0][0] * (stretch - 1.0) > 10.0, "{}: it resists {p:?}", material.name);
            }
        }
    });
}

/// Simple shear, which also pulls at the faces that are not sheared (Poynting's effect).
#[test]
fn simple_shear_of_every_material() {
    each(|material, field| {
        for shear in [0.1, 0.6] {
            material.check(field, &[[1.0, shear, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        }
        material.check(field, &[[1.1, 0.3, -0.1], [0.05, 0.9, 0.2], [-0.1, 0.15, 1.05]]);
    });
}
