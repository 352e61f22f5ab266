//! A small language of arithmetic for nodes.
//!
//! ```text
//! expression = sum [ ( "<" | ">" | "<=" | ">=" | "==" ) sum ]
//! sum        = product { ( "+" | "-" ) product }
//! product    = factor { ( "*" | "/" ) factor }
//! factor     = [ "-" ] power
//! power      = atom [ "^" factor ]
//! atom       = number | name [ "." ( "x" | "y" | "z" ) ] | function "(" expression { "," expression } ")" | "(" expression ")"
//! ```
//! A name is an input; one that is used with `.x`, `.y` or `.z` is a vector of three numbers. Comparisons are 1 or 0. `pi` and `e` are
//! constants. Functions: `sin cos tan asin acos atan atan2 sqrt abs floor ceil round exp ln pow min max clamp lerp if`; `if(c, a, b)` is
//! `a` where `c` is not zero, else `b`.

mod code;
mod function;
mod node;
mod parser;
mod token;

pub use code::Code;
pub use node::Expression;
pub use parser::ParseError;
