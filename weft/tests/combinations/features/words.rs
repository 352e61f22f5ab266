//! The numbers of the factors, and the words of those that are no components.

/// The numbers of the factors.
pub mod factor {
    pub const TEMPLATE: usize = 0;
    pub const INTEGRATOR: usize = 1;
    pub const LINEAR: usize = 2;
    pub const SOLVER_AT: usize = 3;
    pub const MASS: usize = 4;
    pub const MASS_ON: usize = 5;
    pub const FIELD: usize = 6;
    pub const FIELD_ON: usize = 7;
    pub const CHAIN: usize = 8;
    pub const JOINT: usize = 9;
    pub const FIRST_END: usize = 10;
    pub const OTHER_END: usize = 11;
    pub const JOINT_AT: usize = 12;
    pub const CONSTRAINT: usize = 13;
    pub const GROUPS: usize = 14;
    pub const PIECES: usize = 15;
    pub const CHANGE: usize = 16;
    pub const OTHER_SOLVER: usize = 17;
    pub const EXECUTOR: usize = 18;
    pub const BESIDE: usize = 19;
    pub const PASSES: usize = 20;
    pub const SUMS: usize = 21;
    pub const FRICTION: usize = 22;
    pub const METHOD: usize = 23;
    pub const CORRECTION: usize = 24;
    pub const MULTIPLIERS: usize = 25;
    pub const ORDER_OF_MULTIPLIERS: usize = 26;
    pub const LOAD: usize = 27;
    pub const SECOND_CONSTRAINT: usize = 28;
    /// Those first that decide most of what can be beside them.
    pub const ORDER: [usize; 29] = [
        TEMPLATE,
        CHAIN,
        JOINT,
        FIRST_END,
        OTHER_END,
        PASSES,
        FRICTION,
        METHOD,
        MASS_ON,
        MASS,
        FIELD_ON,
        FIELD,
        PIECES,
        CORRECTION,
        INTEGRATOR,
        LINEAR,
        MULTIPLIERS,
        ORDER_OF_MULTIPLIERS,
        CHANGE,
        SOLVER_AT,
        CONSTRAINT,
        SECOND_CONSTRAINT,
        LOAD,
        GROUPS,
        JOINT_AT,
        BESIDE,
        OTHER_SOLVER,
        SUMS,
        EXECUTOR,
    ];
}

pub const TEMPLATES: [&str; 6] = ["Vec3", "Rigid3", "Vec1", "Vec2", "Vec6", "Rigid2"];
/// Where solvers stand: in each body, in a node above all that moves, or in the root, above obstacles too.
pub const SOLVER_PLACES: [&str; 4] = ["each body", "all bodies", "root", "root and bodies"];
/// On which state a component acts: the body's, the last of its chain of mappings, both.
pub const ON: [&str; 3] = ["body", "mapped", "both"];
/// What acts on the body's state beside its field, the first sample of each that fits.
pub const LOADS: [&str; 6] = [
    "ConstantForceField",
    "LinearForceField",
    "PlaneForceField",
    "RestShapeSpringsForceField",
    "SurfacePressureForceField",
    "UniformVelocityDampingForceField",
];
/// What a joint's other end is.
pub const OTHER_ENDS: [&str; 8] = [
    "same state",
    "own other state",
    "other body",
    "other mapped",
    "obstacle",
    "simulated obstacle",
    "unsimulated body",
    "obstacle mapped",
];
pub const JOINT_PLACES: [&str; 5] =
    ["root", "above bodies", "in the body", "node before bodies", "node after bodies"];
pub const CHANGES: [&str; 13] = [
    "nothing",
    "number of the field",
    "number of the mass",
    "number of the solver",
    "time step",
    "gravity",
    "mouse comes",
    "field goes",
    "object comes",
    "object goes",
    "points go",
    "elements go",
    "elements come",
];
/// Changes of the body's topology, the last of all.
pub const OF_TOPOLOGY: [&str; 3] = ["points go", "elements go", "elements come"];
/// The friction of contacts: none, one that holds them and resists rolling, one that they slide at.
pub const FRICTIONS: [&str; 3] =
    ["", "friction='3' tangentialStiffness='0.7' rollingFriction='0.1'", "friction='0.05'"];
/// The same of contacts with multipliers.
pub const COEFFICIENTS: [&str; 3] = ["0", "0.5", "0.05"];
/// The intersection methods of contacts, with attributes of their own.
pub const METHODS: [&str; 4] = [
    "NewProximityIntersection useLineLine='1'",
    "MinProximityIntersection",
    "LocalMinDistance angleCone='0.1'",
    AHEAD,
];
/// The method that looks at the way of a step: it tests points against triangles, and lines.
pub const AHEAD: &str =
    "CCDTightInclusionIntersection continuousCollisionType='FreeMotion' maxIterations='60'";
/// What multipliers correct, where there are some.
pub const ORDERS: [&str; 2] = ["", "solveVelocityConstraintFirst='1'"];
pub const EXECUTORS: [&str; 8] = [
    "replay 1",
    "replay 2",
    "replay 2 mirror",
    "replay 2 reduce",
    "replay 3",
    "stealing 2",
    "fork-join 2",
    "sequential",
];
