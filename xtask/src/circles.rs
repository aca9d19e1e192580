//! Circles of modules inside a crate.
//!
//! A module is a file; inline modules count as that file, and modules of tests do not count. There
//! is an edge from one module to another if the one names an item of the other: in a private `use`,
//! or in a path or a name in its code. A re-export leads to the module in which the item is
//! defined.
//!
//! No edges:
//!
//! - `mod` declarations and re-exports, which declare where items are found and need none of them.
//! - Names of an ancestor's items. A child is a part of its parent: they share a private
//!   vocabulary, `super::`, and are read and moved together. So a parent may use its children and
//!   give them its types. Names of other modules in a child count as usual, and a folder of modules
//!   can't hide a circle with another folder.
//!
//! A circle is a strongly connected component of more than one module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::lexemes::{after_block_comment, after_quote, after_raw_string, after_string, is_raw_string};

/// Returns the circles of a crate, each with the paths of its modules. `read` returns the text of a
/// file, or `None` if it can't be read.
pub(crate) fn circles(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Vec<Vec<String>> {
    let mut tree = Tree::default();
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    if let Some(text) = read(root) {
        tree.add_file("crate".to_owned(), &text, &folder, read);
    }
    components(&tree.edges())
}

/// The modules of a crate by their paths.
#[derive(Default)]
struct Tree {
    modules: BTreeMap<String, Module>,
}

/// One module.
struct Module {
    /// The path of the module whose file it is in.
    file: String,
    /// The names of the items that it defines.
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// The paths in its code.
    paths: BTreeSet<Vec<String>>,
}

/// A leaf of a `use` declaration.
struct Use {
    path: Vec<String>,
    /// The name that it gives to the module; `*` for all names.
    name: String,
    is_public: bool,
    /// False in the body of a function.
    is_of_module: bool,
}

impl Tree {
    fn add_file(&mut self, path: String, text: &str, folder: &Path, read: &dyn Fn(&Path) -> Option<String>) {
        let tokens = tokens(text);
        let file = path.clone();
        let mut at = 0;
        self.add_module(path, &file, &tokens, &mut at, folder, read);
    }

    /// Adds the module whose tokens begin at `at`, up to the brace that closes it.
    fn add_module(
        &mut self,
        path: String,
        file: &str,
        tokens: &[String],
        at: &mut usize,
        folder: &Path,
        read: &dyn Fn(&Path) -> Option<String>,
    ) {
        let mut module = Module {
            file: file.to_owned(),
            items: BTreeSet::new(),
            uses: Vec::new(),
            paths: BTreeSet::new(),
        };
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let mut depth = 0_usize;
        let mut is_public = false;
        while *at < tokens.len() {
            match token(*at) {
                "#" if is_test_attribute(&tokens[*at..]) => {
                    *at = after_item(tokens, *at);
                    continue;
                }
                "{" => depth += 1,
                "}" if depth == 0 => break,
                "}" => depth -= 1,
                "pub" => {
                    is_public = true;
                    if token(*at + 1) == "(" {
                        while token(*at) != ")" && *at < tokens.len() {
                            *at += 1;
                        }
                    }
                    *at += 1;
                    continue;
                }
                // `use<'a>` says what a type captures.
                "use" if token(*at + 1) != "<" => {
                    *at += 1;
                    let mut leaves = Vec::new();
                    use_tree(tokens, at, &[], &mut leaves);
                    module.uses.extend(leaves.into_iter().map(|(path, name)| Use {
                        path,
                        name,
                        is_public,
                        is_of_module: depth == 0,
                    }));
                }
                "mod" if is_name(token(*at + 1)) => {
                    let name = token(*at + 1).to_owned();
                    let child = format!("{path}::{name}");
                    *at += 2;
                    if token(*at) == "{" {
                        *at += 1;
                        self.add_module(child, file, tokens, at, &folder.join(&name), read);
                    } else {
                        let files = [
                            folder.join(format!("{name}.rs")),
                            folder.join(&name).join("mod.rs"),
                        ];
                        if let Some(text) = files.iter().find_map(|file: &PathBuf| read(file)) {
                            self.add_file(child, &text, &folder.join(&name), read);
                        }
                    }
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union"
                    if depth == 0 && is_name(token(*at + 1)) =>
                {
                    let is_mut = matches!(token(*at + 1), "mut" | "fn" | "unsafe" | "async" | "extern");
                    if !is_mut {
                        module.items.insert(token(*at + 1).to_owned());
                        *at += 1;
                    }
                }
                "macro_rules" if token(*at + 1) == "!" => {
                    module.items.insert(token(*at + 2).to_owned());
                    *at += 2;
                }
                name if is_name(name) && !matches!(token(at.wrapping_sub(1)), "." | "::") => {
                    let mut path = vec![name.to_owned()];
                    while token(*at + 1) == "::" && is_name(token(*at + 2)) {
                        path.push(token(*at + 2).to_owned());
                        *at += 2;
                    }
                    module.paths.insert(path);
                }
                _ => {}
            }
            is_public = false;
            *at += 1;
        }
        self.modules.insert(path, module);
    }

    /// Returns the edges between files.
    fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let private = module.uses.iter().filter(|leaf| !leaf.is_public);
            let named = private.map(|leaf| &leaf.path).chain(&module.paths);
            let targets = named.filter_map(|named| self.resolve(path, named, &mut Trail::new()));
            let is_part =
                |target: &String| module.file == *target || module.file.starts_with(&format!("{target}::"));
            let targets = targets.filter(|target| !is_part(target)).collect::<BTreeSet<_>>();
            edges.entry(module.file.clone()).or_default().extend(targets);
        }
        edges
    }

    /// Returns the file in which the item is defined that a path names in a module; `None` for a
    /// module, and for what is no item of this crate. `trail` has the steps that led here, so that
    /// modules that re-export each other are gone through once.
    fn resolve(&self, module: &str, path: &[String], trail: &mut Trail) -> Option<String> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.item("crate", rest, trail),
            "self" => self.item(module, rest, trail),
            "super" => {
                let (parent, _) = module.rsplit_once("::")?;
                match rest.first().is_some_and(|next| next == "super") {
                    true => self.resolve(parent, rest, trail),
                    false => self.item(parent, rest, trail),
                }
            }
            _ => self.item(module, path, trail),
        }
    }

    /// The same for a path from a module on.
    fn item(&self, from: &str, path: &[String], trail: &mut Trail) -> Option<String> {
        let (first, rest) = path.split_first()?;
        let module = self.modules.get(from)?;
        let is_start = trail.is_empty();
        if !trail.insert((from.to_owned(), path.to_vec())) {
            return None;
        }
        let child = format!("{from}::{first}");
        // A module and a function may have one name; only the module is at the head of a path.
        if !rest.is_empty() && self.modules.contains_key(&child) {
            return self.item(&child, rest, trail);
        }
        if module.items.contains(first) {
            return Some(module.file.clone());
        }
        let uses = module.uses.iter();
        let (globs, named): (Vec<&Use>, Vec<&Use>) = uses
            .filter(|leaf| leaf.is_of_module || is_start)
            .partition(|leaf| leaf.name == "*");
        if let Some(leaf) = named.iter().find(|leaf| leaf.name == *first) {
            let whole: Vec<String> = leaf.path.iter().chain(rest).cloned().collect();
            return self.used(from, &whole, trail);
        }
        globs.iter().find_map(|glob| {
            let whole: Vec<String> = glob.path.iter().chain(path).cloned().collect();
            self.used(from, &whole, trail)
        })
    }

    /// The same for the path of a `use`, which begins with a crate unless it is relative.
    fn used(&self, module: &str, path: &[String], trail: &mut Trail) -> Option<String> {
        let first = path.first()?;
        let is_relative = matches!(first.as_str(), "crate" | "self" | "super");
        let is_child = self.modules.contains_key(&format!("{module}::{first}"));
        let is_item = self.modules[module].items.contains(first);
        (is_relative || is_child || is_item).then(|| self.resolve(module, path, trail))?
    }
}

/// The modules and paths that were gone through.
type Trail = BTreeSet<(String, Vec<String>)>;

/// Reads what follows `use`, or one branch of it, up to the token after it.
fn use_tree(tokens: &[String], at: &mut usize, before: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(*at) {
        match token.as_str() {
            "{" => {
                *at += 1;
                while tokens.get(*at).is_some_and(|token| token != "}") {
                    use_tree(tokens, at, &path, leaves);
                    if tokens.get(*at).is_some_and(|token| token != "}") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            "*" => {
                leaves.push((path, "*".to_owned()));
                *at += 1;
                return;
            }
            "as" => {
                if let Some(name) = tokens.get(*at + 1) {
                    leaves.push((path, name.clone()));
                }
                *at += 2;
                return;
            }
            "," | "}" | ";" => break,
            "::" => {}
            // `use a::{self, B}` names `a`.
            "self" if !path.is_empty() => {}
            name => path.push(name.to_owned()),
        }
        *at += 1;
    }
    if let Some(name) = path.last().cloned() {
        leaves.push((path, name));
    }
}

/// Returns `true` if the tokens begin with an attribute that holds in tests alone.
fn is_test_attribute(tokens: &[String]) -> bool {
    let begins = |with: &[&str]| {
        tokens
            .iter()
            .zip(with)
            .filter(|(token, with)| token == with)
            .count()
            == with.len()
    };
    begins(&["#", "[", "cfg", "(", "test", ")", "]"])
}

/// Returns the place behind the item that the attribute at a place belongs to.
fn after_item(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token == "}" {
                    return at;
                }
            }
            ";" if depth == 0 => return at,
            _ => {}
        }
    }
    at
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Cuts Rust into names and signs, without comments and without the text of literals.
fn tokens(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let letter = |at: usize| letters.get(at).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let begin = at;
        match letter(at) {
            '/' if letter(at + 1) == '/' => {
                while at < letters.len() && letter(at) != '\n' {
                    at += 1;
                }
            }
            '/' if letter(at + 1) == '*' => at = after_block_comment(&letters, at),
            '"' => at = after_string(&letters, at),
            'r' | 'b' | 'c' if is_raw_string(&letters, at) => at = after_raw_string(&letters, at),
            '\'' => at = after_quote(&letters, at),
            first if first.is_alphabetic() || first == '_' => {
                while letter(at).is_alphanumeric() || letter(at) == '_' {
                    at += 1;
                }
                // `b"…"` and `b'…'` are literals.
                if matches!(letter(at), '"' | '\'') && at == begin + 1 && matches!(first, 'b' | 'c') {
                    continue;
                }
                tokens.push(letters[begin..at].iter().collect());
            }
            first if first.is_ascii_digit() => {
                while letter(at).is_alphanumeric() || letter(at) == '_' {
                    at += 1;
                }
                tokens.push("0".to_owned());
            }
            ':' if letter(at + 1) == ':' => {
                tokens.push("::".to_owned());
                at += 2;
            }
            sign => {
                if !sign.is_whitespace() {
                    tokens.push(sign.to_string());
                }
                at += 1;
            }
        }
    }
    tokens
}

/// Returns the strongly connected components of more than one module: those that reach each other.
fn components(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        edges.keys().map(|from| (from, reached(from, edges))).collect();
    let mut seen = BTreeSet::new();
    let mut circles = Vec::new();
    for (from, to) in &reach {
        let back = |other: &&String| reach.get(*other).is_some_and(|back| back.contains(*from));
        let circle: Vec<String> = to.iter().copied().filter(back).cloned().collect();
        if circle.len() > 1 && !seen.contains(&circle) {
            seen.insert(circle.clone());
            circles.push(circle);
        }
    }
    circles
}

fn reached<'a>(from: &'a String, edges: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        for to in edges.get(module).into_iter().flatten() {
            if reached.insert(to) {
                next.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the circles of a crate with these files, each in one text.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let read = |path: &Path| {
            let own = files.iter().find(|(name, _)| Path::new(name) == path);
            own.map(|(_, text)| (*text).to_owned())
        };
        let circles = circles(Path::new("lib.rs"), &read);
        circles.iter().map(|circle| circle.join(" ")).collect()
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let circle = found(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::one; pub fn two() { one() }"),
            ("b.rs", "pub fn one() { crate::c::three() }"),
            ("c.rs", "pub fn three() { super::a::two() }"),
        ]);
        assert_eq!(circle, ["crate::a crate::b crate::c"]);
    }

    #[test]
    fn a_chain_is_no_circle() {
        let none = found(&[
            ("lib.rs", "mod a; mod b; pub use a::two;"),
            (
                "a.rs",
                "use crate::b::{self, one}; pub fn two() { one(); b::one() }",
            ),
            (
                "b.rs",
                "pub fn one() {} // crate::a::two \n const TEXT: &str = \"crate::a::two\";",
            ),
        ]);
        assert_eq!(none, Vec::<String>::new());
    }

    #[test]
    fn a_re_export_leads_to_the_item_and_is_no_edge() {
        let files = |face: &'static str| {
            [
                ("lib.rs", "mod face; mod user;"),
                ("face/mod.rs", face),
                ("face/deep.rs", "pub struct Deep;"),
                ("user.rs", "use crate::face::Deep; pub fn user() -> Deep { Deep }"),
            ]
        };
        assert_eq!(
            found(&files("mod deep; pub use deep::Deep;")),
            Vec::<String>::new()
        );
        // The face uses the user, which uses what the face only re-exports.
        let above = "mod deep; pub use deep::*; fn above() { crate::user::user(); }";
        assert_eq!(found(&files(above)), Vec::<String>::new());
        let circle = "mod deep; pub use deep::Deep; pub fn face() { crate::user::user(); }";
        let mut circle = files(circle);
        circle[3].1 = "use crate::face::{Deep, face}; pub fn user() { face() }";
        assert_eq!(found(&circle), ["crate::face crate::user"]);
    }

    #[test]
    fn a_child_is_a_part_of_its_parent_and_not_of_its_aunt() {
        let part = found(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod part; pub struct A; fn go() { part::go(A) }"),
            ("a/part.rs", "use super::A; pub fn go(_: A) {}"),
        ]);
        assert_eq!(part, Vec::<String>::new());
        let folders = found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod part; pub fn a() { part::go() }"),
            ("a/part.rs", "pub fn go() { crate::b::b() }"),
            ("b/mod.rs", "mod part; pub fn b() { part::go() }"),
            ("b/part.rs", "pub fn go() { crate::a::a() }"),
        ]);
        assert_eq!(folders, ["crate::a crate::a::part crate::b crate::b::part"]);
        let siblings = found(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod x; mod y; pub use x::x;"),
            ("a/x.rs", "use super::y::y; pub fn x() { y() }"),
            ("a/y.rs", "pub fn y() { super::x() }"),
        ]);
        assert_eq!(siblings, ["crate::a::x crate::a::y"]);
    }

    #[test]
    fn tests_and_modules_inside_of_a_file_make_no_modules() {
        let none = found(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "pub fn a() { crate::b::b() } mod inner { pub fn c() { super::a() } }",
            ),
            (
                "b.rs",
                "pub fn b() { let c = '\"'; } #[cfg(test)] mod tests { use crate::a::a; fn t() { a() } }",
            ),
        ]);
        assert_eq!(none, Vec::<String>::new());
        let circle = found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a() {} mod inner { pub fn c() { crate::b::b() } }"),
            ("b.rs", "pub fn b() { println!(\"{}\", crate::a::a()) }"),
        ]);
        assert_eq!(circle, ["crate::a crate::b"]);
    }
}
