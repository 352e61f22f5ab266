//! Lists of numbers, one after the other in common memory.

/// Rows of numbers: the neighbours of each node, the members of each component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    begins: Vec<u32>,
    values: Vec<u32>,
}

impl Rows {
    /// Sorts pairs of row and value into `n` rows. Values of a row keep their order.
    pub fn of_pairs(n: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut begins = vec![0_u32; n + 1];
        for (row, _) in pairs.clone() {
            begins[row as usize + 1] += 1;
        }
        for row in 0..n {
            begins[row + 1] += begins[row];
        }
        let mut next = begins.clone();
        let mut values = vec![0; begins[n] as usize];
        for (row, value) in pairs {
            values[next[row as usize] as usize] = value;
            next[row as usize] += 1;
        }
        Self { begins, values }
    }

    /// The same rows, each ascending and without a value twice.
    pub fn sorted_without_doubles(mut self) -> Self {
        let (mut end, mut begin) = (0, 0);
        for row in 0..self.len() {
            let last = self.begins[row + 1] as usize;
            self.values[begin..last].sort_unstable();
            let first = end;
            for k in begin..last {
                if end == first || self.values[end - 1] != self.values[k] {
                    self.values[end] = self.values[k];
                    end += 1;
                }
            }
            begin = last;
            self.begins[row + 1] = end as u32;
        }
        self.values.truncate(end);
        self
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.begins.len().saturating_sub(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row; an empty one if there is none of this number.
    pub fn row(&self, row: u32) -> &[u32] {
        match self.begins.get(row as usize..row as usize + 2) {
            Some(&[begin, end]) => &self.values[begin as usize..end as usize],
            _ => &[],
        }
    }

    /// All rows.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len() as u32).map(|row| self.row(row))
    }

    /// Appends a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        if self.begins.is_empty() {
            self.begins.push(0);
        }
        self.values.extend(row);
        self.begins.push(self.values.len() as u32);
    }
}
