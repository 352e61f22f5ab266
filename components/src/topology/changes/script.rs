//! The text of what is to change when: `T= time`, then `REMOVE= n` with a line of numbers, or `ADD= kind n` with a line of rows.
//!
//! **Source:** SOFA's `TopologicalChangeProcessor`, which reads such a file line by line.

use sim_core::renumbering::ElementKind;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Remove elements of the kind that the topology's modifier is for.
    Remove(Vec<u32>),
    /// Add elements, each a row of nodes.
    Add(ElementKind, Vec<Vec<u32>>),
    /// Add a point in each of these triangles, with the weights of its first two nodes.
    AddPointsInTriangles(Vec<(u32, [f64; 2])>),
    /// Cut along a path of so many points, which is refused at its time.
    Incise(usize),
}

/// What is to be done at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The time [s].
    pub time: f64,
    /// In this order.
    pub commands: Vec<Command>,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads all blocks of a text.
///
/// # Errors
/// A command that is none; too few or other numbers in the line after it.
pub fn parse(text: &str) -> Result<Vec<Block>, ScriptError> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = text.lines().enumerate().map(|(k, l)| (k + 1, l));
    while let Some((line, text)) = lines.next() {
        let error = |message: String| ScriptError { line, message };
        let mut words = text.split_whitespace();
        let command = match words.next() {
            None => continue,
            Some("T=") => {
                let time = words.next().and_then(|w| w.parse().ok()).filter(|t: &f64| t.is_finite());
                let time = time.ok_or_else(|| error("`T=` needs a time".to_owned()))?;
                blocks.push(Block { time, commands: Vec::new() });
                continue;
            }
            Some(word @ ("REMOVE=" | "ADD=")) => {
                let kind = if word == "ADD=" { words.next() } else { None };
                let n: usize = words
                    .next()
                    .and_then(|w| w.parse().ok())
                    .ok_or_else(|| error(format!("`{word}` needs a number of elements")))?;
                let (line, numbers) = lines.next().unwrap_or((line, ""));
                read(word == "ADD=", kind, n, numbers).map_err(|message| ScriptError { line, message })?
            }
            Some("INCISE=") => {
                let n = words.next().and_then(|w| w.parse().ok());
                let n = n.ok_or_else(|| error("`INCISE=` needs a number of points".to_owned()))?;
                lines.next();
                Command::Incise(n)
            }
            Some(other) => {
                return Err(error(format!("`{other}` is none of `T=`, `ADD=`, `REMOVE=` and `INCISE=`")));
            }
        };
        match blocks.last_mut() {
            Some(block) => block.commands.push(command),
            // SOFA's file begins at time 0.
            None => blocks.push(Block { time: 0.0, commands: vec![command] }),
        }
    }
    Ok(blocks)
}

/// The command whose numbers stand in a line; what the line has besides is left out.
fn read(adds: bool, kind: Option<&str>, n: usize, line: &str) -> Result<Command, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let wanted = |width: usize| {
        let wanted = n.checked_mul(width).filter(|wanted| *wanted <= words.len());
        wanted.ok_or_else(|| format!("{n} rows of {width} are announced; there are {} numbers", words.len()))
    };
    let index = |w: &&str| w.parse::<u32>().map_err(|_| format!("`{w}` is no number of an element or point"));
    if !adds {
        // As SOFA does: numbers that are announced and not there are 0.
        if words.len() < n {
            log::warn!(
                "{n} elements to remove are announced, and there are {}: element 0 goes too",
                words.len()
            );
        }
        let mut elements: Vec<u32> = words.iter().take(n).map(index).collect::<Result<_, _>>()?;
        if elements.len() < n {
            elements.push(0);
        }
        return Ok(Command::Remove(elements));
    }
    let kind = match kind {
        Some("Edge" | "Edges") => ElementKind::Edge,
        Some("Triangle" | "Triangles") => ElementKind::Triangle,
        Some("Quad" | "Quads") => ElementKind::Quad,
        Some("Tetrahedron" | "Tetrahedra") => ElementKind::Tetrahedron,
        Some("Hexahedron" | "Hexahedra") => ElementKind::Hexahedron,
        Some("PointInTriangle" | "PointsInTriangle") => {
            let rows = words[..wanted(3)?].as_chunks::<3>().0.iter().map(|[triangle, a, b]| {
                let weight = |w: &str| {
                    let weight = w.parse().ok().filter(|w: &f64| w.is_finite());
                    weight.ok_or_else(|| format!("`{w}` is no weight"))
                };
                Ok((index(triangle)?, [weight(a)?, weight(b)?]))
            });
            return Ok(Command::AddPointsInTriangles(rows.collect::<Result<_, String>>()?));
        }
        other => return Err(format!("`{}` is no kind of element", other.unwrap_or_default())),
    };
    let nodes: Vec<u32> = words[..wanted(kind.nodes())?].iter().map(index).collect::<Result<_, _>>()?;
    Ok(Command::Add(kind, nodes.chunks_exact(kind.nodes()).map(<[u32]>::to_vec).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_line_by_line() {
        let text = "T= 0.2\n  REMOVE= 2\n3 1\n\nT= 0.4\nADD= Triangles 1 Ancestors 1\n0 1 2\n ADD= PointInTriangle 1\n4 0.25 0.5";
        let blocks = parse(text).unwrap();
        assert_eq!(blocks[0], Block { time: 0.2, commands: vec![Command::Remove(vec![3, 1])] });
        let added = Command::Add(ElementKind::Triangle, vec![vec![0, 1, 2]]);
        assert_eq!(blocks[1].commands, [added, Command::AddPointsInTriangles(vec![(4, [0.25, 0.5])])]);
    }

    #[test]
    fn incisions_are_kept_until_their_time() {
        let blocks = parse("T= 1\n INCISE= 2\n0 0 0 1 1 1\nREMOVE= 1\n7").unwrap();
        assert_eq!(blocks[0].commands, [Command::Incise(2), Command::Remove(vec![7])]);
    }

    #[test]
    fn numbers_that_are_missing_stand_for_the_first_element() {
        let blocks = parse("T= 1\nREMOVE= 5\n3 4").unwrap();
        assert_eq!(blocks[0].commands, [Command::Remove(vec![3, 4, 0])]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, word) in [
            ("T= 1\nADD= Edges 2\n1 2 3", 3, "announced"),
            ("T= x", 1, "time"),
            ("T= 1\nREMOVE= 1\n-1", 3, "-1"),
            ("T= 1\nINCISE= here\n0 0 0 1 1 1", 2, "INCISE"),
            ("T= 1\nADD= Prisms 1\n0 1 2 3 4 5", 3, "Prisms"),
            ("cut", 1, "cut"),
        ] {
            let e = parse(text).unwrap_err();
            assert!(e.line == line && e.message.contains(word), "{text}: {e}");
        }
    }
}
