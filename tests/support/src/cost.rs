//! Whether work grows no faster than its input.

/// By how much the larger input is larger.
const FACTOR: usize = 8;

/// What work may grow by. Linear work grows eightfold, with room for caches and noise; quadratic work, 64-fold.
const MOST: f64 = 28.0;

/// Inputs of this many seconds of work are large enough to be timed.
const TIMED: f64 = 0.000_2;

/// Does the work on an input of size one and of size eight, and asks that it grow about as the input does.
///
/// # Panics
/// When it grows faster.
pub fn assert_linear(what: &str, work: impl Fn(usize)) {
    let (small, large) = (least(|| work(1)), least(|| work(FACTOR)));
    let grown = large / small.max(TIMED);
    assert!(
        grown <= MOST,
        "{what}: {FACTOR} times the input takes {grown:.1} times as long ({small:.6} and {large:.6} s)"
    );
}

/// The least of some measurements, which other work on the machine disturbs least.
fn least(work: impl Fn()) -> f64 {
    let measured = (0..3).map(|_| {
        let start = now();
        work();
        now() - start
    });
    measured.fold(f64::INFINITY, f64::min)
}

/// Seconds that this thread has computed.
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
            // Well above what is too short to be timed, on fast machines too.
            pairs(size * 2_000);
        });
    }
}
