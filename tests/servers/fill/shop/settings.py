"""Settings of a shop with django-oscar. SHOP_FOLDER has its database, index and files."""

import os

from oscar.defaults import *  # noqa: F403

FOLDER = os.environ["SHOP_FOLDER"]

SECRET_KEY = "not a secret: the shop listens on loopback and sells nothing"
# With it Django remembers every query that it sends to the database.
DEBUG = False
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "urls"
SITE_ID = 1
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = os.path.join(FOLDER, "static")
MEDIA_URL = "/media/"
MEDIA_ROOT = os.path.join(FOLDER, "media")
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.path.join(FOLDER, "shop.db"),
        "ATOMIC_REQUESTS": True,
    }
}

HAYSTACK_CONNECTIONS = {
    "default": {
        "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
        "PATH": os.path.join(FOLDER, "whoosh"),
        "INCLUDE_SPELLING": True,
    }
}


class WithoutMigrations:
    """Has no migrations for any app, so that tables are made at once from the models."""

    def __contains__(self, app):
        return True

    def __getitem__(self, app):
        return None


MIGRATION_MODULES = WithoutMigrations()

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.sites",
    "django.contrib.flatpages",
    "oscar.config.Shop",
    *(
        f"oscar.apps.{name}"
        for name in [
            "analytics.apps.AnalyticsConfig",
            "checkout.apps.CheckoutConfig",
            "address.apps.AddressConfig",
            "shipping.apps.ShippingConfig",
            "catalogue.apps.CatalogueConfig",
            "catalogue.reviews.apps.CatalogueReviewsConfig",
            "communication.apps.CommunicationConfig",
            "partner.apps.PartnerConfig",
            "basket.apps.BasketConfig",
            "payment.apps.PaymentConfig",
            "offer.apps.OfferConfig",
            "order.apps.OrderConfig",
            "customer.apps.CustomerConfig",
            "search.apps.SearchConfig",
            "voucher.apps.VoucherConfig",
            "wishlists.apps.WishlistsConfig",
            "dashboard.apps.DashboardConfig",
            "dashboard.reports.apps.ReportsDashboardConfig",
            "dashboard.users.apps.UsersDashboardConfig",
            "dashboard.orders.apps.OrdersDashboardConfig",
            "dashboard.catalogue.apps.CatalogueDashboardConfig",
            "dashboard.offers.apps.OffersDashboardConfig",
            "dashboard.partners.apps.PartnersDashboardConfig",
            "dashboard.pages.apps.PagesDashboardConfig",
            "dashboard.ranges.apps.RangesDashboardConfig",
            "dashboard.reviews.apps.ReviewsDashboardConfig",
            "dashboard.vouchers.apps.VouchersDashboardConfig",
            "dashboard.communications.apps.CommunicationsDashboardConfig",
            "dashboard.shipping.apps.ShippingDashboardConfig",
        ]
    ),
    "widget_tweaks",
    "haystack",
    "treebeard",
    "sorl.thumbnail",
    "django_tables2",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
]

AUTHENTICATION_BACKENDS = [
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.apps.communication.notifications.context_processors.notifications",
                "oscar.core.context_processors.metadata",
            ]
        },
    }
]
