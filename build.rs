//! Compiles `cuda/` for the host, always, and with nvcc where the feature `cuda` asks for it.

use std::path::{Path, PathBuf};

#[path = "build/nvcc.rs"]
mod nvcc;
#[path = "build/units.rs"]
mod units;

use units::Compiler;

fn main() {
    println!("cargo:rerun-if-changed=cuda");
    println!("cargo:rerun-if-changed=build.rs");
    if only_read() {
        return;
    }
    let mut units = Vec::new();
    collect(Path::new("cuda"), &mut units);
    units.sort();
    host(&units);
    if std::env::var_os("CARGO_FEATURE_CUDA").is_some() {
        nvcc::build(&units);
    }
}

/// Whether the code is read and not run, by clippy or for documentation: no kernels are needed.
/// (clippy's artifacts are its own, so a later build is not without them.)
fn only_read() -> bool {
    println!("cargo:rerun-if-env-changed=DOCS_RS");
    let wrapper = std::env::var("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    wrapper.ends_with("clippy-driver") || std::env::var_os("DOCS_RS").is_some()
}

/// The translation units below `dir`: `.cu` for both targets, `.cpp` for the host alone.
fn collect(dir: &Path, units: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        let extension = path.extension().and_then(|e| e.to_str());
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "tests") {
                collect(&path, units);
            }
        } else if matches!(extension, Some("cu" | "cpp")) {
            units.push(path);
        }
    }
}

/// The host target: the same kernels, through the C++ compiler, optimised in every profile.
fn host(units: &[PathBuf]) {
    let command = cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .debug(false)
        .warnings(true)
        .include("cuda")
        .define("G16_NS", "g16_host")
        .flag("-x")
        .flag("c++")
        .flag_if_supported("-Wno-unknown-pragmas")
        .get_compiler()
        .to_command();
    let compiler = Compiler::from(&command);
    let folder = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("host");
    match compiler.compile(&units.iter().collect::<Vec<_>>(), &folder) {
        Ok(objects) => cc::Build::new().cpp(true).objects(objects).compile("groth16_host"),
        Err(text) => {
            eprintln!("\n{text}\n");
            std::process::exit(1)
        }
    }
}
