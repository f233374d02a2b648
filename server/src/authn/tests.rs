//! Who is recognised over HTTP, with a real database behind: cookies, keys, origins, and streams that end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use axum::http::{Method, StatusCode, header};
use http_body_util::BodyExt;
use occ_control::{bootstrap, key, service_principal};
use occ_model::access::{CreateKey, CreateServicePrincipal};
use occ_model::reference::Selector;
use secrecy::ExposeSecret;
use sqlx::PgPool;

use super::COOKIE;
use crate::test_site::{ORIGIN, Site, read};

impl Site {
    /// Signs in by a new one-time link; the cookie as it is sent back.
    async fn sign_in(&self, cookie: Option<&str>) -> String {
        let link = bootstrap::signin_link(&self.test.control.store).await.unwrap();
        let path = format!("/signin/{}", link.expose_secret());
        let mut headers = vec![("origin", ORIGIN)];
        headers.extend(cookie.map(|cookie| ("cookie", cookie)));
        let response = self.send(Method::POST, &path, &headers).await;
        assert_eq!(response.headers()[header::LOCATION], "/console");
        let set = response.headers()[header::SET_COOKIE].to_str().unwrap();
        for rule in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(set.contains(rule), "{rule} in {set}");
        }
        set.split(';').next().unwrap().to_owned()
    }

    async fn key(&self) -> String {
        let cx = self.test.admin();
        let request = CreateServicePrincipal { name: "robot".parse().unwrap() };
        let made = service_principal::create(&cx, request, &occ_control::WriteOptions::default()).await.unwrap();
        let days = CreateKey { days: 1 };
        let issued =
            key::create(&cx, &Selector::Id(made.id), days, &occ_control::WriteOptions::default()).await.unwrap();
        format!("Bearer {}", issued.secret.0)
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_link_begins_a_session_under_a_token_of_its_own(pool: PgPool) {
    let site = Site::new(pool).await;
    let planted = format!("{COOKIE}=AAAAAAAAAAAAAAAAAAAAAA");
    let cookie = site.sign_in(Some(&planted)).await;
    assert_ne!(cookie, planted);
    let (status, me) = site.get("/api/v1/me", &[("cookie", &cookie)]).await;
    assert_eq!((status, me["name"].as_str()), (StatusCode::OK, Some("Ada Admin")));
    let (_, sessions) = site.get("/api/v1/me/sessions", &[("cookie", &cookie)]).await;
    assert_eq!(sessions["items"][0]["current"], true);
    // Signing in again under a session ends that one.
    let next = site.sign_in(Some(&cookie)).await;
    assert_ne!(next, cookie);
    assert_eq!(site.get("/api/v1/me", &[("cookie", &cookie)]).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(site.get("/api/v1/me", &[("cookie", &next)]).await.0, StatusCode::OK);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn signing_out_ends_the_session_for_whoever_kept_the_cookie(pool: PgPool) {
    let site = Site::new(pool).await;
    let cookie = site.sign_in(None).await;
    let foreign = [("cookie", cookie.as_str()), ("origin", "http://evil.test")];
    let stranger = site.send(Method::POST, "/console/sign-out", &foreign).await;
    assert_eq!(stranger.status(), StatusCode::FORBIDDEN);
    assert_eq!(site.get("/api/v1/me", &[("cookie", &cookie)]).await.0, StatusCode::OK);
    let out = site.send(Method::POST, "/console/sign-out", &[("cookie", &cookie), ("origin", ORIGIN)]).await;
    assert_eq!(out.status(), StatusCode::SEE_OTHER);
    assert_eq!(site.get("/api/v1/me", &[("cookie", &cookie)]).await.0, StatusCode::UNAUTHORIZED);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_write_by_cookie_needs_this_servers_own_pages_and_a_key_does_not(pool: PgPool) {
    let site = Site::new(pool).await;
    let cookie = site.sign_in(None).await;
    let path = "/api/v1/bindings/bnd_00000000000000000000000000000001";
    for headers in [
        vec![("cookie", cookie.as_str())],
        vec![("cookie", cookie.as_str()), ("origin", "null")],
        vec![("cookie", cookie.as_str()), ("origin", "http://localhost:7171")],
        vec![("cookie", cookie.as_str()), ("origin", ORIGIN), ("sec-fetch-site", "same-site")],
    ] {
        let (status, problem) = read(site.send(Method::DELETE, path, &headers).await).await;
        assert_eq!((status, problem["code"].as_str()), (StatusCode::FORBIDDEN, Some("ORIGIN_MISMATCH")), "{headers:?}");
    }
    let own = [("cookie", cookie.as_str()), ("origin", ORIGIN), ("sec-fetch-site", "same-origin")];
    assert_eq!(site.send(Method::DELETE, path, &own).await.status(), StatusCode::NOT_FOUND);
    let key = site.key().await;
    // Recognised, and may do nothing.
    let (status, problem) = read(site.send(Method::DELETE, path, &[("authorization", &key)]).await).await;
    assert_eq!((status, problem["code"].as_str()), (StatusCode::NOT_FOUND, Some("NOT_FOUND")));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_two_credentials_at_once_are_refused_and_a_wrong_one_is_not_passed_over(pool: PgPool) {
    let site = Site::new(pool).await;
    let cookie = site.sign_in(None).await;
    let key = site.key().await;
    let (status, problem) = site.get("/api/v1/me", &[("cookie", &cookie), ("authorization", &key)]).await;
    assert_eq!((status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some("MALFORMED_REQUEST")));
    for wrong in ["Bearer occ_0123456789ab_x", "Basic YTpi", "Bearer", ""] {
        let (status, problem) = site.get("/api/v1/me", &[("authorization", wrong)]).await;
        assert_eq!(
            (status, problem["code"].as_str()),
            (StatusCode::UNAUTHORIZED, Some("UNAUTHENTICATED")),
            "{wrong:?}"
        );
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_page_answers_a_wrong_key_as_what_it_is(pool: PgPool) {
    let site = Site::new(pool).await;
    let cookie = site.sign_in(None).await;
    let key = site.key().await;
    let (status, _) = site.get("/console", &[("cookie", &cookie), ("authorization", &key)]).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let anonymous = site.send(Method::GET, "/console", &[]).await;
    assert_eq!(anonymous.headers()[header::LOCATION], "/console/sign-in");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_stream_of_changes_says_where_it_stands_and_ends_with_the_server(pool: PgPool) {
    let site = Site::new(pool).await;
    let cookie = site.sign_in(None).await;
    let response = site.send(Method::GET, "/api/v1/events?kinds=agent,secret", &[("cookie", &cookie)]).await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let first = String::from_utf8(first.to_vec()).unwrap();
    assert!(first.contains("id: 1.") && first.contains("retry: 2000"), "{first}");
    site.shutdown.cancel();
    assert!(body.frame().await.is_none());

    for (path, header, pointer) in [
        ("/api/v1/events?kinds=pods", "1.1.1", Some("/kinds")),
        ("/api/v1/events?since=1", "1.1.1", Some("/since")),
        ("/api/v1/events", "yesterday", None),
    ] {
        let (status, problem) = site.get(path, &[("cookie", &cookie), ("last-event-id", header)]).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
        assert_eq!(problem["errors"][0]["pointer"].as_str(), pointer, "{path}");
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i12_no_request_chooses_an_installation_a_driver_or_a_target(pool: PgPool) {
    let site = Site::new(pool).await;
    let cookie = site.sign_in(None).await;
    for word in ["installation", "driver", "computeDriver", "iamDriver", "target", "host"] {
        assert!(!occ_model::operation::OPERATIONS.iter().any(|row| row.path.contains(&format!("{{{word}}}"))));
        let (status, problem) = site.get(&format!("/api/v1/namespaces?{word}=x"), &[("cookie", &cookie)]).await;
        assert_eq!((status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some("INVALID_QUERY")), "{word}");
        let body = serde_json::json!({ "name": "research", word: "x" });
        let own = [("cookie", cookie.as_str()), ("origin", ORIGIN), ("content-type", "application/json")];
        let sent = site.send_with(Method::POST, "/api/v1/namespaces", &own, body.to_string()).await;
        let (status, problem) = read(sent).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{word}");
        assert_eq!(problem["errors"][0]["pointer"], format!("/{word}"));
        assert_eq!(problem["errors"][0]["code"], "UNKNOWN_FIELD");
    }
}
