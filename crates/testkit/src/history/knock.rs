//! Turns straight at the doors, as the supervisor's relay or a late door of OCC's would bring them: each names a revision, whether or not
//! it may run turns, and the door alone decides.

use http::Request;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use occ_driver::ComputeDriver as _;
use occ_driver::fake::Fake;
use occ_model::id::{AgentId, RevisionId};

use super::run::made;
use super::tenancy::Tenancy;

impl Tenancy {
    /// Every revision that was ever made, once.
    pub async fn knock(&self) {
        for (agent, revision) in made(self) {
            // Refused, or nobody there: the door's business.
            let _answered = self.turn(agent, revision).await;
        }
    }

    async fn turn(&self, agent: AgentId, revision: RevisionId) -> anyhow::Result<bool> {
        let door = Fake::on(&self.t.target).connect(self.key(agent)).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(door)).await?;
        let connection = tokio::spawn(connection);
        let body = r#"{"stream":false,"messages":[{"role":"user","content":"knock"}]}"#;
        let request = Request::post("/v1/chat/completions")
            .header("x-occ-revision", revision.to_string())
            .header("x-openclaw-session-key", "knock")
            .body(Full::new(Bytes::from_static(body.as_bytes())))?;
        let admitted = sender.send_request(request).await?.status().is_success();
        connection.abort();
        Ok(admitted)
    }
}
