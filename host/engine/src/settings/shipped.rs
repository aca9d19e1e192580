//! The file a new workspace gets: every setting, explained, with its default, commented out.

use super::Settings;

/// The name of a settings file, in a workspace and among the user's files.
pub const FILE: &str = "magpie.toml";

const HEAD: &str = "\
# The settings of this workspace. What is commented out is as shipped; `magpie config` shows what is in force and where it is set.
# The order is: as shipped, your own file, this file, variables (MAGPIE_POLITENESS_DELAY=2s), flags; later ones win.
";

const TAIL: &str = "
# What is different for one site (or all hosts below a domain): any setting of access, fetch, politeness, scope, urls, traps, and watch.site_budget.
#[site.\"example.org\".politeness]
#delay = \"5s\"
";

const VERTICALS: &str = "
# Options of a vertical; `magpie plugin inspect FILE` shows which there are.
#[vertical.NAME]
#option = \"value\"
";

const WEBHOOKS: &str = "
# Receivers of changes and problems while `magpie watch` runs, as in
#   [[webhook]]
#   url = \"https://example.org/hooks/magpie\"
#   on = [\"object.new\", \"site.broken\"]
#   where = \"price<=20\"
#   secret = \"whsec_...\"
# Without `on` it receives everything. `where` is a query that an object must match.
";

/// The text of the file.
pub fn shipped_file() -> String {
    let mut text = HEAD.to_owned();
    let definitions = Settings::definitions();
    for (group, about) in Settings::groups() {
        if group == super::ONLY_PER_SITE {
            continue;
        }
        text.push('\n');
        push_comment(&mut text, about);
        text.push_str(&format!("[{group}]\n"));
        for definition in definitions.iter().filter(|definition| definition.group == group) {
            push_comment(&mut text, definition.about);
            text.push_str(&format!("#{} = {}\n", definition.name, definition.default));
        }
    }
    text.push_str(TAIL);
    for definition in definitions
        .iter()
        .filter(|definition| definition.group == super::ONLY_PER_SITE)
    {
        if definition.name == "user" {
            text.push_str(&format!("#[site.\"example.org\".{}]\n", definition.group));
        }
        push_comment(&mut text, definition.about);
        text.push_str(&format!("#{} = {}\n", definition.name, definition.default));
    }
    text.push_str(VERTICALS);
    text.push_str(WEBHOOKS);
    text
}

fn push_comment(text: &mut String, lines: &[&str]) {
    for line in lines {
        text.push_str(&format!("# {}\n", line.trim()));
    }
}
