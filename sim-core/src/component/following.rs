//! How a component follows when points and elements of its topology come and go while a simulation runs.

use super::build::{AttributeValues, BuildError, Builder};
use crate::renumbering::ElementKind;

/// What becomes of lists of pairs of points when points of the states at their ends come and go: for each end the present number of
/// each former point, [`NEW`](crate::renumbering::NEW) for one that has gone; none where the points of the end stay.
pub type FollowPairs = fn(&mut AttributeValues, [Option<&[u32]>; 2]);

/// Which attributes of a component follow what they are linked to while a simulation runs: those that SOFA's component reads in every
/// step. Others are read once, when the scene is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTime {
    /// None.
    None,
    /// All.
    All,
    /// These.
    Only(&'static [&'static str]),
}

/// What becomes of the points that a mapping moves when points of its input come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// They stay; those that lay in an element that has gone lie in the nearest one that is left.
    Stay,
    /// They are those of the input.
    AreTheInputs,
    /// Each goes with the one point of the input that it copies; the last gets its number. This attribute lists the points copied.
    GoWith(&'static str),
}

/// What has to be done with the attributes of a component before it is built again for a changed topology.
///
/// The state's initial vectors are then those of the points that are left: positions at rest and at the beginning are what they
/// were, so that an element that stays has the rest shape that it had. What a component works out for its elements must follow from
/// them and its attributes alone; a component that keeps something from step to step cannot follow.
#[derive(Clone, Copy)]
pub struct Following {
    /// Attributes that list points of the state.
    pub points: &'static [&'static str],
    /// Attributes that list elements of the component's topology.
    pub elements: &'static [(&'static str, ElementKind)],
    /// Attributes that are lists of something else, as of times or of a material's parameters.
    pub other_lists: &'static [&'static str],
    /// Attributes that [`Self::prepare`] replaces by others.
    pub prepared: &'static [&'static str],
    /// Of a component that joins points of two states, or of one: what becomes of all its lists.
    pub pairs: Option<FollowPairs>,
    /// Of a mapping: what becomes of its output.
    pub mapped: Option<Mapped>,
    /// Whether the component does what SOFA's does when points come.
    pub takes_points: bool,
    /// The attributes with which the component is what it is now, whatever becomes of the topology: a density for a total mass.
    ///
    /// # Errors
    /// If there are none.
    pub prepare: fn(&Builder<'_>) -> Result<AttributeValues, BuildError>,
}

impl Following {
    /// Of a component whose attributes say nothing of single points and elements.
    pub const PLAIN: Self = Self {
        points: &[],
        elements: &[],
        other_lists: &[],
        prepared: &[],
        pairs: None,
        mapped: None,
        takes_points: true,
        prepare: |b| Ok(b.attributes.clone()),
    };

    /// Of one with lists of points.
    pub const fn of_points(points: &'static [&'static str]) -> Self {
        Self { points, ..Self::PLAIN }
    }

    /// Of one with lists of pairs of points.
    pub const fn of_pairs(pairs: FollowPairs) -> Self {
        Self { pairs: Some(pairs), ..Self::PLAIN }
    }

    /// Of a mapping.
    pub const fn of_mapping(mapped: Mapped) -> Self {
        Self { mapped: Some(mapped), ..Self::PLAIN }
    }

    /// Of one with lists of elements.
    pub const fn of_elements(elements: &'static [(&'static str, ElementKind)]) -> Self {
        Self { elements, ..Self::PLAIN }
    }

    /// The same with lists that are neither of points nor of elements.
    #[must_use]
    pub const fn with_other_lists(mut self, other_lists: &'static [&'static str]) -> Self {
        self.other_lists = other_lists;
        self
    }

    /// The same, whose attributes are replaced by others first.
    #[must_use]
    pub const fn prepared(
        mut self,
        prepared: &'static [&'static str],
        prepare: fn(&Builder<'_>) -> Result<AttributeValues, BuildError>,
    ) -> Self {
        (self.prepared, self.prepare) = (prepared, prepare);
        self
    }

    /// The same for a component that cannot take up new points.
    #[must_use]
    pub const fn without_new_points(mut self) -> Self {
        self.takes_points = false;
        self
    }
}
