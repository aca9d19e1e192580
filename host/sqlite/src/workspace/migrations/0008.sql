-- Hash of the text of a page, by which fetches are compared.

ALTER TABLE page ADD COLUMN text_hash INTEGER -- XXH3-64 of the visible text, as a signed number; null if the text was not read
    DEFAULT NULL;
