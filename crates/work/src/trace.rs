//! The trace that an item belongs to: from the request that asked for it, through the row, to the step that does it. Where nothing is
//! traced there is none, and nothing is stored.

use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Where the caller is, in the form of the `traceparent` header (W3C Trace Context, version 00).
pub(crate) fn current() -> Option<String> {
    written(Span::current().context().span().span_context())
}

/// Makes `span` a part of the trace that `parent` names. What cannot be read is left alone: a trace decides nothing.
pub fn go_on(span: &Span, parent: Option<&str>) {
    if let Some(context) = parent.and_then(read) {
        // Without a collector there is nothing that could go on.
        let _ = span.set_parent(opentelemetry::Context::new().with_remote_span_context(context));
    }
}

fn written(context: &SpanContext) -> Option<String> {
    let flags = context.trace_flags() & TraceFlags::SAMPLED;
    context.is_valid().then(|| format!("00-{}-{}-{:02x}", context.trace_id(), context.span_id(), flags.to_u8()))
}

fn read(parent: &str) -> Option<SpanContext> {
    let mut parts = parent.strip_prefix("00-")?.split('-');
    let (trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let trace = TraceId::from_hex(trace).ok()?;
    let span = SpanId::from_hex(span).ok()?;
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    let context = SpanContext::new(trace, span, flags, true, TraceState::NONE);
    (parts.next().is_none() && context.is_valid()).then_some(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_parent_is_read_as_it_was_written() {
        let context = read(PARENT);
        assert_eq!(context.as_ref().and_then(written).as_deref(), Some(PARENT));
        assert!(context.is_some_and(|context| context.is_sampled() && context.is_remote()));
        for wrong in ["", "00-", "00-0-0-0", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read("00-00000000000000000000000000000000-b7ad6b7169203331-01"), None);
    }

    #[test]
    fn where_nothing_is_traced_there_is_none() {
        assert_eq!(current(), None);
        go_on(&tracing::info_span!("step"), Some(PARENT));
    }
}
