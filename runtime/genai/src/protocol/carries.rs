//! What each protocol carries.

use onionskin_core::content::ContentBlock;
use onionskin_core::model::ModelError;
use onionskin_core::model::RequestOption::{
    self, ExtraBody, ParallelToolCalls, ReasoningEffort, ResponseSchema, Seed, ServiceTier, StopSequences,
    ToolChoice, Verbosity,
};

use genai::adapter::AdapterKind;

use super::Protocol;

const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const GEMINI_IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const OLLAMA_IMAGES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];
const CHAT_AUDIO: [&str; 2] = ["audio/wav", "audio/mpeg"];
const GEMINI_AUDIO: [&str; 8] = [
    "audio/wav",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "audio/mp4",
    "audio/webm",
];

/// All options of a request.
const OPTIONS: [RequestOption; 9] = [
    ToolChoice,
    ResponseSchema,
    ExtraBody,
    StopSequences,
    Seed,
    ReasoningEffort,
    Verbosity,
    ServiceTier,
    ParallelToolCalls,
];

/// What a protocol carries. Each carries tools, their results, several calls in one answer, and extra fields of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Carries {
    /// The media types of images that it reads.
    pub(crate) images: &'static [&'static str],
    pub(crate) audio: &'static [&'static str],
    pub(crate) files: Files,
    /// A mark that a result is an error.
    pub(crate) error_marks: bool,
    /// The options of a request that the protocol supports.
    pub(crate) options: &'static [RequestOption],
}

/// The files that a protocol carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    None,
    Pdf,
    /// All that have a media type.
    Any,
}

/// The usual images, no sounds, no files and no marks of errors, with all options.
const NO_FILES: Carries =
    Carries { images: &IMAGES, audio: &[], files: Files::None, error_marks: false, options: &OPTIONS };
/// The same, and PDF files.
const PDF: Carries = Carries { files: Files::Pdf, ..NO_FILES };

impl Protocol {
    /// The table of what each protocol carries. The book shows it.
    pub(crate) fn carries(self) -> Carries {
        match self {
            Self::Chat => Carries { audio: &CHAT_AUDIO, ..PDF },
            Self::Responses => Carries {
                options: &[
                    ToolChoice,
                    ResponseSchema,
                    ExtraBody,
                    ReasoningEffort,
                    Verbosity,
                    ServiceTier,
                    ParallelToolCalls,
                ],
                ..PDF
            },
            Self::Anthropic => Carries {
                error_marks: true,
                options: &[
                    ToolChoice,
                    ResponseSchema,
                    ExtraBody,
                    StopSequences,
                    ReasoningEffort,
                    ServiceTier,
                    ParallelToolCalls,
                ],
                ..PDF
            },
            Self::Gemini => Carries {
                images: &GEMINI_IMAGES,
                audio: &GEMINI_AUDIO,
                files: Files::Any,
                error_marks: true,
                options: &[
                    ToolChoice,
                    ResponseSchema,
                    ExtraBody,
                    StopSequences,
                    Seed,
                    ReasoningEffort,
                    ServiceTier,
                ],
            },
            Self::Ollama => Carries {
                images: &OLLAMA_IMAGES,
                options: &[ResponseSchema, ExtraBody, StopSequences, Seed, ReasoningEffort],
                ..NO_FILES
            },
            Self::Cohere => {
                Carries { options: &[ToolChoice, ResponseSchema, ExtraBody, StopSequences, Seed], ..NO_FILES }
            }
            Self::Bedrock => Carries {
                error_marks: true,
                options: &[ToolChoice, ExtraBody, StopSequences, ServiceTier],
                ..NO_FILES
            },
        }
    }

    /// Whether the protocol has a form for an option. A later version has options that are not known here.
    pub(crate) fn supports(self, option: RequestOption) -> bool {
        self.carries().options.contains(&option)
    }

    /// # Errors
    /// Returns an error if the protocol has no form for an option. It names the protocol as users of `kind` do.
    pub(crate) fn check_option(self, kind: AdapterKind, option: RequestOption) -> Result<(), ModelError> {
        if self.supports(option) {
            return Ok(());
        }
        let reason = format!("the protocol `{}` has no form for it", kind.as_lower_str());
        Err(ModelError::unsupported(option, reason))
    }

    /// Whether the protocol has a form for a part of the input.
    pub(crate) fn reads(self, content: &ContentBlock) -> bool {
        let carries = self.carries();
        match content {
            _ if !content.is_valid() => false,
            ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => true,
            ContentBlock::Image(media) => carries.images.contains(&media.mime_type()),
            ContentBlock::Audio(media) => carries.audio.contains(&media.mime_type()),
            ContentBlock::Resource(resource) if resource.as_text().is_some() => true,
            ContentBlock::Resource(resource) => resource.mime_type().is_some_and(|mime_type| {
                let kind = mime_type.split('/').next().unwrap_or_default();
                match (kind, carries.files) {
                    ("image", _) => carries.images.contains(&mime_type),
                    ("audio", _) => carries.audio.contains(&mime_type),
                    (_, Files::None) => false,
                    (_, Files::Pdf) => mime_type == "application/pdf",
                    (_, Files::Any) => true,
                }
            }),
        }
    }
}
