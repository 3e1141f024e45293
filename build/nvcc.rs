//! The CUDA target: nvcc, the architectures, CUDA's static runtime, and the driver's trampolines.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

use crate::units::Compiler;

/// Variables that choose the toolkit and the architectures.
const VARIABLES: [&str; 5] = ["NVCC", "CUDA_PATH", "CUDA_HOME", "CUDAARCHS", "CXX"];

/// nvcc's flags in every profile. Field code computes constants with functions of the host.
const FLAGS: [&str; 7] = [
    "-std=c++17",
    "-O3",
    "--expt-relaxed-constexpr",
    "-Xcompiler=-fPIC,-ffunction-sections,-fdata-sections",
    "-Icuda",
    "-DG16_NS=g16_cuda",
    "-Wno-deprecated-gpu-targets",
];

/// Compiles the `.cu` files of `units` and links CUDA's runtime and the trampolines.
pub fn build(units: &[PathBuf]) {
    for variable in VARIABLES {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let nvcc = find();
    let mut arguments: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    if let Some(compiler) = env::var_os("CXX").filter(|v| !v.is_empty()) {
        arguments.extend(["-ccbin".into(), compiler]);
    }
    arguments.extend(architectures().into_iter().map(OsString::from));
    let compiler = Compiler { program: nvcc.clone(), arguments, environment: Vec::new() };
    let kernels: Vec<_> =
        units.iter().filter(|unit| unit.extension().is_some_and(|e| e == "cu")).collect();
    match compiler.compile(&kernels, &out_dir().join("nvcc")) {
        Ok(objects) => cc::Build::new().objects(objects).compile("groth16_cuda_kernels"),
        Err(text) => fail(&text),
    }
    link_runtime(&nvcc);
    trampolines();
}

/// `NVCC`, else the one in `CUDA_PATH` or `CUDA_HOME`, else the one in `PATH`, else NVIDIA's
/// usual place.
fn find() -> PathBuf {
    if let Some(nvcc) = env::var_os("NVCC").filter(|v| !v.is_empty()) {
        let nvcc = PathBuf::from(nvcc);
        if runs(&nvcc) {
            return nvcc;
        }
        fail(&format!("NVCC is {}, which does not run", nvcc.display()));
    }
    let roots = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(env::var_os);
    let mut candidates: Vec<_> = roots.map(|root| Path::new(&root).join("bin/nvcc")).collect();
    candidates.push(PathBuf::from("nvcc"));
    candidates.push(PathBuf::from("/usr/local/cuda/bin/nvcc"));
    match candidates.into_iter().find(|nvcc| runs(nvcc)) {
        Some(nvcc) => nvcc,
        None => fail(
            "the feature `cuda` needs NVIDIA's compiler nvcc, and there is none in CUDA_PATH, \
             CUDA_HOME, PATH or /usr/local/cuda.\n\
             Install CUDA's toolkit, version 13.0, and set CUDA_PATH to it; or set NVCC to the \
             compiler; or, in a checkout of this crate, run: eval \"$(.ci/cuda-toolkit)\"",
        ),
    }
}

fn runs(nvcc: &Path) -> bool {
    Command::new(nvcc).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// nvcc's flags for `CUDAARCHS`, in CMake's notation: `90`, `80;90-real`, `native`, `all-major`.
/// Unset: the machine's own devices where one answers, else a binary for every major one.
fn architectures() -> Vec<String> {
    let given = env::var("CUDAARCHS").unwrap_or_default();
    let items: Vec<&str> = given.split([';', ',']).map(str::trim).collect();
    match items[..] {
        [""] if device_answers() => vec!["-arch=native".into()],
        [""] => vec!["-arch=all-major".into()],
        [word @ ("native" | "all" | "all-major")] => vec![format!("-arch={word}")],
        _ => items.into_iter().filter(|item| !item.is_empty()).map(gencode).collect(),
    }
}

/// One architecture: machine code and PTX, or one of them for `-real` and `-virtual`.
fn gencode(item: &str) -> String {
    let (number, kind) = item.split_once('-').unwrap_or((item, ""));
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        fail(&format!("CUDAARCHS holds `{item}`; an architecture is a number, such as 90"));
    }
    let code = match kind {
        "" => format!("[sm_{number},compute_{number}]"),
        "real" => format!("sm_{number}"),
        "virtual" => format!("compute_{number}"),
        _ => fail(&format!("CUDAARCHS holds `{item}`; the endings are -real and -virtual")),
    };
    format!("-gencode=arch=compute_{number},code={code}")
}

fn device_answers() -> bool {
    let output = Command::new("nvidia-smi").arg("-L").output();
    output.is_ok_and(|o| o.status.success() && o.stdout.starts_with(b"GPU "))
}

/// CUDA's runtime, statically; it opens the driver by itself.
fn link_runtime(nvcc: &Path) {
    let found = if nvcc.components().count() == 1 { in_path(nvcc) } else { Some(nvcc.into()) };
    let real = found.and_then(|path| path.canonicalize().ok());
    let root = real.as_deref().and_then(|path| path.parent()?.parent());
    for folder in ["targets/x86_64-linux/lib", "lib64", "lib"] {
        let Some(directory) = root.map(|root| root.join(folder)) else { break };
        if directory.join("libcudart_static.a").is_file() {
            println!("cargo:rustc-link-search=native={}", directory.display());
            break;
        }
    }
    println!("cargo:rustc-link-lib=static=cudart_static");
    for library in ["dl", "rt", "pthread", "stdc++"] {
        println!("cargo:rustc-link-lib={library}");
    }
}

fn in_path(program: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Definitions of the driver's functions that open libcuda.so.1 at the first call, so that a
/// program starts without a driver. Linked whole, they precede the library's on the command line.
fn trampolines() {
    println!("cargo:rerun-if-changed=build");
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("x86_64") {
        fail("the feature `cuda` is written for x86-64 alone");
    }
    let out = out_dir();
    let symbols: String = include_str!("driver_symbols.txt")
        .lines()
        .enumerate()
        .map(|(index, name)| format!("G16_DRIVER_SYMBOL({index}, {name})\n"))
        .collect();
    if let Err(error) = std::fs::write(out.join("driver_symbols.h"), symbols) {
        fail(&format!("{}: {error}", out.display()));
    }
    cc::Build::new()
        .file("build/driver.c")
        .include(&out)
        .opt_level(2)
        .warnings(true)
        .cargo_metadata(false)
        .compile("groth16_cuda_driver");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:+whole-archive=groth16_cuda_driver");
}

fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default())
}

fn fail(message: &str) -> ! {
    eprintln!("\ngroth16-cuda: {message}\n");
    exit(1)
}
