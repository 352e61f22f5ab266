use std::array::from_fn;

use super::*;

/// What each of a list of operations gives on some lanes.
struct All<'t> {
    a: [Row; 4],
    to: &'t mut Vec<Row>,
}

impl Kernel for All<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let Self { a, to } = self;
        let v = a.map(|row| l.load(&row));
        let [p, q, r, _] = v;
        let [low, high] = l.split(p);
        let is_greater = l.is_greater(p, q);
        let mut all = vec![l.add(p, q), l.sub(p, q), l.mul(p, q), l.div(p, q), l.sqrt(p)];
        all.extend([l.select(is_greater, p, q), l.with_sign_of(p, q), l.splat(a[0][3])]);
        all.extend([l.halves(&low, &high), l.halves(&high, &low)]);
        all.extend([l.spread::<0>(r), l.spread::<1>(r), l.spread::<2>(r), l.spread::<3>(r)]);
        all.extend(l.exchanged(p, q));
        all.extend(l.transposed(v));
        let flat: [f32; 24] = from_fn(|k| a[k / 8][k % 8]);
        all.extend(l.columns(bytemuck::cast_ref(&flat)));
        to.extend(all.into_iter().map(|v| {
            let mut row = [0.0; LANES];
            l.store(v, &mut row);
            row
        }));
    }
}

#[test]
fn vectors_and_arrays_give_the_same_bits() {
    let mut seed = 1_u32;
    for round in 0..500 {
        let a = from_fn(|_| {
            from_fn(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // All bit patterns in some rounds, numbers near one in others.
                if round % 2 == 0 { f32::from_bits(seed) } else { (seed >> 8) as f32 * 1e-7 - 0.8 }
            })
        });
        let (mut plain, mut wide) = (Vec::new(), Vec::new());
        All { a, to: &mut plain }.run(Plain);
        run(All { a, to: &mut wide });
        // Which of the many values that are no numbers comes out does not count.
        let bits = |rows: &[Row]| -> Vec<u32> {
            rows.iter().flatten().map(|x| if x.is_nan() { 0x7FC0_0000 } else { x.to_bits() }).collect()
        };
        assert_eq!(bits(&plain), bits(&wide));
    }
}

#[test]
fn columns_and_rows_are_where_they_say() {
    let of: [[f32; 3]; LANES] = from_fn(|k| from_fn(|c| (10 * k + c) as f32));
    assert_eq!(Plain.columns(&of), from_fn(|c| from_fn(|k| (10 * k + c) as f32)));
    let rows = from_fn(|r| from_fn(|k| (10 * r + k) as f32));
    let columns = Plain.transposed(rows);
    assert_eq!(columns[1], [1.0, 11.0, 21.0, 31.0, 5.0, 15.0, 25.0, 35.0]);
}
