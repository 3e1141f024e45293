//! Sets `cfg(loom)`, which leaves the locks' and the arena's own tests out.

fn main() {
    println!("cargo:rustc-cfg=loom");
    println!("cargo:rerun-if-changed=build.rs");
}
