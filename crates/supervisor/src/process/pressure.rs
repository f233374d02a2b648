//! Whether processes have to wait for a core, as the kernel measures it.

use std::fs;

/// Share of the last minute, in percent, in which somebody had to wait: from here on the machine counts as busy.
const BUSY: f32 = 40.0;

/// The machine had too few cores for what it ran in the last minute. False where the kernel does not say.
pub fn is_busy() -> bool {
    fs::read_to_string("/proc/pressure/cpu").ok().as_deref().and_then(waiting).is_some_and(|percent| percent >= BUSY)
}

/// `some avg10=… avg60=… avg300=… total=…`
fn waiting(text: &str) -> Option<f32> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    line.split(' ').find_map(|word| word.strip_prefix("avg60="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_the_last_minute_is_read() {
        let text = "some avg10=75.00 avg60=41.50 avg300=1.00 total=3\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        assert_eq!(waiting(text), Some(41.5));
        assert_eq!(waiting("something else"), None);
    }
}
