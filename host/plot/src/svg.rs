//! A sheet that charts are drawn on.

use crate::text::{self, escaped, fitted, is_uncertain, wrapped};
use crate::theme::{INK, PAPER, SOFT, style};

/// Placeholder for the chart's own name in references, until the name is known. No text contains
/// it, since [`escaped`] removes control characters.
const NAME: char = '\u{1}';

/// Room around everything.
pub(crate) const EDGE: f64 = 16.0;

/// Bold letters are wider.
const BOLD: f64 = 1.12;

/// Lines of a title at most.
const TITLE_LINES: usize = 3;

/// Font of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letters {
    pub(crate) size: f64,
    is_bold: bool,
    is_soft: bool,
}

/// Numbers, names.
pub(crate) const PLAIN: Letters = Letters {
    size: 13.0,
    is_bold: false,
    is_soft: false,
};
/// Font of axis names and notes.
pub(crate) const QUIET: Letters = Letters {
    size: 12.0,
    is_bold: false,
    is_soft: true,
};
/// Small text within boxes.
pub(crate) const SMALL: Letters = Letters {
    size: 11.5,
    is_bold: false,
    is_soft: false,
};
pub(crate) const TITLE: Letters = Letters {
    size: 15.0,
    is_bold: true,
    is_soft: false,
};
/// The names of boxes.
pub(crate) const STRONG: Letters = Letters {
    size: 13.0,
    is_bold: true,
    is_soft: false,
};

impl Letters {
    /// About how wide a text is in these letters.
    pub(crate) fn width(self, text: &str) -> f64 {
        text::width(text, self.measured())
    }

    fn measured(self) -> f64 {
        self.size * if self.is_bold { BOLD } else { 1.0 }
    }
}

/// Alignment of a text at its position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A partially drawn chart.
#[derive(Default)]
pub(crate) struct Sheet {
    body: String,
}

impl Sheet {
    /// Draws a line with the attributes of a pen.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), pen: &str) {
        self.push(&format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {pen}/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Draws a rectangle: corner, width and height, attributes.
    pub(crate) fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), pen: &str) {
        self.push(&format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" {pen}/>",
            at.0,
            at.1,
            size.0.max(0.0),
            size.1.max(0.0)
        ));
    }

    /// Draws whiskers: an upright line with a stroke at both ends.
    pub(crate) fn whiskers(&mut self, x: f64, (low, high): (f64, f64), pen: &str) {
        self.line((x, low), (x, high), pen);
        for end in [low, high] {
            self.line((x - 4.0, end), (x + 4.0, end), pen);
        }
    }

    /// Writes a text, cut to its room.
    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, letters: Letters, room: f64, text: &str) {
        let shown = fitted(text, letters.measured(), room);
        let (class, colour) = if letters.is_soft { ("u", SOFT) } else { ("t", INK) };
        self.push(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"{class}\" fill=\"{colour}\" font-size=\"{}\"",
            at.0, at.1, letters.size
        ));
        self.push(match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        });
        if letters.is_bold {
            self.push(" font-weight=\"600\"");
        }
        if is_uncertain(&shown) {
            // A font may have these letters in any width; this limits them to the reserved room.
            let length = letters.width(&shown);
            self.push(&format!(
                " textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\""
            ));
        }
        self.push(&format!(">{}", escaped(&shown)));
        if shown != text {
            self.push(&format!("<title>{}</title>", escaped(&fitted(text, 1.0, 400.0))));
        }
        self.push("</text>");
    }

    /// Writes the title and gives the height where it ends.
    pub(crate) fn title(&mut self, title: &str, width: f64) -> f64 {
        let room = width - 2.0 * EDGE;
        let mut y = EDGE;
        for line in wrapped(title, TITLE.measured(), room, TITLE_LINES) {
            y += TITLE.size + 4.0;
            self.text((EDGE, y - 4.0), Anchor::Start, TITLE, room, &line);
        }
        y + 4.0
    }

    /// Adds an element that holds no stranger's text, or that escaped it.
    pub(crate) fn push(&mut self, element: &str) {
        self.body.push_str(element);
    }

    /// A name that is this chart's own: what is put into one page must not share names.
    pub(crate) fn own(name: &str) -> String {
        format!("{NAME}{name}")
    }

    pub(crate) fn finish(self, title: &str, description: &str, (width, height): (f64, f64)) -> String {
        // A chart without a title of its own still has a name for those who can't see it.
        let title = if title.is_empty() { description } else { title };
        let name = format!("m{:016x}", fingerprint(&self.body));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"magpie-plot\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" font-family=\"system-ui, sans-serif\"><title>{}</title><desc>{}</desc>{}\
             <rect class=\"b back\" width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>{}</svg>",
            escaped(&fitted(title, 1.0, 400.0)),
            escaped(&fitted(description, 1.0, 800.0)),
            style(),
            self.body.replace(NAME, &name)
        )
    }
}

/// A number for what was drawn, the same on every machine (FNV-1a).
fn fingerprint(body: &str) -> u64 {
    body.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
