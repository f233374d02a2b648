-- Finished work is kept for a time (controller.keep_work_days); what is too old is found without reading the rest.
CREATE INDEX work_finished ON work (finished_at) WHERE finished_at IS NOT NULL;
