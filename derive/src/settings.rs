//! What a struct says: its fields with their attributes, as plain data.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, Fields, Ident, Lit, LitStr, Meta, Path, Result, Token, Type,
};

/// A struct of settings.
pub struct Settings {
    /// Its name.
    pub name: Ident,
    /// The first paragraph of its documentation.
    pub summary: String,
    /// The path of `sim-core`.
    pub home: Path,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// Attributes that are accepted and have no field.
    pub others: Vec<Other>,
}

/// A field.
pub struct Field {
    /// Its name in the struct.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// The attribute that it holds; nothing where it is a group of attributes of its own.
    pub attribute: Option<Attribute>,
}

/// What a field says of its attribute.
#[derive(Default)]
pub struct Attribute {
    /// Its name in a scene.
    pub name: String,
    /// What it means.
    pub summary: String,
    /// Its default, as it would be written in a scene.
    pub default: Option<LitStr>,
    /// Its unit.
    pub unit: String,
    /// Other names.
    pub aliases: Vec<LitStr>,
    /// The kind of its value, where the field's type does not say it.
    pub kind: Option<Expr>,
    /// Whether any word that is not of the type's stands for the default.
    pub or_default: bool,
    /// The function that checks the range of its values.
    pub range: Option<Ident>,
}

/// An attribute without a field.
pub struct Other {
    /// `ignored` or `unsupported`.
    pub constructor: Ident,
    /// Its name in a scene.
    pub name: LitStr,
    /// The value under which it makes no difference.
    pub default: Option<LitStr>,
    /// What SOFA does by it, or why it is ignored.
    pub summary: Option<LitStr>,
    /// Other names.
    pub aliases: Vec<LitStr>,
}

/// A word, alone (`positive`), with a value (`unit = "m"`) or with arguments (`ignored("showColor")`).
type Words = Punctuated<Meta, Token![,]>;

impl Settings {
    /// Reads a struct.
    pub fn new(input: &DeriveInput, home: Path) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new(input.span(), "attributes are the fields of a struct"));
        };
        if !input.generics.params.is_empty() {
            let message = "a struct of attributes has no parameters: rows of a state's vectors are `CoordRows` and `DerivRows`";
            return Err(Error::new(input.generics.span(), message));
        }
        let fields = match &data.fields {
            Fields::Named(fields) => fields.named.iter().map(Field::new).collect::<Result<Vec<_>>>()?,
            Fields::Unit => Vec::new(),
            Fields::Unnamed(f) => {
                return Err(Error::new(f.span(), "attributes have names; so must the fields"));
            }
        };
        let mut settings = Self {
            name: input.ident.clone(),
            summary: documentation(&input.attrs),
            home,
            fields,
            others: Vec::new(),
        };
        for word in words(&input.attrs, "attributes")? {
            match word {
                Meta::NameValue(v) if v.path.is_ident("crate") => settings.home = text(&v.value)?.parse()?,
                Meta::List(list) if list.path.is_ident("ignored") || list.path.is_ident("unsupported") => {
                    let constructor = list.path.require_ident()?.clone();
                    settings.others.extend(list.parse_args::<Others>()?.named(&constructor)?);
                }
                other => return Err(Error::new(other.span(), "known are: crate, ignored, unsupported")),
            }
        }
        Ok(settings)
    }
}

impl Field {
    fn new(field: &syn::Field) -> Result<Self> {
        let name = field.ident.clone().ok_or_else(|| Error::new(field.span(), "a field without a name"))?;
        let (summary, unit) = with_unit(&documentation(&field.attrs));
        let mut attribute =
            Attribute { name: camel_case(&name.to_string()), summary, unit, ..Attribute::default() };
        let mut is_group = false;
        for word in words(&field.attrs, "attribute")? {
            let Some(option) = word.path().get_ident().map(ToString::to_string) else {
                return Err(Error::new(word.span(), "an option is one word"));
            };
            match (option.as_str(), &word) {
                ("flatten", Meta::Path(_)) => is_group = true,
                ("or_default", Meta::Path(_)) => attribute.or_default = true,
                ("positive" | "non_negative", Meta::Path(path)) => {
                    attribute.range = path.get_ident().cloned()
                }
                ("name", Meta::NameValue(v)) => attribute.name = text(&v.value)?.value(),
                ("default", Meta::NameValue(v)) => attribute.default = Some(text(&v.value)?),
                ("alias", Meta::NameValue(v)) => attribute.aliases.push(text(&v.value)?),
                ("kind", Meta::NameValue(v)) => attribute.kind = Some(v.value.clone()),
                _ => {
                    let known = "flatten, or_default, positive, non_negative, name = \"...\", default = \"...\", alias = \"...\", kind = ...";
                    return Err(Error::new(word.span(), format!("known are: {known}")));
                }
            }
        }
        if !is_group && attribute.summary.is_empty() {
            return Err(Error::new(name.span(), "say what the attribute means: a doc comment"));
        }
        Ok(Self { name, ty: field.ty.clone(), attribute: (!is_group).then_some(attribute) })
    }
}

/// The arguments of `ignored` and `unsupported`: names, then `default`, `summary` and `alias` that hold for all of them.
struct Others {
    names: Vec<LitStr>,
    options: Vec<Meta>,
}

impl Parse for Others {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (mut names, mut options) = (Vec::new(), Vec::new());
        while !input.is_empty() {
            if input.peek(LitStr) {
                names.push(input.parse()?);
            } else {
                options.push(input.parse()?);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self { names, options })
    }
}

impl Others {
    fn named(self, constructor: &Ident) -> Result<Vec<Other>> {
        let (mut default, mut summary, mut aliases) = (None, None, Vec::new());
        for option in &self.options {
            match option {
                Meta::NameValue(v) if v.path.is_ident("default") => default = Some(text(&v.value)?),
                Meta::NameValue(v) if v.path.is_ident("summary") => summary = Some(text(&v.value)?),
                Meta::NameValue(v) if v.path.is_ident("alias") => aliases.push(text(&v.value)?),
                other => return Err(Error::new(other.span(), "known are: default, summary, alias")),
            }
        }
        if constructor == "unsupported" && summary.is_none() {
            return Err(Error::new(constructor.span(), "say what SOFA does by it: summary = \"...\""));
        }
        let other = |name| Other {
            constructor: constructor.clone(),
            name,
            default: default.clone(),
            summary: summary.clone(),
            aliases: aliases.clone(),
        };
        Ok(self.names.into_iter().map(other).collect())
    }
}

/// The words of all attributes of this name.
fn words(attrs: &[syn::Attribute], name: &str) -> Result<Vec<Meta>> {
    let mut all = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident(name)) {
        all.extend(attr.parse_args_with(Words::parse_terminated)?);
    }
    Ok(all)
}

/// The text that an option is set to.
pub fn text(value: &Expr) -> Result<LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(Error::new(other.span(), "a text is wanted: \"...\"")),
    }
}

/// The first paragraph of a documentation, in one line, without the full stop at its end.
fn documentation(attrs: &[syn::Attribute]) -> String {
    let mut paragraph: Vec<String> = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("doc")) {
        let Meta::NameValue(v) = &attr.meta else { continue };
        let Ok(line) = text(&v.value) else { continue };
        let line = line.value().trim().to_owned();
        if line.is_empty() {
            break;
        }
        paragraph.push(line);
    }
    let line = paragraph.join(" ");
    line.strip_suffix('.').unwrap_or(&line).to_owned()
}

/// A summary, and the unit that stands in brackets at its end.
fn with_unit(summary: &str) -> (String, String) {
    match summary.strip_suffix(']').and_then(|s| s.rsplit_once(" [")) {
        Some((summary, unit)) => (summary.to_owned(), unit.to_owned()),
        None => (summary.to_owned(), String::new()),
    }
}

/// `rest_position` becomes `restPosition`; an underscore before it counts for nothing.
fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for (i, part) in name.trim_start_matches("r#").trim_start_matches('_').split('_').enumerate() {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if i > 0 => camel.extend(first.to_uppercase().chain(letters)),
            _ => camel.push_str(part),
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn settings(input: &DeriveInput) -> Result<Settings> {
        Settings::new(input, parse_quote!(::sim_core))
    }

    fn error(input: &DeriveInput) -> String {
        settings(input).err().map(|e| e.to_string()).unwrap_or_default()
    }

    #[test]
    fn fields_and_others_are_read() {
        let s = settings(&parse_quote! {
            /// A plane
            /// that pushes.
            ///
            /// More of it.
            #[attributes(ignored("a", "b"), unsupported("c", default = "1", summary = "does more"))]
            struct Plane {
                /// where everything is
                /// pulled to [kg m^2].
                #[attribute(default = "0 0 0", alias = "centre", non_negative)]
                rest_position: f64,
                #[attribute(flatten)]
                shared: Shared,
            }
        })
        .unwrap();
        assert_eq!(s.summary, "A plane that pushes");
        let a = s.fields[0].attribute.as_ref().unwrap();
        assert_eq!((a.name.as_str(), a.summary.as_str()), ("restPosition", "where everything is pulled to"));
        assert_eq!(a.unit, "kg m^2");
        assert_eq!(a.default.as_ref().unwrap().value(), "0 0 0");
        assert_eq!(a.aliases[0].value(), "centre");
        assert_eq!(a.range.as_ref().unwrap(), "non_negative");
        assert!(s.fields[1].attribute.is_none());
        let others: Vec<String> = s.others.iter().map(|o| o.name.value()).collect();
        assert_eq!(others, ["a", "b", "c"]);
        assert_eq!(s.others[2].constructor, "unsupported");
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        let e = error(&parse_quote! { struct A { a: f64 } });
        assert!(e.contains("a doc comment"), "{e}");
        let e = error(&parse_quote! { struct A { /** a */ #[attribute(defualt = "1")] a: f64 } });
        assert!(e.starts_with("known are: flatten"), "{e}");
        let e = error(&parse_quote! { struct A { /** a */ #[attribute(default = 1)] a: f64 } });
        assert!(e.contains("a text is wanted"), "{e}");
        let e = error(&parse_quote! { #[attributes(ignore("x"))] struct A { } });
        assert!(e.starts_with("known are: crate"), "{e}");
        let e = error(&parse_quote! { #[attributes(unsupported("x"))] struct A { } });
        assert!(e.contains("say what SOFA does"), "{e}");
        let e = error(&parse_quote! { struct A<S> { /** a */ a: S } });
        assert!(e.contains("no parameters"), "{e}");
        let e = error(&parse_quote! { struct A(f64); });
        assert!(e.contains("names"), "{e}");
        let e = error(&parse_quote! { enum A { B } });
        assert!(e.contains("a struct"), "{e}");
    }
}
