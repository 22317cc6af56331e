use onionskin::secret::VisitSecrets;

#[derive(VisitSecrets)]
struct Login {
    #[visit_secrets(skip)]
    user: String,
}

fn main() {}
