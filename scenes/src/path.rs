//! Paths of links: `@../loader`, `@/Chain/FEM`, `@[-1].position`, names with blanks.
//!
//! **Source:** as SOFA's `BaseLink` and `Node`: a plain name that the node does not have is looked for upward; `..` above
//! the root stays at the root; a child node has priority over a component of the same name.

use sim_core::component::build::LinkTarget;
use sim_core::scene::{ComponentId, NodeId, Scene};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Parent,
    Relative(i64),
    Name(String),
}

/// A parsed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    absolute: bool,
    /// Begins with `/`, `./` or `../`: never searched upward.
    anchored: bool,
    steps: Vec<Step>,
}

/// A parsed link to the data of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPath {
    /// The component.
    pub path: Path,
    /// The name of the data.
    pub data: String,
}

impl Path {
    /// Parses a path, `@` in front.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some(body) = text.strip_prefix('@') else {
            return Err(format!("a link begins with `@`, as in `@{text}`"));
        };
        Self::parse_body(body)
    }

    fn parse_body(body: &str) -> Result<Self, String> {
        let body = body.trim();
        let absolute = body.starts_with('/');
        let mut steps = Vec::new();
        let mut anchored = absolute;
        for (i, part) in body.split('/').enumerate() {
            match part {
                "" => {}
                "." => anchored |= i == 0,
                ".." => {
                    anchored |= i == 0;
                    steps.push(Step::Parent);
                }
                _ if part.starts_with('[') && part.ends_with(']') => {
                    let number = part[1..part.len() - 1].trim();
                    let offset = if number.is_empty() { Ok(0) } else { number.parse::<i64>() };
                    let offset = offset
                        .map_err(|_| format!("`{part}` in a link must hold an integer, as in `[-1]`"))?;
                    steps.push(Step::Relative(offset));
                }
                name => steps.push(Step::Name(name.to_owned())),
            }
        }
        Ok(Self { absolute, anchored, steps })
    }

    /// The last name of the path, to propose a similar one.
    pub fn last_name(&self) -> Option<&str> {
        self.steps.iter().rev().find_map(|s| if let Step::Name(n) = s { Some(n.as_str()) } else { None })
    }

    /// Where the path leads, seen from a component; `upward` allows a first plain name to be found in a parent.
    pub fn resolve(&self, scene: &Scene, from: ComponentId, upward: bool) -> Option<LinkTarget> {
        let node = scene.component(from).node;
        if self.steps.is_empty() && !self.anchored {
            return Some(LinkTarget::Component(from));
        }
        let start = if self.absolute { scene.root() } else { node };
        let plain = matches!(self.steps.first(), Some(Step::Name(_)));
        if upward && plain && !self.anchored {
            let Some(Step::Name(first)) = self.steps.first() else { return None };
            let target = scene.upward(node).find_map(|n| named(scene, n, first))?;
            return self.follow(scene, from, target, 1);
        }
        self.follow(scene, from, LinkTarget::Node(start), 0)
    }

    fn follow(
        &self,
        scene: &Scene,
        from: ComponentId,
        start: LinkTarget,
        first: usize,
    ) -> Option<LinkTarget> {
        let mut at = start;
        for step in &self.steps[first..] {
            let LinkTarget::Node(node) = at else { return None };
            at = match step {
                Step::Parent => LinkTarget::Node(scene.node(node).parent.unwrap_or(node)),
                Step::Name(name) => named(scene, node, name)?,
                Step::Relative(offset) => {
                    let components = &scene.node(node).components;
                    let own = components.iter().position(|c| *c == from)?;
                    let index = i64::try_from(own).ok()?.checked_add(*offset)?;
                    LinkTarget::Component(*components.get(usize::try_from(index).ok()?)?)
                }
            };
        }
        Some(at)
    }
}

/// The child node, else the component, of this name in a node.
fn named(scene: &Scene, node: NodeId, name: &str) -> Option<LinkTarget> {
    let n = scene.node(node);
    let child = n.children.iter().find(|c| scene.node(**c).name == name).map(|c| LinkTarget::Node(*c));
    child.or_else(|| {
        let c = n.components.iter().find(|c| scene.component(**c).name == name);
        c.map(|c| LinkTarget::Component(*c))
    })
}

impl DataPath {
    /// Parses a link to data: the text after the last `.` behind the last `/` names the data.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some(body) = text.strip_prefix('@') else {
            return Err(format!("a link begins with `@`, as in `@{text}`"));
        };
        let slash = body.rfind('/').map_or(0, |i| i + 1);
        let missing = || format!("`{text}` names no data: write `{text}.position`, say");
        let dot = slash + body[slash..].rfind('.').ok_or_else(missing)?;
        let data = body[dot + 1..].trim();
        if data.is_empty() {
            return Err(missing());
        }
        Ok(Self { path: Path::parse_body(&body[..dot])?, data: data.to_owned() })
    }
}

/// Cuts a list of links at blanks before `@`, since names may hold blanks.
pub fn split_links(text: &str) -> Vec<&str> {
    let text = text.trim();
    let mut links = Vec::new();
    let mut begin = 0;
    let mut blank = false;
    for (i, c) in text.char_indices() {
        if c == '@' && blank {
            links.push(text[begin..i].trim());
            begin = i;
        }
        blank = c.is_whitespace();
    }
    if begin < text.len() {
        links.push(text[begin..].trim());
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::scene::Location;

    /// root { loader, "a b", N { x, y, dup, M { z }, dup(node) } }
    fn scene() -> (Scene, Vec<ComponentId>, Vec<NodeId>) {
        let mut s = Scene::new("root");
        let root = s.root();
        let at = Location::default;
        let loader = s.add_component(root, "L", Some("loader"), at());
        let blank = s.add_component(root, "L", Some("a b"), at());
        let n = s.add_node(root, "N", at());
        let x = s.add_component(n, "X", Some("x"), at());
        let y = s.add_component(n, "X", None, at());
        let dup = s.add_component(n, "X", Some("dup"), at());
        let m = s.add_node(n, "M", at());
        let z = s.add_component(m, "X", Some("z"), at());
        let dup_node = s.add_node(n, "dup", at());
        (s, vec![loader, blank, x, y, dup, z], vec![root, n, m, dup_node])
    }

    #[test]
    fn paths_lead_where_sofa_says() {
        let (s, c, n) = scene();
        let (loader, blank, x, y, z) = (c[0], c[1], c[2], c[3], c[5]);
        let to =
            |text: &str, from: ComponentId| Path::parse(text).ok().and_then(|p| p.resolve(&s, from, true));
        let component = |id| Some(LinkTarget::Component(id));
        let node = |id| Some(LinkTarget::Node(id));
        assert_eq!(to("@loader", z), component(loader));
        assert_eq!(to("@a b", z), component(blank));
        assert_eq!(to("@../x", z), component(x));
        assert_eq!(to("@../../../../../loader", z), component(loader));
        assert_eq!(to("@/N/X1", z), component(y));
        assert_eq!(to("@N/M/z", x), component(z));
        assert_eq!(to("@[-1]", y), component(x));
        assert_eq!(to("@[1]", x), component(y));
        assert_eq!(to("@[]", x), component(x));
        assert_eq!(to("@", x), component(x));
        assert_eq!(to("@.", x), node(n[1]));
        assert_eq!(to("@./", x), node(n[1]));
        assert_eq!(to("@..", x), node(n[0]));
        assert_eq!(to("@../", z), node(n[1]));
        assert_eq!(to("@dup", x), node(n[3]));
        assert_eq!(to("@./loader", z), None);
        assert_eq!(to("@[-1]", x), None);
        assert_eq!(to("@[-9223372036854775808]", x), None);
        assert_eq!(to("@x/y", x), None);
        assert_eq!(to("@nothing", x), None);
        assert_eq!(Path::parse("@loader").ok().and_then(|p| p.resolve(&s, z, false)), None);
    }

    #[test]
    fn data_links_and_lists() {
        let d = DataPath::parse("@[-1].position").expect("parses");
        assert_eq!((d.path.steps.as_slice(), d.data.as_str()), ([Step::Relative(-1)].as_slice(), "position"));
        let d = DataPath::parse("@../mstate.rest_position").expect("parses");
        assert_eq!((d.path.steps.len(), d.data.as_str()), (2, "rest_position"));
        assert_eq!(DataPath::parse("@.size").expect("parses").path.steps.len(), 0);
        assert!(DataPath::parse("@../loader").is_err());
        assert!(DataPath::parse("@x.").is_err());
        assert!(Path::parse("loader").is_err());
        assert!(Path::parse("@[x]").is_err());
        assert_eq!(split_links(" @a b  @c/d @../e"), ["@a b", "@c/d", "@../e"]);
        assert!(split_links("  ").is_empty());
    }
}
