use onionskin::secret::VisitSecrets;

#[derive(VisitSecrets)]
union Either {
    whole: u32,
    fraction: f32,
}

fn main() {}
