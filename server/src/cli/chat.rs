//! `occ chat`: one message with `--text`, or a conversation line by line.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::Context;
use futures::{Stream, StreamExt, stream};
use occ_model::chat::{ChatEvent, ChatTurn};
use occ_model::problem::Problem;
use reqwest::{Method, Response};
use serde::de::DeserializeOwned;

use super::client::{Client, Failure, Target};
use super::resource::AgentRef;
use super::terminal::harmless;
use crate::config::Config;

/// Arguments of `occ chat`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    agent: AgentRef,
    /// One message; absent: one a line of standard input.
    #[arg(long)]
    text: Option<String>,
    /// Which of one's own conversations.
    #[arg(long, default_value = "main")]
    conversation: String,
    #[command(flatten)]
    target: Target,
}

/// Talks.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = format!("{}/chat", args.agent.path()?);
    if let Some(text) = &args.text {
        return turn(&client, &path, &args.conversation, text).await;
    }
    let prompt = std::io::stdin().is_terminal();
    loop {
        if prompt {
            print!("you: ");
            std::io::stdout().flush()?;
        }
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(());
        }
        if !line.trim().is_empty() {
            turn(&client, &path, &args.conversation, line.trim()).await?;
        }
    }
}

async fn turn(client: &Client, path: &str, conversation: &str, text: &str) -> anyhow::Result<()> {
    let body = serde_json::to_value(ChatTurn { conversation: Some(conversation.to_owned()), text: text.to_owned() })?;
    let mut said = events::<ChatEvent>(client.stream(Method::POST, path, Some(&body)).await?);
    let mut out = std::io::stdout();
    let out_is_terminal = out.is_terminal();
    // A program that reads gets it as it was said.
    let shown = |text: String| if out_is_terminal { harmless(&text) } else { text };
    while let Some(event) = said.next().await {
        match event? {
            ChatEvent::Delta { text } => write!(out, "{}", shown(text))?,
            ChatEvent::Tool { name } => eprintln!("[uses {}]", harmless(&name)),
            ChatEvent::Done { .. } => {
                writeln!(out)?;
                return Ok(());
            }
            ChatEvent::Error { code, detail } => {
                writeln!(out)?;
                return Err(Failure::Refused(Box::new(Problem::new(code, detail))).into());
            }
        }
        out.flush()?;
    }
    anyhow::bail!("the answer ended too early")
}

/// The items of a stream of Server-Sent Events.
pub fn events<T: DeserializeOwned>(response: Response) -> impl Stream<Item = anyhow::Result<T>> + Unpin {
    let bytes = response.bytes_stream().boxed();
    stream::unfold((bytes, Vec::<u8>::new()), |(mut bytes, mut buffer)| async move {
        loop {
            while let Some(end) = buffer.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = buffer.drain(..=end).collect();
                if let Some(data) = line.strip_prefix(b"data:") {
                    let item = serde_json::from_slice(data.trim_ascii())
                        .context("the server sent an event that cannot be read");
                    return Some((item, (bytes, buffer)));
                }
            }
            match bytes.next().await? {
                Ok(chunk) => buffer.extend_from_slice(&chunk),
                Err(error) => return Some((Err(error).context("the connection was cut"), (bytes, buffer))),
            }
        }
    })
    .boxed()
}
