//! Legends: what marks mean, in rows above a field, where nothing else is written.

use crate::svg::{Anchor, EDGE, PLAIN, Sheet};

const ROW: f64 = 22.0;
/// Room for a mark, and between two entries.
const MARK: f64 = 26.0;
const GAP: f64 = 20.0;

/// Writes entries from left to right, in as many rows as they need, below the height `top`. `mark`
/// draws the mark of an entry around a position. Returns the height at which the legend ends.
pub(crate) fn draw(
    sheet: &mut Sheet,
    (top, width): (f64, f64),
    names: &[String],
    mark: impl Fn(&mut Sheet, (f64, f64), usize),
) -> f64 {
    if names.is_empty() {
        return top;
    }
    let (mut x, mut y) = (EDGE, top + ROW - 6.0);
    let most = width - 2.0 * EDGE - MARK;
    for (index, name) in names.iter().enumerate() {
        let long = PLAIN.width(name).min(most);
        if x > EDGE && x + MARK + long > width - EDGE {
            x = EDGE;
            y += ROW;
        }
        mark(sheet, (x + 9.0, y - 4.5), index);
        sheet.text((x + MARK, y), Anchor::Start, PLAIN, most, name);
        x += MARK + long + GAP;
    }
    y + 6.0
}
