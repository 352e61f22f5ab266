//! Numbers in buffers. Every access is checked: no file makes it panic or take more memory than the file accounts for.

use gltf::accessor::{Accessor, DataType};
use gltf::buffer::View;

use super::wrong::{Wrong, wrong};

/// Accessors without bytes (all zero, unless sparse) may have so many elements.
const MOST_ZEROS: usize = 1 << 24;

/// Numbers of a kind: integers that are meant as parts of one become these.
///
/// # Errors
/// The accessor is not of N numbers, or its bytes are not there.
pub(super) fn floats<const N: usize>(
    accessor: &Accessor<'_>,
    buffers: &[Vec<u8>],
) -> Result<Vec<[f32; N]>, Wrong> {
    let normalized = accessor.normalized();
    elements(accessor, buffers, |kind, b| {
        let raw = number(kind, b);
        match kind {
            _ if !normalized => raw as f32,
            DataType::I8 => (raw / 127.0).max(-1.0) as f32,
            DataType::U8 => (raw / 255.0) as f32,
            DataType::I16 => (raw / 32767.0).max(-1.0) as f32,
            DataType::U16 => (raw / 65535.0) as f32,
            DataType::U32 | DataType::F32 => raw as f32,
        }
    })
}

/// Indices.
///
/// # Errors
/// The accessor is not of N whole numbers, or its bytes are not there.
pub(super) fn indices<const N: usize>(
    accessor: &Accessor<'_>,
    buffers: &[Vec<u8>],
) -> Result<Vec<[u32; N]>, Wrong> {
    if !matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32) {
        return Err(at(accessor, "indices should be unsigned whole numbers"));
    }
    elements(accessor, buffers, |kind, b| number(kind, b) as u32)
}

fn number(kind: DataType, b: &[u8]) -> f64 {
    match (kind, b) {
        (DataType::I8, [x, ..]) => f64::from(*x as i8),
        (DataType::U8, [x, ..]) => f64::from(*x),
        (DataType::I16, [x, y, ..]) => f64::from(i16::from_le_bytes([*x, *y])),
        (DataType::U16, [x, y, ..]) => f64::from(u16::from_le_bytes([*x, *y])),
        (DataType::U32, [x, y, z, w, ..]) => f64::from(u32::from_le_bytes([*x, *y, *z, *w])),
        (DataType::F32, [x, y, z, w, ..]) => f64::from(f32::from_le_bytes([*x, *y, *z, *w])),
        _ => 0.0,
    }
}

fn at(accessor: &Accessor<'_>, what: impl ToString) -> Wrong {
    wrong(format!("accessors[{}]", accessor.index()), what)
}

/// The elements of an accessor, those of its sparse part included.
fn elements<T: Copy + Default, const N: usize>(
    accessor: &Accessor<'_>,
    buffers: &[Vec<u8>],
    convert: impl Fn(DataType, &[u8]) -> T,
) -> Result<Vec<[T; N]>, Wrong> {
    let (kind, given, n) = (accessor.data_type(), accessor.dimensions().multiplicity(), accessor.count());
    if given != N {
        return Err(at(accessor, format!("an element should have {N} numbers, not {given}")));
    }
    let size = kind.size();
    let element = |b: &[u8]| -> [T; N] {
        std::array::from_fn(|k| b.get(k * size..).map_or(T::default(), |b| convert(kind, b)))
    };
    let mut all: Vec<[T; N]> = match accessor.view() {
        Some(view) => {
            let stride = view.stride().unwrap_or(N * size);
            let chunks = chunks(&view, accessor.offset(), (n, N * size, stride), buffers);
            chunks.map_err(|what| at(accessor, what))?.map(element).collect()
        }
        None if n > MOST_ZEROS => {
            return Err(at(accessor, format!("{n} elements without bytes are too many")));
        }
        None => vec![[T::default(); N]; n],
    };
    if let Some(sparse) = accessor.sparse() {
        let (places, values, n) = (sparse.indices(), sparse.values(), sparse.count());
        let of = match places.index_type() {
            gltf::accessor::sparse::IndexType::U8 => DataType::U8,
            gltf::accessor::sparse::IndexType::U16 => DataType::U16,
            gltf::accessor::sparse::IndexType::U32 => DataType::U32,
        };
        let bytes = of.size();
        let places = chunks(&places.view(), places.offset(), (n, bytes, bytes), buffers)
            .map_err(|what| at(accessor, format!("sparse indices: {what}")))?;
        let values = chunks(&values.view(), values.offset(), (n, N * size, N * size), buffers)
            .map_err(|what| at(accessor, format!("sparse values: {what}")))?;
        for (place, value) in places.zip(values) {
            let place = number(of, place) as usize;
            let count = all.len();
            let to = all.get_mut(place);
            *to.ok_or_else(|| {
                at(accessor, format!("the sparse index {place} is beyond {count} elements"))
            })? = element(value);
        }
    }
    Ok(all)
}

/// So many elements of a size, a stride apart.
fn chunks<'b>(
    view: &View<'_>,
    offset: usize,
    (n, size, stride): (usize, usize, usize),
    buffers: &'b [Vec<u8>],
) -> Result<impl Iterator<Item = &'b [u8]> + use<'b>, String> {
    let name = || format!("bufferViews[{}]", view.index());
    let buffer = buffers.get(view.buffer().index()).ok_or_else(|| format!("{} has no buffer", name()))?;
    let end = view.offset().checked_add(view.length());
    let bytes = end.and_then(|end| buffer.get(view.offset()..end));
    let bytes = bytes.ok_or_else(|| format!("{} reaches beyond its buffer", name()))?;
    if stride < size {
        return Err(format!("{} has a stride of {stride} bytes for elements of {size}", name()));
    }
    let length = n.checked_sub(1).map_or(Some(0), |k| k.checked_mul(stride)?.checked_add(size));
    let end = length.and_then(|l| l.checked_add(offset));
    let bytes = end.and_then(|end| bytes.get(offset.min(end)..end));
    let bytes = bytes.ok_or_else(|| format!("{n} elements reach beyond {}", name()))?;
    Ok((0..n).map(move |k| &bytes[k * stride..k * stride + size]))
}
