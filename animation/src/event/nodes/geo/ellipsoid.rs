//! The earth's shape, and places on it as points.
//!
//! **Source:** ISO/IEC 19775-1, table 25.3 (*Supported earth ellipsoids*); Snyder, *Map Projections: a Working Manual* (USGS Professional
//! Paper 1395), page 61 to 64 (Transverse Mercator).

/// An ellipsoid of revolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Radius of the equator \[m\].
    pub a: f64,
    /// First eccentricity, squared.
    pub e2: f64,
}

/// Codes, radius of the equator \[m\], and the inverse of the flattening.
const ELLIPSOIDS: [(&str, f64, f64); 23] = [
    ("AA", 6_377_563.396, 299.324_964_6),
    ("AM", 6_377_340.189, 299.324_964_6),
    ("AN", 6_378_160.0, 298.25),
    ("BN", 6_377_483.865, 299.152_812_8),
    ("BR", 6_377_397.155, 299.152_812_8),
    ("CC", 6_378_206.4, 294.978_698_2),
    ("CD", 6_378_249.145, 293.465),
    ("EA", 6_377_276.345, 300.801_7),
    ("EB", 6_377_298.556, 300.801_7),
    ("EC", 6_377_301.243, 300.801_7),
    ("ED", 6_377_295.664, 300.801_7),
    ("EE", 6_377_304.063, 300.801_7),
    ("EF", 6_377_309.613, 300.801_7),
    ("FA", 6_378_155.0, 298.3),
    ("HE", 6_378_200.0, 298.3),
    ("HO", 6_378_270.0, 297.0),
    ("ID", 6_378_160.0, 298.247),
    ("IN", 6_378_388.0, 297.0),
    ("KA", 6_378_245.0, 298.3),
    ("RF", 6_378_137.0, 298.257_222_101),
    ("SA", 6_378_160.0, 298.25),
    ("WD", 6_378_135.0, 298.26),
    ("WE", 6_378_137.0, 298.257_223_563),
];

impl Ellipsoid {
    /// The ellipsoid of a code.
    pub fn of(code: &str) -> Option<Self> {
        let (_, a, flat) = *ELLIPSOIDS.iter().find(|(known, ..)| *known == code)?;
        let f = 1.0 / flat;
        Some(Self { a, e2: f * (2.0 - f) })
    }

    /// The point, from the earth's middle \[m\], of a latitude and a longitude \[rad\] and a height above the ellipsoid \[m\]. The z axis
    /// goes to the north pole, the x axis to where both angles are zero.
    pub fn point(&self, latitude: f64, longitude: f64, height: f64) -> [f64; 3] {
        let (sin, cos) = latitude.sin_cos();
        let n = self.a / (1.0 - self.e2 * sin * sin).sqrt();
        let r = (n + height) * cos;
        [r * longitude.cos(), r * longitude.sin(), (n * (1.0 - self.e2) + height) * sin]
    }

    /// Latitude and longitude \[rad\] and height \[m\] of a point from the earth's middle: the way back from [`Ellipsoid::point`].
    pub fn place(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let r = x.hypot(y);
        let mut latitude = z.atan2(r * (1.0 - self.e2));
        // Each round divides what is left by some 300.
        for _ in 0..8 {
            let sin = latitude.sin();
            let n = self.a / (1.0 - self.e2 * sin * sin).sqrt();
            latitude = (z + self.e2 * n * sin).atan2(r);
        }
        let (sin, cos) = latitude.sin_cos();
        let height = r * cos + z * sin - self.a * (1.0 - self.e2 * sin * sin).sqrt();
        [latitude, y.atan2(x), height]
    }

    /// How far north of the equator and east of a zone's middle meridian \[m\] a place is in the universal transverse Mercator projection.
    pub fn to_utm(&self, latitude: f64, longitude: f64, zone: i32) -> (f64, f64) {
        const K0: f64 = 0.9996;
        let (e2, ep2) = (self.e2, self.e2 / (1.0 - self.e2));
        let (e4, e6) = (e2 * e2, e2 * e2 * e2);
        let (sin, cos) = latitude.sin_cos();
        let n = self.a / (1.0 - e2 * sin * sin).sqrt();
        let (t, c) = ((sin / cos).powi(2), ep2 * cos * cos);
        let from_middle = longitude - f64::from(zone * 6 - 183).to_radians();
        let a = cos * from_middle;
        let along = self.a
            * ((1.0 - e2 / 4.0 - 3.0 * e4 / 64.0 - 5.0 * e6 / 256.0) * latitude
                - (3.0 * e2 / 8.0 + 3.0 * e4 / 32.0 + 45.0 * e6 / 1024.0) * (2.0 * latitude).sin()
                + (15.0 * e4 / 256.0 + 45.0 * e6 / 1024.0) * (4.0 * latitude).sin()
                - 35.0 * e6 / 3072.0 * (6.0 * latitude).sin());
        let east = K0
            * n
            * (a + (1.0 - t + c) * a.powi(3) / 6.0
                + (5.0 - 18.0 * t + t * t + 72.0 * c - 58.0 * ep2) * a.powi(5) / 120.0);
        let north = K0
            * (along
                + n * (sin / cos)
                    * (a * a / 2.0
                        + (5.0 - t + 9.0 * c + 4.0 * c * c) * a.powi(4) / 24.0
                        + (61.0 - 58.0 * t + t * t + 600.0 * c - 330.0 * ep2) * a.powi(6) / 720.0));
        (north, east)
    }

    /// Latitude and longitude \[rad\] of a place of a zone of the universal transverse Mercator projection: how far north of the
    /// equator and east of the zone's middle meridian it is \[m\].
    pub fn of_utm(&self, northing: f64, east: f64, zone: i32) -> (f64, f64) {
        const K0: f64 = 0.9996;
        let (e2, ep2) = (self.e2, self.e2 / (1.0 - self.e2));
        let (e4, e6) = (e2 * e2, e2 * e2 * e2);
        let mu = northing / K0 / (self.a * (1.0 - e2 / 4.0 - 3.0 * e4 / 64.0 - 5.0 * e6 / 256.0));
        let root = (1.0 - e2).sqrt();
        let e1 = (1.0 - root) / (1.0 + root);
        // The latitude at which the middle meridian is as far from the equator.
        let foot = mu
            + (1.5 * e1 - 27.0 / 32.0 * e1.powi(3)) * (2.0 * mu).sin()
            + (21.0 / 16.0 * e1 * e1 - 55.0 / 32.0 * e1.powi(4)) * (4.0 * mu).sin()
            + 151.0 / 96.0 * e1.powi(3) * (6.0 * mu).sin()
            + 1097.0 / 512.0 * e1.powi(4) * (8.0 * mu).sin();
        let (sin, cos) = foot.sin_cos();
        let tan = sin / cos;
        let (c, t) = (ep2 * cos * cos, tan * tan);
        let w = 1.0 - e2 * sin * sin;
        let n = self.a / w.sqrt();
        let r = self.a * (1.0 - e2) / (w * w.sqrt());
        let d = east / (n * K0);
        let latitude = foot
            - n * tan / r
                * (d * d / 2.0 - (5.0 + 3.0 * t + 10.0 * c - 4.0 * c * c - 9.0 * ep2) * d.powi(4) / 24.0
                    + (61.0 + 90.0 * t + 298.0 * c + 45.0 * t * t - 252.0 * ep2 - 3.0 * c * c) * d.powi(6)
                        / 720.0);
        let from_middle = (d - (1.0 + 2.0 * t + c) * d.powi(3) / 6.0
            + (5.0 - 2.0 * c + 28.0 * t - 3.0 * c * c + 8.0 * ep2 + 24.0 * t * t) * d.powi(5) / 120.0)
            / cos;
        let middle = f64::from(zone * 6 - 183).to_radians();
        (latitude, middle + from_middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_the_axes() {
        let earth = Ellipsoid::of("WE").expect("known");
        let b = earth.a * (1.0 - earth.e2).sqrt();
        assert_eq!(earth.point(0.0, 0.0, 10.0), [earth.a + 10.0, 0.0, 0.0]);
        let pole = earth.point(std::f64::consts::FRAC_PI_2, 0.3, 10.0);
        assert!(
            pole[0].abs() < 1e-6 && (pole[2] - b - 10.0).abs() < 1e-6 && (b - 6_356_752.314_245).abs() < 1e-3
        );
        assert!(Ellipsoid::of("XX").is_none());
    }

    #[test]
    fn snyders_example_of_the_inverse() {
        // Page 270: Clarke's ellipsoid of 1866, zone 18 (75 degrees west), x 127,106.5 m from its middle, y 4,484,124.4 m.
        let (latitude, longitude) = Ellipsoid::of("CC").expect("known").of_utm(4_484_124.4, 127_106.5, 18);
        assert!((latitude.to_degrees() - 40.5).abs() < 2e-6, "{}", latitude.to_degrees());
        assert!((longitude.to_degrees() + 73.5).abs() < 2e-6, "{}", longitude.to_degrees());
    }
}
