//! Measures the finders on 100 KB of text: `cargo run --release -p magpie-values --example finders
//! [FILE ...]`.
//!
//! Without files it reads made-up texts: one without any figure, prose with a date now and then, a
//! calendar that is nothing but dates, and a table of numbers.
#![expect(clippy::print_stdout, reason = "the figures are the point of this program")]

use std::hint::black_box;
use std::time::Instant;

use magpie_values::date::{self, Date, DateContext};
use magpie_values::money::{self, MoneyContext};
use magpie_values::{identifier, text};

const SIZE: usize = 100_000;
const ROUNDS: u32 = 21;

fn main() -> std::io::Result<()> {
    let mut texts = vec![
        (
            "words".to_owned(),
            filled("Words without any figures stand here, line after line, and mean nothing.\n"),
        ),
        ("prose".to_owned(), filled(&prose())),
        (
            "calendar".to_owned(),
            filled("Sa., 3. Mai 2026, 19.30 Uhr: Konzert\nFri 20 Nov, 7.30pm – 10 pm Jazz Night, $12.50\n"),
        ),
        (
            "numbers".to_owned(),
            filled("12 345.67 8.90 1,234 555-1234 2.3.4 99 16:9 1000000 4/5 12% 3\n"),
        ),
    ];
    for path in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        texts.push((path, text));
    }
    for (name, text) in &texts {
        report(name, text);
    }
    Ok(())
}

fn prose() -> String {
    "The old mill stands at the river, and nobody knows who built it. It opened on 3 May 1987 with a concert \
     that many remember; tickets were 12 marks. Since then the house has seen music, theatre and readings, and \
     the people of the town come in all weathers. "
        .to_owned()
}

fn filled(pattern: &str) -> String {
    text::truncate(&pattern.repeat(SIZE / pattern.len() + 1), SIZE).to_owned()
}

fn report(name: &str, text: &str) {
    let context = DateContext {
        today: Date::new(2026, 4, 1),
        ..DateContext::default()
    };
    let scale = SIZE as f64 / text.len().max(1) as f64;
    let time = |work: &dyn Fn() -> usize| {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                black_box(work());
                start.elapsed().as_secs_f64() * 1e3 * scale
            })
            .collect();
        times.sort_by(f64::total_cmp);
        (times[times.len() / 2], work())
    };
    let (dates, date_count) = time(&|| date::find_all(black_box(text), &context).len());
    let (prices, price_count) = time(&|| money::find_all(black_box(text), &MoneyContext::default()).len());
    let (numbers, number_count) = time(&|| identifier::find_all(black_box(text)).len());
    let (folding, _) = time(&|| text::fold(black_box(text)).len());
    println!(
        "{name}: ms per 100 KB: dates {dates:.2} ({date_count}), prices {prices:.2} ({price_count}), \
         identifiers {numbers:.2} ({number_count}), folding {folding:.2}"
    );
}
