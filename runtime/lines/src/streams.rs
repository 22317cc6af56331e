//! The standard streams of a program that speaks a protocol.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Sets the standard input and the standard output of the program apart for a protocol. From then on (Unix), what the program and its tools
/// print to the standard output goes to the standard error, and the standard input is empty for them and for the processes that
/// they start. Elsewhere, the streams are shared.
///
/// # Errors
/// Returns an error if a standard stream is closed.
#[cfg(unix)]
pub fn standard_streams() -> io::Result<(impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin)> {
    use std::fs::File;
    use std::os::fd::AsFd as _;

    let (input, output) = (io::stdin(), io::stdout());
    let streams = (input.as_fd().try_clone_to_owned()?, output.as_fd().try_clone_to_owned()?);
    nix::unistd::dup2_stdin(File::open("/dev/null")?)?;
    nix::unistd::dup2_stdout(io::stderr())?;
    let file = |stream| tokio::fs::File::from_std(File::from(stream));
    Ok((file(streams.0), file(streams.1)))
}

#[cfg(not(unix))]
#[expect(missing_docs, clippy::missing_errors_doc, clippy::unnecessary_wraps, reason = "as on Unix")]
pub fn standard_streams() -> io::Result<(impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin)> {
    Ok((tokio::io::stdin(), tokio::io::stdout()))
}
