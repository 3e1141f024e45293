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
    sanitizers();
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

/// The host target: the same kernels, through the C++ compiler, optimised in every profile. The
/// probe is built once more over the GPU's arithmetic, with emulated carries.
fn host(units: &[PathBuf]) {
    let all: Vec<_> = units.iter().collect();
    let probe: Vec<_> = units.iter().filter(|unit| unit.starts_with("cuda/probe")).collect();
    host_library("host32", 1, &probe, &[("G16_NS", "g16_host32"), ("G16_LIMB32", "1")]);
    host_library("host", 3, &all, &[("G16_NS", "g16_host")]);
}

/// Sanitizers that `CXXFLAGS` asks the compiler for have libraries of their own.
fn sanitizers() {
    let flags = std::env::var("CXXFLAGS").unwrap_or_default();
    let asked = flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-fsanitize="));
    for name in asked.flat_map(|names| names.split(',')) {
        match name {
            "address" => println!("cargo:rustc-link-arg=-lasan"),
            "undefined" => println!("cargo:rustc-link-arg=-lubsan"),
            _ => println!("cargo:warning=-fsanitize={name} is not linked"),
        }
    }
}

fn host_library(name: &str, level: u32, units: &[&PathBuf], definitions: &[(&str, &str)]) {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .opt_level(level)
        .debug(false)
        .warnings(true)
        .include("cuda")
        .flag("-x")
        .flag("c++")
        .flag_if_supported("-Wno-unknown-pragmas");
    for (definition, value) in definitions {
        build.define(definition, *value);
    }
    let compiler = Compiler::from(&build.get_compiler().to_command());
    let folder = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join(name);
    let library = format!("groth16_{name}");
    match compiler.compile(units, &folder) {
        Ok(objects) => cc::Build::new().cpp(true).objects(objects).compile(&library),
        Err(text) => {
            eprintln!("\n{text}\n");
            std::process::exit(1)
        }
    }
}
