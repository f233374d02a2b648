//! PostgreSQL itself dies and comes back on the same data, as after a crash or a fail-over.

use std::time::Duration;

use occ_driver::fake::{Fault, Gate, Method, Rule};
use occ_model::problem::Code;
use occ_postgres::{Config, Embedded, Status};
use occ_testkit::Worker;

use crate::scene::{Scene, connections, keyed};

/// The server of a folder; ended with the value.
struct Server(Config, tempfile::TempDir);

impl Server {
    async fn start() -> (Self, String) {
        let folder = tempfile::Builder::new().prefix("occ-pg").tempdir_in("/var/tmp").unwrap();
        let config = Config::new(folder.path().join("pg"));
        let found = Embedded::ensure(&config).await.unwrap();
        (Self(config, folder), found.owner_url())
    }

    /// As a machine dies: nothing is said, nothing is written any more.
    async fn die(&self) {
        let Status::Running(_) = Embedded::status(&self.0).await.unwrap() else { panic!("it does not run") };
        let pid = std::fs::read_to_string(self.0.dir.join("data/postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap().to_owned();
        // The children end when their parent is gone.
        assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        while std::path::Path::new(&format!("/proc/{pid}")).exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn come_back(&self) {
        Embedded::ensure(&self.0).await.unwrap();
    }

    async fn stop(self) {
        Embedded::stop(&self.0).await.unwrap();
        drop(self.1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn i3_a_server_that_dies_and_comes_back_has_lost_nothing_that_was_answered() {
    let (server, url) = Server::start().await;
    let pool = connections(url.parse().unwrap(), 12).await;
    occ_store::MIGRATIONS.run(&pool).await.unwrap();
    let scene = Scene::new(pool.clone()).await;
    let gate = Gate::closed();
    scene.t.target.rule(Rule::new(Method::Prepare, Fault::Gate(gate.clone())));
    let worker = Worker::start(&scene.t.control);
    let made = scene.deploy(&scene.t, &keyed("once")).await.unwrap();
    gate.entered().await;
    server.die().await;
    let meanwhile = scene.deploy(&scene.t, &keyed("later")).await;
    assert_eq!(meanwhile.unwrap_err().problem().code, Code::Unavailable);
    server.come_back().await;
    gate.open();
    // The same answer as before, and no second deployment.
    let mut again = scene.deploy(&scene.t, &keyed("once")).await;
    while again.as_ref().is_err_and(|error| error.problem().code == Code::Unavailable) {
        again = scene.deploy(&scene.t, &keyed("once")).await;
    }
    assert_eq!(again.unwrap().deployment.id, made.deployment.id);
    scene.serves(&made).await;
    worker.end().await;
    pool.close().await;
    server.stop().await;
}
