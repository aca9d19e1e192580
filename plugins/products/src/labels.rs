//! What pages call a product's attributes. Case, accents and signs do not matter.

pub(crate) const BRAND: &[&str] = &[
    "brand", "brand name", "manufacturer", "maker", "made by", "marke", "hersteller", "marque", "fabricant", "marca", "fabricante",
    "produttore", "merk", "fabrikant", "märke", "varumärke", "tillverkare", "mærke", "merke", "producent", "marka", "výrobce", "značka",
    "gyártó", "valmistaja", "бренд", "производитель", "thương hiệu", "hãng sản xuất", "メーカー", "ブランド", "品牌",
];

pub(crate) const MODEL: &[&str] = &[
    "model", "model name", "model no", "model number", "modell", "modellnummer", "modellbezeichnung", "modèle", "modelo", "modello",
    "malli", "модель", "型番", "型号",
];

pub(crate) const GTIN: &[&str] = &[
    "ean", "gtin", "gtin-13", "gtin/ean", "ean/gtin", "ean-13", "ean code", "ean-code", "ean-nummer", "ean nummer", "upc", "upc code", "upc/ean",
    "barcode", "bar code", "strichcode", "code-barres", "code barre", "código de barras", "codice ean", "codice a barre", "kod ean", "streckkod",
    "stregkode", "strekkode", "gtin-nummer", "штрихкод", "jan",
];

pub(crate) const MPN: &[&str] = &[
    "mpn", "part number", "part no", "manufacturer part number", "manufacturer number", "mfr part number", "manufacturer sku", "item model number",
    "herstellernummer", "herstellerartikelnummer", "hersteller-artikelnummer", "hersteller-nr", "herstellernr", "teilenummer", "référence fabricant", "référence constructeur",
    "referencia del fabricante", "número de pieza", "codice produttore", "artikelnummer fabrikant", "kod producenta", "tillverkarens artikelnummer", "артикул производителя",
];

pub(crate) const SKU: &[&str] = &[
    "sku", "item no", "item number", "item #", "item code", "product code", "product no", "product number", "product id", "article number", "article no",
    "catalog number", "stock code", "artikelnummer", "artikel-nr", "artikelnr", "art.-nr", "art-nr", "art. nr", "best.-nr", "bestellnummer", "produktnummer", "référence", "réf",
    "code article", "code produit", "referencia", "ref", "código", "codice prodotto", "codice articolo", "codice", "productcode", "artikelcode", "kod produktu", "symbol",
    "varenummer", "varenr", "tuotekoodi", "kód", "kód produktu", "cikkszám", "артикул", "код товара", "mã sản phẩm", "商品番号", "货号",
];

pub(crate) const AVAILABILITY: &[&str] = &[
    "availability", "stock", "stock status", "in stock", "verfügbarkeit", "lieferstatus", "lagerbestand", "lieferzeit", "disponibilité", "disponibilidad",
    "disponibilità", "beschikbaarheid", "levertijd", "disponibilidade", "dostępność", "lagerstatus", "tillgänglighet", "tilgjengelighet", "saatavuus",
    "dostupnost", "наличие", "tình trạng", "在庫",
];

/// What is not a property of the thing but of this offer, or is read on its own.
pub(crate) const NOT_SPECIFICATIONS: &[&str] = &[
    "price", "our price", "list price", "rrp", "sale price", "regular price", "unit price", "total", "subtotal", "quantity", "qty", "you save", "save", "shipping", "delivery",
    "share", "tags", "tag", "category", "categories", "rating", "reviews", "number of reviews", "customer reviews", "in stock", "preis", "menge", "anzahl", "versand", "lieferung", "lieferzeit", "kategorie",
    "kategorien", "teilen", "prix", "quantité", "livraison", "catégorie", "catégories", "partager", "precio", "cantidad", "envío", "categoría", "prezzo", "quantità",
    "spedizione", "categoria", "prijs", "aantal", "cena", "price (excl. tax)", "price (incl. tax)", "tax", "phone", "telephone", "email", "e-mail", "address", "contact", "follow us",
    "help", "description", "beschreibung", "overview", "details", "product details", "specifications", "note", "warning", "size guide",
];
