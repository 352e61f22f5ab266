//! The edges around each point, in one flat array.

use super::element::Element;

/// The edges around each point of a line model: offsets, shape `[n_points + 1]`, followed by edge indices.
#[derive(Clone, Copy, Debug)]
pub struct EdgeStars<'a>(pub &'a [u32]);

impl<'a> EdgeStars<'a> {
    /// The edges that have the point as an end, ascending; none for a point beyond the array.
    #[inline]
    pub fn around(&self, point: u32) -> &'a [u32] {
        let p = point as usize;
        match (self.0.get(p), self.0.get(p + 1)) {
            (Some(&from), Some(&to)) => self.0.get(from as usize..to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// Builds the array of [`EdgeStars`]; offsets count from its start.
pub(super) fn build(lines: &[Element], n_points: usize) -> Vec<u32> {
    let mut stars = vec![0u32; n_points + 1];
    for l in lines {
        stars[l.vertices[0] as usize] += 1;
        stars[l.vertices[1] as usize] += 1;
    }
    // First the end of each star, which filling it backward turns into its start.
    let mut end = n_points as u32 + 1;
    for s in &mut stars {
        end += *s;
        *s = end;
    }
    stars.resize(end as usize, 0);
    for (i, l) in lines.iter().enumerate().rev() {
        for v in [l.vertices[0], l.vertices[1]] {
            stars[v as usize] -= 1;
            let at = stars[v as usize] as usize;
            stars[at] = i as u32;
        }
    }
    stars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_of_a_path() {
        let lines = [[0, 1], [2, 1], [2, 3]].map(|[a, b]| Element { vertices: [a, b, b], flags: 0 });
        let array = build(&lines, 5);
        let stars = EdgeStars(&array);
        assert_eq!(stars.around(0), [0]);
        assert_eq!(stars.around(1), [0, 1]);
        assert_eq!(stars.around(2), [1, 2]);
        assert_eq!(stars.around(3), [2]);
        assert!(stars.around(4).is_empty());
        assert!(stars.around(5).is_empty());
    }
}
