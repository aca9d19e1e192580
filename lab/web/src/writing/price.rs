//! Notation of prices.

use crate::language::Language;
use crate::random::Key;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PriceForm {
    /// Uses the sign of the currency, not its code.
    has_sign: bool,
    /// Writes the currency before the amount.
    is_before: bool,
    /// Uses a comma as decimal separator.
    has_comma: bool,
    thousands: &'static str,
}

impl PriceForm {
    pub(super) fn new(key: Key, language: &Language) -> Self {
        let has_comma = language.has_decimal_comma;
        let gaps: &[&str] = if has_comma {
            &["", ".", "\u{a0}"]
        } else {
            &["", ","]
        };
        Self {
            has_sign: key.of("sign", 0).per_mille(650),
            is_before: key.of("before", 0).per_mille(if has_comma { 250 } else { 800 }),
            has_comma,
            thousands: key.of("thousands", 0).pick(gaps),
        }
    }

    pub(super) fn write(self, cents: u32, currency: &str) -> String {
        let amount = self.amount(cents);
        let sign = match currency {
            "EUR" => "€",
            "GBP" => "£",
            "USD" => "$",
            other => other,
        };
        match (self.has_sign, self.is_before) {
            (true, true) if sign.len() < 3 || sign == "€" => format!("{sign}{amount}"),
            (true, true) => format!("{sign} {amount}"),
            (true, false) => format!("{amount} {sign}"),
            (false, true) => format!("{currency} {amount}"),
            (false, false) => format!("{amount} {currency}"),
        }
    }

    fn amount(self, cents: u32) -> String {
        let whole = (cents / 100).to_string();
        let point = if self.has_comma { ',' } else { '.' };
        let mut grouped = String::new();
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                grouped.push_str(self.thousands);
            }
            grouped.push(digit);
        }
        format!("{grouped}{point}{:02}", cents % 100)
    }
}
