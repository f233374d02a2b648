//! `occ service`: what is written, what systemd is asked, and what is left alone.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sqlx::PgPool;

use crate::world::{Machine, Ran, ended};

/// A `systemctl` that writes down what it is asked.
fn systemctl(machine: &Machine) -> PathBuf {
    let folder = machine.home().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("systemctl");
    std::fs::write(&program, format!("#!/bin/sh\necho \"$@\" >> {}\n", machine.home().join("asked").display()))
        .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A unit of one's own, whoever runs the tests.
fn service(machine: &Machine, bin: &Path, word: &str) -> Ran {
    let mut command = machine.occ(["service", word, "--user"]);
    let path = std::env::join_paths([bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    command.env("PATH", path);
    ended(command)
}

#[sqlx::test(migrations = false)]
async fn i14_the_unit_is_written_asked_for_and_removed_and_anothers_is_left_alone(pool: PgPool) {
    let machine = Machine::new(&pool);
    let bin = systemctl(&machine);
    let shown = service(&machine, &bin, "unit");
    assert!(shown.out.contains("KillMode=process") && shown.out.contains("serve\n"), "{shown:?}");
    assert!(shown.out.contains(&format!("\"OCC_DATA_DIR={}\"", machine.data().display())), "{shown:?}");
    let early = service(&machine, &bin, "install");
    assert!(early.code == 1 && early.err.contains("occ init"), "{early:?}");
    machine.init();
    let unit = machine.home().join(".config/systemd/user/occ.service");
    std::fs::create_dir_all(unit.parent().unwrap()).unwrap();
    std::fs::write(&unit, "[Service]\n").unwrap();
    for word in ["install", "uninstall"] {
        let refused = service(&machine, &bin, word);
        assert!(refused.code == 1 && refused.err.contains("next: "), "{refused:?}");
    }
    std::fs::remove_file(&unit).unwrap();
    assert_eq!(service(&machine, &bin, "install").code, 0);
    assert_eq!(std::fs::read_to_string(&unit).unwrap(), service(&machine, &bin, "unit").out);
    assert_eq!(service(&machine, &bin, "uninstall").code, 0);
    assert!(!unit.exists());
    let asked = std::fs::read_to_string(machine.home().join("asked")).unwrap();
    let asked: Vec<_> = asked.lines().collect();
    let enabled = "--user enable --now occ.service";
    assert_eq!(asked, ["--user daemon-reload", enabled, "--user disable --now occ.service", "--user daemon-reload"]);
}
