-- The hash of a page's text, by which visits are compared.

ALTER TABLE page ADD COLUMN text_hash INTEGER -- xxh3-64 of the text that a reader sees, as a signed number; empty where the text was not read
    DEFAULT NULL;
