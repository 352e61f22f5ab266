//! A small language of arithmetic for nodes.
//!
//! ```text
//! expression = all { "||" all }
//! all        = comparison { "&&" comparison }
//! comparison = sum [ ( "<" | ">" | "<=" | ">=" | "==" | "!=" ) sum ]
//! sum        = product { ( "+" | "-" ) product }
//! product    = factor { ( "*" | "/" | "%" ) factor }
//! factor     = { "-" | "+" } power
//! power      = atom [ "^" factor ]
//! atom       = number | name [ "." ( "x" | "y" | "z" ) ] | function "(" expression { "," expression } ")" | "(" expression ")"
//! ```
//! A name is an input; one that is used with `.x`, `.y` or `.z` is a vector of three numbers. Comparisons are 1 or 0; what is not zero is
//! true, what is no number too. `a % b` has the sign of `b`. `pi` and `e` are constants. Functions: `sin cos tan asin acos atan atan2 sqrt
//! abs sign floor ceil round exp ln pow min max clamp lerp smoothstep if`; `if(c, a, b)` is `a` where `c` is not zero, else `b`;
//! `smoothstep(low, high, x)`; `min` and `max` take two values or more.

mod code;
mod function;
mod node;
mod parser;
mod token;

pub use code::Code;
pub use node::Expression;
pub use parser::ParseError;

/// The names of all functions.
#[cfg(test)]
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    function::FUNCTIONS.iter().map(|(name, _)| *name)
}
