//! What an Agent says, as elements of our own. See [`crate::markdown`].

use leptos::prelude::*;

use crate::markdown::{Block, Span};

/// Blocks of a text.
pub fn markdown(blocks: Vec<Block>) -> AnyView {
    blocks.into_iter().map(block).collect_view().into_any()
}

fn block(block: Block) -> AnyView {
    match block {
        Block::Text(spans) => view! { <p>{line(spans)}</p> }.into_any(),
        // No heading of the page: it belongs to what is said.
        Block::Heading(spans) => view! { <p class="head">{line(spans)}</p> }.into_any(),
        Block::Code(text) => view! {
            <pre tabindex="0">
                <code>{text}</code>
            </pre>
        }
        .into_any(),
        Block::List(Some(from), items) => view! { <ol start=from.to_string()>{rows(items)}</ol> }.into_any(),
        Block::List(None, items) => view! { <ul>{rows(items)}</ul> }.into_any(),
        Block::Quote(inner) => view! { <blockquote>{markdown(inner)}</blockquote> }.into_any(),
        Block::Table(lines) => table(lines).into_any(),
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

fn rows(items: Vec<Vec<Block>>) -> AnyView {
    items.into_iter().map(|item| view! { <li>{markdown(item)}</li> }).collect_view().into_any()
}

fn table(lines: Vec<Vec<Vec<Span>>>) -> impl IntoView {
    let mut lines = lines.into_iter();
    let head = lines.next().unwrap_or_default();
    let head = head.into_iter().map(|cell| view! { <th scope="col">{line(cell)}</th> }).collect_view();
    let body = lines
        .map(|cells| {
            let cells = cells.into_iter().map(|cell| view! { <td>{line(cell)}</td> }).collect_view();
            view! { <tr>{cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="wide-table" tabindex="0">
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}

fn line(spans: Vec<Span>) -> AnyView {
    spans.into_iter().map(span).collect_view().into_any()
}

fn span(span: Span) -> AnyView {
    match span {
        Span::Plain(text) => text.into_any(),
        Span::Code(text) => view! { <code>{text}</code> }.into_any(),
        Span::Strong(inner) => view! { <strong>{line(inner)}</strong> }.into_any(),
        Span::Stressed(inner) => view! { <em>{line(inner)}</em> }.into_any(),
        Span::Struck(inner) => view! { <s>{line(inner)}</s> }.into_any(),
        Span::Link(href, inner) => view! {
            <a class="link" href=href target="_blank" rel="noopener noreferrer nofollow">
                {line(inner)}
            </a>
        }
        .into_any(),
    }
}
