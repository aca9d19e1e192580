//! URLs that repeat themselves.

use magpie_model::CanonicalUrl;

use super::trap::{Trap, TrapSettings};

/// Segments and pairs that are looked at; scope refuses longer paths.
const MAX_PARTS: usize = 64;

/// Segments of a circle. One of a single segment is caught by counting.
const CIRCLES: std::ops::RangeInclusive<usize> = 2..=6;

/// Characters of a part that go into a sentence.
const SHOWN: usize = 60;

pub(super) fn judge(url: &CanonicalUrl, settings: &TrapSettings) -> Result<(), Trap> {
    let path = url.path();
    let slashes = memchr::memchr_iter(b'/', path.as_bytes()).count();
    // Nearly all paths are too short to repeat anything often enough.
    if slashes > settings.max_repeats {
        let segments: Vec<&str> = path[1..].split('/').take(MAX_PARTS).collect();
        judge_segments(&segments, settings)?;
    }
    let Some(query) = url.query() else {
        return Ok(());
    };
    if memchr::memchr_iter(b'&', query.as_bytes()).count() >= settings.max_repeats {
        let pairs: Vec<&str> = query.split('&').take(MAX_PARTS).collect();
        if let Some((pair, times)) = most_frequent(&pairs).filter(|(_, times)| *times > settings.max_repeats)
        {
            return Err(Trap::RepeatedPair {
                pair: shown(pair),
                times,
            });
        }
    }
    Ok(())
}

fn judge_segments(segments: &[&str], settings: &TrapSettings) -> Result<(), Trap> {
    // The last one is empty when the path ends in a slash.
    let segments = segments.strip_suffix(&[""]).unwrap_or(segments);
    // The circle comes first, because its message names the whole part and not only one segment of
    // it.
    if let Some((part, times)) = circle(segments).filter(|(_, times)| *times >= settings.max_repeats) {
        return Err(Trap::PathLoop {
            part: shown(&part.join("/")),
            times,
        });
    }
    if let Some((segment, times)) = most_frequent(segments).filter(|(_, times)| *times > settings.max_repeats)
    {
        return Err(Trap::RepeatedSegment {
            segment: shown(segment),
            times,
        });
    }
    let alike = segments
        .chunk_by(|one, other| look(one) == look(other))
        .map(<[&str]>::len)
        .max()
        .unwrap_or(0);
    match alike > settings.max_alike {
        true => Err(Trap::PathGrowth { segments: alike }),
        false => Ok(()),
    }
}

fn most_frequent<'a>(parts: &[&'a str]) -> Option<(&'a str, usize)> {
    let mut sorted = parts.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|one, other| one == other);
    runs.map(|run| (run[0], run.len()))
        .max_by_key(|(_, times)| *times)
}

/// The part that is repeated most often in a row, and how often.
fn circle<'a, 'p>(segments: &'p [&'a str]) -> Option<(&'p [&'a str], usize)> {
    let mut best: Option<(&[&str], usize)> = None;
    for length in CIRCLES {
        // Number of consecutive segments that equal the one a circle earlier.
        let mut run = 0;
        for at in length..segments.len() {
            run = if segments[at] == segments[at - length] {
                run + 1
            } else {
                0
            };
            let times = run / length + 1;
            if times > best.map_or(1, |(_, times)| times) {
                best = Some((&segments[at + 1 - length..=at], times));
            }
        }
    }
    best
}

/// Returns the kinds of characters in a segment: digits, letters, or both.
fn look(segment: &str) -> (bool, bool) {
    let has_figures = segment.bytes().any(|byte| byte.is_ascii_digit());
    let has_letters = segment.bytes().any(|byte| byte.is_ascii_alphabetic());
    (has_figures, has_letters)
}

fn shown(part: &str) -> String {
    part.chars().take(SHOWN).collect()
}
