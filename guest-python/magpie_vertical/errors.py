"""Errors of calls. A page without objects of the vertical yields nothing and is not an error."""


class VerticalError(Exception):
    """An error of the contract: raise one of its subclasses. The host records it for this page and
    continues.

    Any other exception is a defect of the plugin. It reaches the host as `internal`, with its type,
    file and line.
    """

    code = "internal"

    def __init__(self, message: str, *, attribute: str | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.attribute = attribute
        """Attribute or option that the error is about."""
        self.retryable = retryable
        """True if the same call may succeed later without any change to the plugin."""


class UnexpectedPage(VerticalError):
    """The page looks like one of the vertical's, but its structure is not understood."""

    code = "unexpected-page"


class TooComplex(VerticalError):
    """The page exceeds the plugin's own limits."""

    code = "too-complex"


class InvalidSelector(VerticalError):
    """A CSS selector can't be parsed; the message shows the position."""

    code = "invalid-selector"


class BadFeatures(VerticalError):
    """`compare` got features that this component did not make."""

    code = "bad-features"


class BadOption(VerticalError):
    """An option has a value that the plugin can't use."""

    code = "bad-option"

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message, attribute=option)
