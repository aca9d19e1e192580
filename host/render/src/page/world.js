// Runs in a world of its own, where scripts of the page can't change it: tells when the document
// changed last, and finds and clicks elements.
(() => {
  let changed = performance.now();
  new MutationObserver(() => {
    changed = performance.now();
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ["href", "src", "content", "datetime", "value"],
  });

  const step = (element) => {
    let position = 1;
    for (let other = element.previousElementSibling; other; other = other.previousElementSibling) {
      if (other.localName === element.localName) position += 1;
    }
    return `${element.localName}[${position}]`;
  };
  const path = (element) => {
    const steps = [];
    for (let at = element; at && steps.length < 200; at = at.parentElement) steps.push(step(at));
    return steps.reverse().join("/");
  };
  const find = (wanted) => {
    let at = null;
    for (const name of wanted.split("/")) {
      const children = at ? at.children : [document.documentElement];
      at = Array.prototype.find.call(children, (child) => child && step(child) === name);
      if (!at) return null;
    }
    return at;
  };
  const CLICKABLE =
    "a:not([href]), a[href^='#'], a[href^='javascript:' i], button, summary, [onclick], [onmouseover]," +
    "[onmouseenter], [role=button], [role=link], [role=tab], [role=menuitem], [data-href], [data-url]";
  // Nothing is typed, and no form is sent.
  const TABOO = "input, textarea, select, option, label, [contenteditable], form button, form [role=button]";
  const SAYING = ["aria-label", "title", "name", "value", "data-action", "data-method"];
  const describe = (element) => ({
    path: path(element),
    text: (element.innerText || element.getAttribute("aria-label") || "").trim().slice(0, 200),
    // One line for each name, for judging if a click may act.
    said: [element.innerText, element.id, ...SAYING.map((name) => element.getAttribute(name))]
      .filter(Boolean)
      .map((said) => `${said}`.trim().replace(/\s+/g, " ").slice(0, 200))
      .join("\n"),
  });

  globalThis.magpie = {
    rest: () => [document.readyState === "complete", performance.now() - changed],
    read: (limit) => {
      const root = document.documentElement;
      if (!root) return [location.href, ""];
      const type = document.doctype ? "<!DOCTYPE html>\n" : "";
      const html = type + root.outerHTML;
      return [location.href, html.length > limit ? null : html];
    },
    // The tags of all elements in their order: states of a page differ in them, not in texts.
    structure: () => {
      let hash = 0xcbf29ce484222325n;
      const mix = (text) => {
        for (let at = 0; at < text.length; at += 1) {
          hash = ((hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n) & 0xffffffffffffffffn;
        }
      };
      const walk = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
      for (let count = 0; count < 20000 && walk.nextNode(); count += 1) {
        const element = walk.currentNode;
        mix(element.localName);
        mix(element.hidden ? "-" : element.getAttribute("href") || ";");
      }
      mix(location.href);
      return hash.toString(16);
    },
    clickable: (limit) =>
      Array.from(document.querySelectorAll(CLICKABLE))
        .filter((element) => !element.matches(TABOO) && !element.closest("form"))
        .slice(0, limit)
        .map(describe),
    describe: (element) =>
      element.nodeType === 1 &&
      element !== document.body &&
      element !== document.documentElement &&
      !element.matches(TABOO) &&
      !element.closest("form") &&
      !(element.localName === "a" && /^(https?:|\/|[\w.?])/i.test(element.getAttribute("href") || ""))
        ? describe(element)
        : null,
    anchors: (limit) =>
      Array.from(document.querySelectorAll("a[href], area[href]"))
        .slice(0, limit)
        .map((element) => ({ url: element.href, ...describe(element) }))
        .filter(({ url }) => /^https?:/i.test(`${url}`)),
    click: (wanted) => {
      const element = find(wanted);
      if (!element) return false;
      const event = (Kind, type, bubbles) =>
        element.dispatchEvent(new Kind(type, { bubbles, cancelable: true, composed: true, view: window }));
      for (const type of ["pointerover", "pointermove"]) event(PointerEvent, type, true);
      event(MouseEvent, "mouseover", true);
      event(MouseEvent, "mouseenter", false);
      event(MouseEvent, "mousemove", true);
      event(PointerEvent, "pointerdown", true);
      event(MouseEvent, "mousedown", true);
      event(PointerEvent, "pointerup", true);
      event(MouseEvent, "mouseup", true);
      element.click?.();
      return true;
    },
    scroll: () => scrollTo(0, document.documentElement.scrollHeight),
  };
})();
