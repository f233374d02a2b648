//! What this process takes of the machine, from `/proc/self`. What cannot be read is left out.

use std::fs;

use occ_model::metric::{CPU_SECONDS, OPEN_FILES, RESIDENT_BYTES};

use super::exposition::Exposition;

/// Reads it.
pub fn gather(text: &mut Exposition) {
    if let Some(bytes) = resident() {
        text.put(&RESIDENT_BYTES, &[], bytes);
    }
    if let Some(seconds) = cpu() {
        text.put(&CPU_SECONDS, &[], seconds);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        text.put(&OPEN_FILES, &[], f64::from(u32::try_from(open.count()).unwrap_or(u32::MAX)));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure is a float; memory below 2^53 bytes is exact")]
fn resident() -> Option<f64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split_whitespace().nth(1)?.parse().ok()?;
    Some((pages * rustix::param::page_size() as u64) as f64)
}

/// Seconds; fields 14 and 15 of `stat`, counted after the name, which may hold blanks.
#[expect(clippy::cast_precision_loss, reason = "a figure is a float; ticks below 2^53 are exact")]
fn cpu() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) as f64 / rustix::param::clock_ticks_per_second() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_takes_memory_and_time() {
        assert!(resident().is_some_and(|bytes| bytes > 1e6));
        assert!(cpu().is_some());
    }
}
