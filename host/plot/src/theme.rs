//! Colours, in light and dark.
//!
//! Elements carry the light colours as attributes, so that programs without style sheets show them
//! correctly. The style sheet overrides them by class on dark screens. Paper stays light.

/// Colours that distinguish series, bars and boxes. Distinguishable with red-green colour blindness
/// too.
pub(crate) const COLOURS: [&str; 6] = ["#0b3c8c", "#b3400b", "#1b7a3d", "#6b2c91", "#555555", "#8c6d00"];
const DARK: [&str; 6] = ["#8fb6ff", "#ff9f6b", "#74d294", "#d3a6f2", "#b9b9b9", "#e3c566"];

pub(crate) const INK: &str = "#1c1c1a";
pub(crate) const SOFT: &str = "#5c5b57";
pub(crate) const PAPER: &str = "#ffffff";

/// Attributes of a rule: axes, whiskers, outlines.
pub(crate) const RULE: &str = "class=\"r\" stroke=\"#1c1c1a\"";
/// Attributes of a grid line.
pub(crate) const GRID: &str = "class=\"g\" stroke=\"#e4e2dc\"";
/// Attributes of a line that helps the eye from a point to its axis.
pub(crate) const GUIDE: &str = "class=\"h\" stroke=\"#8a8882\" stroke-dasharray=\"2 3\"";

/// The place of a kind's colour; kinds beyond the last begin again.
pub(crate) fn colour(kind: usize) -> usize {
    kind % COLOURS.len()
}

/// Attributes that fill with a kind's colour.
pub(crate) fn fill(kind: usize) -> String {
    let kind = colour(kind);
    format!("class=\"f{kind}\" fill=\"{}\"", COLOURS[kind])
}

/// Attributes that draw with a kind's colour and fill nothing.
pub(crate) fn stroke(kind: usize) -> String {
    let kind = colour(kind);
    format!("class=\"s{kind}\" fill=\"none\" stroke=\"{}\"", COLOURS[kind])
}

/// Attributes that draw with a kind's colour and fill with paper.
pub(crate) fn outline(kind: usize) -> String {
    let kind = colour(kind);
    format!(
        "class=\"b s{kind}\" fill=\"{PAPER}\" stroke=\"{}\"",
        COLOURS[kind]
    )
}

/// The style sheet for dark screens, as an element of a chart.
pub(crate) fn style() -> String {
    format!("<style>{}</style>", style_rules())
}

/// The style sheet of all charts. Pages that allow no styles within them have it in their own sheet,
/// and take the element `style` out of the charts.
pub fn style_rules() -> String {
    let mut rules = String::from(
        ".magpie-plot{max-width:100%;height:auto}@media screen and (prefers-color-scheme:dark){",
    );
    let mut rule = |class: &str, what: &str, colour: &str| {
        rules.push_str(&format!(".magpie-plot .{class}{{{what}:{colour}}}"));
    };
    rule("b", "fill", "#17191c");
    rule("t", "fill", "#e9e7e2");
    rule("u", "fill", "#aeaca5");
    rule("r", "stroke", "#d5d3cd");
    rule("g", "stroke", "#33363b");
    rule("h", "stroke", "#85837d");
    for (kind, colour) in DARK.iter().enumerate() {
        rule(&format!("f{kind}"), "fill", colour);
        rule(&format!("s{kind}"), "stroke", colour);
    }
    rules.push('}');
    rules
}
