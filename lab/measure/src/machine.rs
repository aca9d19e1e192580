//! When and on what figures were measured.

use std::time::{SystemTime, UNIX_EPOCH};

use magpie_values::date::Date;

const SECONDS_A_DAY: u64 = 86_400;

/// The day and the machine's shape, in words.
pub(crate) struct Machine {
    pub(crate) date: String,
    pub(crate) shape: String,
}

impl Machine {
    pub(crate) fn here() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // Only Linux has these files; elsewhere the cores must do.
        let cpu = std::fs::read_to_string("/proc/cpuinfo").ok();
        let memory = std::fs::read_to_string("/proc/meminfo").ok();
        let parts = [
            Some(format!("{cores} cores")),
            cpu.as_deref().and_then(cpu_model),
            memory.as_deref().and_then(memory_size),
            Some(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ];
        let shape: Vec<String> = parts.into_iter().flatten().collect();
        Self {
            date: date(now.as_secs() / SECONDS_A_DAY),
            shape: shape.join(", "),
        }
    }
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    value_of(cpuinfo, "model name").map(str::to_owned)
}

fn memory_size(meminfo: &str) -> Option<String> {
    let kibibytes: f64 = value_of(meminfo, "MemTotal")?
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    Some(format!("{:.0} GiB memory", kibibytes / 1024.0 / 1024.0))
}

/// The value in the first line `name : value`.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim())
}

/// The date of a day counted from 1970-01-01.
fn date(day: u64) -> String {
    let date = i64::try_from(day).ok().and_then(Date::from_days);
    date.map_or_else(String::new, |date| {
        format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        let cases = [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (10_957, "2000-01-01"),
            (11_016, "2000-02-29"),
            (20_819, "2027-01-01"),
        ];
        for (day, expected) in cases {
            assert_eq!(date(day), expected);
        }
    }

    #[test]
    fn the_shape_is_read_from_linux() {
        assert_eq!(
            cpu_model("processor\t: 0\nmodel name\t: Fast CPU @ 2\n").as_deref(),
            Some("Fast CPU @ 2")
        );
        assert_eq!(
            memory_size("MemTotal:       24602836 kB\n").as_deref(),
            Some("23 GiB memory")
        );
        assert_eq!(memory_size("nothing"), None);
    }
}
