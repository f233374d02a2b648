//! The class of the machine: what figures depend on, and nothing that names it.

use std::fs;

/// Cores, memory, load at the start.
pub fn describe(quick: bool) -> Vec<(String, String)> {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let field = |path: &str, name: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let memory: u64 = field("/proc/meminfo", "MemTotal").trim_end_matches(" kB").parse().unwrap_or_default();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default().to_owned();
    let mut lines = vec![
        ("cores".to_owned(), format!("{cores} × {}", field("/proc/cpuinfo", "model name"))),
        ("memory".to_owned(), format!("{} GiB", memory >> 20)),
        ("load at the start".to_owned(), load),
        ("build".to_owned(), if cfg!(debug_assertions) { "debug: not for figures" } else { "release" }.to_owned()),
    ];
    if quick {
        lines.push(("quick".to_owned(), "small amounts: shows that it runs, measures nothing".to_owned()));
    }
    lines
}
