-- Queues by form: the order of a site that is learned.

ALTER TABLE url ADD COLUMN form INTEGER NOT NULL -- the kind of URLs by which it is ordered while its site is learned: a hash of its form and of the place of the link that led to it; 0 for none
    DEFAULT 0;

CREATE INDEX url_form ON url (site_id, form, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL AND form <> 0;
