//! What links and `src` take over from other components.

use sim_core::scene::StateId;
use weft_scenes::load::{LoadOptions, load_text};

/// The positions of each state of a scene whose root holds `content`.
fn positions(content: &str) -> Vec<Vec<[f64; 3]>> {
    let loaded = load_text(&format!("<Node>{content}</Node>"), "t.scn", &LoadOptions::default());
    let scene = loaded.unwrap_or_else(|e| panic!("{content}: {:?}", e.diagnostics)).scene;
    let of_state = |k| scene.initial(StateId(k as u32)).rest_centers().iter().map(|x| (*x).into()).collect();
    (0..scene.n_states()).map(of_state).collect()
}

const GRID: &str = "<RegularGridTopology name='grid' nx='3' ny='2' nz='1' xmin='2' xmax='6' ymin='1' ymax='3' zmin='5' \
                    zmax='7'/>";

#[test]
fn a_grid_takes_its_corners_over_from_another() {
    for second in [
        "<RegularGridTopology src='@/grid'/>",
        "<RegularGridTopology n='@/grid.n' min='@/grid.min' max='@/grid.max'/>",
    ] {
        let text = format!("{GRID}<MechanicalObject/><Node>{second}<MechanicalObject/></Node>");
        let found = positions(&text);
        assert_eq!(found[0].last(), Some(&[6.0, 3.0, 5.0]));
        assert_eq!(found[0], found[1], "{second}");
    }
    let text = format!("{GRID}<Node><MechanicalObject translation='@../grid.p0' position='0 0 0'/></Node>");
    assert_eq!(positions(&text), [[[2.0, 1.0, 5.0]]]);
}

#[test]
fn the_other_mass_of_a_uniform_mass_is_known() {
    let read = |mass: &str, link: &str| {
        let text = format!(
            "<MechanicalObject position='0 0 0 1 0 0 2 0 0 3 0 0'/><UniformMass name='m' {mass}/>\
             <Node><MechanicalObject template='Vec1' position='@../m.{link}'/></Node>"
        );
        positions(&text)[1][0][0]
    };
    assert_eq!(read("vertexMass='2'", "totalMass"), 8.0);
    assert_eq!(read("totalMass='2'", "vertexMass"), 0.5);
    assert_eq!(read("totalMass='2' indices='0 1'", "vertexMass"), 1.0);
}

#[test]
fn elements_have_their_other_names() {
    let mesh = "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject name='dofs'/>";
    let other = "<MeshTopology position='@../mesh.points' edges='@../mesh.lines' tetrahedra='@../mesh.tetras' \
                 hexahedra='@../mesh.hexas'/><MechanicalObject/>";
    let found = positions(&format!("{mesh}<Node>{other}</Node>"));
    assert_eq!(found[0], found[1]);
    let state = "<MechanicalObject position='@../dofs.reset_position'/>";
    let found = positions(&format!("{mesh}<Node>{state}</Node>"));
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_loader_has_the_other_names_of_its_elements() {
    let loader = "<GridMeshCreator name='loader' resolution='3 2'/>";
    let mesh = "<MeshTopology position='@loader.position' tetras='@loader.tetras' hexas='@loader.hexas' \
                quads='@loader.quads'/><MechanicalObject/>";
    assert_eq!(positions(&format!("{loader}{mesh}"))[0].len(), 6);
}

/// The numbers of points that an engine chooses, as the x of a state.
fn chosen(content: &str, indices: &str) -> Vec<f64> {
    let read = format!("<Node><MechanicalObject template='Vec1' position='{indices}'/></Node>");
    let found = positions(&format!("{content}{read}"));
    found.last().map_or(Vec::new(), |of_state| of_state.iter().map(|x| x[0]).collect())
}

#[test]
fn an_engine_looks_for_points_as_sofas_does() {
    // Six points of a loader in the node, and two of a state above.
    let state = "<MechanicalObject position='0 0 0 0.2 0 0'/>";
    let loader = "<GridMeshCreator resolution='3 2'/>";
    let below = |engine: &str| format!("{state}<Node name='below'>{loader}{engine}</Node>");
    let link = "@../below/roi.indices";
    assert_eq!(chosen(&below("<BoxROI name='roi' box='-1 -1 -1 9 9 9'/>"), link).len(), 6);
    assert_eq!(chosen(&below("<PlaneROI name='roi'/>"), link).len(), 2);
    let ball = "<ProximityROI name='roi' centers='0 0 0' radii='9' N='9'/>";
    assert_eq!(chosen(&below(ball), link).len(), 2);
    // Without a state, the loader above.
    let above = |engine: &str| format!("{loader}<Node name='below'>{engine}</Node>");
    assert_eq!(chosen(&above(ball), link).len(), 6);
    // Whatever stands first.
    let later = format!("<Node name='below'>{ball}</Node>{loader}");
    assert_eq!(chosen(&later, link).len(), 6);
    let later = format!("<Node name='below'><BoxROI name='roi' box='-1 -1 -1 9 9 9'/></Node>{state}");
    assert_eq!(chosen(&later, link).len(), 2);
}
