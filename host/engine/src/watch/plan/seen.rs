//! Results of past visits: the changes of each page, and the reliability of each site's statements.
//!
//! Everything is computed from the fetches in the store, so no other state can be lost or wrong.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, UNIX_EPOCH};

use magpie_freshness::change::{Claim, History, Meaning, Observation, Print, Reliability};
use magpie_rows::{FetchRequest, Objects, Pages, RecordTimes, SiteId, StoreError, UrlId, VisitRow};
use magpie_values::Timestamp;
use magpie_web::parse_http_date;

/// Ratio from which "not modified" is believed: how much more often the site returns it for
/// unchanged pages.
const TRUSTED: f64 = 5.0;

const RECORDS: usize = 20_000;

/// A time between two moments, in days.
pub(super) fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.days_since(from)
}

/// When the records on each URL became others, by the URL's fingerprint.
#[derive(Debug, Default)]
pub(super) struct Versions(HashMap<u64, Records>);

#[derive(Debug, Default)]
struct Records {
    /// When one came or went, in order.
    events: Vec<Timestamp>,
    /// Times at which records of new objects came.
    new: Vec<Timestamp>,
    first: Timestamp,
}

impl Versions {
    pub(super) fn read(reader: &dyn Objects, vertical: &str) -> Result<Versions, StoreError> {
        let mut versions = Versions::default();
        let mut all = Vec::new();
        loop {
            let after = all.last().map_or(0, |times: &RecordTimes| times.member);
            let mut next = reader.record_times(vertical, after, RECORDS)?;
            if next.is_empty() {
                break;
            }
            all.append(&mut next);
        }
        for times in all {
            let records = versions.0.entry(times.url).or_insert_with(|| Records {
                first: times.first_seen,
                ..Records::default()
            });
            // Rows come in the order of their members, and not in that of time.
            records.first = records.first.min(times.first_seen);
            records.events.push(times.first_seen);
            if times.new_object {
                records.new.push(times.first_seen);
            }
            if !times.current {
                // It was gone at the visit after that.
                records.events.push(times.last_seen + Duration::from_millis(1));
            }
        }
        for records in versions.0.values_mut() {
            records.events.sort_unstable();
            records.new.sort_unstable();
        }
        Ok(versions)
    }

    /// A number that differs wherever the records on a page did; none before it had some.
    fn at(&self, url: u64, time: Timestamp) -> Option<u64> {
        let records = self.0.get(&url).filter(|records| records.first <= time)?;
        Some(records.events.partition_point(|event| *event <= time) as u64)
    }

    /// Returns whether an object was seen first on a page; none if none was ever seen there.
    pub(super) fn brought_new(&self, url: u64) -> Option<bool> {
        Some(!self.0.get(&url)?.new.is_empty())
    }

    /// The versions of pages with one record each: the URL's fingerprint, when the record came, and
    /// whether its object was new.
    #[cfg(test)]
    pub(super) fn of_pages(pages: &[(u64, Timestamp, bool)]) -> Versions {
        let records = |(url, at, is_new): &(u64, Timestamp, bool)| {
            let new = if *is_new { vec![*at] } else { Vec::new() };
            let events = vec![*at];
            (
                *url,
                Records {
                    events,
                    new,
                    first: *at,
                },
            )
        };
        Versions(pages.iter().map(records).collect())
    }

    /// Returns the times at which records of new objects came, and those at which any record came
    /// or went.
    pub(super) fn events(&self, url: u64) -> (&[Timestamp], &[Timestamp]) {
        self.0.get(&url).map_or((&[], &[]), |records| {
            (records.new.as_slice(), records.events.as_slice())
        })
    }
}

/// The fading of what visits showed: rates drift, so that a visit counts half after a half-life.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fading {
    /// Days after which a visit counts half.
    pub(super) half_life: f64,
    /// Time for which rates are estimated.
    pub(super) now: Timestamp,
}

impl Fading {
    /// Lets what is known fade for some days, and adds what was seen in them.
    fn add(self, history: &mut History, gap: f64, observation: Observation) {
        self.pass(history, gap);
        history.add(gap, observation);
    }

    /// Lets what is known fade for some days.
    fn pass(self, history: &mut History, gap: f64) {
        if gap > 0.0 {
            history.forget(0.5_f64.powf(gap / self.half_life));
        }
    }
}

/// Results of the visits to a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The times of successful visits, each with `true` if the site answered "not modified".
    pub(super) times: Vec<(Timestamp, bool)>,
    /// Failures in a row.
    pub(super) failures: u32,
    /// Number of comparisons, and number of changes among them.
    pub(super) compared: (u32, u32),
    /// The history that determines its rate, in days.
    pub(super) history: History,
    /// The last comparison: from when, to when, and whether it had changed.
    pub(super) last_compared: Option<(Timestamp, Timestamp, bool)>,
}

/// Results of the visits to a site.
#[derive(Debug, Default)]
pub(super) struct SiteSeen {
    pub(super) pages: HashMap<UrlId, Seen>,
    /// Reliability of its `ETag` and `Last-Modified` headers.
    pub(super) validators: Reliability,
}

/// The result of one visit.
struct Step {
    /// Since the visit before.
    gap: f64,
    /// Since the visit that brought a body.
    whole_gap: f64,
    claim: Option<Claim>,
    changed: Option<bool>,
}

/// Returns the fetches of a site's URLs since a moment, by URL, each in its order.
fn visits(
    reader: &dyn Pages,
    site: SiteId,
    since: Timestamp,
) -> Result<BTreeMap<UrlId, Vec<VisitRow>>, StoreError> {
    let mut visits: BTreeMap<UrlId, Vec<VisitRow>> = BTreeMap::new();
    let mut request = FetchRequest {
        since,
        ..FetchRequest::of(site)
    };
    loop {
        let rows = reader.fetches(&request)?;
        let Some(last) = rows.last() else {
            return Ok(visits);
        };
        request.after = last.number;
        for visit in rows.iter().filter_map(VisitRow::of) {
            visits.entry(visit.url).or_default().push(visit);
        }
    }
}

impl SiteSeen {
    /// Reads the visits since a moment. `fingerprints` are those of the site's URLs.
    pub(super) fn read(
        reader: &dyn Pages,
        site: SiteId,
        since: Timestamp,
        meaning: Meaning,
        versions: &Versions,
        fingerprints: &HashMap<UrlId, u64>,
        fading: Fading,
    ) -> Result<SiteSeen, StoreError> {
        let mut seen = SiteSeen::default();
        let mut steps: Vec<(UrlId, Vec<Step>)> = Vec::new();
        for (url, visits) in visits(reader, site, since)? {
            let fingerprint = fingerprints.get(&url).copied().unwrap_or_default();
            let mut page = Seen::default();
            let of_page = page.follow(&visits, meaning, |at| versions.at(fingerprint, at));
            for step in &of_page {
                if let (Some(claim), Some(changed)) = (step.claim, step.changed) {
                    seen.validators.learn(claim, step.whole_gap, changed);
                }
            }
            steps.push((url, of_page));
            seen.pages.insert(url, page);
        }
        // The validators are those of the whole site, so the steps of all its pages are read before
        // the first history is made.
        for (url, steps) in steps {
            if let Some(page) = seen.pages.get_mut(&url) {
                page.history = history(&steps, &seen.validators, fading);
                if let Some((last, _)) = page.times.last() {
                    fading.pass(&mut page.history, days(*last, fading.now));
                }
            }
        }
        Ok(seen)
    }

    /// Returns true if "not modified" is believed.
    pub(super) fn trusts(&self) -> bool {
        self.validators.doubt(Claim::Same) >= TRUSTED
    }
}

impl Seen {
    fn follow(
        &mut self,
        visits: &[VisitRow],
        meaning: Meaning,
        version: impl Fn(Timestamp) -> Option<u64>,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut whole: Option<(&VisitRow, Print)> = None;
        let mut last: Option<Timestamp> = None;
        for visit in visits {
            let is_quiet = visit.status == Some(304);
            let body = visit
                .body
                .filter(|_| matches!(visit.status, Some(200..=299)) && visit.good);
            // A failure says nothing about changes. Those since the last success put off the next
            // try.
            if !is_quiet && body.is_none() {
                self.failures += 1;
                continue;
            }
            self.failures = 0;
            self.times.push((visit.at, is_quiet));
            let print = body.map(|body| Print {
                bytes: body,
                text: visit.text,
                objects: version(visit.at),
            });
            // After a step back of the clock the time between the visits is unknown.
            if last.is_some_and(|last| visit.at <= last) {
                last = Some(visit.at);
                whole = print.map(|print| (visit, print));
                continue;
            }
            let gap = last.map(|last| days(last, visit.at));
            match (&whole, print) {
                // A visit that cannot be compared with the one before begins a new row.
                (Some((before, old)), Some(new)) => {
                    if let Some(changed) = meaning.changed(old, &new) {
                        self.compared.0 += 1;
                        self.compared.1 += u32::from(changed);
                        self.last_compared = Some((before.at, visit.at, changed));
                        steps.push(Step {
                            gap: gap.unwrap_or_default(),
                            whole_gap: days(before.at, visit.at),
                            claim: claim(before, visit),
                            changed: Some(changed),
                        });
                    }
                }
                (Some(_), None) => steps.push(Step {
                    gap: gap.unwrap_or_default(),
                    whole_gap: 0.0,
                    claim: Some(Claim::Same),
                    changed: None,
                }),
                (None, _) => {}
            }
            if let Some(print) = print {
                whole = Some((visit, print));
            }
            last = Some(visit.at);
        }
        steps
    }
}

/// Returns the claim of the site about the time between two visits.
fn claim(before: &VisitRow, after: &VisitRow) -> Option<Claim> {
    let same = match (&before.etag, &after.etag) {
        (Some(old), Some(new)) => old == new,
        _ => match (&before.last_modified, &after.last_modified) {
            (Some(old), Some(new)) => old == new,
            _ => return None,
        },
    };
    if same {
        return Some(Claim::Same);
    }
    let modified = after.last_modified.as_deref().and_then(parse_http_date);
    let modified = modified.filter(|at| *at >= UNIX_EPOCH).map(Timestamp::from);
    Some(modified.map_or(Claim::Changed, |at| Claim::ChangedAgo(days(at, after.at))))
}

/// Computes the history of a page from its visits.
fn history(steps: &[Step], validators: &Reliability, fading: Fading) -> History {
    // A changed body confirms the "not modified" answers before it up to the last visit if the site
    // is reliable; otherwise the change may have happened at any time since the last body.
    let mut history = History::default();
    let mut claims: Vec<f64> = Vec::new();
    let doubt = validators.doubt(Claim::Same);
    let claimed = |history: &mut History, claims: &mut Vec<f64>| {
        for gap in claims.drain(..) {
            fading.add(history, gap, Observation::Claimed { doubt });
        }
    };
    for step in steps {
        let Some(changed) = step.changed else {
            claims.push(step.gap);
            continue;
        };
        let gap = match changed && doubt >= TRUSTED {
            true => {
                claimed(&mut history, &mut claims);
                step.gap
            }
            false => step.whole_gap,
        };
        // An unchanged body overrides all "not modified" answers before it: the time that it covers
        // contains theirs.
        claims.clear();
        match validators.observation(step.claim, gap, Some(changed)) {
            Some(observation) => fading.add(&mut history, gap, observation),
            None => fading.pass(&mut history, gap),
        }
    }
    claimed(&mut history, &mut claims);
    history
}

/// Computes the history of new objects of a list from its visits. "Not modified" of an unreliable
/// site is not a visit.
pub(super) fn counted(
    times: &[(Timestamp, bool)],
    events: &[Timestamp],
    trusts: bool,
    fading: Fading,
) -> History {
    let mut history = History::default();
    let visits: Vec<Timestamp> = times
        .iter()
        .filter(|(_, quiet)| trusts || !quiet)
        .map(|(at, _)| *at)
        .collect();
    for (number, pair) in visits.windows(2).enumerate() {
        let (before, at) = (pair[0], pair[1]);
        // An event is dated by the visit that showed it, or later. It came in the time before that
        // visit.
        let until = visits.get(number + 2).copied().unwrap_or(Timestamp::MAX);
        let came =
            events.partition_point(|event| *event < until) - events.partition_point(|event| *event < at);
        if at > before && until > at {
            let came = u32::try_from(came).unwrap_or(u32::MAX);
            fading.add(&mut history, days(before, at), Observation::Counted(came));
        }
    }
    if let Some(last) = visits.last() {
        fading.pass(&mut history, days(*last, fading.now));
    }
    history
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    const fn moment(milliseconds: i64) -> Timestamp {
        Timestamp::from_millis(milliseconds)
    }

    fn visit(day: i64, status: u16, body: u64, etag: &str) -> VisitRow {
        VisitRow {
            url: UrlId(1),
            at: moment(day * DAY),
            status: Some(status),
            good: true,
            body: (status == 200).then_some(body),
            text: None,
            etag: Some(etag.to_owned()).filter(|etag| !etag.is_empty()),
            last_modified: None,
        }
    }

    const LASTING: Fading = Fading {
        half_life: f64::INFINITY,
        now: moment(0),
    };

    fn follow(visits: &[VisitRow]) -> (Seen, Vec<Step>) {
        let mut seen = Seen::default();
        let steps = seen.follow(visits, Meaning::Bytes, |_| None);
        (seen, steps)
    }

    #[test]
    fn bodies_are_compared_and_claims_noted() {
        let visits = [
            visit(0, 200, 1, "a"),
            visit(1, 304, 0, ""),
            visit(3, 200, 1, "a"),
            visit(4, 500, 0, ""),
            visit(7, 200, 2, "b"),
        ];
        let (seen, steps) = follow(&visits);
        assert_eq!(seen.compared, (2, 1));
        assert_eq!(seen.failures, 0);
        let shown: Vec<_> = steps
            .iter()
            .map(|step| (step.gap, step.whole_gap, step.changed))
            .collect();
        assert_eq!(
            shown,
            [(1.0, 0.0, None), (2.0, 3.0, Some(false)), (4.0, 4.0, Some(true))]
        );
        assert_eq!(steps[1].claim, Some(Claim::Same));
        assert_eq!(steps[2].claim, Some(Claim::Changed));
    }

    #[test]
    fn visits_whose_texts_were_not_read_are_not_compared_by_text() {
        let read = |day, body: u64, text| VisitRow {
            text,
            ..visit(day, 200, body, "")
        };
        // The text of the second visit has the hash of the body of the first.
        let visits = [
            read(0, 7, None),
            read(1, 8, Some(7)),
            read(3, 9, Some(7)),
            read(4, 10, Some(8)),
        ];
        let mut seen = Seen::default();
        let steps = seen.follow(&visits, Meaning::Text, |_| None);
        let shown: Vec<_> = steps.iter().map(|step| (step.gap, step.changed)).collect();
        assert_eq!(shown, [(2.0, Some(false)), (1.0, Some(true))]);
        assert_eq!(seen.compared, (2, 1));
    }

    #[test]
    fn a_clock_that_steps_back_breaks_the_row_and_nothing_else() {
        let visits = [visit(10, 200, 1, ""), visit(2, 200, 2, ""), visit(4, 200, 2, "")];
        let (seen, steps) = follow(&visits);
        assert_eq!(steps.len(), 1);
        assert_eq!((steps[0].gap, steps[0].changed), (2.0, Some(false)));
        assert_eq!(seen.times.len(), 3);
    }

    #[test]
    fn a_site_that_says_not_modified_to_everything_is_not_believed() {
        // Fetched whole at every second visit, the page is different each time, against the site's
        // claim.
        let visits: Vec<_> = (0..40)
            .map(|day| match day % 2 {
                0 => visit(day, 200, day.unsigned_abs(), "same"),
                _ => visit(day, 304, 0, ""),
            })
            .collect();
        let (_, steps) = follow(&visits);
        let mut validators = Reliability::default();
        for step in &steps {
            if let (Some(claim), Some(changed)) = (step.claim, step.changed) {
                validators.learn(claim, step.whole_gap, changed);
            }
        }
        assert!(
            validators.doubt(Claim::Same) < 1.5,
            "{}",
            validators.doubt(Claim::Same)
        );
        let rate = history(&steps, &validators, LASTING).most_likely_rate();
        assert!(rate.is_some_and(|rate| rate > 1.0), "{rate:?}");
    }

    #[test]
    fn a_page_that_calmed_down_is_known_for_what_it_is_now() {
        // Another body each day for a hundred days, and the same one for a hundred.
        let visits: Vec<_> = (0..200)
            .map(|day: i64| visit(day, 200, day.min(100).unsigned_abs(), ""))
            .collect();
        let (_, steps) = follow(&visits);
        let rate = |half_life| {
            let fading = Fading {
                half_life,
                now: moment(199 * DAY),
            };
            history(&steps, &Reliability::default(), fading).most_likely_rate()
        };
        let [faded, lasting] = [rate(30.0), rate(f64::INFINITY)].map(|rate| rate.expect("changes"));
        assert!((lasting - 0.7).abs() < 0.05, "{lasting}");
        assert!(faded < 0.2 * lasting, "{faded}");
        // The same holds for what comes to a list, also between the last visit and now.
        let times: Vec<_> = (0..200).map(|day| (moment(day * DAY), false)).collect();
        let events: Vec<_> = (1..=100).map(|day| moment(day * DAY)).collect();
        let news = |half_life, now| counted(&times, &events, true, Fading { half_life, now });
        assert!((news(f64::INFINITY, moment(199 * DAY)).changes() - 100.0).abs() < 1e-9);
        let (then, later) = (news(30.0, moment(199 * DAY)), news(30.0, moment(229 * DAY)));
        assert!(then.changes() / then.time() < 0.1, "{then:?}");
        assert!((later.changes() - then.changes() / 2.0).abs() < 1e-6);
    }

    #[test]
    fn what_comes_to_a_list_belongs_to_the_visit_that_found_it() {
        let times = [
            (moment(0), false),
            (moment(10 * DAY), false),
            (moment(20 * DAY), true),
            (moment(40 * DAY), false),
        ];
        // Five at the first visit are no news. Links are recorded a little after the request for
        // the page.
        let events = [5, 5, 5, 5, 5, 10 * DAY + 900, 10 * DAY + 900, 40 * DAY + 7].map(moment);
        let trusted = counted(&times, &events, true, LASTING);
        assert_eq!((trusted.changes(), trusted.time()), (3.0, 40.0));
        let (seen, _) = (counted(&times[..3], &events, false, LASTING), ());
        assert_eq!(
            (seen.changes(), seen.time()),
            (3.0, 10.0),
            "all since then were found by the last visit that counts"
        );
    }

    #[test]
    fn records_that_come_and_go_make_versions() {
        let mut versions = Versions::default();
        versions.0.insert(
            7,
            Records {
                events: vec![moment(10), moment(20), moment(31)],
                new: vec![moment(10)],
                first: moment(10),
            },
        );
        let numbers: Vec<_> = [5, 10, 15, 20, 30, 40]
            .map(|at| versions.at(7, moment(at)))
            .to_vec();
        assert_eq!(numbers, [None, Some(1), Some(1), Some(2), Some(2), Some(3)]);
        assert_eq!(versions.at(8, moment(40)), None);
    }
}
