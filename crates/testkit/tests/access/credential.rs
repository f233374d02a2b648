//! "Check" of a model key: a stored value goes where its own administrator sends it, and nowhere unrecorded.

use occ_control::credential_check::check;
use occ_model::agent::{CheckCredential, CredentialCheck};
use occ_model::deployment::CredentialProof;
use occ_model::operation::{Action, Kind};
use occ_model::problem::Code;
use occ_model::secret::RedactedText;
use occ_testkit::TestControl;
use occ_testkit::trace::{audited, stored_anywhere};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::common::{a_secret, places, sel};

/// A provider that takes every key: its address, and the heads of the requests that it got.
async fn provider() -> (String, UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let (send, heads) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = vec![0; 4096];
            let read = stream.read(&mut head).await.unwrap_or_default();
            send.send(String::from_utf8_lossy(&head[..read]).into_owned()).unwrap();
            let answer =
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{\"data\":[]}";
            stream.write_all(answer).await.unwrap();
        }
    });
    (address, heads)
}

fn stored(base_url: &str) -> CheckCredential {
    CheckCredential {
        provider: "mine".to_owned(),
        base_url: Some(base_url.to_owned()),
        api: Some("openai-completions".to_owned()),
        api_key: None,
        secret: Some(sel("key")),
    }
}

fn proven(answer: Result<CredentialCheck, occ_control::Error>) {
    assert_eq!(answer.unwrap().proof, CredentialProof::Proven);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i11_whoever_may_only_use_a_secret_cannot_send_its_value_to_an_address_of_theirs(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let tenant = test.tenant("papers").await.unwrap();
    a_secret(&test.admin(), &tenant, "key").await;
    let builder = test.person("Builder").await.unwrap();
    test.bind(&builder, "agent-developer", Some(tenant.namespace.id)).await.unwrap();
    let (address, mut heads) = provider().await;
    let ns = sel("papers");
    let refused = check(&test.cx(&builder), &ns, stored(&address)).await;
    assert_eq!(places(refused), (Code::Forbidden, vec![("/baseUrl".to_owned(), "NOT_HELD".to_owned())]));
    assert!(heads.try_recv().is_err(), "the provider was asked");
    // What they typed themselves is theirs to send.
    let typed = CheckCredential { api_key: Some(RedactedText("sk-mine".into())), secret: None, ..stored(&address) };
    proven(check(&test.cx(&builder), &ns, typed).await);
    assert!(heads.recv().await.unwrap().contains("sk-mine"));
    // Who administers the Secret (of the Namespace or of Secrets) may.
    for who in [&test.admin, &tenant.developer] {
        proven(check(&test.cx(who), &ns, stored(&address)).await);
        assert!(heads.recv().await.unwrap().contains("s3cret-value"));
    }
    assert_eq!(stored_anywhere(&pool, "s3cret-value").await.unwrap(), Vec::<String>::new());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i20_taking_a_stored_key_is_on_the_record_before_anybody_is_asked_and_so_is_the_refusal(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let tenant = test.tenant("papers").await.unwrap();
    a_secret(&test.admin(), &tenant, "key").await;
    let ns = sel("papers");
    let (address, mut heads) = provider().await;
    let cx = test.cx(&tenant.developer);
    proven(check(&cx, &ns, stored(&address)).await);
    let ended = |outcome: &str, reason: Option<&str>| (outcome.to_owned(), reason.map(str::to_owned));
    let action = "agent.check_credential";
    assert_eq!(audited(&pool, action).await.unwrap(), [ended("success", None)]);
    let details: serde_json::Value = sqlx::query_scalar("SELECT details FROM audit_event WHERE action = $1")
        .bind(action)
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(details, serde_json::json!({ "version": 1, "host": "127.0.0.1" }));
    heads.recv().await.unwrap();
    // Who may make Agents and may not use Secrets: not usable, like one that is not there.
    let maker: occ_policy::PermissionSet =
        [(Action::Create, Kind::Agent), (Action::Administer, Kind::Secret)].into_iter().collect();
    let maker = test.person_with(&"maker".parse().unwrap(), &maker).await.unwrap();
    let denied = places(check(&test.cx(&maker), &ns, stored(&address)).await);
    assert_eq!(denied.0, Code::ReferenceUnusable);
    let absent = CheckCredential { secret: Some(sel("absent")), ..stored(&address) };
    assert_eq!(places(check(&test.cx(&maker), &ns, absent.clone()).await), denied);
    assert_eq!(places(check(&cx, &ns, absent).await), denied);
    assert_eq!(audited(&pool, action).await.unwrap().iter().filter(|(outcome, _)| outcome == "denied").count(), 2);
    // Where it cannot be recorded, nobody is asked.
    sqlx::query("ALTER TABLE audit_event RENAME TO gone").execute(&pool).await.unwrap();
    assert!(check(&cx, &ns, stored(&address)).await.is_err());
    assert!(heads.try_recv().is_err(), "the provider was asked");
}
