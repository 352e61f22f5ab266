//! `NodalMassDensity`: the density at each point, for masses of finite elements.

use sim_core::prelude::*;

/// The density at each point, for masses of finite elements.
#[derive(Attributes)]
struct Settings {
    /// density of each point; points beyond the list take the last entry [kg/m^3]
    #[attribute(default = "1", non_negative)]
    property: Vec<Real>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "NodalMassDensity", build);

/// The densities, kept with the component.
#[derive(Clone, Debug, PartialEq)]
pub struct NodalMassDensity(Vec<Real>);

impl NodalMassDensity {
    /// The same everywhere [kg/m^3].
    pub fn uniform(density: Real) -> Self {
        Self(vec![density])
    }

    /// The density of a point [kg/m^3].
    ///
    /// **Source:** as SOFA's: an entry for each point, the last one for what is beyond the list, 1 where there is none.
    pub fn of(&self, point: u32) -> Real {
        self.0.get(point as usize).or(self.0.last()).copied().unwrap_or(1.0)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { property } = Settings::read(b)?;
    b.keep(Some(NodalMassDensity(property)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entry_is_repeated() {
        let densities = NodalMassDensity(vec![3.0, 5.0]);
        assert_eq!([0, 1, 2, 9].map(|i| densities.of(i)), [3.0, 5.0, 5.0, 5.0]);
        assert_eq!(NodalMassDensity(vec![]).of(0), 1.0);
    }
}
