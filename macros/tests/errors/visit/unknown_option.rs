#[derive(onionskin::secret::VisitSecrets)]
#[visit_secrets(skip)]
struct Login {
    user: String,
}

fn main() {}
