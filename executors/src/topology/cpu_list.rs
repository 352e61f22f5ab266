//! Lists of numbers as the system's files write them: `0-3,8,10-11`.

use super::TopologyError;

/// Numbers above this one are taken for a mistake.
const MOST: u32 = 1 << 16;

/// The numbers of a list, ascending, each once.
///
/// # Errors
/// A word that is neither a number nor a range, a range that ends before it begins, a number above 65,536.
///
/// **Source:** the format of `Cpus_allowed_list`, proc(5).
pub fn parse(text: &str) -> Result<Vec<u32>, TopologyError> {
    let wrong = |word: &str, reason| TopologyError::List {
        text: text.trim().to_owned(),
        word: word.to_owned(),
        reason,
    };
    let number = |word: &str, text: &str| match text.trim().parse::<u32>() {
        Ok(n) if n <= MOST => Ok(n),
        Ok(_) => Err(wrong(word, "the number is too large")),
        Err(_) => Err(wrong(word, "write a number or a range such as 0-3")),
    };
    let mut numbers = Vec::new();
    for word in text.trim().split(',').filter(|_| !text.trim().is_empty()) {
        match word.split_once('-') {
            None => numbers.push(number(word, word)?),
            Some((first, last)) => {
                let (first, last) = (number(word, first)?, number(word, last)?);
                if last < first {
                    return Err(wrong(word, "the range ends before it begins"));
                }
                numbers.extend(first..=last);
            }
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// Writes ascending numbers as a list that [`parse`] reads.
pub fn write(numbers: &[u32]) -> String {
    let mut words = Vec::new();
    for run in numbers.chunk_by(|a, b| a + 1 == *b) {
        match run {
            [one] => words.push(one.to_string()),
            [first, .., last] => words.push(format!("{first}-{last}")),
            [] => {}
        }
    }
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_of_the_system() {
        let read = |text: &str| parse(text).expect("a list");
        assert_eq!(read("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(read(""), [0; 0]);
        assert_eq!(read("5,1,1-2"), [1, 2, 5]);
        for bad in ["a", "3-1", "1,,2", "0-4294967295", "-1", "1-2-3"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(set in prop::collection::btree_set(0..2000u32, 0..60)) {
            let numbers: Vec<u32> = set.into_iter().collect();
            prop_assert_eq!(parse(&write(&numbers)).expect("a list"), numbers);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9,\\- a]{0,12}") {
            if let Ok(numbers) = parse(&text) {
                prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
