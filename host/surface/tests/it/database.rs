//! A generated database of books behind a search form.

use std::collections::BTreeMap;

use magpie_surface::isit::{Input, Submission};
use magpie_surface::{ObjectId, Outcome, entities::Described, text};

/// A small generator, the same on every run.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn share(&mut self) -> f64 {
        ((self.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.share() * limit as f64) as usize
    }

    /// Returns a rank below a limit; rank r has a weight of 1 / (r + shift).
    pub(crate) fn skewed(&mut self, limit: usize, shift: f64) -> usize {
        let rank = shift * ((limit as f64 + shift) / shift).powf(self.share()) - shift;
        (rank as usize).min(limit - 1)
    }
}

/// A book. Words and entities are numbers; their names follow from them.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) title: Vec<String>,
    pub(crate) author: String,
    pub(crate) language: usize,
    pub(crate) genre: usize,
    pub(crate) publisher: usize,
    /// Each series belongs to one publisher.
    pub(crate) series: usize,
    pub(crate) year: usize,
    pub(crate) popularity: f64,
}

pub(crate) const LANGUAGES: usize = 6;
pub(crate) const GENRES: usize = 24;
pub(crate) const PUBLISHERS: usize = 15;
pub(crate) const SERIES: usize = 150;
pub(crate) const YEARS: std::ops::Range<usize> = 1950..2020;

/// A source: records, and the settings of its search.
pub(crate) struct Database {
    pub(crate) records: Vec<Record>,
    words: BTreeMap<String, Vec<usize>>,
    pub(crate) page_size: usize,
    /// Maximum number of results that can be paged to.
    pub(crate) top: Option<usize>,
    pub(crate) states_count: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) query: String,
    pub(crate) filters: BTreeMap<String, String>,
    pub(crate) page: usize,
    pub(crate) page_size: Option<usize>,
    pub(crate) sort: Option<String>,
}

pub(crate) struct Page {
    pub(crate) outcome: Outcome,
    pub(crate) text: String,
    pub(crate) objects: Vec<(ObjectId, String)>,
}

/// A pronounceable word.
pub(crate) fn name(number: usize) -> String {
    const HEADS: [&str; 16] = [
        "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "br", "gl",
    ];
    const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
    let mut rest = number + 80;
    let mut word = String::new();
    while rest > 0 {
        word += HEADS[rest % 16];
        rest /= 16;
        word += VOWELS[rest % 5];
        rest /= 5;
    }
    word
}

impl Database {
    pub(crate) fn new(records: usize, seed: u64) -> Database {
        let mut random = Random(seed);
        let authors = records / 4;
        let records: Vec<Record> = (0..records)
            .map(|_| {
                let genre = random.skewed(GENRES, 3.0);
                let mut title: Vec<String> = Vec::new();
                for _ in 0..2 + random.below(5) {
                    // Half of the words are common, half belong to the genre.
                    let word = match random.below(2) {
                        0 => random.skewed(3_000, 8.0),
                        _ => 10_000 + genre * 700 + random.skewed(700, 8.0),
                    };
                    title.push(name(word));
                }
                let series = random.skewed(SERIES, 20.0);
                Record {
                    title,
                    author: author_name(random.skewed(authors, 6.0)),
                    language: random.skewed(LANGUAGES, 0.5),
                    genre,
                    publisher: series % PUBLISHERS,
                    series,
                    year: YEARS.start + random.below(YEARS.len()),
                    popularity: random.share().powf(-0.7),
                }
            })
            .collect();
        let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (id, record) in records.iter().enumerate() {
            let mut own = record.title.clone();
            own.extend(record.author.split(' ').map(str::to_owned));
            own.extend([genre_name(record.genre), publisher_name(record.publisher)]);
            own.sort();
            own.dedup();
            for word in own {
                words.entry(word).or_default().push(id);
            }
        }
        Database {
            records,
            words,
            page_size: 20,
            top: None,
            states_count: true,
        }
    }

    pub(crate) fn text(&self, id: usize) -> String {
        let record = &self.records[id];
        format!(
            "{} by {} {} {}",
            record.title.join(" "),
            record.author,
            genre_name(record.genre),
            publisher_name(record.publisher)
        )
    }

    /// Numbers of the records that a query and filters match, best first.
    pub(crate) fn matches(&self, request: &Request) -> Vec<usize> {
        let mut found: Vec<usize> = (0..self.records.len()).collect();
        let none = Vec::new();
        for word in text::words(&request.query) {
            let with = self.words.get(&word).unwrap_or(&none);
            found.retain(|id| with.binary_search(id).is_ok());
        }
        for (name, value) in &request.filters {
            let number: usize = value.parse().unwrap_or(usize::MAX);
            found.retain(|id| {
                let record = &self.records[*id];
                match name.as_str() {
                    "language" => record.language == number,
                    "genre" => record.genre == number,
                    "publisher" => record.publisher == number,
                    "series" => record.series == number,
                    "from" => record.year >= number,
                    "to" => record.year < number,
                    "word" => record.title.contains(value),
                    _ => true,
                }
            });
        }
        let popularity = |id: &usize| self.records[*id].popularity;
        match request.sort.as_deref() {
            Some("title") => found.sort_by_key(|id| self.records[*id].title.clone()),
            Some("year") => found.sort_by_key(|id| self.records[*id].year),
            _ => found.sort_by(|one, other| popularity(other).total_cmp(&popularity(one))),
        }
        found
    }

    pub(crate) fn request(&self, request: &Request) -> Page {
        let mut found = self.matches(request);
        let count = found.len();
        found.truncate(self.top.unwrap_or(usize::MAX));
        let size = request.page_size.unwrap_or(self.page_size);
        let start = (request.page * size).min(found.len());
        let end = (start + size).min(found.len());
        let shown = &found[start..end];
        let objects: Vec<(ObjectId, String)> = shown.iter().map(|id| (*id as u64, self.text(*id))).collect();
        let mut text = format!("book shop search {} {count} results ", request.query);
        for (_, object) in &objects {
            text += object;
            text.push('\n');
        }
        let order = shown.iter().fold(17_u64, |hash, id| {
            hash.wrapping_mul(31).wrapping_add(*id as u64 + 1)
        });
        let outcome = Outcome {
            page_signature: order,
            reported_count: self.states_count.then_some(count as u64),
            has_next: end < found.len(),
            ..Outcome::new(shown.iter().map(|id| *id as u64))
        };
        Page {
            outcome,
            text,
            objects,
        }
    }

    pub(crate) fn search(&self, query: &str, page: usize) -> Page {
        self.request(&Request {
            query: query.to_owned(),
            page,
            ..Request::default()
        })
    }

    /// The answer to a submission of the form.
    pub(crate) fn submit(&self, inputs: &[Input], submission: &Submission) -> Outcome {
        let mut request = Request::default();
        for (name, value) in submission.arguments(inputs) {
            match name {
                "q" => request.query = value.to_owned(),
                "sort" => request.sort = Some(value.to_owned()),
                "size" => request.page_size = value.parse().ok(),
                _ => {
                    request.filters.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        self.request(&request).outcome
    }

    /// Title words by falling number of records.
    pub(crate) fn title_words(&self) -> Vec<String> {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for word in self.records.iter().flat_map(|record| &record.title) {
            *counts.entry(word).or_default() += 1;
        }
        let mut words: Vec<(&String, usize)> = counts.into_iter().collect();
        words.sort_by_key(|(word, count)| (usize::MAX - count, (*word).clone()));
        words.into_iter().map(|(word, _)| word.clone()).collect()
    }

    pub(crate) fn described(&self, id: ObjectId) -> Described {
        let record = &self.records[id as usize];
        let entity = |kind: &str, name: String| (kind.to_owned(), name);
        Described {
            id,
            entities: vec![
                entity("title", record.title.join(" ")),
                entity("author", record.author.clone()),
                entity("genre", genre_name(record.genre)),
                entity("publisher", publisher_name(record.publisher)),
            ],
        }
    }
}

pub(crate) fn genre_name(genre: usize) -> String {
    name(40_000 + genre)
}

pub(crate) fn author_name(author: usize) -> String {
    format!("{} {}", name(50_000 + author * 7 % 200), name(60_000 + author))
}

pub(crate) fn publisher_name(publisher: usize) -> String {
    name(45_000 + publisher)
}

pub(crate) fn numbers(name: &str, limit: usize) -> Input {
    Input::new(name, (0..limit).map(|number| number.to_string()))
}
