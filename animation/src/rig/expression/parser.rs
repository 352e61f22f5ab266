//! From the text of an expression to its steps.

use super::code::{Code, STACK, Step, Variable};
use super::function::{FUNCTIONS, Function, function};
use super::token::{Token, tokens};

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ParseError {
    /// The character at which it is wrong, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The nearest known name.
    pub suggestion: Option<String>,
}

/// Parentheses within parentheses.
const DEEPEST: usize = 48;
const LONGEST: usize = 4096;

struct Parser<'a> {
    tokens: Vec<(Token<'a>, usize)>,
    at: usize,
    end: usize,
    deep: usize,
    /// Values on the stack here.
    height: usize,
    code: Code,
}

impl Code {
    /// Reads an expression.
    ///
    /// # Errors
    /// If it is none, or too deep or long.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() > LONGEST {
            let message = format!("an expression of {} bytes; {LONGEST} at most", text.len());
            return Err(ParseError { column: 1, message, suggestion: None });
        }
        let code = Code { variables: Vec::new(), steps: Vec::new() };
        let end = text.chars().count() + 1;
        let mut parser = Parser { tokens: tokens(text), at: 0, end, deep: 0, height: 0, code };
        parser.expression()?;
        match parser.peek() {
            None => Ok(parser.code),
            Some(token) => Err(parser.error(format!("{} where the expression could end", said(token)))),
        }
    }
}

fn said(token: &Token<'_>) -> String {
    match token {
        Token::Number(value) => format!("the number {value}"),
        Token::Name(name) => format!("the name `{name}`"),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::Strange(c) => format!("the character `{c}`"),
    }
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn error(&self, message: String) -> ParseError {
        let column = self.tokens.get(self.at).map_or(self.end, |(_, column)| *column);
        ParseError { column, message, suggestion: None }
    }

    fn sign(&mut self, any: &[&'static str]) -> Option<&'static str> {
        let found = match self.peek() {
            Some(Token::Sign(sign)) => any.iter().find(|known| *known == sign).copied(),
            _ => None,
        };
        self.at += usize::from(found.is_some());
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), ParseError> {
        if self.sign(&[sign]).is_some() {
            return Ok(());
        }
        let found = self.peek().map_or("the end".into(), said);
        Err(self.error(format!("{found} where `{sign}` is expected")))
    }

    fn push(&mut self, step: Step, pops: usize) -> Result<(), ParseError> {
        self.code.steps.push(step);
        self.height = self.height - pops + 1;
        if self.height > STACK { Err(self.error("too many values at once".into())) } else { Ok(()) }
    }

    fn expression(&mut self) -> Result<(), ParseError> {
        self.deep += 1;
        if self.deep > DEEPEST {
            return Err(self.error(format!("more than {DEEPEST} levels")));
        }
        self.all_of()?;
        while self.sign(&["||"]).is_some() {
            self.all_of()?;
            self.push(Step::Or, 2)?;
        }
        self.deep -= 1;
        Ok(())
    }

    fn all_of(&mut self) -> Result<(), ParseError> {
        self.comparison()?;
        while self.sign(&["&&"]).is_some() {
            self.comparison()?;
            self.push(Step::And, 2)?;
        }
        Ok(())
    }

    fn comparison(&mut self) -> Result<(), ParseError> {
        self.sum()?;
        if let Some(sign) = self.sign(&["<=", ">=", "==", "!=", "<", ">"]) {
            self.sum()?;
            let step = match sign {
                "==" => Step::Equal,
                "!=" => Step::NotEqual,
                "<=" => Step::LessOrEqual,
                ">=" => Step::GreaterOrEqual,
                ">" => Step::Greater,
                _ => Step::Less,
            };
            self.push(step, 2)?;
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), ParseError> {
        self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            self.product()?;
            self.push(if sign == "+" { Step::Add } else { Step::Subtract }, 2)?;
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), ParseError> {
        self.factor()?;
        while let Some(sign) = self.sign(&["*", "/", "%"]) {
            self.factor()?;
            let step = match sign {
                "*" => Step::Multiply,
                "/" => Step::Divide,
                _ => Step::Remainder,
            };
            self.push(step, 2)?;
        }
        Ok(())
    }

    fn factor(&mut self) -> Result<(), ParseError> {
        let mut negative = false;
        while let Some(sign) = self.sign(&["-", "+"]) {
            negative ^= sign == "-";
        }
        self.atom()?;
        if self.sign(&["^"]).is_some() {
            self.deep += 1;
            if self.deep > DEEPEST {
                return Err(self.error(format!("more than {DEEPEST} levels")));
            }
            self.factor()?;
            self.deep -= 1;
            self.push(Step::Call(Function::Two(f64::powf)), 2)?;
        }
        if negative { self.push(Step::Negate, 1) } else { Ok(()) }
    }

    fn atom(&mut self) -> Result<(), ParseError> {
        let Some(token) = self.peek().cloned() else {
            return Err(self.error("the expression ends where a value is expected".into()));
        };
        self.at += 1;
        match token {
            Token::Number(value) if value.is_finite() => self.push(Step::Number(value), 0),
            Token::Number(_) => {
                self.at -= 1;
                Err(self.error("the number is too large".into()))
            }
            Token::Sign("(") => {
                self.expression()?;
                self.expect(")")
            }
            Token::Name(name) if self.sign(&["("]).is_some() => self.call(name),
            Token::Name("pi") => self.push(Step::Number(std::f64::consts::PI), 0),
            Token::Name("e") => self.push(Step::Number(std::f64::consts::E), 0),
            Token::Name(name) => self.variable(name),
            other => {
                self.at -= 1;
                Err(self.error(format!("{} where a value is expected", said(&other))))
            }
        }
    }

    fn call(&mut self, name: &str) -> Result<(), ParseError> {
        let at_name = self.at - 2;
        let Some(function) = function(name) else {
            let column = self.tokens[at_name].1;
            let suggestion = diagnostics::did_you_mean(name, FUNCTIONS.iter().map(|(known, _)| *known));
            return Err(ParseError { column, message: format!("there is no function `{name}`"), suggestion });
        };
        let mut n = 0;
        loop {
            self.expression()?;
            n += 1;
            if let (Function::Fold(_), 2..) = (function, n) {
                // What was before it and it are one value from here on.
                self.push(Step::Call(function), 2)?;
            }
            if self.sign(&[","]).is_none() {
                break;
            }
        }
        self.expect(")")?;
        let is_fold = matches!(function, Function::Fold(_));
        if n < function.n() || (n > function.n() && !is_fold) {
            let column = self.tokens[at_name].1;
            let or_more = if is_fold { " or more" } else { "" };
            let message = format!("`{name}` takes {} values{or_more}, not {n}", function.n());
            return Err(ParseError { column, message, suggestion: None });
        }
        if is_fold { Ok(()) } else { self.push(Step::Call(function), n) }
    }

    fn variable(&mut self, name: &str) -> Result<(), ParseError> {
        let component = if self.sign(&["."]).is_some() {
            let component = match self.peek() {
                Some(Token::Name(c)) => ["x", "y", "z"].iter().position(|known| known == c),
                _ => None,
            };
            let Some(component) = component else {
                return Err(self.error(format!("`{name}.` is followed by `x`, `y` or `z`")));
            };
            self.at += 1;
            Some(component as u8)
        } else {
            None
        };
        let variables = &mut self.code.variables;
        let known = variables.iter().position(|v| v.name == name);
        let k = known.unwrap_or_else(|| {
            variables.push(Variable { name: name.into(), is_vector: component.is_some() });
            variables.len() - 1
        });
        if variables[k].is_vector != component.is_some() {
            return Err(self.error(format!("`{name}` is a number here and a vector there")));
        }
        self.push(Step::Variable(k as u16, component.unwrap_or(0)), 0)
    }
}

#[cfg(test)]
mod tests;
