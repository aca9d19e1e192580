"""Forms of a tree in memory. Limits, images and ARIA references are left out."""

from __future__ import annotations

from collections.abc import Callable

from .. import wire
from .dom import Tree

# Kinds of inputs by type; others are `text`.
TYPES = frozenset(
    "search number range date time month week color email tel url password file hidden radio checkbox button reset"
    " submit image".split()
)

# Kinds of fields that have choices.
CHOSEN = frozenset("radio checkbox select select-multiple".split())

# Elements whose text is part of a control, not of its label.
CONTROLS = frozenset("select textarea button".split())


class Forms:
    """Reads the forms of one page."""

    def __init__(self, tree: Tree, url: str, resolve: Callable[[str], str | None]) -> None:
        self.tree = tree
        self.url = url
        self.resolve = resolve

    def read(self) -> list[wire.Form]:
        """All forms, in document order."""
        found = {node: self._form(node) for node in self._tagged({"form"})}
        groups: dict[tuple[int, str, str], wire.FormField] = {}
        for node in self._tagged({"input", "select", "textarea", "button"}):
            owner, kind = self._owner(node), self._kind(node)
            if owner not in found:
                continue
            form = found[owner]
            if kind in ("submit", "image"):
                form.submits.append(self._submit(node))
                continue
            name = self._attribute(node, "name")
            field = groups.get((owner, kind, name)) if name else None
            if field is None:
                field = self._field(node, kind, name)
                form.fields.append(field)
            if kind in ("radio", "checkbox"):
                field.choices.append(self._choice(node))
                groups[owner, kind, name] = field
        return list(found.values())

    def _form(self, node: int) -> wire.Form:
        written = self._attribute(node, "action").strip()
        if written in ("", "#") and self._has(node, "onsubmit"):
            action = None
        else:
            action = self.resolve(written) if written else self.url.partition("#")[0]
        headings = self._tagged({"legend", "h1", "h2", "h3", "h4", "h5", "h6"}, node)
        roles = ("search" if self.tree.nodes[each].tag == "search" else self._attribute(each, "role")
                 for each in self._lineage(node))
        return wire.Form(
            node=node,
            action=action,
            method=_method(self._attribute(node, "method")),
            encoding=self._attribute(node, "enctype") or "application/x-www-form-urlencoded",
            charset="UTF-8",
            role=next(filter(None, roles), ""),
            heading=self.tree.visible(headings[0]) if headings else "",
            fields=[],
            submits=[],
            cut=False,
        )

    def _field(self, node: int, kind: str, name: str) -> wire.FormField:
        value = self.tree.source(node) if kind == "textarea" else self._attribute(node, "value")
        length = self._attribute(node, "maxlength").strip()
        return wire.FormField(
            node=node,
            name=name,
            kind=kind,
            value="" if kind in CHOSEN or kind == "file" else value,
            choices=self._options(node, kind) if kind.startswith("select") else [],
            label="" if kind in ("hidden", "radio", "checkbox") else self._label(node),
            placeholder=self._attribute(node, "placeholder"),
            required=self._has(node, "required"),
            disabled=self._has(node, "disabled") or self._is_in(node, "fieldset", "disabled"),
            hidden=kind == "hidden" or any(self._has(each, "hidden") for each in self._lineage(node)),
            pattern=self._attribute(node, "pattern") or None,
            min=self._attribute(node, "min") or None,
            max=self._attribute(node, "max") or None,
            step=self._attribute(node, "step") or None,
            max_length=int(length) if length.isdecimal() else None,
        )

    def _options(self, node: int, kind: str) -> list[wire.FormChoice]:
        choices = []
        for option in self._tagged({"option"}, node):
            text = " ".join(self.tree.source(option).split())
            value = self.tree.nodes[option].attributes.get("value", text)
            disabled = self._has(option, "disabled") or self._is_in(option, "optgroup", "disabled")
            label = self._attribute(option, "label") or text
            choices.append(wire.FormChoice(value, label, self._has(option, "selected"), disabled))
        if kind == "select" and not any(choice.selected for choice in choices):
            for choice in [choice for choice in choices if not choice.disabled][:1]:
                choice.selected = True
        return choices

    def _choice(self, node: int) -> wire.FormChoice:
        behind = self.tree.nodes[node].end
        is_text = behind < len(self.tree.nodes) and self.tree.nodes[behind].tag == "#text"
        label = self._label(node) or (" ".join(self.tree.nodes[behind].text.split()) if is_text else "")
        value = self.tree.nodes[node].attributes.get("value", "on")
        return wire.FormChoice(value, label, self._has(node, "checked"), self._has(node, "disabled"))

    def _submit(self, node: int) -> wire.FormSubmit:
        value = self._attribute(node, "value")
        is_button = self.tree.nodes[node].tag == "button"
        method = self._attribute(node, "formmethod")
        return wire.FormSubmit(
            node=node,
            name=self._attribute(node, "name"),
            value=value,
            label=self.tree.visible(node) if is_button else self._attribute(node, "alt") or value,
            disabled=self._has(node, "disabled"),
            action=self.resolve(self._attribute(node, "formaction")) if self._has(node, "formaction") else None,
            method=_method(method) if method else None,
        )

    def _label(self, node: int) -> str:
        identifier = self._attribute(node, "id")
        named = [each for each in self._tagged({"label"}) if identifier and self._attribute(each, "for") == identifier]
        around = [each for each in self._lineage(node) if self.tree.nodes[each].tag == "label"]
        texts = [self._text(label) for label in named[:1] + around[:1]]
        texts += [self._attribute(node, name).strip() for name in ("aria-label", "placeholder", "title")]
        return next(filter(None, texts), "")

    def _text(self, label: int) -> str:
        """Text of a label without that of controls in it."""
        parts, node = [], label
        while node < self.tree.nodes[label].end:
            each = self.tree.nodes[node]
            parts.append(each.text)
            node = each.end if each.tag in CONTROLS else node + 1
        return " ".join("".join(parts).split())

    def _kind(self, node: int) -> str:
        tag, kind = self.tree.nodes[node].tag, self._attribute(node, "type").lower()
        if tag == "select":
            return "select-multiple" if self._has(node, "multiple") else "select"
        if tag == "textarea":
            return tag
        if tag == "button":
            return kind if kind in ("button", "reset") else "submit"
        if kind == "datetime-local":
            return "datetime"
        return kind if kind in TYPES else "text"

    def _owner(self, node: int) -> int:
        """The form of a control; the document if it has none."""
        if self._has(node, "form"):
            wanted = self._attribute(node, "form")
            return next((each for each in self._tagged({"form"}) if self._attribute(each, "id") == wanted), 0)
        return next((each for each in self._lineage(node) if self.tree.nodes[each].tag == "form"), 0)

    def _tagged(self, tags: set[str], scope: int = 0) -> list[int]:
        return [node for node in self.tree.elements(scope) if self.tree.nodes[node].tag in tags]

    def _lineage(self, node: int) -> list[int]:
        """An element and those around it, the innermost first."""
        found = []
        while node != 0:
            found.append(node)
            node = self.tree.nodes[node].parent
        return found

    def _is_in(self, node: int, tag: str, attribute: str) -> bool:
        return any(self.tree.nodes[each].tag == tag and self._has(each, attribute) for each in self._lineage(node))

    def _has(self, node: int, name: str) -> bool:
        return name in self.tree.nodes[node].attributes

    def _attribute(self, node: int, name: str) -> str:
        return self.tree.nodes[node].attributes.get(name, "")


def _method(written: str) -> str:
    return written.lower() if written.lower() in ("post", "dialog") else "get"
