//! The mutants of a source text: sites found by `syn`, each with the edits that make them possible.
//!
//! Invariant: the edits of a site enclose or replace tokens and never repeat an operand, so that sites may be nested.
//! Not here: code of tests, constants and constant functions, unsafe blocks, the arguments of macros.

use crate::change::{Change, MutationKind};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ReturnType, Signature, Stmt, Type};

/// Characters of a change that are shown.
const SHOWN_MAX: usize = 60;
/// What stands for the number of a site's first mutant in the text of an edit.
pub const NUMBER: &str = "#NUMBER#";

/// An edit of the source text.
#[derive(Clone, Debug)]
pub struct SourceEdit {
    /// The bytes that it replaces; none, if it inserts.
    pub bytes: Range<usize>,
    /// What it puts there.
    pub text: String,
    /// How deep its site is nested.
    pub depth: usize,
}

/// A place with one mutant or several, of which a number chooses one at run time.
#[derive(Clone, Debug)]
pub struct Site {
    /// The bytes of the source text that it is.
    pub bytes: Range<usize>,
    /// Its mutants, in the order of their numbers.
    pub changes: Vec<Change>,
    /// What makes them possible.
    pub edits: Vec<SourceEdit>,
}

/// All sites of the file `name`, whose text is `text`.
///
/// # Errors
/// If the text is no Rust.
pub fn sites(name: &str, text: &str) -> syn::Result<Vec<Site>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { file: name, text, function: String::new(), depth: 0, sites: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.sites)
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    function: String,
    depth: usize,
    sites: Vec<Site>,
}

/// The function that decides a binary operator at run time, and what the operator may become.
fn operator(op: &BinOp) -> Option<(&'static str, &'static [(MutationKind, &'static str)])> {
    use MutationKind::{Arithmetic, Bits, Boundary, Negation};
    Some(match op {
        BinOp::Lt(_) => ("lt", &[(Boundary, "<="), (Negation, ">=")]),
        BinOp::Le(_) => ("le", &[(Boundary, "<"), (Negation, ">")]),
        BinOp::Gt(_) => ("gt", &[(Boundary, ">="), (Negation, "<=")]),
        BinOp::Ge(_) => ("ge", &[(Boundary, ">"), (Negation, "<")]),
        BinOp::Eq(_) => ("eq", &[(Negation, "!=")]),
        BinOp::Ne(_) => ("ne", &[(Negation, "==")]),
        BinOp::Add(_) => ("add", &[(Arithmetic, "-")]),
        BinOp::Sub(_) => ("sub", &[(Arithmetic, "+")]),
        BinOp::Mul(_) => ("mul", &[(Arithmetic, "+")]),
        BinOp::Div(_) => ("div", &[(Arithmetic, "*")]),
        BinOp::Rem(_) => ("rem", &[(Arithmetic, "/")]),
        BinOp::BitAnd(_) => ("bit_and", &[(Bits, "|")]),
        BinOp::BitOr(_) => ("bit_or", &[(Bits, "&")]),
        BinOp::Shl(_) => ("shl", &[(Bits, ">>")]),
        BinOp::Shr(_) => ("shr", &[(Bits, "<<")]),
        _ => return None,
    })
}

/// Whether comparisons take their operands by reference.
fn compares(op: &BinOp) -> bool {
    matches!(op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_))
}

/// Whether it is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let cfg = || attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"));
        path.is_ident("test") || (path.is_ident("cfg") && cfg())
    })
}

/// Whether a pattern is bound in a condition, which no function can take.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// What a function may return at once.
fn early_values(output: &ReturnType) -> &'static [&'static str] {
    let ReturnType::Type(_, kind) = output else { return &[""] };
    let Type::Path(path) = &**kind else { return &[] };
    let Some(last) = path.path.segments.last() else { return &[] };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => &["0"],
        "Option" => &["None"],
        "Result" => &["Ok(Default::default())"],
        _ => &[],
    }
}

impl Finder<'_> {
    fn add(
        &mut self,
        bytes: Range<usize>,
        place: proc_macro2::Span,
        changes: &[(MutationKind, String, String)],
        edits: Vec<SourceEdit>,
    ) {
        let start = place.start();
        let shorten = |text: &str| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if line.chars().count() > SHOWN_MAX { line.chars().take(SHOWN_MAX).chain(['…']).collect() } else { line }
        };
        let change = |(kind, before, after): &(MutationKind, String, String)| Change {
            file: self.file.to_string(),
            line: start.line,
            column: start.column,
            function: self.function.clone(),
            kind: *kind,
            before: shorten(before),
            after: shorten(after),
        };
        self.sites.push(Site { bytes, changes: changes.iter().map(change).collect(), edits });
    }

    /// An edit that inserts `text` at `at`.
    fn insert(&self, at: usize, text: &str) -> SourceEdit {
        SourceEdit { bytes: at..at, text: text.to_string(), depth: self.depth }
    }

    /// A function of `crate::__mutant` around `bytes`, with the site's number as its first argument.
    fn around(&self, bytes: &Range<usize>, function: &str) -> Vec<SourceEdit> {
        let open = format!("crate::__mutant::{function}({NUMBER}, ");
        vec![self.insert(bytes.start, &open), self.insert(bytes.end, ")")]
    }

    fn binary(&mut self, binary: &syn::ExprBinary) {
        let (bytes, op) = (binary.span().byte_range(), binary.op.span().byte_range());
        let old = self.text[op.clone()].to_string();
        let whole = self.text[bytes.clone()].to_string();
        let replace = |text: String| SourceEdit { bytes: op.clone(), text, depth: self.depth };
        if let BinOp::And(_) | BinOp::Or(_) = binary.op {
            if has_let(&binary.left) || has_let(&binary.right) {
                return;
            }
            let flip = format!("crate::__mutant::flip({NUMBER}, ");
            let edits = vec![
                self.insert(bytes.start, &format!("{flip}{flip}")),
                replace(format!(") {old} {flip}")),
                self.insert(bytes.end, "))"),
            ];
            let new = if old == "&&" { "||" } else { "&&" };
            let after = whole.replacen(&old, new, 1);
            return self.add(bytes, binary.op.span(), &[(MutationKind::Logic, whole, after)], edits);
        }
        let Some((function, others)) = operator(&binary.op) else { return };
        let (open, middle, close) = if compares(&binary.op) { ("&(", "), &(", "))") } else { ("", ", ", ")") };
        let edits = vec![
            self.insert(bytes.start, &format!("crate::__mutant::{function}({NUMBER}, {open}")),
            replace(middle.to_string()),
            self.insert(bytes.end, close),
        ];
        let (left, right) = (&self.text[bytes.start..op.start], &self.text[op.end..bytes.end]);
        let changes: Vec<_> =
            others.iter().map(|(kind, new)| (*kind, whole.clone(), format!("{left}{new}{right}"))).collect();
        self.add(bytes, binary.op.span(), &changes, edits);
    }

    /// The condition of a branch may say the opposite; comparisons have mutants of their own.
    fn condition(&mut self, condition: &Expr) {
        if matches!(condition, Expr::Binary(_)) || has_let(condition) {
            return;
        }
        let bytes = condition.span().byte_range();
        let before = self.text[bytes.clone()].to_string();
        let edits = self.around(&bytes, "flip");
        let after = format!("!({before})");
        self.add(bytes, condition.span(), &[(MutationKind::Negation, before, after)], edits);
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        let values = early_values(&signature.output);
        if values.is_empty() || block.stmts.is_empty() {
            return;
        }
        let at = block.brace_token.span.open().byte_range().end;
        let returns = |(which, value): (usize, &&str)| {
            format!(" if crate::__mutant::is({NUMBER} + {which}) {{ return {value}; }} ")
        };
        let text: String = values.iter().enumerate().map(returns).collect();
        let changes: Vec<_> = values
            .iter()
            .map(|value| (MutationKind::Return, "{".to_string(), format!("{{ return {value};").replace(" ;", ";")))
            .collect();
        let edits = vec![self.insert(at, &text)];
        self.add(at - 1..at, signature.ident.span(), &changes, edits);
    }

    /// Visits a function's parts, unless it is constant.
    fn enter(&mut self, signature: &Signature, attributes: &[Attribute], block: &Block) {
        if signature.constness.is_some() || is_for_tests(attributes) {
            return;
        }
        let outer = std::mem::replace(&mut self.function, signature.ident.to_string());
        self.function(signature, block);
        self.depth += 1;
        self.visit_block(block);
        self.depth -= 1;
        self.function = outer;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.enter(&item.sig, &item.attrs, &item.block);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.enter(&item.sig, &item.attrs, &item.block);
    }
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) => self.binary(binary),
            Expr::If(branch) => self.condition(&branch.cond),
            Expr::Lit(literal) => {
                if let syn::Lit::Int(number) = &literal.lit
                    && let Ok(value) = number.base10_parse::<u64>()
                {
                    let bytes = literal.span().byte_range();
                    let before = self.text[bytes.clone()].to_string();
                    let after = format!("{}{}", value.saturating_add(1), number.suffix());
                    let text = format!("(if crate::__mutant::is({NUMBER}) {{ {after} }} else {{ {before} }})");
                    let edits = vec![SourceEdit { bytes: bytes.clone(), text, depth: self.depth }];
                    self.add(bytes, literal.span(), &[(MutationKind::Number, before, after)], edits);
                }
            }
            _ => {}
        }
        self.depth += 1;
        visit::visit_expr(self, expr);
        self.depth -= 1;
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard);
        }
        self.depth += 1;
        visit::visit_arm(self, arm);
        self.depth -= 1;
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expr, Some(_)) = statement {
            let calls = matches!(expr, Expr::Call(_) | Expr::MethodCall(_) | Expr::Await(_) | Expr::Try(_));
            let changes = match expr {
                Expr::Assign(_) => true,
                Expr::Binary(binary) => operator(&binary.op).is_none(),
                _ => false,
            };
            if calls || changes {
                let bytes = expr.span().byte_range();
                let before = self.text[bytes.clone()].to_string();
                let open = format!("if !crate::__mutant::is({NUMBER}) {{ ");
                let edits = vec![self.insert(bytes.start, &open), self.insert(bytes.end, "; }")];
                self.add(bytes, expr.span(), &[(MutationKind::Dropped, before, String::new())], edits);
            }
        }
        self.depth += 1;
        visit::visit_stmt(self, statement);
        self.depth -= 1;
    }
}
