//! Checks that the running time grows no faster than the input.

/// Ratio of the sizes of the larger and the smaller input.
const FACTOR: usize = 8;

/// Maximum growth of the time. Linear work grows eightfold, with a margin for caches and noise;
/// quadratic work 64-fold.
const MAX_GROWTH: f64 = 28.0;

/// Minimum number of seconds that can be measured reliably.
const MIN_SECONDS: f64 = 0.000_2;

/// Runs the work on inputs of size one and eight, and asserts that its time grows about linearly.
///
/// # Panics
/// Panics if it grows faster.
pub fn assert_linear(what: &str, work: impl Fn(usize)) {
    let (small, large) = (fastest(|| work(1)), fastest(|| work(FACTOR)));
    let grown = large / small.max(MIN_SECONDS);
    assert!(
        grown <= MAX_GROWTH,
        "{what}: {FACTOR} times the input takes {grown:.1} times as long ({small:.6} and {large:.6} s)"
    );
}

/// Minimum of several measurements, which other processes affect least.
fn fastest(work: impl Fn()) -> f64 {
    let measured = (0..3).map(|_| {
        let start = now();
        work();
        now() - start
    });
    measured.fold(f64::INFINITY, f64::min)
}

/// CPU time of this thread in seconds.
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: usize) -> usize {
        let items: Vec<usize> = (0..count).collect();
        let of = |one: &usize| items.iter().filter(|other| (*other ^ one) % 3 == 1).count();
        std::hint::black_box(items.iter().map(of).sum())
    }

    #[test]
    fn a_pass_is_linear() {
        assert_linear("a pass", |size| {
            let sum: usize = (0..size * 200_000)
                .map(|number| std::hint::black_box(number) % 7)
                .sum();
            std::hint::black_box(sum);
        });
    }

    #[test]
    #[should_panic(expected = "times as long")]
    fn pairs_are_not() {
        assert_linear("pairs", |size| {
            // Long enough to be measured reliably, even on fast machines.
            pairs(size * 2_000);
        });
    }
}
