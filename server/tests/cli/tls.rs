//! TLS of its own: served with the files that are named, refused with the place where they cannot be used.

use sqlx::PgPool;

use crate::world::{Machine, ended};

#[sqlx::test(migrations = false)]
async fn https_is_served_and_bad_files_stop_the_start(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| machine.home().join(name));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    let url = format!("https://localhost:{}", machine.port);
    let environment = [
        ("OCC__SERVER__TLS__CERT_FILE", cert.to_str().unwrap()),
        ("OCC__SERVER__TLS__KEY_FILE", key.to_str().unwrap()),
        ("OCC__SERVER__PUBLIC_URL", &url),
    ];
    let serve = || {
        let mut command = machine.occ(["serve"]);
        command.envs(environment);
        command
    };
    let refused = ended(serve());
    let place = format!("server.tls.key_file, {}: cannot be read", key.display());
    assert!(refused.code == 1 && refused.err.contains(&place) && refused.err.contains("next: "), "{refused:?}");

    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let _serving = Machine::served(serve());
    let root = reqwest::Certificate::from_pem(made.cert.pem().as_bytes()).unwrap();
    let client = reqwest::Client::builder().tls_certs_only([root]).no_proxy().build().unwrap();
    // A client that begins a handshake and says nothing holds up nobody.
    let _silent = std::net::TcpStream::connect(("127.0.0.1", machine.port)).unwrap();
    let answer = client.get(format!("{url}/readyz")).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let plain = client.get(format!("http://localhost:{}/readyz", machine.port)).send().await;
    assert!(plain.is_err(), "{plain:?}");
}
