//! A budget: a number of pages, or of bytes, for a period.

use std::time::Duration;

use super::value::{Bytes, Raw, Value, number_and_unit};

/// The words for times.
const PERIODS: [(&str, u64); 4] = [
    ("minute", 60),
    ("hour", 3_600),
    ("day", 86_400),
    ("week", 7 * 86_400),
];

/// No budget is larger, so that sums of it stay numbers.
const MOST: f64 = 1e15;

/// An amount per time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The number of units for a period.
    pub amount: f64,
    /// The unit of the amount.
    pub unit: BudgetUnit,
    /// In how much time.
    pub period: Duration,
}

/// The unit that a budget is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetUnit {
    /// Requests.
    Pages,
    /// Bytes of bodies.
    Bytes,
}

impl Budget {
    /// Returns a budget of pages per time.
    pub const fn pages(amount: f64, period: Duration) -> Budget {
        Budget {
            amount,
            unit: BudgetUnit::Pages,
            period,
        }
    }

    /// Returns the amount per day.
    pub(crate) fn per_day(&self) -> f64 {
        self.amount * 86_400.0 / self.period.as_secs_f64()
    }

    /// Returns the budget as a phrase: `5000 pages a day`.
    pub fn sentence(&self) -> String {
        let amount = match self.unit {
            BudgetUnit::Pages if self.amount == 1.0 => "1 page".to_owned(),
            BudgetUnit::Pages => format!("{} pages", self.amount),
            BudgetUnit::Bytes => self.amount_written(),
        };
        match self.period_word() {
            Some("hour") => format!("{amount} an hour"),
            Some(word) => format!("{amount} a {word}"),
            None => format!("{amount} in {}", self.period.write().trim_matches('"')),
        }
    }

    fn amount_written(&self) -> String {
        match self.unit {
            BudgetUnit::Pages => self.amount.to_string(),
            BudgetUnit::Bytes => Bytes(self.amount as u64).write().trim_matches('"').to_owned(),
        }
    }

    fn period_word(&self) -> Option<&'static str> {
        let period = PERIODS
            .iter()
            .find(|(_, seconds)| self.period == Duration::from_secs(*seconds))?;
        Some(period.0)
    }
}

impl Value for Budget {
    const FORM: &'static str = "an amount per period, such as \"5000/day\", \"200/hour\" or \"2 GB/week\"";

    fn read(raw: &Raw) -> Option<Self> {
        let Raw::Text(text) = raw else { return None };
        let (amount, period) = text.split_once('/')?;
        let period = period.trim();
        let named = PERIODS.iter().find(|(name, _)| *name == period);
        let period = match named {
            Some((_, seconds)) => Duration::from_secs(*seconds),
            None => Duration::read(&Raw::Text(period.to_owned()))?,
        };
        if period < Duration::from_secs(1) {
            return None;
        }
        let (number, unit) = number_and_unit(amount)?;
        let (amount, unit) = match unit {
            "" | "page" | "pages" => (number, BudgetUnit::Pages),
            _ => {
                let bytes = Bytes::read(&Raw::Text(amount.to_owned()))?;
                (bytes.0 as f64, BudgetUnit::Bytes)
            }
        };
        (amount <= MOST).then_some(Budget { amount, unit, period })
    }

    fn write(&self) -> String {
        let period = match self.period_word() {
            Some(word) => word.to_owned(),
            None => self.period.write().trim_matches('"').to_owned(),
        };
        format!("\"{}/{period}\"", self.amount_written())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_and_written() {
        let cases = [
            (
                "5000/day",
                5_000.0,
                BudgetUnit::Pages,
                86_400,
                "\"5000/day\"",
                "5000 pages a day",
            ),
            (
                "1 page / hour",
                1.0,
                BudgetUnit::Pages,
                3_600,
                "\"1/hour\"",
                "1 page an hour",
            ),
            (
                "2.5/12h",
                2.5,
                BudgetUnit::Pages,
                43_200,
                "\"2.5/12h\"",
                "2.5 pages in 12h",
            ),
            (
                "2 GB/week",
                2e9,
                BudgetUnit::Bytes,
                604_800,
                "\"2 GB/week\"",
                "2 GB a week",
            ),
            (
                "0/day",
                0.0,
                BudgetUnit::Pages,
                86_400,
                "\"0/day\"",
                "0 pages a day",
            ),
        ];
        for (text, amount, unit, seconds, written, sentence) in cases {
            let budget = Budget::read(&Raw::Text(text.to_owned())).expect(text);
            assert_eq!((budget.amount, budget.unit), (amount, unit), "{text}");
            assert_eq!(budget.period.as_secs(), seconds, "{text}");
            assert_eq!(budget.write(), written, "{text}");
            assert_eq!(budget.sentence(), sentence, "{text}");
        }
        for wrong in [
            "",
            "5000",
            "/day",
            "-1/day",
            "5 cows/day",
            "5/fortnight",
            "1/0s",
            "1e99/day",
            "9999999999999999/day",
        ] {
            assert_eq!(Budget::read(&Raw::Text(wrong.to_owned())), None, "{wrong}");
        }
    }
}
