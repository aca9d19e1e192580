"""Why a call could not do its work. A page that is simply none of the vertical's business yields nothing instead."""


class VerticalError(Exception):
    """An error of the contract: raise one of its subclasses. The host notes it for this page and goes on.

    Any other exception is a defect of the plugin, and reaches the host as `internal` with its type, file and line.
    """

    code = "internal"

    def __init__(self, message: str, *, attribute: str | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.attribute = attribute
        """The attribute or option it is about."""
        self.retryable = retryable
        """Whether the same call may succeed later without any change to the plugin."""


class UnexpectedPage(VerticalError):
    """The page looks like one of the vertical's, and its structure is not understood."""

    code = "unexpected-page"


class TooComplex(VerticalError):
    """The page is beyond what the plugin is willing to handle."""

    code = "too-complex"


class InvalidSelector(VerticalError):
    """A CSS selector can't be parsed; the message shows where."""

    code = "invalid-selector"


class BadFeatures(VerticalError):
    """`compare` was given features that this component did not make."""

    code = "bad-features"


class BadOption(VerticalError):
    """An option has a value that the plugin can't work with."""

    code = "bad-option"

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message, attribute=option)
