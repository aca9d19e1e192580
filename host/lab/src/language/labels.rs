//! What sites write before a value, by language.

use crate::facts::Attribute;

/// The labels of an attribute, in the order of [`super::LANGUAGES`]; `|` divides synonyms.
pub(crate) fn labels(attribute: Attribute) -> [&'static str; 8] {
    match attribute {
        Attribute::Start => [
            "Date|When|Date and time|Begins|Start", "Datum|Wann|Termin|Beginn", "Date|Quand|Début|Le",
            "Fecha|Cuándo|Inicio", "Data|Quando|Inizio", "Datum|Wanneer|Aanvang", "Data|Quando|Início",
            "Datum|När|Börjar",
        ],
        Attribute::End => ["Ends|Until|End", "Ende|Bis", "Fin|Jusqu'au", "Fin|Hasta", "Fine", "Einde|Tot", "Fim|Até", "Slutar|Till"],
        Attribute::Venue => [
            "Venue|Where|Location|Place", "Ort|Wo|Veranstaltungsort|Spielort", "Lieu|Où|Salle", "Lugar|Dónde|Sala",
            "Luogo|Dove|Sede", "Locatie|Waar|Plaats", "Local|Onde|Sala", "Plats|Var|Lokal",
        ],
        Attribute::Address => [
            "Address|Street address|Getting there", "Adresse|Anschrift", "Adresse", "Dirección", "Indirizzo", "Adres",
            "Endereço|Morada", "Adress",
        ],
        Attribute::Price => [
            "Price|Our price|From|Cost|You pay", "Preis|Unser Preis|Kosten|Eintritt", "Prix|Tarif", "Precio|Importe",
            "Prezzo|Costo", "Prijs|Kosten", "Preço|Valor", "Pris|Kostnad",
        ],
        Attribute::Organiser => [
            "Organiser|Presented by|Host", "Veranstalter|Präsentiert von", "Organisateur|Présenté par", "Organizador|Organiza",
            "Organizzatore|A cura di", "Organisator", "Organizador|Organização", "Arrangör",
        ],
        Attribute::Performers => [
            "With|Featuring|On stage|Artists", "Mit|Besetzung|Mitwirkende", "Avec|Interprètes", "Con|Intérpretes",
            "Con|Interpreti", "Met|Uitvoerenden", "Com|Intérpretes", "Med|Medverkande",
        ],
        Attribute::Status => ["Status", "Status", "Statut", "Estado", "Stato", "Status", "Estado", "Status"],
        Attribute::Subtitle => ["Subtitle", "Untertitel", "Sous-titre", "Subtítulo", "Sottotitolo", "Ondertitel", "Subtítulo", "Undertitel"],
        Attribute::Authors => [
            "By|Author|Written by|Author(s)", "Von|Autor|Autor/in|Verfasser", "De|Auteur|Auteurs", "De|Autor|Autores",
            "Di|Autore|Autori", "Door|Auteur", "De|Autor|Autores", "Av|Författare",
        ],
        Attribute::Publisher => [
            "Publisher|Published by|Imprint", "Verlag|Erschienen bei", "Éditeur|Maison", "Editorial|Editado por", "Editore|Casa editrice",
            "Uitgever|Uitgeverij", "Editora", "Förlag|Utgivare",
        ],
        Attribute::Published => [
            "Published|Publication date|Release date", "Erschienen|Erscheinungsdatum", "Parution|Date de parution",
            "Fecha de publicación|Publicado", "Data di pubblicazione|Pubblicato", "Verschenen|Verschijningsdatum",
            "Data de publicação|Publicado", "Utgiven|Utgivningsdatum",
        ],
        Attribute::Isbn => ["ISBN|ISBN-13|ISBN 13"; 8],
        Attribute::Format => [
            "Format|Binding", "Einband|Format", "Format|Reliure", "Encuadernación|Formato", "Formato|Rilegatura", "Bindwijze", "Formato|Capa",
            "Format|Bandtyp",
        ],
        Attribute::Pages => [
            "Pages|Number of pages|Length", "Seiten|Seitenzahl|Umfang", "Pages|Nombre de pages", "Páginas|Nº de páginas", "Pagine|Numero di pagine",
            "Pagina's|Aantal pagina's", "Páginas|Nº de páginas", "Sidor|Antal sidor",
        ],
        Attribute::Language => ["Language", "Sprache", "Langue", "Idioma", "Lingua", "Taal", "Idioma", "Språk"],
        Attribute::Rating => [
            "Rating|Readers say", "Bewertung|Wertung", "Note|Avis", "Valoración", "Valutazione", "Beoordeling", "Avaliação", "Betyg",
        ],
        Attribute::Brand => ["Brand|Make|Manufacturer", "Marke|Hersteller", "Marque|Fabricant", "Marca|Fabricante", "Marca|Produttore", "Merk|Fabrikant", "Marca|Fabricante", "Märke|Tillverkare"],
        Attribute::Model => ["Model|Model number", "Modell|Modellnummer", "Modèle", "Modelo", "Modello", "Model", "Modelo", "Modell"],
        Attribute::Gtin => ["EAN|GTIN|Barcode", "EAN|GTIN", "EAN|Code-barres", "EAN|Código de barras", "EAN|Codice a barre", "EAN", "EAN|Código de barras", "EAN|Streckkod"],
        Attribute::Mpn => ["MPN|Part number|Manufacturer part number", "Herstellernummer|MPN", "Référence fabricant|MPN", "Referencia del fabricante|MPN", "Codice produttore|MPN", "Fabrikantcode|MPN", "Referência do fabricante|MPN", "Tillverkarens artikelnummer|MPN"],
        Attribute::Sku => ["Item no.|SKU|Order number", "Artikelnummer|Art.-Nr.|Bestellnummer", "Référence|Réf.", "Referencia|Ref.", "Codice articolo|Cod.", "Artikelnummer|Art.nr.", "Referência|Ref.", "Artikelnummer|Art.nr"],
        Attribute::Availability => ["Availability|Stock", "Verfügbarkeit|Lieferbarkeit", "Disponibilité", "Disponibilidad", "Disponibilità", "Beschikbaarheid|Voorraad", "Disponibilidade", "Tillgänglighet|Lagerstatus"],
        Attribute::Title | Attribute::Specifications => ["Title|Name", "Titel|Name", "Titre|Nom", "Título|Nombre", "Titolo|Nome", "Titel|Naam", "Título|Nome", "Titel|Namn"],
    }
}
