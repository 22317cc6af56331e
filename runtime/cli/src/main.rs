//! The ready program: agents of cards and workflow folders, without Rust.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    onionskin_cli::Program::new("onionskin", env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .main()
}
