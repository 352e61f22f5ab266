//! How a file writes places on the earth, and where they are in the world.
//!
//! **Source:** ISO/IEC 19775-1, 25.2.3 (*Specifying a spatial reference frame*), 25.3.6 (*GeoOrigin*).

use std::sync::Arc;

use super::ellipsoid::Ellipsoid;

/// A spatial reference frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum System {
    /// Latitude and longitude in degrees, height in metres.
    Geodetic {
        /// The earth's shape.
        earth: Ellipsoid,
        /// Longitude comes first.
        longitude_first: bool,
    },
    /// Metres from the earth's middle.
    Geocentric,
    /// Northing, easting and height in metres, in a zone of the universal transverse Mercator projection.
    Utm {
        /// The earth's shape.
        earth: Ellipsoid,
        /// The zone, from 1 to 60.
        zone: i32,
        /// It is south of the equator, and northings begin 10,000 km south of it.
        south: bool,
        /// Easting comes first.
        easting_first: bool,
    },
}

impl System {
    /// Of the words of a `geoSystem`.
    ///
    /// # Errors
    /// The word that is not known.
    pub fn of(words: &[Arc<str>]) -> Result<Self, String> {
        let mut earth = Ellipsoid::of("WE").ok_or("WE")?;
        let (mut kind, mut zone, mut south, mut turned) = ("GD", None, false, false);
        for (k, word) in words.iter().flat_map(|w| w.split_whitespace()).enumerate() {
            let number = word.strip_prefix('Z').and_then(|n| n.parse::<i32>().ok());
            match word {
                "GD" | "GDC" if k == 0 => kind = "GD",
                "GC" | "GCC" if k == 0 => kind = "GC",
                "UTM" if k == 0 => kind = "UTM",
                "S" => south = true,
                "N" => south = false,
                "longitude_first" | "easting_first" => turned = true,
                "latitude_first" | "northing_first" => turned = false,
                // Heights above the geoid are taken as heights above the ellipsoid.
                "WGS84" => {}
                _ => match (number, Ellipsoid::of(word)) {
                    (Some(n @ 1..=60), _) => zone = Some(n),
                    (_, Some(known)) => earth = known,
                    _ => return Err(word.to_owned()),
                },
            }
        }
        Ok(match (kind, zone) {
            ("GC", _) => Self::Geocentric,
            ("UTM", Some(zone)) => Self::Utm { earth, zone, south, easting_first: turned },
            ("UTM", None) => return Err("UTM without a zone (Z1 to Z60)".to_owned()),
            _ => Self::Geodetic { earth, longitude_first: turned },
        })
    }

    /// Latitude and longitude \[rad\]; none of a point that is not on a map.
    fn angles(&self, [a, b, _]: [f64; 3]) -> Option<(f64, f64)> {
        match *self {
            Self::Geodetic { longitude_first, .. } => {
                let (latitude, longitude) = if longitude_first { (b, a) } else { (a, b) };
                Some((latitude.to_radians(), longitude.to_radians()))
            }
            Self::Geocentric => None,
            Self::Utm { earth, zone, south, easting_first } => {
                let (northing, easting) = if easting_first { (b, a) } else { (a, b) };
                let northing = if south { northing - 1e7 } else { northing };
                Some(earth.of_utm(northing, easting - 5e5, zone))
            }
        }
    }

    /// A place's point, from the earth's middle \[m\].
    pub fn point(&self, at: [f64; 3]) -> [f64; 3] {
        match (*self, self.angles(at)) {
            (Self::Geodetic { earth, .. } | Self::Utm { earth, .. }, Some((latitude, longitude))) => {
                earth.point(latitude, longitude, at[2])
            }
            _ => at,
        }
    }

    /// The place of a point from the earth's middle \[m\]: the way back from [`System::point`].
    pub fn place(&self, point: [f64; 3]) -> [f64; 3] {
        match *self {
            Self::Geocentric => point,
            Self::Geodetic { earth, longitude_first } => {
                let [latitude, longitude, height] = earth.place(point);
                let (latitude, longitude) = (latitude.to_degrees(), longitude.to_degrees());
                if longitude_first { [longitude, latitude, height] } else { [latitude, longitude, height] }
            }
            Self::Utm { earth, zone, south, easting_first } => {
                let [latitude, longitude, height] = earth.place(point);
                let (northing, east) = earth.to_utm(latitude, longitude, zone);
                let (northing, easting) = (northing + if south { 1e7 } else { 0.0 }, east + 5e5);
                if easting_first { [easting, northing, height] } else { [northing, easting, height] }
            }
        }
    }

    /// East, up and south at a place. From the earth's middle up goes straight there, from a map at right angles to the ellipsoid.
    pub fn axes(&self, at: [f64; 3]) -> [[f64; 3]; 3] {
        let [x, y, z] = at;
        let (latitude, longitude) = self.angles(at).unwrap_or_else(|| (z.atan2(x.hypot(y)), y.atan2(x)));
        let ((sin, cos), (sine, cosine)) = (latitude.sin_cos(), longitude.sin_cos());
        [[-sine, cosine, 0.0], [cos * cosine, cos * sine, sin], [sin * cosine, sin * sine, -cos]]
    }
}

/// What positions in the world start from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    point: [f64; 3],
    /// East, up and south are the world's axes; none where the earth's are.
    axes: Option<[[f64; 3]; 3]>,
}

impl Origin {
    /// The earth's middle.
    pub const MIDDLE: Self = Self { point: [0.0; 3], axes: None };

    /// A place; whether up there is the world's y axis.
    pub fn at(system: &System, place: [f64; 3], is_y_up: bool) -> Self {
        Self { point: system.point(place), axes: is_y_up.then(|| system.axes(place)) }
    }

    /// A point of the earth in the world.
    pub fn to_world(&self, point: [f64; 3]) -> [f64; 3] {
        let from: [f64; 3] = std::array::from_fn(|k| point[k] - self.point[k]);
        match &self.axes {
            None => from,
            Some(axes) => axes.map(|a| a[0] * from[0] + a[1] * from[1] + a[2] * from[2]),
        }
    }

    /// The point of the earth that is at a place in the world.
    pub fn of_world(&self, at: [f64; 3]) -> [f64; 3] {
        let turned = match &self.axes {
            None => at,
            Some(axes) => std::array::from_fn(|k| (0..3).map(|j| axes[j][k] * at[j]).sum()),
        };
        std::array::from_fn(|k| turned[k] + self.point[k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Arc<str>> {
        text.split(' ').filter(|w| !w.is_empty()).map(Arc::from).collect()
    }

    #[test]
    fn words_of_files() {
        let we = Ellipsoid::of("WE").expect("known");
        assert_eq!(System::of(&[]), Ok(System::Geodetic { earth: we, longitude_first: false }));
        assert_eq!(System::of(&words("GDC")), System::of(&[]));
        assert_eq!(System::of(&words("GC")), Ok(System::Geocentric));
        let utm = System::Utm { earth: we, zone: 11, south: true, easting_first: true };
        assert_eq!(System::of(&words("UTM Z11 S easting_first")), Ok(utm));
        // Lists whose author forgot the quotes are one string.
        assert_eq!(System::of(&["UTM Z11 N".into()]), System::of(&words("UTM Z11")));
        assert_eq!(
            System::of(&words("GD CC longitude_first")).map(|s| s.point([0.0, 90.0, 0.0])[2] > 6e6),
            Ok(true)
        );
        assert_eq!(System::of(&words("GD XX")), Err("XX".to_owned()));
        assert!(System::of(&words("UTM")).is_err() && System::of(&words("UTM Z61")).is_err());
    }

    #[test]
    fn maps_of_one_place_give_one_point() {
        let (degrees, utm) = (System::of(&[]).expect("known"), System::of(&words("UTM Z31")).expect("known"));
        // Three degrees east is the middle of zone 31: on the equator easting 500,000 m.
        let (a, b) = (degrees.point([0.0, 3.0, 7.0]), utm.point([0.0, 5e5, 7.0]));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
        let south = System::of(&words("UTM Z31 S")).expect("known").point([1e7, 5e5, 7.0]);
        assert!(south.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6));
    }

    #[test]
    fn places_of_points_are_those_that_the_points_are_of() {
        for text in ["", "GD WE longitude_first", "GC", "UTM Z31", "UTM Z31 S easting_first"] {
            let system = System::of(&words(text)).expect("known");
            let geodetic = System::of(&[]).expect("known").point([-0.4, 4.2, 123.0]);
            let place = system.place(geodetic);
            let again = system.point(place);
            assert!(
                geodetic.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-3),
                "{text}: {geodetic:?} {again:?}"
            );
            let origin = Origin::at(&system, place, true);
            let there = origin.of_world(origin.to_world(geodetic));
            assert!(geodetic.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-3), "{text}: {there:?}");
        }
        let place = System::of(&[]).expect("known").place([6_378_137.0, 0.0, 0.0]);
        assert!(place.iter().all(|c| c.abs() < 1e-8), "{place:?}");
    }

    #[test]
    fn up_is_the_y_axis_where_the_origin_says_so() {
        let system = System::of(&[]).expect("known");
        let place = [40.0, -75.0, 100.0];
        let origin = Origin::at(&system, place, true);
        let above = origin.to_world(system.point([40.0, -75.0, 130.0]));
        assert!(
            above[0].abs() < 1e-6 && (above[1] - 30.0).abs() < 1e-6 && above[2].abs() < 1e-6,
            "{above:?}"
        );
        let north = origin.to_world(system.point([40.001, -75.0, 100.0]));
        assert!(north[0].abs() < 1e-6 && north[2] < -100.0, "{north:?}");
        let east = origin.to_world(system.point([40.0, -74.999, 100.0]));
        assert!(east[0] > 80.0 && east[2].abs() < 0.01, "{east:?}");
        let plain = Origin::at(&system, place, false);
        assert_eq!(plain.to_world(system.point(place)), [0.0; 3]);
    }
}
