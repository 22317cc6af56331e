mod shop {
    use onionskin::toolbox;

    pub struct Shop;

    #[toolbox]
    impl Shop {
        /// Sells a hammer.
        #[tool]
        fn sell(&self) {}
    }
}

fn main() {
    let _ = shop::Shop.tools();
}
