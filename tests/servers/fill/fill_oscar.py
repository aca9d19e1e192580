"""Makes the database and the search index of a shop with django-oscar: one product an object.

usage: fill_oscar.py OBJECTS

SHOP_FOLDER names the folder of the shop. Run it with the Python that has django-oscar. Rows are
inserted in bulk and documents are added to the index in one batch: saving products one by one and
`rebuild_index` give the same shop in ten times the time.
"""

import os
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "shop"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from haystack import connections  # noqa: E402
from oscar.apps.catalogue.categories import create_from_breadcrumbs  # noqa: E402
from oscar.core.loading import get_model  # noqa: E402
from oscar.core.utils import slugify  # noqa: E402

import objects  # noqa: E402

Product = get_model("catalogue", "Product")
ProductAttribute = get_model("catalogue", "ProductAttribute")
ProductAttributeValue = get_model("catalogue", "ProductAttributeValue")
ProductCategory = get_model("catalogue", "ProductCategory")
ProductClass = get_model("catalogue", "ProductClass")
Partner = get_model("partner", "Partner")
StockRecord = get_model("partner", "StockRecord")

# Attributes of a product: code, name, and the value of a book.
ATTRIBUTES = [
    ("authors", "Authors", lambda book: ", ".join(book["authors"])),
    ("publisher", "Publisher", lambda book: book["publisher"]),
    ("published", "Published", lambda book: book["published"]),
    ("pages", "Pages", lambda book: book["pages"] and str(book["pages"])),
    ("language", "Language", lambda book: book["language"]),
    ("isbn", "ISBN", lambda book: book["isbn"]),
]

# Number of genres of a book that are categories of its product.
MAX_CATEGORIES = 3

# Length of the column.
MAX_TITLE = 255


def price_of(book):
    """Returns the price of a book; one that depends on its id if the object has none."""
    return Decimal(book["price"] or f"{3 + book['id'] * 37 % 60}.99")


def add_products(books):
    """Adds the products with their attributes, categories and prices."""
    kind = ProductClass.objects.create(name="Book", track_stock=False)
    partner = Partner.objects.create(name="Warehouse", code="warehouse")
    attributes = [
        ProductAttribute.objects.create(product_class=kind, code=code, name=name, type="text")
        for code, name, _ in ATTRIBUTES
    ]
    Product.objects.bulk_create(
        Product(
            id=book["id"],
            title=book["title"][:MAX_TITLE],
            slug=slugify(book["title"][:MAX_TITLE]),
            upc=f"B{book['id']:05}",
            product_class=kind,
            description=objects.sentence(book),
        )
        for book in books
    )
    ProductAttributeValue.objects.bulk_create(
        ProductAttributeValue(attribute=attribute, product_id=book["id"], value_text=value)
        for book in books
        for attribute, (_, _, value_of) in zip(attributes, ATTRIBUTES)
        if (value := value_of(book))
    )
    genres = {book["id"]: book["genres"][:MAX_CATEGORIES] for book in books}
    names = dict.fromkeys(name for names in genres.values() for name in names)
    categories = {
        name: create_from_breadcrumbs("Books > " + name.replace(">", " ")) for name in names
    }
    ProductCategory.objects.bulk_create(
        ProductCategory(product_id=number, category=categories[name])
        for number, names in genres.items()
        for name in names
    )
    StockRecord.objects.bulk_create(
        StockRecord(
            product_id=book["id"],
            partner=partner,
            partner_sku=f"B{book['id']:05}",
            price=price_of(book),
            num_in_stock=5,
        )
        for book in books
    )


def add_to_index():
    """Adds all products to the empty search index."""
    backend = connections["default"].get_backend()
    backend.setup()
    index = connections["default"].get_unified_index().get_index(Product)
    writer = backend.index.writer(limitmb=256)
    for product in index.index_queryset():
        document = index.full_prepare(product)
        fields = {name: backend._from_python(value) for name, value in document.items()}
        fields.pop("boost", None)
        # The index is empty, so no older document has to be looked for.
        writer.add_document(**fields)
    writer.commit()


def main(path):
    call_command("migrate", run_syncdb=True, verbosity=0)
    with transaction.atomic():
        add_products(objects.read(path))
    add_to_index()


if __name__ == "__main__":
    main(*sys.argv[1:])
