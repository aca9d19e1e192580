//! Taking samples: CPU time of the thread, several subjects in turn.

use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};

/// Long enough that the clock's own cost vanishes, short enough that an interruption spoils one
/// sample only.
const SAMPLE: Duration = Duration::from_millis(4);

/// CPU time used by this thread. Unlike wall-clock time it does not grow while other programs have
/// the core.
pub(crate) fn thread_cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or(0),
        u32::try_from(now.tv_nsec).unwrap_or(0),
    )
}

/// Cost of a piece of work: CPU time of this thread, and wall-clock time.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration, Duration) {
    let (wall, cpu) = (Instant::now(), thread_cpu());
    let result = work();
    (result, thread_cpu().saturating_sub(cpu), wall.elapsed())
}

/// Something to measure: a function that repeats it a given number of times.
pub(crate) struct Subject<'a> {
    times: u32,
    work: Box<dyn FnMut(u32) -> Result<()> + 'a>,
}

impl<'a> Subject<'a> {
    /// Finds out, while warming up, how many times fill a sample.
    pub(crate) fn new(mut work: impl FnMut(u32) -> Result<()> + 'a) -> Result<Self> {
        let mut times = 1;
        loop {
            let (outcome, cpu, _) = timed(|| work(times));
            outcome?;
            if cpu >= SAMPLE {
                return Ok(Self {
                    times,
                    work: Box::new(work),
                });
            }
            times *= 2;
        }
    }

    /// The same for work that is done once at a time.
    pub(crate) fn once(mut work: impl FnMut() -> Result<()> + 'a) -> Result<Self> {
        Self::new(move |times| (0..times).try_for_each(|_| work()))
    }

    fn sample(&mut self) -> Result<f64> {
        let (outcome, cpu, _) = timed(|| (self.work)(self.times));
        outcome?;
        Ok(cpu.as_secs_f64() * 1e6 / f64::from(self.times))
    }
}

/// Takes samples of all subjects in turn: microseconds of CPU for doing each once. The samples of a
/// round stand at the same place in each list.
pub(crate) fn interleaved(rounds: usize, subjects: &mut [Subject<'_>]) -> Result<Vec<Samples>> {
    let mut taken = vec![Vec::with_capacity(rounds); subjects.len()];
    for _ in 0..rounds {
        for (subject, samples) in subjects.iter_mut().zip(&mut taken) {
            samples.push(subject.sample()?);
        }
    }
    Ok(taken.into_iter().map(Samples).collect())
}

/// Samples in the order they were taken.
#[derive(Clone, Debug)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn new(samples: Vec<f64>) -> Self {
        Self(samples)
    }

    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub(crate) fn quartiles(&self) -> [f64; 2] {
        [self.quantile(0.25), self.quantile(0.75)]
    }

    pub(crate) fn worst(&self) -> f64 {
        self.quantile(1.0)
    }

    /// Each sample divided by the other's of the same round.
    pub(crate) fn over(&self, other: &Self) -> Self {
        Self(
            self.0
                .iter()
                .zip(&other.0)
                .map(|(one, other)| one / other)
                .collect(),
        )
    }

    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else {
            return f64::NAN;
        };
        let place = part * last as f64;
        let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
        low + (high - low) * place.fract()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_samples() {
        let samples = Samples::new(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!(samples.median(), 2.5);
        assert_eq!(samples.quartiles(), [1.75, 3.25]);
        assert_eq!(samples.worst(), 4.0);
        assert!(Samples::new(Vec::new()).median().is_nan());
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let ratios = Samples::new(vec![2.0, 30.0]).over(&Samples::new(vec![1.0, 10.0]));
        assert_eq!(ratios.median(), 2.5);
    }

    #[test]
    fn subjects_are_sampled_in_turn() {
        let order = std::cell::RefCell::new(Vec::new());
        let spin = |name: char| {
            let started = thread_cpu();
            while thread_cpu().saturating_sub(started) < SAMPLE {}
            order.borrow_mut().push(name);
            Ok(())
        };
        let mut subjects = [
            Subject::once(|| spin('a')).unwrap(),
            Subject::once(|| spin('b')).unwrap(),
        ];
        order.borrow_mut().clear();
        let samples = interleaved(2, &mut subjects).unwrap();
        drop(subjects);
        assert_eq!(order.into_inner(), ['a', 'b', 'a', 'b']);
        assert!(samples[0].median() >= 1e6 * SAMPLE.as_secs_f64());
    }
}
