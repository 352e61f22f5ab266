//! `MathOp` and `SumEngine`: lists calculated from lists.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::numbered::Inputs;
use super::rows::{POINT, rows, width};

/// Several lists put together, entry by entry.
#[derive(Attributes)]
#[attributes(ignored("output"))]
struct Operation {
    /// how many lists, at most 8
    #[attribute(default = "2")]
    nb_inputs: i64,
    /// how: + - * / < (the least) > (the greatest) of numbers; + - of vectors; ! | & ^ !| !& !^ of booleans; the first of these if not given
    op: Option<String>,
}

/// The sum of the rows of a list.
#[derive(Attributes)]
#[attributes(ignored("output"))]
struct Sum {
    /// rows of the template's coordinates
    input: Vec<f64>,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<(Operation, Inputs)>(Family::Engine, "MathOp", operate),
    ComponentDescription::new::<Sum>(Family::Engine, "SumEngine", sum).templates(&["Vec3", "Vec1"]),
];

/// What values a template is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Real,
    Integer,
    Boolean,
    Vector(usize),
}

impl Sort {
    fn of(b: &Builder<'_>) -> Result<Self, BuildError> {
        let template = b.attributes.template.as_deref().unwrap_or("");
        let inner = template.trim_start_matches("Data<").trim_start_matches("vector<");
        match (inner.trim_end_matches(['>', ' ']), width(b, 1)?) {
            ("int", _) => Ok(Self::Integer),
            ("bool", _) => Ok(Self::Boolean),
            (_, 1) => Ok(Self::Real),
            (_, n @ (2 | 3)) => Ok(Self::Vector(n)),
            _ => Err(BuildError::attribute("template", format!("there is no operation on `{template}`"))),
        }
    }

    /// What may be done with them, the default first.
    fn operations(self) -> &'static [&'static str] {
        match self {
            Self::Real | Self::Integer => &["+", "-", "*", "/", "<", ">"],
            Self::Boolean => &["!", "|", "!|", "&", "!&", "^", "!^"],
            Self::Vector(_) => &["+", "-"],
        }
    }
}

/// **Source:** as SOFA's: the output is as long as the shortest list; one list alone is negated by `-` and inverted by `/`; integers are divided
/// as integers. The negated operations on booleans are false whatever they are given.
fn operate(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, inputs) = (Operation::read(b)?, Inputs::read(b)?);
    let sort = Sort::of(b)?;
    let known = sort.operations();
    let asked = s.op.as_deref().map_or(known[0], str::trim);
    // An operation may be named by its number, too.
    let by_number = asked.parse().ok().and_then(|k: usize| known.get(k));
    let op = *known.iter().find(|op| **op == asked).or(by_number).ok_or_else(|| {
        let text = format!("there is no operation `{asked}` here, but: {}", known.join(" "));
        BuildError::attribute("op", text)
    })?;
    if op.len() == 2 {
        let text = format!("`{op}` is false whatever it is given, as in SOFA, which negates another thing");
        b.warn(Some("op"), text);
    }
    let inputs = inputs.first(b, "nbInputs", s.nb_inputs)?;
    let width = if let Sort::Vector(n) = sort { n } else { 1 };
    let n = inputs.iter().map(|list| list.len() / width).min().unwrap_or(0) * width;
    let entry = |k: usize| {
        let values = inputs.iter().map(|list| list[k]);
        combined(op, sort, values)
    };
    let output: Vec<f64> = (0..n).map(entry).collect();
    b.offer(
        "output",
        match sort {
            Sort::Integer => Value::Integers(output.into_iter().map(|r| r as i64).collect()),
            Sort::Boolean => Value::Bools(output.into_iter().map(|r| r != 0.0).collect()),
            _ => Value::Reals(output),
        },
    );
    Ok(())
}

/// One entry of each list put together.
fn combined(op: &str, sort: Sort, mut values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let is_alone = values.len() == 1;
    let whole = |r: f64| if sort == Sort::Integer { r.trunc() } else { r };
    let truth = |r: f64| f64::from(r != 0.0);
    let Some(first) = values.next() else { return 0.0 };
    match op {
        "-" if is_alone => -first,
        "/" if is_alone => whole(1.0 / first),
        "+" => values.fold(first, |all, v| all + v),
        "-" => values.fold(first, |all, v| all - v),
        "*" => values.fold(first, |all, v| all * v),
        "/" => values.fold(first, |all, v| whole(all / v)),
        "<" => values.fold(first, |all, v| if v < all { v } else { all }),
        ">" => values.fold(first, |all, v| if v > all { v } else { all }),
        "!" => f64::from(first == 0.0),
        "|" => values.fold(truth(first), |all, v| all.max(truth(v))),
        "&" => values.fold(truth(first), |all, v| all.min(truth(v))),
        "^" => values.fold(truth(first), |all, v| (all - truth(v)).abs()),
        _ => 0.0,
    }
}

fn sum(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Sum::read(b)?;
    let width = width(b, POINT)?;
    let mut sum = vec![0.0; width];
    for row in rows("input", &s.input, width)? {
        sum.iter_mut().zip(row).for_each(|(s, c)| *s += c);
    }
    b.offer("output", Value::Reals(sum));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(class: usize, attributes: &[(&'static str, &str)]) -> Result<Value, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[class], root, attributes)?;
        Ok(t.scene.component(c).fields["output"].clone())
    }

    #[test]
    fn numbers_are_combined() {
        let lists = [("nbInputs", "3"), ("input1", "8 3 1"), ("input2", "2 4"), ("input3", "5 6")];
        let of = |op: &str| offered(0, &[&lists[..], &[("op", op)]].concat()).unwrap().reals().unwrap();
        assert_eq!((of("+"), of("-"), of("*")), (vec![15.0, 13.0], vec![1.0, -7.0], vec![80.0, 72.0]));
        assert_eq!((of("/"), of("<"), of(">")), (vec![0.8, 0.125], vec![2.0, 3.0], vec![8.0, 6.0]));
        assert_eq!(of("2"), of("*"), "by its number");
        let one = [("nbInputs", "1"), ("input1", "4")];
        let alone = |op: &str| offered(0, &[&one[..], &[("op", op)]].concat()).unwrap().reals().unwrap();
        assert_eq!((alone("-"), alone("/")), (vec![-4.0], vec![0.25]));
        assert!(offered(0, &[("op", "%")]).is_err());
    }

    #[test]
    fn a_template_says_what_may_be_done() {
        let lists = [("input1", "7 3 1"), ("input2", "2 4 0")];
        let of = |template: &str, op: &str| {
            offered(0, &[&lists[..], &[("template", template), ("op", op)]].concat())
        };
        assert_eq!(of("vector<int>", "/").err().map(|_| ()), None);
        let divided = [("template", "vector<int>"), ("input1", "7 -7"), ("input2", "2 2"), ("op", "/")];
        assert_eq!(offered(0, &divided).unwrap(), Value::Integers(vec![3, -3]));
        assert_eq!(of("vector<bool>", "^").unwrap(), Value::Bools(vec![false, false, true]));
        assert_eq!(of("vector<bool>", "!&").unwrap(), Value::Bools(vec![false; 3]));
        assert_eq!(of("Vec3d", "-").unwrap(), Value::Reals(vec![5.0, -1.0, 1.0]));
        assert!(of("Vec3d", "*").is_err() && of("Rigid3d", "+").is_err());
    }

    #[test]
    fn rows_are_summed() {
        let sum = |more: &[(&'static str, &str)]| {
            offered(1, &[&[("input", "1 2 3 4 5 6")], more].concat()).unwrap().reals().unwrap()
        };
        assert_eq!((sum(&[]), sum(&[("template", "Vec1d")])), (vec![5.0, 7.0, 9.0], vec![21.0]));
    }
}
