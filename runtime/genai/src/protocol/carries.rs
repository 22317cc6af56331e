//! What each protocol carries.

use onionskin_core::content::ContentBlock;
use onionskin_core::model::RequestOption;

use super::Protocol;

/// What a protocol carries. Each carries tools, their results, several calls in one answer, and extra fields of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table with a column for each")]
pub(crate) struct Carries {
    pub(crate) images: bool,
    pub(crate) audio: bool,
    pub(crate) files: Files,
    /// A mark that a result is an error.
    pub(crate) error_marks: bool,
    pub(crate) tool_choice: bool,
    pub(crate) response_schema: bool,
}

/// The files that a protocol carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    None,
    Pdf,
    /// All that have a media type.
    Any,
}

impl Protocol {
    /// The table of what each protocol carries. The guide shows it.
    pub(crate) fn carries(self) -> Carries {
        match self {
            Self::Chat => Carries {
                images: true,
                audio: true,
                files: Files::Pdf,
                error_marks: false,
                tool_choice: true,
                response_schema: true,
            },
            Self::Responses => Carries {
                images: true,
                audio: false,
                files: Files::Pdf,
                error_marks: false,
                tool_choice: true,
                response_schema: true,
            },
            Self::Anthropic => Carries {
                images: true,
                audio: false,
                files: Files::Pdf,
                error_marks: true,
                tool_choice: true,
                response_schema: true,
            },
            Self::Gemini => Carries {
                images: true,
                audio: true,
                files: Files::Any,
                error_marks: true,
                tool_choice: true,
                response_schema: true,
            },
            Self::Ollama => Carries {
                images: true,
                audio: false,
                files: Files::None,
                error_marks: false,
                tool_choice: false,
                response_schema: true,
            },
            Self::Cohere => Carries {
                images: true,
                audio: false,
                files: Files::None,
                error_marks: false,
                tool_choice: true,
                response_schema: true,
            },
            Self::Bedrock => Carries {
                images: true,
                audio: false,
                files: Files::None,
                error_marks: true,
                tool_choice: true,
                response_schema: false,
            },
        }
    }

    /// Whether the protocol has a form for an option.
    pub(crate) fn supports(self, option: RequestOption) -> bool {
        match option {
            RequestOption::ToolChoice => self.carries().tool_choice,
            RequestOption::ResponseSchema => self.carries().response_schema,
            RequestOption::ExtraBody => true,
            // A later version has options that are not known here.
            _ => false,
        }
    }

    /// Whether the protocol has a form for a part of the input.
    pub(crate) fn reads(self, content: &ContentBlock) -> bool {
        let carries = self.carries();
        match content {
            ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => true,
            ContentBlock::Image(_) => carries.images,
            ContentBlock::Audio(_) => carries.audio,
            ContentBlock::Resource(resource) if resource.as_text().is_some() => true,
            ContentBlock::Resource(resource) => match carries.files {
                Files::None => false,
                Files::Pdf => resource.mime_type() == Some("application/pdf"),
                Files::Any => resource.mime_type().is_some(),
            },
            _ => false,
        }
    }
}
