use onionskin::loader::Registry;

struct Question;

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.input::<Question>());
}
