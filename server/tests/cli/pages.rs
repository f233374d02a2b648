//! Pages asked for at once: each is answered, and the server goes on.

use std::time::Duration;

use futures::{StreamExt as _, stream};
use reqwest::{Client, redirect};
use sqlx::PgPool;

use crate::world::Machine;

/// So many at once make the threads of any machine meet on one page.
const AT_ONCE: usize = 12;
const PAGES: usize = 96;

#[sqlx::test(migrations = false)]
async fn pages_asked_for_at_once_are_all_answered(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let _serving = machine.serve();
    let link = machine.run(&["signin-link"]).out.trim().to_owned();
    let patient = Client::builder().redirect(redirect::Policy::none()).timeout(Duration::from_mins(1));
    let client = patient.build().unwrap();
    let signed_in = client.post(link).header("origin", machine.url()).send().await.unwrap();
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let key = std::fs::read_to_string(machine.data().join("service-key")).unwrap();
    for name in ["alpha", "beta"] {
        let body = serde_json::json!({ "name": name });
        let namespaces =
            client.post(format!("{}/api/v1/namespaces", machine.url())).bearer_auth(key.trim()).json(&body);
        assert_eq!(namespaces.send().await.unwrap().status(), 201);
    }
    let asked = stream::iter(0..PAGES).map(|n| {
        let path = ["/console", "/console/namespaces/alpha", "/console/namespaces/beta/agents"][n % 3];
        let request = client.get(format!("{}{path}", machine.url())).header("cookie", &cookie);
        async move {
            let answer = request.send().await.map_err(|error| format!("{path}: {error}"))?;
            let status = answer.status();
            let page = answer.text().await.map_err(|error| format!("{path}: {error}"))?;
            let whole = status == 200 && page.contains("<h1>") && page.contains("</html>");
            whole.then_some(()).ok_or_else(|| format!("{path}: {status}, {} bytes", page.len()))
        }
    });
    let answers: Vec<Result<(), String>> = asked.buffer_unordered(AT_ONCE).collect().await;
    let failed: Vec<_> = answers.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{} of {PAGES}: {:#?}", failed.len(), failed.iter().take(5).collect::<Vec<_>>());
    assert_eq!(client.get(format!("{}/healthz", machine.url())).send().await.unwrap().status(), 200);
}
