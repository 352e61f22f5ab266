//! `VoxelGridLoader`: hexahedra where a picture in space has certain values.

use std::collections::BTreeMap;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use crate::mesh;

/// Reads a picture in space, a byte per voxel, and makes a hexahedron of each voxel that is not background.
#[derive(Attributes)]
#[attributes(ignored("segmentationHeader", "idxInRegularGrid"))]
struct Settings {
    /// the file (.raw), searched beside the scene and in the data paths
    #[attribute(name = "filename", kind = File, alias = "segmentationFile")]
    _filename: String,
    /// size of a voxel [m]
    #[attribute(default = "1 1 1")]
    voxel_size: Vec3,
    /// voxels along each axis
    #[attribute(default = "0 0 0")]
    resolution: [i64; 3],
    /// first and last voxel that are looked at, along each axis
    #[attribute(name = "ROI", default = "0 0 0 65535 65535 65535")]
    region: [i64; 6],
    /// bytes of the file before the first voxel
    #[attribute(default = "0")]
    header: i64,
    /// values of the background; no voxel is if none is given
    #[attribute(name = "bgValue")]
    background: Vec<i64>,
    /// values that are not background; they count instead of `bgValue`
    data_value: Vec<i64>,
    /// whether voxels become hexahedra, and not points
    #[attribute(default = "1")]
    generate_hexa: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "VoxelGridLoader", build);

/// The most voxels of a picture.
const MAX_VOXELS: usize = 1 << 27;

/// Corners of a voxel, as steps along x, y and z, in the order of a hexahedron's nodes.
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// **Source:** as SOFA's: voxels and points are numbered with x running fastest; points that no voxel has are left out. Without hexahedra
/// a voxel is the point at its lower corner.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = resolution(s.resolution)?;
    let voxels = voxels(b, n[0] * n[1] * n[2], s.header)?;
    let active = |value: u8| match (s.data_value.is_empty(), s.background.is_empty()) {
        (false, _) => s.data_value.contains(&i64::from(value)),
        (true, false) => !s.background.contains(&i64::from(value)),
        (true, true) => true,
    };
    let chosen: Vec<[usize; 3]> = (0..voxels.len())
        .map(|i| [i % n[0], i / n[0] % n[1], i / (n[0] * n[1])])
        .filter(|at| (0..3).all(|k| within(at[k], n[k], [s.region[k], s.region[k + 3]])))
        .filter(|[i, j, k]| active(voxels[i + n[0] * (j + n[1] * k)]))
        .collect();
    if chosen.is_empty() {
        b.warn(None, "no voxel is chosen");
    }
    let place = |at: [usize; 3]| s.voxel_size.component_mul(&Vec3::from(at.map(|c| c as f64)));
    let (points, hexahedra) = if s.generate_hexa {
        let point = |[i, j, k]: [usize; 3]| i + (n[0] + 1) * (j + (n[1] + 1) * k);
        let corner = |at: &[usize; 3], c: &[usize; 3]| [at[0] + c[0], at[1] + c[1], at[2] + c[2]];
        let corners = chosen.iter().flat_map(|at| CORNERS.iter().map(move |c| corner(at, c)));
        let used: BTreeMap<usize, Vec3> = corners.map(|at| (point(at), place(at))).collect();
        let numbers: BTreeMap<usize, u32> = used.keys().copied().zip(0..).collect();
        let hexahedron = |at: &[usize; 3]| CORNERS.map(|c| numbers[&point(corner(at, &c))]);
        (used.into_values().collect(), chosen.iter().map(hexahedron).collect())
    } else {
        (chosen.iter().map(|at| place(*at)).collect::<Vec<_>>(), Vec::new())
    };
    let numbers = chosen.iter().map(|[i, j, k]| (i + n[0] * (j + n[1] * k)) as i64).collect();
    b.offer("position", Value::from_points(&points));
    b.offer("hexahedra", Value::from_rows(&hexahedra));
    b.offer("idxInRegularGrid", Value::Integers(numbers));
    Ok(())
}

fn resolution(given: [i64; 3]) -> Result<[usize; 3], BuildError> {
    let n = given.map(|n| usize::try_from(n).unwrap_or(0));
    let product =
        n.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)).filter(|n| (1..=MAX_VOXELS).contains(n));
    product.map(|_| n).ok_or_else(|| {
        let [x, y, z] = given;
        let text = format!(
            "`resolution` is {x} {y} {z}; give the voxels along each axis, at most {MAX_VOXELS} in all"
        );
        BuildError::attribute("resolution", text)
    })
}

fn voxels(b: &mut Builder<'_>, n: usize, header: i64) -> Result<Vec<u8>, BuildError> {
    let path = match b.file("filename") {
        Ok(path) => path,
        // As SOFA, whose loader stays empty then, with an error message.
        Err(e) => {
            b.warn(Some("filename"), e.message);
            return Ok(Vec::new());
        }
    };
    let bytes = mesh::read_file(&path).map_err(|e| BuildError::attribute("filename", e.to_string()))?;
    let header =
        usize::try_from(header).map_err(|_| BuildError::attribute("header", "`header` is negative"))?;
    let voxels = bytes.get(header..).and_then(|rest| rest.get(..n)).map(<[u8]>::to_vec);
    voxels.ok_or_else(|| {
        let text =
            format!("{} holds {} bytes, fewer than {n} voxels and the header", path.display(), bytes.len());
        BuildError::attribute("filename", text)
    })
}

/// Whether a voxel of `n` lies in the part of an axis that is looked at, which has one voxel at least.
fn within(at: usize, n: usize, [first, last]: [i64; 2]) -> bool {
    let first = first.max(0);
    let last = last.min(n as i64 - 1).max(first);
    (first..=last).contains(&(at as i64))
}

#[cfg(test)]
mod tests {
    use crate::load::{LoadOptions, load_text};
    use sim_core::component::value::Value;

    /// What the loader offers of a picture of 3 by 2 by 1 voxels.
    fn offered(more: &str) -> Result<impl Fn(&str) -> Value, String> {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("picture.raw");
        std::fs::write(&path, [9, 0, 7, 0, 7, 7, 0]).expect("written");
        let path = path.display();
        let text = format!(
            "<Node><VoxelGridLoader name='l' filename='{path}' header='1' resolution='3 2 1' {more}/><MechanicalObject position='0 0 0'/></Node>"
        );
        let loaded = load_text(&text, "t.scn", &LoadOptions::default()).map_err(|e| e.to_string())?;
        let scene = loaded.scene;
        let loader = scene
            .all_components()
            .find(|c| scene.component(*c).class == "VoxelGridLoader")
            .expect("the loader");
        Ok(move |name: &str| scene.component(loader).fields[name].clone())
    }

    #[test]
    fn voxels_of_some_values_become_hexahedra() {
        let get = offered("bgValue='0' voxelSize='0.5 1 2'").expect("a mesh");
        assert_eq!(get("idxInRegularGrid"), Value::Integers(vec![1, 3, 4]));
        // The lower layer has the points 1 2, 4 5 6 and 8 9 10 of 4 by 3; the upper one the same.
        let nodes: Vec<i64> =
            vec![0, 1, 4, 3, 8, 9, 12, 11, 2, 3, 6, 5, 10, 11, 14, 13, 3, 4, 7, 6, 11, 12, 15, 14];
        assert_eq!(get("hexahedra").integers(), Some(nodes));
        assert_eq!(get("position").reals().expect("points")[..6], [0.5, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let get = offered("dataValue='7' generateHexa='0' ROI='1 1 0 9 9 9'").expect("points");
        assert_eq!(get("idxInRegularGrid"), Value::Integers(vec![4]));
        assert_eq!(get("position").reals(), Some(vec![1.0, 1.0, 0.0]));
        assert_eq!(offered("").expect("all")("idxInRegularGrid"), Value::Integers((0..6).collect()));
    }

    #[test]
    fn a_picture_that_does_not_fit_is_refused() {
        for (more, message) in
            [("resolution='0 2 1'", "`resolution` is 0 2 1"), ("resolution='3 3 1'", "fewer than 9 voxels")]
        {
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("picture.raw");
            std::fs::write(&path, [0; 6]).expect("written");
            let text = format!("<Node><VoxelGridLoader filename='{}' {more}/></Node>", path.display());
            let e = load_text(&text, "t.scn", &LoadOptions::default())
                .map(|_| ())
                .expect_err("refused")
                .to_string();
            assert!(e.contains(message), "{e}");
        }
    }
}
