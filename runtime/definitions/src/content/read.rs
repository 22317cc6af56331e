//! The texts of content blocks, as a model reads them.

use super::ContentBlock;

/// For the crates of the runtime.
#[doc(hidden)]
impl ContentBlock {
    /// The texts of the block, as a model reads them: a text; the URI and the text of a file; the URI, the
    /// name and the description of a link.
    pub fn read_texts(&self) -> impl Iterator<Item = &str> {
        let texts = match self {
            Self::Text(text) => [Some(text.as_str()), None, None],
            Self::Image(_) | Self::Audio(_) => [None; 3],
            Self::Resource(resource) => [Some(resource.uri()), resource.as_text(), None],
            Self::ResourceLink(link) => [Some(link.uri()), Some(link.name()), link.description()],
        };
        texts.into_iter().flatten()
    }

    /// As [`Self::read_texts`], mutable.
    pub fn read_texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let texts = match self {
            Self::Text(text) => [Some(text), None, None],
            Self::Image(_) | Self::Audio(_) => [None, None, None],
            Self::Resource(resource) => [Some(&mut resource.uri), resource.text.as_mut(), None],
            Self::ResourceLink(link) => {
                [Some(&mut link.uri), Some(&mut link.name), link.description.as_mut()]
            }
        };
        texts.into_iter().flatten()
    }

    /// All texts of the blocks, as a model reads them. Adjacent text blocks are joined; each other text has
    /// its own line.
    pub fn read_together(blocks: &[Self]) -> String {
        let mut all = String::new();
        let mut after_text = false;
        for block in blocks {
            let is_text = block.as_text().is_some();
            for text in block.read_texts() {
                if !(all.is_empty() || is_text && after_text) {
                    all.push('\n');
                }
                all.push_str(text);
            }
            after_text = is_text;
        }
        all
    }
}
