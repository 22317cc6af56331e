//! Reads from a script's text how much memory it may need.

use rhai::{AST, ASTNode, Expr, Stmt};

use super::size::{ENTRY, SLOT};

/// Values outside of variables: parts of an expression that are computed while the rest is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MemoryNeed {
    /// The most of them at once, in one function.
    pub(super) held: usize,
    /// Bytes of the longest text in the script.
    pub(super) text: usize,
    /// Bytes of the largest array or map that is written out in the script.
    pub(super) literal: usize,
}

impl MemoryNeed {
    pub(crate) fn measure(ast: &AST) -> Self {
        let mut need = Self::default();
        ast.walk(&mut |path: &[ASTNode<'_>]| {
            need.held = need.held.max(path.iter().map(held_by).sum());
            match path.last() {
                Some(ASTNode::Expr(Expr::StringConstant(text, _))) => {
                    need.text = need.text.max(text.len());
                }
                Some(ASTNode::Expr(Expr::Array(items, _))) => {
                    need.literal = need.literal.max(items.len() * SLOT);
                }
                Some(ASTNode::Expr(Expr::Map(map, _))) => {
                    need.literal = need.literal.max(map.0.len() * ENTRY);
                }
                _ => {}
            }
            true
        });
        need
    }
}

/// The amount that a node keeps while one of its parts is computed.
fn held_by(node: &ASTNode<'_>) -> usize {
    match node {
        ASTNode::Expr(Expr::FnCall(call, _) | Expr::MethodCall(call, _))
        | ASTNode::Stmt(Stmt::FnCall(call, _)) => {
            call.args.iter().filter(|arg| !arg.is_constant()).count().saturating_sub(1)
        }
        ASTNode::Expr(Expr::Array(..) | Expr::Map(..) | Expr::InterpolatedString(..) | Expr::Index(..))
        | ASTNode::Stmt(Stmt::For(..)) => 1,
        _ => 0,
    }
}
