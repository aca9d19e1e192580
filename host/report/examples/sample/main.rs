//! Prints a report of made-up sites: `cargo run -p magpie-report --example sample > sample.html`.

#![expect(clippy::print_stdout, reason = "an example prints")]

mod sites;

use magpie_report::{
    Alarm, CurvePoint, Drift, Head, Level, Method, Notice, Relearned, Report, Selection, Stage, render,
};

fn main() {
    print!("{}", render(&report()));
}

fn report() -> Report {
    Report {
        head: head(),
        notices: vec![
            notice(
                Level::Problem,
                "lesewinkel.example answered 412 of 430 requests with 503; its objects are those of last week.",
            ),
            notice(
                Level::Warning,
                "3 hosts asked for slower requests; the run took about 20 minutes longer for it.",
            ),
            notice(
                Level::Note,
                "2 sites allow less than their objects need: their robots.txt forbids the only way to page 2 and on.",
            ),
        ],
        methods: methods(),
        selection: Some(selection()),
        stages: stages(),
        sites: sites::sites(),
        maps: sites::maps(),
        patterns: sites::patterns(),
        drift: drift(),
        ..Report::default()
    }
}

fn head() -> Head {
    Head {
        title: "Books: what the first recrawl brought".into(),
        run: "recrawl".into(),
        vertical: "books".into(),
        vertical_version: "0.3.1".into(),
        workspace: "~/magpie/books".into(),
        when: "14 March 2026, 06:30 to 07:54".into(),
        program_version: "0.1.0".into(),
        seconds: 5_047.0,
    }
}

fn notice(level: Level, sentence: &str) -> Notice {
    Notice {
        level,
        sentence: sentence.into(),
    }
}

fn methods() -> Vec<Method> {
    let rows = [
        (
            "Everything within the sites",
            0,
            214_380,
            9_840_000_000,
            31_204,
            30_112,
            (1.0, 1.0),
        ),
        (
            "Sitemaps alone",
            0,
            61_900,
            3_010_000_000,
            22_870,
            22_401,
            (0.289, 0.744),
        ),
        (
            "Patterns by yield, greedily",
            212,
            48_210,
            2_290_000_000,
            30_440,
            29_506,
            (0.225, 0.976),
        ),
        (
            "Patterns and hubs, this program",
            148,
            36_507,
            1_702_000_000,
            30_611,
            29_689,
            (0.170, 0.981),
        ),
    ];
    let method = |(name, patterns, pages, bytes, objects, correct, shares): (
        &str,
        u64,
        u64,
        u64,
        u64,
        u64,
        (f64, f64),
    )| Method {
        name: name.into(),
        patterns,
        pages,
        bytes,
        distinct_objects: objects,
        correct_objects: Some(correct),
        share_of_pages: shares.0,
        share_of_objects: shares.1,
        share_of_objects_interval: (shares.1 < 1.0).then_some((shares.1 - 0.011, shares.1 + 0.009)),
        is_this_run: patterns == 148,
        ..Method::default()
    };
    rows.into_iter().map(method).collect()
}

/// A curve that rises steeply and then ever less, as coverage does.
fn selection() -> Selection {
    let coverable = 31_204.0;
    let point = |patterns: u64| {
        let share = patterns as f64 / 260.0;
        CurvePoint {
            patterns,
            cost: 61_000.0 * share.powf(1.25) + 900.0 * share,
            covered: coverable * (1.0 - (-7.0 * share).exp()) / (1.0 - (-7.0f64).exp()),
        }
    };
    let chosen = point(148);
    Selection {
        strategy: "lazy greedy with removal".into(),
        goal: "98% of all objects at the least cost".into(),
        chosen_patterns: chosen.patterns,
        all_patterns: 260,
        cost: chosen.cost,
        lower_bound: Some(chosen.cost * 0.972),
        upper_bound: None,
        gap: Some(0.028),
        covered: chosen.covered,
        coverable,
        interval: Some((chosen.covered - 330.0, chosen.covered + 280.0)),
        curve: (0..=260).map(point).collect(),
    }
}

fn stages() -> Vec<Stage> {
    let stage = |name: &str, seconds: f64, sentence: &str| Stage {
        name: name.into(),
        seconds,
        sentence: sentence.into(),
    };
    vec![
        stage(
            "Follow",
            2_931.0,
            "Walked the learned ways of 42 sites and fetched 1,904 hub pages, because new books show there first.",
        ),
        stage(
            "Fetch",
            1_866.0,
            "Fetched 34,603 pages that were new or due; 11,240 were left, for their change rates say that nothing new is there.",
        ),
        stage(
            "Extract",
            148.2,
            "Let the vertical read each page once and found 30,611 distinct books on 34,120 of them.",
        ),
        stage(
            "Cluster",
            61.4,
            "Joined what two or more sites sell into 24,870 books, 2,004 of them new.",
        ),
        stage(
            "Watch",
            0.8,
            "Compared the yield of each pattern with its past; two patterns raised an alarm.",
        ),
        stage(
            "Relearn",
            39.6,
            "Learned one folder again where an alarm stood, along the hubs that still hold.",
        ),
    ]
}

fn drift() -> Drift {
    let alarm = |site: &str, pattern: &str, sentence: &str| Alarm {
        site: site.into(),
        pattern: pattern.into(),
        since: "9 March 2026".into(),
        sentence: sentence.into(),
    };
    Drift {
        alarms: vec![
            alarm(
                "lesewinkel.example",
                "/artikel/{slug}-{number}",
                "No objects on 61 pages in a row, where 58 were expected.",
            ),
            alarm(
                "paper-and-ink.example",
                "/shop/item.php?id={number}",
                "Answers moved to /books/{slug}; the old addresses redirect to the home page.",
            ),
        ],
        relearned: vec![Relearned {
            site: "paper-and-ink.example".into(),
            what: "/shop".into(),
            sentence: "14 patterns became 9; the new ones cover 99.1% of the objects that the old ones had."
                .into(),
        }],
    }
}
