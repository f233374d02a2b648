-- Work goes on with the trace of the request that asked for it (W3C trace context, the `traceparent` header's form).
ALTER TABLE work ADD COLUMN trace_parent text;
-- What is under way is counted at each scrape: it reads nothing that has ended.
CREATE INDEX deployment_in_progress ON deployment (agent_id) WHERE phase IN ('queued', 'preparing', 'ready', 'activating');
