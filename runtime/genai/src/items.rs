//! The items of an answer, distinguished by the marks of their events. The number of an item is the same in all of its events, and a call has an
//! id of its own. The ids of items are weak marks: some servers make a new one for each event, or give none.

use std::collections::HashMap;

use onionskin_core::model::ModelError;

use crate::bounds;
use crate::carried::Place;

/// The items so far.
#[derive(Default)]
pub(crate) struct Items {
    all: Vec<Item>,
    /// The latest item under each mark of its kind.
    marked: HashMap<(String, Mark), usize>,
    /// The items in the order of the answer.
    order: Vec<usize>,
    /// Where the next item of the last list comes in this order.
    next: usize,
}

#[derive(PartialEq, Eq, Hash)]
enum Mark {
    Number(String),
    Id(String),
    Call(String),
    /// The latest of its kind.
    Latest,
}

/// An item.
#[derive(Default)]
pub(crate) struct Item {
    kind: String,
    number: String,
    id: String,
    call_id: String,
    /// The number of its call.
    pub(crate) call: Option<usize>,
    /// The number of the block that goes back.
    pub(crate) block: Option<usize>,
    /// Whether a piece of its reasoning has come.
    pub(crate) is_thought: bool,
    /// Whether a message is the answer or only said on the way, in the words of the provider.
    pub(crate) phase: String,
    /// The bytes of the answer's text that are its own.
    texts: Vec<(usize, usize)>,
    ended: bool,
    listed: bool,
}

/// What an event says of the item that it belongs to. What it does not say is empty.
#[derive(Clone, Copy)]
pub(crate) struct Marks<'a> {
    pub(crate) kind: &'a str,
    pub(crate) number: &'a str,
    pub(crate) id: &'a str,
    pub(crate) call_id: &'a str,
}

impl Items {
    pub(crate) fn get(&mut self, at: usize) -> &mut Item {
        &mut self.all[at]
    }

    /// The item of a piece, or of an item that has ended.
    pub(crate) fn find(&self, marks: &Marks<'_>) -> Option<usize> {
        let open = self.marked(marks, Mark::Latest).filter(|at| !self.all[*at].ended);
        self.known(marks).or(open).filter(|at| self.all[*at].fits(marks))
    }

    /// The item that begins, if it has begun before. One that has ended can begin again as another one, except a call of the same id.
    pub(crate) fn find_begun(&self, marks: &Marks<'_>) -> Option<usize> {
        self.known(marks).filter(|at| !self.all[*at].ended || !marks.call_id.is_empty())
    }

    /// The item of this number, whatever id its call has.
    pub(crate) fn numbered(&self, marks: &Marks<'_>) -> Option<usize> {
        self.marked(marks, Mark::Number(marks.number.to_owned()))
    }

    /// The strongest mark first. An item of another number is another one.
    fn known(&self, marks: &Marks<'_>) -> Option<usize> {
        let by = |mark: &str, make: fn(String) -> Mark| {
            let at = (!mark.is_empty()).then(|| self.marked(marks, make(mark.to_owned()))).flatten();
            at.filter(|at| self.all[*at].fits(marks))
        };
        by(marks.call_id, Mark::Call)
            .or_else(|| by(marks.id, Mark::Id))
            .or_else(|| by(marks.number, Mark::Number))
    }

    fn marked(&self, marks: &Marks<'_>, mark: Mark) -> Option<usize> {
        self.marked.get(&(marks.kind.to_owned(), mark)).copied()
    }

    /// The item of the whole answer that is the next one in its list. Its number is its place there, which is another one if the list lacks
    /// items. Each item that came before is in the list once.
    pub(crate) fn find_listed(&self, marks: &Marks<'_>) -> Option<usize> {
        let unlisted = || {
            let all = self.all.iter().enumerate();
            all.filter(|(_, item)| !item.listed && item.kind == marks.kind && item.calls_as(marks))
        };
        let first = |is_it: &dyn Fn(&Item) -> bool| unlisted().find(|(_, item)| is_it(item));
        first(&|item| !marks.call_id.is_empty() && item.call_id == marks.call_id)
            .or_else(|| first(&|item| !marks.id.is_empty() && item.id == marks.id))
            .or_else(|| first(&|item| item.number == marks.number))
            .or_else(|| first(&|_| true))
            .map(|(at, _)| at)
    }

    /// Begins an item, behind the last one of the list or of the stream.
    ///
    /// # Errors
    /// Returns an error if the answer has too many.
    pub(crate) fn begin(&mut self, marks: &Marks<'_>) -> Result<usize, ModelError> {
        let at = self.all.len();
        if at == bounds::BLOCKS {
            return Err(ModelError::Malformed(format!("it has more than {} items", bounds::BLOCKS)));
        }
        let [number, id, call_id] = [marks.number, marks.id, marks.call_id].map(str::to_owned);
        self.all.push(Item { kind: marks.kind.to_owned(), number, id, call_id, ..Item::default() });
        self.order.insert(self.next.min(at), at);
        self.next += 1;
        self.mark(at, marks);
        Ok(at)
    }

    /// Notes the marks of an event of an item.
    pub(crate) fn mark(&mut self, at: usize, marks: &Marks<'_>) {
        let item = &mut self.all[at];
        for (own, new) in
            [(&mut item.number, marks.number), (&mut item.id, marks.id), (&mut item.call_id, marks.call_id)]
        {
            if own.is_empty() {
                new.clone_into(own);
            }
        }
        let [number, id, call_id] = [marks.number, marks.id, marks.call_id].map(str::to_owned);
        for (is_known, mark) in [
            (!number.is_empty(), Mark::Number(number)),
            (!id.is_empty(), Mark::Id(id)),
            (!call_id.is_empty(), Mark::Call(call_id)),
            (true, Mark::Latest),
        ] {
            if is_known {
                self.marked.insert((marks.kind.to_owned(), mark), at);
            }
        }
    }

    /// Begins the list of the whole answer.
    pub(crate) fn begin_list(&mut self) {
        self.next = 0;
    }

    /// Notes that the list has an item, and that the next one comes behind it.
    pub(crate) fn list(&mut self, at: usize) {
        self.all[at].listed = true;
        if let Some(place) = self.order.iter().position(|known| *known == at) {
            self.next = place + 1;
        }
    }

    /// The places of all items, in order.
    pub(crate) fn places(&self) -> Vec<Place> {
        let of = |item: &Item| {
            let texts = item.texts.clone().into_iter().map(|(from, to)| Place::Text(from, to));
            let (block, call) = (item.block.map(Place::Block), item.call.map(Place::Call));
            block.into_iter().chain(texts).chain(call).collect::<Vec<_>>()
        };
        self.order.iter().flat_map(|at| of(&self.all[*at])).collect()
    }

    /// The phases of texts, by the first byte of each.
    pub(crate) fn phases(&self) -> Vec<(usize, String)> {
        let phased = self.all.iter().filter(|item| !item.phase.is_empty());
        phased.flat_map(|item| item.texts.iter().map(|(from, _)| (*from, item.phase.clone()))).collect()
    }
}

impl Item {
    /// Whether what the marks say is not against it.
    fn fits(&self, marks: &Marks<'_>) -> bool {
        let numbered = marks.number.is_empty() || self.number.is_empty() || self.number == marks.number;
        numbered && self.calls_as(marks)
    }

    fn calls_as(&self, marks: &Marks<'_>) -> bool {
        marks.call_id.is_empty() || self.call_id.is_empty() || self.call_id == marks.call_id
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Adds bytes of the answer's text.
    pub(crate) fn say(&mut self, from: usize, to: usize) {
        match self.texts.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ if from < to => self.texts.push((from, to)),
            _ => {}
        }
    }

    /// The bytes of the answer's text that are its own.
    pub(crate) fn texts(&self) -> &[(usize, usize)] {
        &self.texts
    }
}
