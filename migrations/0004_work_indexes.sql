-- What is unfinished about an Agent, and what ended last of a kind, are asked at every look: neither may read what is finished long since.
CREATE INDEX work_unfinished ON work (agent_id) WHERE state IN ('queued', 'running');
CREATE INDEX work_ended ON work (agent_id, kind, finished_at DESC) WHERE finished_at IS NOT NULL;
