//! `/healthz` (this process lives) and `/readyz` (it can serve, or what is wrong, machine-readable, with a next step).
//!
//! `failing` takes it out of service; a warning does not: somebody should look.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use occ_control::Control;
use occ_store::StoreError;
use occ_store::inspect::{self, Schema};
use serde::Serialize;
use serde_json::json;

use super::state::AppState;

/// One thing that is not as it should be.
#[derive(Debug, Serialize)]
struct Finding {
    /// Its word.
    what: &'static str,
    /// The same for people.
    says: &'static str,
    /// What a person can do.
    next: &'static str,
}

/// What is wrong.
#[derive(Debug, Default)]
struct Findings {
    failing: Vec<Finding>,
    warnings: Vec<Finding>,
}

/// Both probes.
pub fn router() -> Router<AppState> {
    Router::new().route("/healthz", get(async || Json(json!({ "live": true })))).route("/readyz", get(ready))
}

async fn ready(State(state): State<AppState>) -> Response {
    let mut findings = Findings::default();
    if state.shutdown.is_cancelled() {
        findings.failing.push(Finding {
            what: "stopping",
            says: "this process is stopping",
            next: "ask another one, or start `occ serve` again",
        });
    }
    if database(&state.control, &mut findings).await.is_err() {
        findings.failing.push(Finding {
            what: "database",
            says: "the database does not answer",
            next: "start it, or correct the way to it; `occ doctor` says what is wrong",
        });
    }
    let (runtimes, installed) = state.control.compute.runtimes();
    if !installed && !runtimes.is_empty() {
        findings.warnings.push(Finding {
            what: "runtimes",
            says: "the pinned runtimes are not installed, so nothing can be deployed",
            next: "wait until they have arrived, or run `runtimes/install.sh`",
        });
    }
    let ready = findings.failing.is_empty();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let words: Vec<_> = findings.failing.iter().map(|finding| finding.what).collect();
    let body = json!({
        "ready": ready, "failing": words, "explained": findings.failing, "warnings": findings.warnings,
    });
    (status, Json(body)).into_response()
}

/// An error: the database could not be asked.
async fn database(control: &Control, findings: &mut Findings) -> Result<(), StoreError> {
    match inspect::schema(&control.store).await? {
        Schema::Current | Schema::Ahead => {}
        Schema::Absent | Schema::Behind(_) => findings.failing.push(Finding {
            what: "schema",
            says: "the database is not migrated for this program",
            next: "run `occ migrate`",
        }),
        Schema::Unfinished(_) | Schema::Different(_) => findings.failing.push(Finding {
            what: "schema",
            says: "a migration of the database did not finish, or is of another program",
            next: "`occ doctor` names it",
        }),
    }
    let Ok(stuck) = occ_work::stuck(&mut control.store.read().await?).await else { return Ok(()) };
    if stuck.waiting > 0 || stuck.abandoned > 0 {
        findings.warnings.push(Finding {
            what: "work",
            says: "work is due and no controller takes it",
            next: "start a controller, or look at its log and at `occ get work`",
        });
    }
    Ok(())
}
