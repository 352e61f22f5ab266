//! An expression as steps on a stack.

use super::function::Function;

/// Largest number of values on the stack.
pub(super) const STACK: usize = 32;

/// One step.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Number(f64),
    /// A component of a variable.
    Variable(u16, u8),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Call(Function),
}

/// An expression that was read: its variables, and what to do with them.
#[derive(Clone)]
pub struct Code {
    pub(super) variables: Vec<Variable>,
    pub(super) steps: Vec<Step>,
}

/// A name of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    /// Whether it is a vector of three numbers.
    pub(super) is_vector: bool,
}

impl Code {
    /// The names, in the order in which they first occur, and whether each is a vector of three numbers.
    pub fn variables(&self) -> impl Iterator<Item = (&str, bool)> {
        self.variables.iter().map(|v| (v.name.as_str(), v.is_vector))
    }

    /// Number of steps.
    pub fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// The value, given the components of variables.
    pub fn evaluate(&self, mut variable: impl FnMut(usize, usize) -> f64) -> f64 {
        let (mut stack, mut n) = ([0.0; STACK], 0);
        for step in &self.steps {
            let (pops, value) = match *step {
                Step::Number(value) => (0, value),
                Step::Variable(k, component) => (0, variable(k as usize, component as usize)),
                Step::Negate => (1, -stack[n - 1]),
                Step::Add => (2, stack[n - 2] + stack[n - 1]),
                Step::Subtract => (2, stack[n - 2] - stack[n - 1]),
                Step::Multiply => (2, stack[n - 2] * stack[n - 1]),
                Step::Divide => (2, stack[n - 2] / stack[n - 1]),
                Step::Remainder => (2, remainder(stack[n - 2], stack[n - 1])),
                Step::Less => (2, f64::from(u8::from(stack[n - 2] < stack[n - 1]))),
                Step::LessOrEqual => (2, f64::from(u8::from(stack[n - 2] <= stack[n - 1]))),
                Step::Greater => (2, f64::from(u8::from(stack[n - 2] > stack[n - 1]))),
                Step::GreaterOrEqual => (2, f64::from(u8::from(stack[n - 2] >= stack[n - 1]))),
                Step::Equal => (2, f64::from(u8::from(stack[n - 2] == stack[n - 1]))),
                Step::NotEqual => (2, f64::from(u8::from(stack[n - 2] != stack[n - 1]))),
                Step::And => (2, f64::from(u8::from(stack[n - 2] != 0.0 && stack[n - 1] != 0.0))),
                Step::Or => (2, f64::from(u8::from(stack[n - 2] != 0.0 || stack[n - 1] != 0.0))),
                Step::Call(Function::One(f)) => (1, f(stack[n - 1])),
                Step::Call(Function::Two(f) | Function::Fold(f)) => (2, f(stack[n - 2], stack[n - 1])),
                Step::Call(Function::Three(f)) => (3, f(stack[n - 3], stack[n - 2], stack[n - 1])),
            };
            n -= pops;
            stack[n] = value;
            n += 1;
        }
        stack[0]
    }
}

/// What is left of `a` when it is cut into whole pieces of `b`: of the sign of `b`.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}
