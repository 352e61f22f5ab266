//! Every attribute that a component describes is read by its constructor: what is accepted does something, or is described as
//! [`AttributeKind::Ignored`] or [`AttributeKind::Unsupported`].
//!
//! [`AttributeKind::Ignored`]: sim_core::component::description::AttributeKind::Ignored
//! [`AttributeKind::Unsupported`]: sim_core::component::description::AttributeKind::Unsupported

use std::collections::{BTreeMap, BTreeSet};

use sim_core::component::description::Family;

use crate::element::Element;
use crate::files::FileFinder;
use crate::instantiate::Status;
use crate::options::LoadOptions;
use crate::parse::parse_text;
use crate::registry::Registry;
use crate::{assemble, gallery, include, instantiate};

/// Content of root nodes, in which what the gallery does not have is built, and built with the attributes on which it depends
/// whether others are read.
const SCENES: &[&str] = &[
    "<MeshSTLLoader filename='generated:torus'/><MeshVTKLoader filename='generated:torus'/><SphereLoader filename='SPHERES'/>",
    "<RegularGridTopology nx='2' ny='2' nz='2' xmin='0' xmax='1' ymin='0' ymax='1' zmin='0' zmax='1'/>
     <MechanicalObject/><DiagonalMass vertexMass='1'/>
     <RegularGridSpringForceField springsIndices1='0' springsIndices2='1'/>",
    "<CubeTopology nx='1' ny='1' nz='1' xmin='0' xmax='1' ymin='0' ymax='1' zmin='0' zmax='1'/>
     <MergeVectors nbInputs='8' input1='1' input2='1' input3='1' input4='1' input5='1' input6='1' input7='1' input8='1'/>
     <MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject/>
     <TetrahedronCollisionModel/><SphereROI centers='0 0 0' radii='1' edgeAngle='10' triAngle='10' direction='1 0 0' normal='1 0 0'/>
     <TransformPosition method='projectOnPlane' input_position='0 0 0' normal='0 1 0'/>
     <TransformPosition method='affine' input_position='0 0 0'/>
     <TransformPosition method='random' input_position='0 0 0'/>
     <MathOp nbInputs='8' input1='1' input2='1' input3='1' input4='1' input5='1' input6='1' input7='1' input8='1'/>
     <MergeROIs nbROIs='8' indices1='1' indices2='1' indices3='1' indices4='1' indices5='1' indices6='1' indices7='1' indices8='1'/>
     <ROIValueMapper nbROIs='8' indices1='1' indices2='1' indices3='1' indices4='1' indices5='1' indices6='1' indices7='1' indices8='1' value1='1' value2='1' value3='1' value4='1' value5='1' value6='1' value7='1' value8='1'/>
     <ComplementaryROI nbSet='8' position='0 0 0' setIndices1='0' setIndices2='' setIndices3='' setIndices4='' setIndices5='' setIndices6='' setIndices7='' setIndices8=''/>
     <SelectConnectedLabelsROI nbLabels='8' labels1='[1]' labels2='[1]' labels3='[1]' labels4='[1]' labels5='[1]' labels6='[1]' labels7='[1]' labels8='[1]'/>
     <PartialLinearMovementProjectiveConstraint keyTimes='0 1' movements='0 0 0 1 0 0' linearMovementBetweenNodesInIndices='1' imposedDisplacmentOnMacroNodes='0 1 1 0' X0='1' Y0='1'/>
     <TransformPosition method='fromFile' filename='MATRIX' input_position='0 0 0'/>",
    "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2' edges='0 1'/><MechanicalObject/>
     <TriangularAnisotropicFEMForceField/><VectorSpringForceField useTopology='1'/>
     <RepulsiveSpringForceField springsIndices1='0' springsIndices2='1'/>",
    "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject/>
     <MeshMatrixMass vertexMass='1 1 1' edgeMass='1 1 1'/>
     <SpringForceField springsIndices1='0' springsIndices2='1'/>
     <TrianglePressureForceField useConstantForce='0' cauchyStress='1 0 0 0 1 0 0 0 1' triangleList='0'/>
     <Node><MechanicalObject position='1 0 0'/><SubsetMapping/></Node>",
    "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3' triangles='0 1 2 1 3 2'/><MechanicalObject/>
     <FastTetrahedralCorotationalForceField/><TetrahedralTensorMassForceField/>
     <TetrahedronHyperelasticityFEMForceField ParameterSet='1 2'/><StandardTetrahedralFEMForceField ParameterSet='1 2'/>
     <TriangleBendingSprings/><TriangularTensorMassForceField/>
     <TriangularQuadraticSpringsForceField/><TriangularBiquadraticSpringsForceField/>
     <SphereForceField/><ConicalForceField/><EllipsoidForceField vradius='1 1 1'/><TorsionForceField/>
     <LinearForceField points='0' times='0' forces='1 0 0'/>
     <UniformVelocityDampingForceField/><DiagonalVelocityDampingForceField dampingCoefficient='1 1 1'/>
     <EdgePressureForceField p_intensity='1' edgeIndices='0'/><TaitSurfacePressureForceField/>
     <SurfacePressureForceField pressure='1' pulseMode='1'/>
     <SurfacePressureForceField pressure='1' volumeConservationMode='1'/>
     <PolynomialSpringsForceField firstObjectPoints='0' secondObjectPoints='1' polynomialStiffness='1' computeZeroLength='0' zeroLength='1'/>
     <PolynomialRestShapeSpringsForceField points='0' polynomialStiffness='1'/>",
    "<RegularGridTopology nx='2' ny='2' nz='2' xmin='0' xmax='1' ymin='0' ymax='1' zmin='0' zmax='1'/>
     <MechanicalObject/><HexahedralFEMForceField/><QuadBendingSprings/><QuadBendingFEMForceField/>
     <QuadPressureForceField quadList='0'/><HexahedronFEMForceFieldAndMass/>",
    "<RegularGridTopology nx='2' ny='2' nz='2' xmin='0' xmax='1' ymin='0' ymax='1' zmin='0' zmax='1'/>
     <MechanicalObject/><HexahedralFEMForceFieldAndMass/>",
    "<RegularGridTopology nx='2' ny='2' nz='2' xmin='0' xmax='1' ymin='0' ymax='1' zmin='0' zmax='1'/>
     <MechanicalObject/><NonUniformHexahedronFEMForceFieldAndMass/>",
    "<SparseGridTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' nbVirtualFinerLevels='1'
     triangles='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'/><MechanicalObject/>
     <HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='1' completeInterpolation='1'/>
     <Node><MechanicalObject position='0.5 0.5 0.5'/><HexahedronCompositeFEMMapping/></Node>",
    "<TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject/>
     <TopologicalChangeProcessor filename='SCRIPT'/><TopologyBoundingTrasher/><TriangleOctreeCollisionModel/>
     <RayTraceNarrowPhase/><RayTraceDetection/>",
    "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/><PointSetTopologyContainer name='points'/>
     <Mesh2PointTopologicalMapping input='@grid' output='@points' pointBaryCoords='0 0 0'/>",
    "<MeshTopology edges='0 1'/>
     <MechanicalObject name='frames' template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>
     <BeamFEMForceField/><JointSpringForceField spring='BEGIN_SPRING 0 1 END_SPRING'/>
     <GearSpringForceField spring='BEGIN_SPRING 0 0 1 1 END_SPRING'/><AngularSpringForceField indices='0 1'/>
     <Node><MechanicalObject name='points' position='1 0 0'/>
       <InteractionEllipsoidForceField object1='@points' object2='@../frames' center='0 0 0'/></Node>",
    "<GIDMeshLoader filename='generated:torus'/><MeshOffLoader filename='generated:torus'/>
     <VoxelGridLoader filename='SPHERES' resolution='2 2 2'/>
     <MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject/>
     <MeshROI ROIposition='0 0 0 1 0 0 0 1 0 0 0 1' ROItriangles='0 2 1 0 1 3 0 3 2 1 2 3'/><SubsetTopology/>
     <ValuesFromPositions/><TextureInterpolation input_states='0 1 2'/>
     <LinearVelocityProjectiveConstraint keyTimes='0 1' velocities='0 0 0 1 0 0'/><FixedTranslationProjectiveConstraint/>
     <ParabolicProjectiveConstraint indices='0' P2='1 1 0' P3='2 0 0' EndTime='1'/>
     <PatchTestMovementProjectiveConstraint cornerMovements='0 0 0 0 0 0 0 0 0 0 0 0' constrainedPoints='0 0 0 1 0 0 0 1 0 1 1 0'/>
     <Node><TetrahedronSetTopologyContainer name='fine'/>
       <SimpleTesselatedTetraTopologicalMapping input='@../mesh' output='@fine'/></Node>
     <Node><TetrahedronSetTopologyContainer name='same' src='@../mesh'/>
       <SubsetTopologicalMapping input='@../mesh' output='@same' samePoints='1'/></Node>
     <Node><MeshTopology name='all'/>
       <SubsetTopologicalMultiMapping input='@../mesh @../mesh' output='@all' flipNormals='1 0'/></Node>",
    "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1' prisms='0 1 2 3 4 5' pyramids='0 1 4 3 2'/>
     <MechanicalObject name='first'/><CorotationalFEMForceField template='Vec3,Prism' rotationMethod='polar'/>
     <Node name='other'><MechanicalObject name='second' position='0 0 1'/></Node>
     <AttachProjectiveConstraint object1='@first' object2='@other/second' indices1='3' indices2='0'/>
     <AttachProjectiveConstraint indices1='1' indices2='2'/>
     <MeshTetraStuffing inputPoints='0 0 0 1 0 0 0 1 0 0 0 1' inputTriangles='0 2 1 0 1 3 0 3 2 1 2 3' inputQuads=''/>
     <SubCollisionPipeline name='part'/><CompositeCollisionPipeline subCollisionPipelines='@part'/>",
    "<EdgeSetTopologyContainer name='edges' edges='0 1'/>
     <MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/><FixedRotationProjectiveConstraint/>
     <Node><QuadSetTopologyContainer name='quads'/>
       <Edge2QuadTopologicalMapping nbPointsOnEachCircle='5' radius='1' input='@../edges' output='@quads'/></Node>",
    "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' edges='0 1' triangles='0 1 2' tetrahedra='0 1 2 3'/>
     <MechanicalObject name='body'/>
     <Node><MechanicalObject template='Vec1'/><DistanceMapping/></Node>
     <Node><MechanicalObject template='Vec1'/><SquareDistanceMapping/></Node>
     <Node><MechanicalObject template='Vec1'/><AreaMapping/></Node>
     <Node><MechanicalObject template='Vec1'/><VolumeMapping/></Node>
     <Node><MechanicalObject template='Vec1'/><DistanceFromTargetMapping targetPositions='0 0 0'/></Node>
     <Node><MechanicalObject template='Vec1'/><DistanceToPlaneMapping planeNormal='0 1 0'/></Node>
     <Node><MechanicalObject/><IdentityMultiMapping input='@../body'/></Node>
     <Node><MechanicalObject template='Vec1'/><MeshTopology edges='0 1'/>
       <DistanceMultiMapping input='@../body' indexPairs='0 0 0 1'/></Node>",
    "<MechanicalObject name='points' position='0 0 0 1 0 0 0 1 0'/><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>
     <ReadState filename='STATES'/><CompareState filename='STATES'/><STLExporter position='@points.position' triangle='0 1 2'/>",
    "<MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>
     <Vertex2Frame position='0 0 0' normals='0 0 1'/>
     <Node><MechanicalObject position='0 0 0 1 0 0'/><SkinningMapping indices='[0,1] [1]' weight='[0.5,0.5] [1]' nbRef='2 1'/></Node>
     <Node><MechanicalObject/><TubularMapping nbPointsOnEachCircle='3' radius='1'/></Node>
     <Node><MechanicalObject/><BeamLinearMapping/></Node>",
    "<MeshTrianLoader filename='generated:torus'/><MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>
     <MechanicalObject name='points'/><UniformMass totalMass='1'/><FixedWeakConstraint indices='0'/>
     <GenerateGrid max='1 1 1'/><GenerateCylinder/><Spiral rest_position='1 0 0'/><MeshBoundaryROI triangles='0 1 2'/>
     <GenerateRigidMass position='0 0 0 1 0 0 0 1 0 0 0 1' triangles='0 2 1 0 1 3 0 3 2 1 2 3'/>
     <MergeMeshes nbMeshes='6' position1='0 0 0' edges1='' triangles1='' quads1='' tetrahedra1='' hexahedra1='' position2='0 0 0' edges2='' triangles2='' quads2='' tetrahedra2='' hexahedra2='' position3='0 0 0' edges3='' triangles3='' quads3='' tetrahedra3='' hexahedra3='' position4='0 0 0' edges4='' triangles4='' quads4='' tetrahedra4='' hexahedra4='' position5='0 0 0' edges5='' triangles5='' quads5='' tetrahedra5='' hexahedra5='' position6='0 0 0' edges6='' triangles6='' quads6='' tetrahedra6='' hexahedra6=''/><MergePoints position1='0 0 0' position2='1 0 0'/>
     <MeshSplittingEngine position='0 0 0' nbInputs='6' indices1='0' edgeIndices1='' triangleIndices1='' quadIndices1='' tetrahedronIndices1='' hexahedronIndices1='' indices2='0' edgeIndices2='' triangleIndices2='' quadIndices2='' tetrahedronIndices2='' hexahedronIndices2='' indices3='0' edgeIndices3='' triangleIndices3='' quadIndices3='' tetrahedronIndices3='' hexahedronIndices3='' indices4='0' edgeIndices4='' triangleIndices4='' quadIndices4='' tetrahedronIndices4='' hexahedronIndices4='' indices5='0' edgeIndices5='' triangleIndices5='' quadIndices5='' tetrahedronIndices5='' hexahedronIndices5='' indices6='0' edgeIndices6='' triangleIndices6='' quadIndices6='' tetrahedronIndices6='' hexahedronIndices6=''/><MeshSampler position='0 0 0 1 0 0'/>
     <NearestPointROI object1='@points' object2='@points' radius='1'/><ProximityROI centers='0 0 0' radii='1' N='2'/>
     <ExtrudeSurface surfaceVertices='0 0 0 1 0 0 0 1 0' triangles='0 1 2' surfaceTriangles='0'/>
     <RandomPointDistributionInSurface vertices='0 0 0 2 0 0 0 2 0 0 0 2' triangles='0 2 1 0 1 3 0 3 2 1 2 3' numberOfInPoints='2'/>
     <VolumeFromVolumetricElements/><DisplacementTransformEngine x0='0 0 0 0 0 0 1' x='0 0 0 0 0 0 1'/>
     <DisplacementMatrixEngine x0='0 0 0 0 0 0 1' x='0 0 0 0 0 0 1'/>
     <Node><TetrahedronSetTopologyContainer name='fine'/><SimpleTesselatedTetraTopologicalMapping input='@../mesh' output='@fine'/>
       <MechanicalObject/><SimpleTesselatedTetraMechanicalMapping/></Node>
     <Node><MechanicalObject/><CenterOfMassMapping/></Node>
     <Node name='frame'><MechanicalObject template='Rigid3'/></Node>
     <Node><MechanicalObject/><DeformableOnRigidFrameMapping input1='@..' input2='@../frame'/></Node>
     <Node name='joints'><MechanicalObject template='Vec1' position='0'/><ArticulatedHierarchyContainer/><Node><ArticulationCenter childIndex='1'/><Node><Articulation rotation='1'/></Node></Node>
       <Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/><ArticulatedSystemMapping input1='@..' input2='@../../frame'/></Node></Node>
     <Node><MechanicalObject name='heat' template='Vec1' position='0 0 0 0'/>
       <TetrahedronDiffusionFEMForceField topology='@../mesh' anisotropyRatio='2' transverseAnisotropyArray='1 0 0'/>
       <Node><MechanicalObject template='Vec1'/><SquareMapping/></Node></Node>",
];

/// The attributes that constructors looked at, by class.
fn asked(root: &Element, asked: &mut BTreeMap<&'static str, BTreeSet<String>>) {
    let options = LoadOptions::default();
    let files = FileFinder::default();
    let mut found = Vec::new();
    let mut root = root.clone();
    include::expand(&mut root, &files, &|name| options.registry.is_class(name), &mut found);
    let mut draft = instantiate::instantiate(&root, &options, &mut found);
    assemble::assemble(&mut draft, &files, &options, &mut found);
    for d in &draft.drafts {
        assert!(d.status == Status::Built, "{} is not built: {found:#?}", d.element.class);
        let class = d.description.map_or("", |d| d.class);
        asked.entry(class).or_default().extend(d.asked.iter().cloned());
    }
}

#[test]
fn every_described_attribute_is_read() {
    let mut all = BTreeMap::new();
    for scene in gallery::all() {
        asked(&scene.elements(&[]).expect("elements"), &mut all);
    }
    let directory = tempfile::tempdir().expect("a directory");
    let spheres = directory.path().join("spheres.sph");
    std::fs::write(&spheres, "sph 1.0\nsphe 1 0 0 0 1\n").expect("written");
    let matrix = directory.path().join("matrix.trm");
    std::fs::write(&matrix, "0 0 0\n1 0 0\n0 1 0\n0 0 1\n").expect("written");
    let script = directory.path().join("changes.txt");
    std::fs::write(&script, "T= 1\nREMOVE= 1\n0\n").expect("written");
    let states = directory.path().join("states.txt");
    std::fs::write(&states, "T= 0\n  X= 0 0 0 1 0 0 0 1 0\n").expect("written");
    for content in SCENES {
        let content = content.replace("SPHERES", &spheres.display().to_string());
        let content = content.replace("STATES", &states.display().to_string());
        let content = content.replace("SCRIPT", &script.display().to_string());
        let text = format!("<Node>{}</Node>", content.replace("MATRIX", &matrix.display().to_string()));
        asked(&parse_text(&text, "").expect("parses").root, &mut all);
    }
    let none = BTreeSet::new();
    let mut unread = Vec::new();
    for d in Registry::with_builtins().iter() {
        if matches!(d.family, Family::Visual | Family::Ignored) {
            continue;
        }
        let asked = all.get(d.class).unwrap_or(&none);
        let missing = d.all_attributes().filter(|a| a.kind.is_read() && !asked.contains(a.name));
        unread.extend(missing.map(|a| format!("{} {}", d.class, a.name)));
    }
    assert!(unread.is_empty(), "described, and never read: {unread:#?}");
}
