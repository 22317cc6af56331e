use onionskin::Strict;

#[derive(Strict)]
union Either {
    whole: u32,
    fraction: f32,
}

fn main() {}
