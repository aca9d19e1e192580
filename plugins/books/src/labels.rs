//! What pages call a book's attributes. Case, accents and signs do not matter.

pub(crate) const ISBN: &[&str] = &[
    "isbn-13", "isbn13", "isbn", "isbn (13)", "isbn/ean", "ean/isbn", "isbn-10", "isbn10", "isbn/gtin", "ean", "ean-code", "gtin",
];

pub(crate) const AUTHOR: &[&str] = &[
    "author", "authors", "author(s)", "by", "written by", "writer", "autor", "autoren", "autor(en)", "autor/in", "autor:in", "autorin",
    "verfasser", "von", "auteur", "auteurs", "auteur(s)", "de", "autore", "autori", "autores", "autora", "autor(es)", "schrijver",
    "schrijver(s)", "författare", "forfatter", "kirjailija", "autorzy", "автор", "авторы", "tác giả", "yazar", "szerző", "著者", "作者",
];

pub(crate) const PUBLISHER: &[&str] = &[
    "publisher", "published by", "imprint", "publisher/imprint", "publishing house", "verlag", "herausgeber verlag", "éditeur",
    "maison d'édition", "editorial", "editore", "casa editrice", "editora", "uitgever", "uitgeverij", "förlag", "forlag", "forlegger",
    "wydawnictwo", "wydawca", "kustantaja", "nakladatelství", "nakladatel", "kiadó", "издательство", "nhà xuất bản", "yayınevi", "出版社",
];

pub(crate) const PUBLISHED: &[&str] = &[
    "publication date", "date published", "published", "published on", "pub date", "publish date", "date of publication", "release date",
    "released", "on sale", "on sale date", "publication year", "year of publication", "year published", "year", "date", "erscheinungsdatum",
    "erscheinungstermin", "erscheinungsjahr", "erschienen", "erschienen am", "veröffentlicht", "date de parution", "date de publication",
    "parution", "paru le", "année", "année de parution", "fecha de publicación", "año de edición", "año", "data di pubblicazione",
    "data uscita", "anno", "data de publicação", "ano", "verschijningsdatum", "verschenen", "utgivningsdatum", "utgivelsesdato",
    "utgivningsår", "data wydania", "data publikacji", "rok wydania", "datum vydání", "год издания", "năm xuất bản", "yayın tarihi",
    "発売日", "出版日", "出版年",
];

pub(crate) const EDITION: &[&str] =
    &["edition", "auflage", "ausgabe", "édition", "edición", "edizione", "edição", "druk", "editie", "wydanie", "upplaga", "utgave", "издание"];

pub(crate) const FORMAT: &[&str] = &[
    "format", "binding", "book format", "cover type", "product form", "einband", "einbandart", "bindung", "buchform", "reliure", "encuadernación",
    "formato", "rilegatura", "legatura", "encadernação", "bindwijze", "uitvoering", "oprawa", "bandtyp", "bandtype", "innbinding", "vazba",
    "переплет", "cilt",
];

pub(crate) const LANGUAGE: &[&str] = &[
    "language", "languages", "sprache", "langue", "idioma", "lingua", "taal", "språk", "sprog", "język", "kieli", "jazyk", "язык",
    "ngôn ngữ", "dil", "言語", "语言",
];

/// Nothing is read from these, but only books have them.
pub(crate) const PAGES: &[&str] = &[
    "pages", "page count", "number of pages", "print length", "seiten", "seitenzahl", "seitenanzahl", "umfang", "nombre de pages",
    "páginas", "número de páginas", "nº de páginas", "pagine", "numero di pagine", "aantal pagina's", "pagina's", "antal sidor", "sidor", "liczba stron", "ilość stron",
    "počet stran", "sivumäärä", "страниц", "количество страниц", "số trang", "sayfa sayısı", "ページ数", "页数",
];
