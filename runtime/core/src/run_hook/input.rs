//! The input of a run, for programs and run hooks.

use std::borrow::Cow;

use onionskin_definitions::content::{Audio, ContentBlock, Image, Resource, ResourceLink};

/// The input of a run: a text, with images, audio, files or links. Runs accept everything that converts to
/// it: a text, a part, a tuple or a list of parts.
///
/// ```
/// use onionskin::content::{Image, Media};
/// use onionskin::run_hooks::RunInput;
///
/// let mut input = RunInput::from(("My card is 4111 1111. What is this?", Image(Media::new("iVBORw0KGgo=", "image/png"))));
/// input.set_text(input.text().replace("4111 1111", "[card]"));
/// assert_eq!(input.text(), "My card is [card]. What is this?");
/// assert_eq!(input.attachments().count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunInput {
    text: String,
    /// All parts in order, unless there is only one text.
    content: Vec<ContentBlock>,
}

impl RunInput {
    /// Creates an input from a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), content: Vec::new() }
    }

    fn from_parts(content: Vec<ContentBlock>) -> Self {
        let texts: Vec<_> = content.iter().filter_map(ContentBlock::as_text).collect();
        let text = texts.join("\n");
        if texts.len() == content.len() { Self::new(text) } else { Self { text, content } }
    }

    /// The texts of all text parts, joined by line breaks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text. The same text changes nothing, and attachments stay where they are. [`Self::change_texts`] changes each text in its
    /// place.
    ///
    /// If the input has several text parts, those at its beginning and at its end that the new text still has stay. The others get its other
    /// lines: each as many as it had, if there are as many lines as before; otherwise the first one gets them all, and the rest is removed. In an
    /// input without a text part, the text comes first.
    ///
    /// ```
    /// use onionskin::content::{ContentBlock, Image, Media};
    /// use onionskin::run_hooks::RunInput;
    ///
    /// let dot = || Image(Media::new("iVBORw0KGgo=", "image/png"));
    /// let mut input = RunInput::from(("Card 4111:", dot(), "Card 4222:", dot()));
    /// input.set_text(input.text().replace("4222", "[card]"));
    /// assert_eq!(input, RunInput::from(("Card 4111:", dot(), "Card [card]:", dot())));
    /// ```
    pub fn set_text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if text == self.text {
            return;
        }
        if !self.content.is_empty() {
            let parts: Vec<_> = self.content.iter().filter_map(ContentBlock::as_text).collect();
            let is_without = parts.is_empty();
            let mut changed = changed_parts(&parts, &text).into_iter();
            let content = std::mem::take(&mut self.content);
            let remaining = content.into_iter().filter_map(|part| match part {
                ContentBlock::Text(_) => changed.next().flatten().map(ContentBlock::Text),
                other @ (ContentBlock::Image(_)
                | ContentBlock::Audio(_)
                | ContentBlock::Resource(_)
                | ContentBlock::ResourceLink(_)) => Some(other),
            });
            self.content = remaining.collect();
            if is_without {
                self.content.insert(0, ContentBlock::Text(text.clone()));
            }
        }
        self.text = text;
    }

    /// The text, by value.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Appends a part: an image, audio, a file, a link, or another text.
    ///
    /// ```
    /// use onionskin::content::Resource;
    /// use onionskin::run_hooks::RunInput;
    ///
    /// let mut input = RunInput::new("Sum it up.");
    /// input.attach(Resource::text("file:///notes.md", "# Notes"));
    /// assert_eq!(input.attachments().count(), 1);
    /// ```
    pub fn attach(&mut self, part: impl Into<ContentBlock>) {
        let mut content = std::mem::take(&mut self.content);
        if content.is_empty() && !self.text.is_empty() {
            content.push(ContentBlock::Text(std::mem::take(&mut self.text)));
        }
        content.push(part.into());
        *self = Self::from_parts(content);
    }

    /// The parts that are not text, in order.
    pub fn attachments(&self) -> impl Iterator<Item = &ContentBlock> {
        self.content.iter().filter(|part| part.as_text().is_none())
    }

    /// Keeps the attachments for which `keep` returns true.
    pub fn retain_attachments(&mut self, mut keep: impl FnMut(&ContentBlock) -> bool) {
        let mut content = std::mem::take(&mut self.content);
        content.retain(|part| part.as_text().is_some() || keep(part));
        if !content.is_empty() {
            *self = Self::from_parts(content);
        }
    }

    /// The texts that the model reads: the text; the address and the text of each attached file; the address, the name and the description of
    /// each link.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text()).chain(self.attachments().flat_map(ContentBlock::read_texts))
    }

    /// Replaces each text that the model reads with the result of `change`; `None` keeps the text.
    pub fn change_texts(&mut self, mut change: impl FnMut(&str) -> Option<String>) {
        if self.content.is_empty() {
            if let Some(changed) = change(&self.text) {
                self.text = changed;
            }
            return;
        }
        let mut content = std::mem::take(&mut self.content);
        for text in content.iter_mut().flat_map(ContentBlock::read_texts_mut) {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
        *self = Self::from_parts(content);
    }

    /// All parts in order, unless there is only one text.
    pub(crate) fn into_parts(self) -> Vec<ContentBlock> {
        self.content
    }

    /// The input that was stored as a text and its parts.
    pub(crate) fn stored(text: String, parts: Vec<ContentBlock>) -> Self {
        if parts.is_empty() { Self::new(text) } else { Self::from_parts(parts) }
    }
}

/// Distributes a new text to these text parts; `None` removes a part.
fn changed_parts(parts: &[&str], text: &str) -> Vec<Option<String>> {
    let (mut start, mut end, mut rest) = (0, parts.len(), text);
    while end - start > 1
        && let Some(behind) = rest.strip_prefix(parts[start]).and_then(|rest| rest.strip_prefix('\n'))
    {
        (start, rest) = (start + 1, behind);
    }
    while end - start > 1
        && let Some(before) = rest.strip_suffix(parts[end - 1]).and_then(|rest| rest.strip_suffix('\n'))
    {
        (end, rest) = (end - 1, before);
    }
    let mut changed: Vec<_> = parts.iter().map(|part| Some((*part).to_owned())).collect();
    let (others, lines) = (&mut changed[start..end], rest.split('\n').collect::<Vec<_>>());
    let counts: Vec<_> = parts[start..end].iter().map(|part| part.split('\n').count()).collect();
    let mut left = &lines[..];
    if counts.iter().sum::<usize>() == lines.len() {
        for (part, count) in others.iter_mut().zip(counts) {
            let (of_part, behind) = left.split_at(count);
            (*part, left) = (Some(of_part.join("\n")), behind);
        }
    } else {
        others.fill(None);
        if let Some(first) = others.first_mut() {
            *first = Some(rest.to_owned());
        }
    }
    if changed.iter().flatten().any(String::is_empty) {
        // A provider refuses an empty part.
        let whole = (!text.is_empty()).then(|| text.to_owned());
        changed.fill(None);
        if let Some(first) = changed.first_mut() {
            *first = whole;
        }
    }
    changed
}

macro_rules! texts {
    ($($text:ty),*) => {
        $(
            impl From<$text> for RunInput {
                fn from(text: $text) -> Self {
                    Self::new(text)
                }
            }
        )*
    };
}

texts!(String, &str, &String, &mut str, Box<str>, Cow<'_, str>, char);

macro_rules! parts {
    ($($part:ty),*) => {
        $(
            impl From<$part> for RunInput {
                fn from(part: $part) -> Self {
                    Self::from_parts(vec![part.into()])
                }
            }
        )*
    };
}

parts!(ContentBlock, Image, Audio, Resource, ResourceLink);

impl From<Vec<ContentBlock>> for RunInput {
    fn from(parts: Vec<ContentBlock>) -> Self {
        Self::from_parts(parts)
    }
}

impl<const N: usize> From<[ContentBlock; N]> for RunInput {
    fn from(parts: [ContentBlock; N]) -> Self {
        Self::from_parts(parts.into())
    }
}

macro_rules! tuples {
    ($($part:ident)+) => {
        impl<$($part: Into<ContentBlock>),+> From<($($part,)+)> for RunInput {
            #[allow(non_snake_case, reason = "each part is named as its type")]
            fn from(($($part,)+): ($($part,)+)) -> Self {
                Self::from_parts(vec![$($part.into()),+])
            }
        }
    };
}

tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
