//! What the site takes from npm: the bundled code editor and the two fonts, with their licences. They go to public/ (not
//! committed), where `cargo leptos watch` finds them too.

use std::process::Command;

use anyhow::Context;

use crate::paths::{npm_program, workspace};
use crate::run::{copy, run};

const FONTS: [&str; 2] = ["inter", "jetbrains-mono"];

/// Makes public/vendor and public/fonts.
pub fn make() -> anyhow::Result<()> {
    editor()?;
    fonts()
}

fn editor() -> anyhow::Result<()> {
    run(Command::new(npm_program("esbuild")?).args([
        "style/editor.js",
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2022",
        "--log-level=warning",
        "--legal-comments=linked",
        "--outfile=public/vendor/editor.js",
    ]))
}

fn fonts() -> anyhow::Result<()> {
    let top = workspace()?;
    let to = top.join("public/fonts");
    std::fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    for font in FONTS {
        let from = top.join("node_modules/@fontsource-variable").join(font);
        let file = format!("{font}-latin-wght-normal.woff2");
        copy(&from.join("files").join(&file), &to.join(&file))?;
        copy(&from.join("LICENSE"), &to.join(format!("{font}.LICENSE.txt")))?;
    }
    Ok(())
}
