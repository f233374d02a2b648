//! `cargo xtask site`: what `cargo leptos build` does for the browser's side, without a tool that must be installed first.
//!
//! wasm-bindgen is a library of the same lock file as the frontend, so the two can never differ in version. The site is
//! put together beside its place and moved there at the end: a running server never sees half of one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context;

use crate::paths::{npm_program, target, workspace};
use crate::run::{copy_dir, run};
use crate::{assets, paths};

/// Name of the three files in pkg/; `.cargo/config.toml` gives leptos the same one.
const NAME: &str = "console";

/// What to build.
#[derive(clap::Args)]
pub struct Options {
    /// Small instead of quick: optimised, minified, and compressed beforehand.
    #[arg(long)]
    release: bool,
    /// Folder of the target folder that it is built into.
    #[arg(long, default_value = "site")]
    to: String,
}

/// Builds the site into `$CARGO_TARGET_DIR/site`, or into another folder there.
pub fn build(options: &Options) -> anyhow::Result<()> {
    let start = Instant::now();
    anyhow::ensure!(!options.to.contains('/'), "--to names one folder of the target folder");
    let site = target()?.join(&options.to);
    let next = target()?.join(format!("{}.next", options.to));
    remove(&next)?;
    let pkg = next.join("pkg");
    std::fs::create_dir_all(&pkg).with_context(|| format!("cannot make {}", pkg.display()))?;

    bind(&compile(options.release)?, &pkg, options.release)?;
    style(&pkg, options.release)?;
    assets::make()?;
    copy_dir(&workspace()?.join("public"), &next)?;
    if options.release {
        compress(&next)?;
    }

    let last = target()?.join(format!("{}.last", options.to));
    remove(&last)?;
    if site.exists() {
        std::fs::rename(&site, &last).with_context(|| format!("cannot move {} away", site.display()))?;
    }
    std::fs::rename(&next, &site).with_context(|| format!("cannot put the site at {}", site.display()))?;
    remove(&last)?;
    eprintln!("site at {} in {:.1} s", site.display(), start.elapsed().as_secs_f32());
    Ok(())
}

/// Compiles the frontend, in a target folder of its own: it is another target with other features, and would wait for
/// (and be waited for by) every other build.
fn compile(release: bool) -> anyhow::Result<PathBuf> {
    let front = target()?.join("front");
    let (profile, folder) = if release { ("wasm-release", "wasm-release") } else { ("dev", "debug") };
    run(Command::new("cargo")
        .args(["build", "--package=frontend", "--lib", "--locked", "--target=wasm32-unknown-unknown"])
        .arg(format!("--profile={profile}"))
        .arg("--target-dir")
        .arg(&front))?;
    Ok(front.join("wasm32-unknown-unknown").join(folder).join("frontend.wasm"))
}

/// Makes `console.js` and `console.wasm` of the compiled module.
fn bind(module: &Path, pkg: &Path, release: bool) -> anyhow::Result<()> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(false).out_name(NAME);
    if release {
        bindgen.remove_name_section(true).remove_producers_section(true);
    }
    bindgen.generate(pkg).with_context(|| format!("wasm-bindgen cannot read {}", module.display()))?;
    let wasm = pkg.join(NAME).with_extension("wasm");
    std::fs::rename(pkg.join(format!("{NAME}_bg.wasm")), &wasm).context("wasm-bindgen made no module")?;
    if release {
        run(Command::new(npm_program("wasm-opt")?)
            .args(["-Oz", "--enable-bulk-memory", "--enable-nontrapping-float-to-int"])
            .arg(&wasm)
            .arg("-o")
            .arg(&wasm))?;
    }
    Ok(())
}

fn style(pkg: &Path, release: bool) -> anyhow::Result<()> {
    let mut tailwind = Command::new(npm_program("tailwindcss")?);
    tailwind.args(["-i", "style/tailwind.css", "-o"]).arg(pkg.join(NAME).with_extension("css"));
    if release {
        tailwind.arg("--minify");
    }
    run(&mut tailwind)
}

/// A `.br` beside each file that gains by it; the server hands it to browsers that take it.
fn compress(folder: &Path) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            compress(&path)?;
            continue;
        }
        let text =
            path.extension().is_some_and(|e| ["js", "wasm", "css", "svg", "txt", "json"].iter().any(|t| e == *t));
        if !text {
            continue;
        }
        let plain = std::fs::read(&path)?;
        let mut packed = Vec::new();
        let parameters = brotli::enc::BrotliEncoderParams { quality: 11, ..Default::default() };
        brotli::BrotliCompress(&mut plain.as_slice(), &mut packed, &parameters)?;
        if packed.len() < plain.len() {
            let mut name = path.into_os_string();
            name.push(".br");
            std::fs::write(name, packed)?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    debug_assert!(folder.starts_with(paths::target()?));
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
