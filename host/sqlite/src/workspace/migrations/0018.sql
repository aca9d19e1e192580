-- Judgements of pages by plugins.

CREATE TABLE judgement (
    -- Judgements by plugins of verticals that find objects, too. Pages that a vertical accepts which only judges are its records.
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    component_id INTEGER NOT NULL REFERENCES component (id), -- plugin
    accepted INTEGER NOT NULL, -- 1 if the page is one to look for, otherwise 0
    confidence REAL NOT NULL, -- probability that the judgement is right, 0 to 1
    reason TEXT NOT NULL, -- reason, in the words of the plugin
    PRIMARY KEY (page_id, component_id)
) WITHOUT ROWID;
