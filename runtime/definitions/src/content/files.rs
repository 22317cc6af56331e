//! Content from files and from bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::kinds::media_type;
use super::{Audio, Image, Media, Resource};
use crate::text::base64::encode;

/// The maximum size of a file: 20 MiB, the limit of large providers.
pub const MAX_FILE_BYTES: u64 = 20 * 1024 * 1024;

/// The reason why a file or bytes cannot be content of a message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    #[non_exhaustive]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file has more than [`MAX_FILE_BYTES`].
    #[error("`{}` has more than {MAX_FILE_BYTES} bytes: make it smaller, or link to it with a `ResourceLink`", path.display())]
    #[non_exhaustive]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The kind of the bytes is unknown.
    #[error("{}: give its media type with `Media::new`", self.describe(expected))]
    #[non_exhaustive]
    UnknownKind {
        /// The file; `None` for bytes of the program.
        path: Option<PathBuf>,
        /// What was expected: "a PNG, JPEG, GIF or WebP image".
        expected: &'static str,
    },
}

impl ContentError {
    fn describe(&self, expected: &str) -> String {
        if let Self::UnknownKind { path: Some(path), .. } = self {
            format!("`{}` is not {expected}", path.display())
        } else {
            format!("the bytes are not {expected}")
        }
    }
}

const IMAGE: &str = "a PNG, JPEG, GIF or WebP image";
const AUDIO: &str = "WAV, MP3, Ogg, FLAC or MPEG-4 audio";
const FILE: &str = "text or a PDF document";

fn media(
    bytes: &[u8],
    kind: &str,
    expected: &'static str,
    path: Option<PathBuf>,
) -> Result<Media, ContentError> {
    match media_type(bytes).filter(|found| found.starts_with(kind)) {
        Some(found) => Ok(Media::new(encode(bytes), found)),
        None => Err(ContentError::UnknownKind { path, expected }),
    }
}

async fn media_of(path: &Path, kind: &str, expected: &'static str) -> Result<Media, ContentError> {
    let bytes = read(path.to_owned()).await?;
    media(&bytes, kind, expected, Some(path.to_owned()))
}

impl Image {
    /// Creates an image from the bytes of a PNG, JPEG, GIF or WebP file. Use [`Media::new`] for other kinds.
    ///
    /// # Errors
    /// Returns an error if the bytes do not start like one of these.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ContentError> {
        media(bytes, "image/", IMAGE, None).map(Self)
    }

    /// Reads a PNG, JPEG, GIF or WebP file of at most [`MAX_FILE_BYTES`].
    ///
    /// ```
    /// use onionskin::content::Image;
    /// use onionskin::{AgentHandle, RunOutput};
    ///
    /// async fn describe(agent: &AgentHandle) -> Result<RunOutput, Box<dyn std::error::Error>> {
    ///     Ok(agent.run(("What is this?", Image::from_path("cat.png").await?)).await?)
    /// }
    /// # let _ = describe;
    /// ```
    ///
    /// Cancel safety: dropping the future has no effect. The file may still be read to its end.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is too large, or is not an image of these kinds.
    pub async fn from_path(path: impl AsRef<Path>) -> Result<Self, ContentError> {
        media_of(path.as_ref(), "image/", IMAGE).await.map(Self)
    }
}

impl Audio {
    /// Creates audio from the bytes of a WAV, MP3, Ogg, FLAC or MPEG-4 file. Use [`Media::new`] for other
    /// kinds.
    ///
    /// # Errors
    /// Returns an error if the bytes do not start like one of these.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ContentError> {
        media(bytes, "audio/", AUDIO, None).map(Self)
    }

    /// Reads a WAV, MP3, Ogg, FLAC or MPEG-4 file of at most [`MAX_FILE_BYTES`].
    ///
    /// Cancel safety: as [`Image::from_path`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is too large, or is not audio of these kinds.
    pub async fn from_path(path: impl AsRef<Path>) -> Result<Self, ContentError> {
        media_of(path.as_ref(), "audio/", AUDIO).await.map(Self)
    }
}

impl Resource {
    /// Reads a UTF-8 text, an image, audio or a PDF document of at most [`MAX_FILE_BYTES`]. The URI contains
    /// the name of the file without its folder.
    ///
    /// ```
    /// use onionskin::content::Resource;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let manifest = Resource::from_path("Cargo.toml").await?;
    /// assert_eq!((manifest.uri(), manifest.mime_type()), ("file:///Cargo.toml", Some("text/plain")));
    /// assert!(manifest.as_text().unwrap().contains("[package]"));
    /// # Ok::<_, onionskin::content::ContentError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Cancel safety: as [`Image::from_path`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is too large, or is of another kind.
    pub async fn from_path(path: impl AsRef<Path>) -> Result<Self, ContentError> {
        let path = path.as_ref().to_owned();
        let bytes = read(path.clone()).await?;
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let uri = format!("file:///{}", percent_encoded(&name));
        if let Some(found) = media_type(&bytes) {
            return Ok(Self::blob(uri, encode(&bytes)).with_mime_type(found));
        }
        let text = String::from_utf8(bytes);
        let text = text.ok().filter(|text| !text.contains('\0'));
        let text =
            text.ok_or_else(|| ContentError::UnknownKind { path: Some(path.clone()), expected: FILE })?;
        Ok(Self::text(uri, text).with_mime_type(text_type(&path)))
    }
}

/// The media type of a text, from the name of its file.
fn text_type(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "csv" => "text/csv",
        "xml" => "text/xml",
        "json" => "application/json",
        _ => "text/plain",
    }
}

fn percent_encoded(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    name.bytes().map(byte).collect()
}

/// The bytes of a regular file.
async fn read(path: PathBuf) -> Result<Vec<u8>, ContentError> {
    let of = path.clone();
    let read = move || {
        let file = File::open(&path)?;
        // A device or a pipe may have no end.
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let read = tokio::task::spawn_blocking(read).await.unwrap_or_else(|end| Err(io::Error::other(end)));
    match read {
        Ok(bytes) if bytes.len() as u64 > MAX_FILE_BYTES => Err(ContentError::TooLarge { path: of }),
        Ok(bytes) => Ok(bytes),
        Err(source) => Err(ContentError::Read { path: of, source }),
    }
}
