//! Rust text with its comments, strings and character literals blanked.
//!
//! Invariant: the result has the same bytes at the same places, or spaces; lines stay lines. Enough
//! of Rust's grammar to find words and braces in code, no more.
//!
//! No `syn`: it drops comments, and does not parse the arguments of macros.

/// Blanks what is not code.
pub fn code_only(text: &str) -> String {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, out: Vec::with_capacity(text.len()) };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    String::from_utf8(lexer.out).expect("what is kept is ASCII or whole")
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    out: Vec<u8>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn keep(&mut self) {
        self.out.push(self.bytes[self.at]);
        self.at += 1;
    }

    /// Blanks bytes up to `end`.
    fn blank_to(&mut self, end: usize) {
        let end = end.min(self.bytes.len());
        self.out.extend(self.bytes[self.at..end].iter().map(|&byte| if byte == b'\n' { byte } else { b' ' }));
        self.at = end;
    }

    /// Where `what` ends, from `from` on.
    fn end_of(&self, what: &[u8], from: usize) -> usize {
        let rest = &self.bytes[from.min(self.bytes.len())..];
        let found = rest.windows(what.len()).position(|window| window == what);
        found.map_or(self.bytes.len(), |at| from + at + what.len())
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            (b'/', b'/') => self.blank_to(self.end_of(b"\n", self.at).saturating_sub(1).max(self.at + 2)),
            (b'/', b'*') => self.block_comment(),
            (b'"', _) => self.string(),
            (b'r', b'"' | b'#') if !self.in_word() => self.raw_string(),
            (b'\'', _) => self.quote(),
            _ => self.keep(),
        }
    }

    /// Whether the byte before belongs to the same word; `b` of `br"..."` does not count.
    fn in_word(&self) -> bool {
        let word = |at: usize| self.bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let before = self.at.wrapping_sub(1);
        word(before) && (self.bytes[before] != b'b' || word(before.wrapping_sub(1)))
    }

    fn block_comment(&mut self) {
        let (mut depth, mut end) = (1, self.at + 2);
        while depth > 0 && end < self.bytes.len() {
            match &self.bytes[end..self.bytes.len().min(end + 2)] {
                b"/*" => (depth, end) = (depth + 1, end + 2),
                b"*/" => (depth, end) = (depth - 1, end + 2),
                _ => end += 1,
            }
        }
        self.blank_to(end);
    }

    fn string(&mut self) {
        let mut end = self.at + 1;
        while end < self.bytes.len() && self.bytes[end] != b'"' {
            end += if self.bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.blank_to(end + 1);
    }

    fn raw_string(&mut self) {
        let hashes = self.bytes[self.at + 1..].iter().take_while(|&&byte| byte == b'#').count();
        if self.peek(1 + hashes) != b'"' {
            return self.keep(); // a raw identifier
        }
        let close: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
        self.blank_to(self.end_of(&close, self.at + 2 + hashes));
    }

    /// A character literal, or the start of a lifetime.
    fn quote(&mut self) {
        let literal = self.peek(1) == b'\\' || self.peek(2) == b'\'' || !self.peek(1).is_ascii();
        if !literal {
            return self.keep();
        }
        let skip = if self.peek(1) == b'\\' { 3 } else { 2 };
        self.blank_to(self.end_of(b"'", self.at + skip));
    }
}

/// Where the bracket closes that opens at `open` in blanked code.
pub fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

/// Where the words `word` begin in blanked code.
pub fn words(code: &str, word: &str) -> Vec<usize> {
    let part_of_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = code.as_bytes();
    let whole = |&at: &usize| !part_of_word(bytes.get(at.wrapping_sub(1))) && !part_of_word(bytes.get(at + word.len()));
    code.match_indices(word).map(|(at, _)| at).filter(whole).collect()
}

#[test]
fn comments_strings_and_characters_are_blanked() {
    let text = "a /* { /* } */ */ b // {\n\"{\\\"\" 'x' '{' '\\'' &'a str r#\"{\"}\"# br\"{\" c";
    let code = code_only(text);
    assert_eq!(code.len(), text.len());
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "&'a", "str", "b", "c"]);
}

#[test]
fn words_are_whole_and_brackets_match() {
    assert_eq!(words("unsafe_code unsafe not_unsafe unsafe{", "unsafe"), [12, 30]);
    assert_eq!(closing("f(a, [b; {c}]) d", 1), 13);
}
