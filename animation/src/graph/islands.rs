//! What is connected, in whatever direction.

/// The smallest of `n` that each is connected with by pairs.
pub fn islands(n: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut up: Vec<u32> = (0..n as u32).collect();
    fn root(up: &mut [u32], mut k: u32) -> u32 {
        while up[k as usize] != k {
            up[k as usize] = up[up[k as usize] as usize];
            k = up[k as usize];
        }
        k
    }
    for (a, b) in pairs {
        let (a, b) = (root(&mut up, a), root(&mut up, b));
        up[a.max(b) as usize] = a.min(b);
    }
    (0..n as u32).map(|k| root(&mut up, k)).collect()
}
