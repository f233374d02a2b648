//! A table that folds to rows on a narrow screen: the first cell is the row's name, the last its end, those between go
//! below; a column marked wide is left out there.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// Which way a column is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Smallest first.
    Up,
    /// Largest first.
    Down,
}

/// A column's heading.
#[derive(Clone, Debug, Default)]
pub struct Column {
    title: &'static str,
    class: &'static str,
    sort: Option<(String, Option<Sort>)>,
}

impl Column {
    /// A column that is always shown.
    pub fn new(title: &'static str) -> Self {
        Self { title, ..Self::default() }
    }

    /// A column that narrow screens leave out; its cells carry the class `wide`.
    pub fn wide(title: &'static str) -> Self {
        Self { title, class: "wide", ..Self::default() }
    }

    /// A column aligned to the right; its cells carry the class `right`.
    pub fn right(title: &'static str) -> Self {
        Self { title, class: "right", ..Self::default() }
    }

    /// Makes the heading a link that sorts by this column; `now` is how it is sorted already.
    #[must_use]
    pub fn sorts(mut self, href: String, now: Option<Sort>) -> Self {
        self.sort = Some((href, now));
        self
    }
}

/// The table; `children` are its `<tr>`s.
#[component]
pub fn Table(
    /// What it lists, for assistive technology.
    #[prop(into)]
    label: String,
    /// Its headings.
    columns: Vec<Column>,
    /// Its rows.
    children: Children,
) -> impl IntoView {
    view! {
        <table class="list fold" aria-label=label>
            <thead>
                <tr>{columns.into_iter().map(heading).collect_view()}</tr>
            </thead>
            <tbody>{children()}</tbody>
        </table>
    }
}

fn heading(column: Column) -> impl IntoView {
    let sorted = column.sort.as_ref().and_then(|(_, now)| *now);
    let aria = sorted.map(|sort| if sort == Sort::Up { "ascending" } else { "descending" });
    let mark = sorted.map(|sort| {
        let icon = if sort == Sort::Up { Icon::Up } else { Icon::Down };
        view! { <Glyph icon /> }
    });
    let title = match column.sort {
        Some((href, _)) => view! { <a href=href>{column.title} {mark}</a> }.into_any(),
        None => column.title.into_any(),
    };
    view! {
        <th scope="col" class=column.class aria-sort=aria>
            {title}
        </th>
    }
}
