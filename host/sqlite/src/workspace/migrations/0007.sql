-- Queues by form, for sites that are learned.

ALTER TABLE url ADD COLUMN form INTEGER NOT NULL -- form by which it is queued while its site is learned: a hash of its form and of the path of the link to it; 0 for none
    DEFAULT 0;

CREATE INDEX url_form ON url (site_id, form, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL AND form <> 0;
