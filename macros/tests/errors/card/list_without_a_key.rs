use onionskin::agent;

agent!(["cards/a.md", "cards/b.md"], crate = my::onionskin);

fn main() {}
