-- Strategies are named after what they do, and bounds after the side they are on.

ALTER TABLE selection RENAME TO selection_before;

CREATE TABLE selection (
    -- The selection of patterns of each vertical, and its quality.
    vertical TEXT PRIMARY KEY, -- name of the vertical
    made_at INTEGER NOT NULL, -- time of the selection
    strategy TEXT NOT NULL, -- strategy
    goal TEXT NOT NULL, -- `coverage 0.98` or `pages 5000`
    patterns INTEGER NOT NULL, -- number of selected patterns
    cost REAL NOT NULL, -- cost of a round, in pages
    lower_bound REAL NOT NULL, -- bound for any selection: a cost for a coverage goal, objects for a goal of pages
    gap REAL NOT NULL, -- distance of this selection from the bound, as a share of the bound
    covered REAL NOT NULL, -- objects on pages of selected patterns
    coverable REAL NOT NULL, -- objects on pages of any pattern
    covered_min REAL NOT NULL, -- lower end of the 95 % interval of `covered`
    covered_max REAL NOT NULL, -- upper end of that interval
    curve TEXT NOT NULL -- coverage against cost: a JSON array of `[patterns, cost, covered]`
) WITHOUT ROWID;

INSERT INTO selection
SELECT vertical, made_at,
    CASE strategy WHEN 'ours' THEN 'cost-aware' WHEN 'paper' THEN 'ratio' WHEN 'poster' THEN 'count' ELSE strategy END,
    goal, patterns, cost, lower_bound, gap, covered, coverable, covered_least, covered_most, curve
FROM selection_before;

DROP TABLE selection_before;

ALTER TABLE url_lesson RENAME TO url_rule;
ALTER TABLE url_rule RENAME COLUMN lesson TO rule;
