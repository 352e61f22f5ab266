//! Has the linker compress the line tables that backtraces are made from: they would be the larger part of the program.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|v| v == value);
    // Other systems keep line tables in files of their own; other profiles are linked more often than they are copied.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("PROFILE", "release") {
        println!("cargo:rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
    }
}
