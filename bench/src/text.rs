//! Texts of exactly the published sizes: C sources, a grammar, a manual page. Always the same bytes.
//!
//! Invariant: each is what its program works on in earnest: a compiler finds functions that call each other, loops and
//! switches; nothing is padded by more than one comment or line.

use crate::words::RandomWords;
use std::fmt::Write;

/// What follows a source's last function at least: the comment that makes up the size.
const COMMENT_BYTES: usize = 6;
/// Under this size there is no room for a function beside `main`.
const SMALL_BYTES: usize = 64;

/// A C program of `bytes` bytes that prints a number.
pub fn c_source(bytes: usize) -> Vec<u8> {
    if bytes < SMALL_BYTES {
        return filled("int main(void) { return 0; }\n".to_string(), bytes, "", ' ', "\n");
    }
    let mut text =
        "int printf(const char *, ...);\nstatic unsigned f0(unsigned x) { return x * 3u + 1u; }\n".to_string();
    let mut last = 0;
    loop {
        let function = function(last + 1);
        if text.len() + function.len() + main(last + 1, bytes).len() + COMMENT_BYTES > bytes {
            break;
        }
        text += &function;
        last += 1;
    }
    text += &main(last, bytes);
    filled(text, bytes, "/*", ' ', "*/\n")
}

fn main(last: usize, number: usize) -> String {
    format!("int main(void)\n{{\n    printf(\"%u\\n\", f{last}({number}));\n    return 0;\n}}\n")
}

fn function(number: usize) -> String {
    let (seven, half) = (number * 7, number / 2);
    format!(
        "static unsigned f{number}(unsigned x)\n{{\n    unsigned a[4] = {{ x, {seven}, x >> 3, {number} }}, i;\n    \
         for (i = 0; i < 4; i++)\n        switch (a[i] & 3) {{\n        case 0: x += a[i]; break;\n        \
         case 1: x ^= f{half}(a[i]); break;\n        default: x = x / 3 + i; break;\n        }}\n    return x;\n}}\n"
    )
}

/// Where programs are loaded.
const PROGRAM_ADDRESS: u64 = 0x40_0000;
/// `mov x8, #94; mov x0, #0; svc #0`: exit_group.
const EXIT: [u32; 3] = [0xd280_0bc8, 0xd280_0000, 0xd400_0001];

/// A program for AArch64 of `bytes` bytes that ends at once with status 0: one segment, the whole file.
pub fn program(bytes: usize) -> Vec<u8> {
    const HEADERS: u64 = 64 + 56;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // An executable for AArch64, version 1; entry; one program header behind this one; no sections.
    [2u16, 183, 1, 0].iter().for_each(|half| file.extend(half.to_le_bytes()));
    [PROGRAM_ADDRESS + HEADERS, 64, 0].iter().for_each(|word| file.extend(word.to_le_bytes()));
    file.extend(0u32.to_le_bytes());
    [64u16, 56, 1, 64, 0, 0].iter().for_each(|half| file.extend(half.to_le_bytes()));
    // To load, to read and execute; from the beginning of the file on.
    [1u32, 5].iter().for_each(|number| file.extend(number.to_le_bytes()));
    let length = bytes as u64;
    let segment = [0, PROGRAM_ADDRESS, PROGRAM_ADDRESS, length, length, 0x1_0000];
    segment.iter().for_each(|word| file.extend(word.to_le_bytes()));
    EXIT.iter().for_each(|instruction| file.extend(instruction.to_le_bytes()));
    file.resize(bytes.max(file.len()), 0);
    file
}

/// A grammar of `bytes` bytes for yacc: expressions and assignments.
pub fn grammar(bytes: usize) -> Vec<u8> {
    filled(GRAMMAR.to_string(), bytes, "/*", ' ', "*/\n")
}

const GRAMMAR: &str = "%{\n#include <stdio.h>\nint yylex(void);\nstatic int variables[26];\n%}\n\
%token NUMBER NAME IF ELSE WHILE PRINT\n%right '='\n%left '<' '>' EQUAL\n%left '+' '-'\n%left '*' '/' '%'\n%right MINUS\n\
%%\nprogram: | program statement ;\n\
statement: expression ';' { $$ = $1; }\n | PRINT expression ';' { printf(\"%d\\n\", $2); }\n | '{' program '}'\n\
 | IF '(' expression ')' statement\n | IF '(' expression ')' statement ELSE statement\n\
 | WHILE '(' expression ')' statement ;\n\
expression: NUMBER\n | NAME { $$ = variables[$1]; }\n | NAME '=' expression { $$ = variables[$1] = $3; }\n\
 | expression '+' expression { $$ = $1 + $3; }\n | expression '-' expression { $$ = $1 - $3; }\n\
 | expression '*' expression { $$ = $1 * $3; }\n | expression '<' expression { $$ = $1 < $3; }\n\
 | expression '/' expression { $$ = $3 ? $1 / $3 : 0; }\n | expression '%' expression { $$ = $3 ? $1 % $3 : 0; }\n\
 | expression '>' expression { $$ = $1 > $3; }\n | expression EQUAL expression { $$ = $1 == $3; }\n\
 | '-' expression %prec MINUS { $$ = -$2; }\n | '(' expression ')' { $$ = $2; } ;\n%%\n";

/// A manual page of `bytes` bytes: sections, paragraphs of words, lists.
pub fn manual(bytes: usize) -> Vec<u8> {
    let mut words = RandomWords::default();
    let mut text = ".TH RENGA 1 \"2026-01-01\"\n.SH NAME\nrenga \\- poets in turn\n".to_string();
    let mut part = 0;
    loop {
        let paragraph = paragraph(&mut words, part);
        if text.len() + paragraph.len() + COMMENT_BYTES > bytes {
            break;
        }
        text += &paragraph;
        part += 1;
    }
    filled(text, bytes, ".\\\"", '.', "\n")
}

fn paragraph(words: &mut RandomWords, part: u32) -> String {
    let mut text = match part % 4 {
        0 => format!(".SH \"PART {part}\"\n"),
        1 => ".PP\n".to_string(),
        2 => format!(".TP\n.B \\-{}\n", char::from(b'a' + (part % 26) as u8)),
        _ => ".PP\nWhat\n.I italic\nmeans is this:\n".to_string(),
    };
    for _ in 0..4 {
        let _ = writeln!(text, "{}.", words.line(8));
    }
    text
}

/// `text` with a comment behind it that makes it `bytes` long.
fn filled(text: String, bytes: usize, open: &str, filling: char, close: &str) -> Vec<u8> {
    let missing = bytes.saturating_sub(text.len());
    let mut text = text;
    if missing >= open.len() + close.len() {
        text += open;
        text.extend(std::iter::repeat_n(filling, missing - open.len() - close.len()));
        text += close;
    } else {
        // No room for a comment: blanks before the last line's end.
        let _ = text.pop();
        text.extend(std::iter::repeat_n(' ', missing));
        text.push('\n');
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{c_source, grammar, manual, program};

    #[test]
    fn text_sizes_match_published_ones() {
        for bytes in [30, 1011, 6876, 8012, 49_797, 96_413] {
            assert_eq!(c_source(bytes).len(), bytes);
        }
        assert_eq!((program(512).len(), program(10_240).len()), (512, 10_240));
        assert_eq!((grammar(1178).len(), manual(6612).len()), (1178, 6612));
    }

    #[test]
    fn text_sources_are_programs() {
        for bytes in [1011, 6876, 96_413] {
            let text = String::from_utf8(c_source(bytes)).unwrap();
            let comment = text.len() - text.rfind("/*").unwrap();
            assert!(comment < 400, "{comment} bytes of {bytes}");
            assert_eq!(text.matches('{').count(), text.matches('}').count());
        }
        let text = String::from_utf8(grammar(1178)).unwrap();
        assert!(text.len() - text.rfind("/*").unwrap() < 200);
    }
}
