//! Rules that a type alone does not say: bounds, and keys that do not go together.

use super::Config;
use super::error::ConfigError;
use super::origin::Origins;

/// A rule that is broken: the key, what is wrong, what to do.
type Broken = (&'static str, &'static str, &'static str);

/// The first rule that is broken, as an error at the place that set its key.
pub(super) fn check(config: &Config, origins: &Origins) -> Result<(), ConfigError> {
    match broken(config) {
        None => Ok(()),
        Some((key, what, next)) => Err(ConfigError::new(origins.of(key), what, next)),
    }
}

fn broken(config: &Config) -> Option<Broken> {
    let bounds: [(bool, Broken); 9] = [
        (
            (2..=1000).contains(&config.database.connections),
            ("database.connections", "must be 2 to 1000", "choose a number between them; 16 is the default"),
        ),
        (
            (1..=480).contains(&config.session.absolute_minutes),
            ("session.absolute_minutes", "must be 1 to 480", "choose a number between them; 480 is the default"),
        ),
        (
            (1..=60).contains(&config.session.idle_minutes),
            ("session.idle_minutes", "must be 1 to 60", "choose a number between them; 60 is the default"),
        ),
        (
            (1..=64).contains(&config.controller.slots),
            ("controller.slots", "must be 1 to 64", "choose a number between them; 8 is the default"),
        ),
        (
            (1..=1440).contains(&config.controller.deployment_deadline_minutes),
            (
                "controller.deployment_deadline_minutes",
                "must be 1 to 1440",
                "choose a number between them; 15 is the default",
            ),
        ),
        (
            config.controller.drain_grace_seconds <= 3600,
            ("controller.drain_grace_seconds", "must be at most 3600", "choose a smaller number; 60 is the default"),
        ),
        (
            (1..=3650).contains(&config.controller.keep_work_days),
            ("controller.keep_work_days", "must be 1 to 3650", "choose a number between them; 30 is the default"),
        ),
        (
            (0.0..=1.0).contains(&config.traces.share),
            ("traces.share", "must be 0 to 1", "choose a number between them; 1 traces every request"),
        ),
        (
            config.traces.otlp_endpoint.as_ref().is_none_or(|url| matches!(url.scheme(), "http" | "https")),
            (
                "traces.otlp_endpoint",
                "must be an http or https address",
                "write where the collector takes traces over HTTP, such as http://127.0.0.1:4318/v1/traces",
            ),
        ),
    ];
    bounds.into_iter().find(|(kept, _)| !kept).map(|(_, broken)| broken).or_else(|| together(config))
}

fn together(config: &Config) -> Option<Broken> {
    let url = config.server.public_url.as_ref();
    if url.is_some_and(|url| !matches!(url.scheme(), "http" | "https") || url.host().is_none()) {
        return Some((
            "server.public_url",
            "must be an http or https address",
            "write the address that people use, such as https://occ.example.org",
        ));
    }
    let https = url.is_some_and(|url| url.scheme() == "https");
    if config.server.tls.is_some() && !https {
        return Some((
            "server.public_url",
            "must be the https address that the certificate is for, since server.tls is set",
            "write the address that people use, such as https://occ.example.org",
        ));
    }
    let secured = https && (config.server.tls.is_some() || !config.server.trusted_proxies.is_empty());
    if !config.server.listen.ip().is_loopback() && !secured {
        return Some((
            "server.listen",
            "is not on loopback, and plain HTTP there would make browsers drop the session cookie and show keys on the way",
            "listen on 127.0.0.1; or set server.public_url to an https address, and either server.tls (cert_file, key_file) or \
             server.trusted_proxies for the TLS proxy in front",
        ));
    }
    if tracing_subscriber::EnvFilter::try_new(&config.log.filter).is_err() {
        return Some((
            "log.filter",
            "is not a filter",
            "write a level (error, warn, info, debug, trace), or module=level pairs with commas between",
        ));
    }
    None
}
