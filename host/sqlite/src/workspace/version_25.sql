CREATE VIRTUAL TABLE object_part USING fts5 (
    -- Parts of three characters of folded names; the row ID is the object. Attributes share columns by their number.
    n0, -- names of attributes with the numbers 0, 8 and so on
    n1, -- names of attributes with the numbers 1, 9 and so on
    n2, -- names of attributes with the numbers 2, 10 and so on
    n3, -- names of attributes with the numbers 3, 11 and so on
    n4, -- names of attributes with the numbers 4, 12 and so on
    n5, -- names of attributes with the numbers 5, 13 and so on
    n6, -- names of attributes with the numbers 6, 14 and so on
    n7, -- names of attributes with the numbers 7, 15 and so on
    content = '', contentless_delete = 1, detail = column, tokenize = 'trigram'
);

ALTER TABLE object_indexed ADD COLUMN names INTEGER -- XXH3-64 of its names, as a signed number; null if they are not in `object_part`
    DEFAULT NULL;
