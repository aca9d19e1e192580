ALTER TABLE record ADD COLUMN standing INTEGER NOT NULL -- 1 if the record counts; 0 if a reading of its site has others in its place
    DEFAULT 1;

ALTER TABLE record ADD COLUMN sources TEXT -- origins of the values by attribute, as a JSON object, if a reading of the site made the record; otherwise null
    DEFAULT NULL;

CREATE TABLE reread (
    -- Clustered pages that have other records since, and are to be clustered again.
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    PRIMARY KEY (warehouse_id, page_id)
) WITHOUT ROWID;
