//! Whether the machine's memory can hold one more gateway.

use std::fs;

use crate::{Error, Result};

/// What a gateway wants after its first turns.
pub const WANTED: u64 = 1_300 << 20;
/// What stays free for everything else on the machine.
pub const RESERVE: u64 = 512 << 20;

/// Memory of the machine, as the kernel sees it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes that can be used without swapping.
    pub available: u64,
}

impl Capacity {
    /// Asks the kernel.
    pub fn now() -> Result<Self> {
        let path = "/proc/meminfo";
        let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
        let available =
            available(&text).ok_or_else(|| Error::file("understand", path)(std::io::ErrorKind::InvalidData.into()))?;
        Ok(Self { available })
    }

    /// Whether `wanted` bytes fit beside the reserve.
    pub fn admit(self, wanted: u64) -> Result<()> {
        let needed = wanted + RESERVE;
        if self.available < needed {
            return Err(Error::InsufficientCapacity { available: self.available, needed });
        }
        Ok(())
    }
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_is_refused_where_memory_cannot_hold_it() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert!(Capacity { available: WANTED + RESERVE }.admit(WANTED).is_ok());
        assert!(Capacity { available: WANTED + RESERVE - 1 }.admit(WANTED).is_err());
    }
}
