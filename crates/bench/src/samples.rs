//! Times of many tries, and what is said of them.

use std::time::Duration;

/// Times, in the order in which they were taken.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// Adds one.
    pub fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// The times.
    pub fn into_times(self) -> Vec<Duration> {
        self.0
    }

    /// The time that `percent` of the tries did not exceed (nearest rank); zero of none.
    pub fn percentile(&self, percent: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a rank of a few thousand samples"
        )]
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or_default()
    }

    /// The same in milliseconds.
    pub fn ms(&self, percent: f64) -> f64 {
        self.percentile(percent).as_secs_f64() * 1_000.0
    }
}

impl FromIterator<Duration> for Samples {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        Self(times.into_iter().collect())
    }
}

impl Extend<Duration> for Samples {
    fn extend<I: IntoIterator<Item = Duration>>(&mut self, times: I) {
        self.0.extend(times);
    }
}

/// The middle one of some figures.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let of = |n: u64| (1..=n).rev().map(Duration::from_millis).collect::<Samples>();
        let whole = |samples: &Samples, percent| samples.percentile(percent).as_millis();
        assert_eq!((whole(&of(100), 50.0), whole(&of(100), 99.0), whole(&of(100), 100.0)), (50, 99, 100));
        assert_eq!((whole(&of(3), 50.0), whole(&of(3), 99.0), whole(&of(1), 1.0)), (2, 3, 1));
        assert_eq!(whole(&of(0), 99.0), 0);
    }
}
