//! Words of an expression.

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// `+ - * / % ^ ( ) , . < > <= >= == != && ||`
    Sign(&'a str),
    /// What is none of these.
    Strange(char),
}

/// The words of a text with the place of each, counted in characters from 1.
pub(super) fn tokens(text: &str) -> Vec<(Token<'_>, usize)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let column = text[..text.len() - rest.len()].chars().count() + 1;
        let (token, len) = if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        } else if first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            number(rest)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let len = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            (Token::Name(&rest[..len]), len)
        } else if ["<=", ">=", "==", "!=", "&&", "||"].iter().any(|sign| rest.starts_with(sign)) {
            (Token::Sign(&rest[..2]), 2)
        } else if "+-*/%^(),.<>".contains(first) {
            (Token::Sign(&rest[..1]), 1)
        } else {
            (Token::Strange(first), first.len_utf8())
        };
        found.push((token, column));
        rest = &rest[len..];
    }
    found
}

/// The longest number at the beginning of a text.
fn number(text: &str) -> (Token<'_>, usize) {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    (Token::Number(text[..end].parse().unwrap_or(f64::NAN)), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_with_their_places() {
        let found = tokens("2.5e-1*a_1<=.5 é");
        let words: Vec<_> = found.iter().map(|(t, _)| t.clone()).collect();
        let sign = Token::Sign;
        let expected = [
            Token::Number(0.25),
            sign("*"),
            Token::Name("a_1"),
            sign("<="),
            Token::Number(0.5),
            Token::Strange('é'),
        ];
        assert_eq!(words, expected);
        assert_eq!(found.iter().map(|(_, c)| *c).collect::<Vec<_>>(), [1, 7, 8, 11, 13, 16]);
        assert_eq!(tokens("1e").len(), 2);
    }
}
