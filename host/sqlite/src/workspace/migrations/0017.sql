-- Values that the host dropped or corrected, by reason.

CREATE TABLE violation (
    -- Values of an extraction that did not fit the schema.
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    component_id INTEGER NOT NULL REFERENCES component (id), -- plugin
    attribute TEXT NOT NULL, -- name of the attribute
    code TEXT NOT NULL, -- reason why the value did not fit
    count INTEGER NOT NULL, -- number of values
    PRIMARY KEY (page_id, component_id, attribute, code)
) WITHOUT ROWID;
