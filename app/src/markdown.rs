//! What an Agent says, as a tree of the few things that a conversation shows. It is read on the server (the reader would weigh a fifth
//! of what the console may), travels as data, and becomes elements of our own.
//!
//! Invariants: no markup of the text ever becomes markup of the page, what looks like HTML is text; a link leads to http or https or is
//! no link; nothing is loaded for it, an image is a link; what is nested too deep is flat.

use serde::{Deserialize, Serialize};

/// What stands on lines of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    /// Running text.
    Text(Vec<Span>),
    /// A heading, of whatever level.
    Heading(Vec<Span>),
    /// Lines to be read as they are.
    Code(String),
    /// A list; numbered from here, where it is.
    List(Option<u64>, Vec<Vec<Block>>),
    /// What is quoted.
    Quote(Vec<Block>),
    /// Rows of cells, the first row names the columns.
    Table(Vec<Vec<Vec<Span>>>),
    /// A line across.
    Rule,
}

/// What stands in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// Words.
    Plain(String),
    /// Words to be read as they are.
    Code(String),
    /// Stressed strongly.
    Strong(Vec<Span>),
    /// Stressed.
    Stressed(Vec<Span>),
    /// Struck out.
    Struck(Vec<Span>),
    /// A link to an address of http or https.
    Link(String, Vec<Span>),
}

#[cfg(feature = "ssr")]
pub use read::read;

#[cfg(feature = "ssr")]
mod read {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::{Block, Span};

    /// Deeper nesting is flat.
    const DEPTH: usize = 12;

    /// What is open while the text is read.
    struct Frame {
        kind: Kind,
        blocks: Vec<Block>,
        spans: Vec<Span>,
        items: Vec<Vec<Block>>,
        rows: Vec<Vec<Vec<Span>>>,
    }

    enum Kind {
        /// Its content belongs to what is around it.
        Around,
        Text,
        Heading,
        Code,
        List(Option<u64>),
        Item,
        Quote,
        Table,
        Row,
        Cell,
        Strong,
        Stressed,
        Struck,
        Link(Option<String>),
    }

    impl Frame {
        fn new(kind: Kind) -> Self {
            Self { kind, blocks: Vec::new(), spans: Vec::new(), items: Vec::new(), rows: Vec::new() }
        }

        /// Text that stands in no paragraph is one.
        fn settle(&mut self) {
            if !self.spans.is_empty() {
                let spans = std::mem::take(&mut self.spans);
                self.blocks.push(Block::Text(spans));
            }
        }

        fn block(&mut self, block: Block) {
            self.settle();
            self.blocks.push(block);
        }

        fn plain(&mut self, text: &str) {
            match self.spans.last_mut() {
                Some(Span::Plain(before)) => before.push_str(text),
                _ => self.spans.push(Span::Plain(text.to_owned())),
            }
        }
    }

    /// Reads Markdown (`CommonMark` with tables and struck text).
    pub fn read(text: &str) -> Vec<Block> {
        let mut open = vec![Frame::new(Kind::Around)];
        for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(tag) => {
                    let kind = if open.len() > DEPTH { Kind::Around } else { kind(&tag) };
                    open.push(Frame::new(kind));
                }
                Event::End(_) => close(&mut open),
                Event::Code(text) => top(&mut open).spans.push(Span::Code(text.into_string())),
                // What looks like markup of a page is text.
                Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => top(&mut open).plain(&text),
                Event::SoftBreak | Event::HardBreak => top(&mut open).plain("\n"),
                Event::Rule => top(&mut open).block(Block::Rule),
                _ => {}
            }
        }
        while open.len() > 1 {
            close(&mut open);
        }
        let mut whole = open.pop().unwrap_or_else(|| Frame::new(Kind::Around));
        whole.settle();
        whole.blocks
    }

    fn top(open: &mut Vec<Frame>) -> &mut Frame {
        if open.is_empty() {
            open.push(Frame::new(Kind::Around));
        }
        let last = open.len() - 1;
        &mut open[last]
    }

    fn kind(tag: &Tag<'_>) -> Kind {
        match tag {
            Tag::Paragraph => Kind::Text,
            Tag::Heading { .. } => Kind::Heading,
            Tag::CodeBlock(_) => Kind::Code,
            Tag::List(from) => Kind::List(*from),
            Tag::Item => Kind::Item,
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::Table(_) => Kind::Table,
            Tag::TableHead | Tag::TableRow => Kind::Row,
            Tag::TableCell => Kind::Cell,
            Tag::Strong => Kind::Strong,
            Tag::Emphasis => Kind::Stressed,
            Tag::Strikethrough => Kind::Struck,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => Kind::Link(leads(dest_url)),
            _ => Kind::Around,
        }
    }

    /// The address of a link, if it is one that may be followed.
    fn leads(href: &str) -> Option<String> {
        let scheme = href.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        let web = scheme.is_some_and(|scheme| scheme == "http" || scheme == "https");
        (web && !href.chars().any(|c| c.is_control() || c.is_whitespace())).then(|| href.to_owned())
    }

    fn close(open: &mut Vec<Frame>) {
        let Some(mut done) = open.pop() else { return };
        let around = top(open);
        match done.kind {
            Kind::Around => done.settle_into(around),
            Kind::Text => around.block(Block::Text(done.spans)),
            Kind::Heading => around.block(Block::Heading(done.spans)),
            Kind::Code => around.block(Block::Code(words(&done.spans))),
            Kind::List(from) => around.block(Block::List(from, done.items)),
            Kind::Item => {
                done.settle();
                around.items.push(done.blocks);
            }
            Kind::Quote => {
                done.settle();
                around.block(Block::Quote(done.blocks));
            }
            Kind::Table => around.block(Block::Table(done.rows)),
            Kind::Row => {
                let cells = done.rows.pop().unwrap_or_default();
                around.rows.push(cells);
            }
            Kind::Cell => match around.rows.last_mut() {
                Some(row) => row.push(done.spans),
                None => around.rows.push(vec![done.spans]),
            },
            Kind::Strong => around.spans.push(Span::Strong(done.spans)),
            Kind::Stressed => around.spans.push(Span::Stressed(done.spans)),
            Kind::Struck => around.spans.push(Span::Struck(done.spans)),
            Kind::Link(Some(href)) => around.spans.push(Span::Link(href, done.spans)),
            Kind::Link(None) => around.spans.extend(done.spans),
        }
    }

    impl Frame {
        /// All that was in it, into what is around it.
        fn settle_into(mut self, around: &mut Self) {
            if !self.blocks.is_empty() || !self.items.is_empty() || !self.rows.is_empty() {
                self.settle();
                around.settle();
            }
            around.blocks.extend(self.items.into_iter().flatten());
            around.blocks.extend(self.rows.into_iter().flatten().map(Block::Text));
            around.blocks.extend(self.blocks);
            around.spans.extend(self.spans);
        }
    }

    fn words(spans: &[Span]) -> String {
        let said = spans.iter().map(|span| match span {
            Span::Plain(text) | Span::Code(text) => text.clone(),
            Span::Strong(inner) | Span::Stressed(inner) | Span::Struck(inner) | Span::Link(_, inner) => words(inner),
        });
        said.collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn plain(text: &str) -> Span {
            Span::Plain(text.to_owned())
        }

        #[test]
        fn what_models_write_is_read() {
            let read = read(
                "# Plan\n\nSay **bold**, `code`.\nSecond line\n\n1. one\n2. two\n\n```sh\nls -l\n```\n\n> so\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
            );
            let cell = |text: &str| vec![plain(text)];
            let item = |text: &str| vec![Block::Text(vec![plain(text)])];
            assert_eq!(
                read,
                [
                    Block::Heading(vec![plain("Plan")]),
                    Block::Text(vec![
                        plain("Say "),
                        Span::Strong(vec![plain("bold")]),
                        plain(", "),
                        Span::Code("code".to_owned()),
                        plain(".\nSecond line"),
                    ]),
                    Block::List(Some(1), vec![item("one"), item("two")]),
                    Block::Code("ls -l\n".to_owned()),
                    Block::Quote(item("so")),
                    Block::Table(vec![vec![cell("a"), cell("b")], vec![cell("1"), cell("2")]]),
                ]
            );
        }

        #[test]
        fn markup_is_text_and_only_the_web_is_linked() {
            assert_eq!(read("<script>alert(1)</script>\n"), [Block::Text(vec![plain("<script>alert(1)</script>\n")])]);
            assert_eq!(read("a <b>c</b>"), [Block::Text(vec![plain("a <b>c</b>")])]);
            for href in
                ["javascript:alert(1)", "data:text/html,x", "//evil.test", "/console/account", "java\tscript://x"]
            {
                assert_eq!(read(&format!("[x](<{href}>)")), [Block::Text(vec![plain("x")])], "{href}");
            }
            let link = Span::Link("https://example.org/a".to_owned(), vec![plain("x")]);
            assert_eq!(read("[x](https://example.org/a)"), [Block::Text(vec![link.clone()])]);
            assert_eq!(read("![x](https://example.org/a)"), [Block::Text(vec![link])], "an image is a link");
        }

        #[test]
        fn nesting_ends_somewhere() {
            let deep = format!("{}in the depth", "> ".repeat(500));
            let mut level = 0;
            let mut blocks = read(&deep);
            while let Some(Block::Quote(inner)) = blocks.pop() {
                (level, blocks) = (level + 1, inner);
            }
            assert!((1..=DEPTH).contains(&level), "{level}");
            assert!(format!("{:?}", read(&deep)).contains("in the depth"));
        }
    }
}
