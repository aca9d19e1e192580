"use strict";
(function () {
  var C = CONFIG;
  var mount = document.getElementById("app");
  function make(tag, name, text) {
    var element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function at(value, path) {
    return path.split(".").reduce(function (held, key) {
      return held === null || held === undefined || key === "" ? held : held[key];
    }, value);
  }
  function names(value) {
    return [].concat(value).map(function (one) {
      return one && one.name !== undefined ? one.name : one;
    }).join(", ");
  }
  function day(value) {
    var timed = value.length > 10;
    var date = new Date(timed ? value : value + "T00:00");
    var text = date.toLocaleDateString(C.language, { day: "numeric", month: "long", year: "numeric" });
    return timed ? text + ", " + date.toLocaleTimeString(C.language, { hour: "2-digit", minute: "2-digit" }) : text;
  }
  function money(row, value) {
    if (typeof value === "string") return value;
    var amount = typeof value === "object" ? value.amount : value;
    var currency = typeof value === "object" ? value.currency : row.currency;
    return new Intl.NumberFormat(C.language, { style: "currency", currency: currency }).format(amount);
  }
  function shown(row, field) {
    var value = at(row, field.key);
    if (value === null || value === undefined) return undefined;
    switch (field.kind) {
      case "date": return day(value);
      case "money": return money(row, value);
      case "stock": return value ? C.stock[0] : C.stock[1];
      case "rating": return value + "/5";
      case "table": return Object.keys(value).map(function (key) { return key + ": " + value[key]; }).join("; ");
      default: return names(value);
    }
  }
  function load(url, done) {
    var options = C.guarded ? { headers: { "X-Requested-With": "XMLHttpRequest" } } : {};
    fetch(url, options).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    }).then(done).catch(function (error) { mount.appendChild(make("p", "", String(error))); });
  }
  function go(url) {
    if (C.style !== "history") { location.href = url; return; }
    history.pushState({}, "", url);
    load(C.base + url, function (data) { mount.textContent = ""; draw(data); });
  }
  function link(url, name, text) {
    var clicked = C.style === "clicks";
    var element = make(clicked ? "span" : "a", name, text);
    if (clicked) { element.setAttribute("role", "link"); element.tabIndex = 0; } else element.href = url;
    if (clicked || C.style === "history") {
      element.addEventListener("click", function (event) { event.preventDefault(); go(url); });
    }
    return element;
  }
  function item(row) {
    var element = make(C.inner, C.classes.item);
    var title = make(C.itemHeading, C.classes.title);
    title.appendChild(link(row[C.url], "", shown(row, C.fields[0])));
    element.appendChild(title);
    C.fields.slice(1).forEach(function (field) {
      var text = shown(row, field);
      if (text !== undefined) element.appendChild(make("div", C.classes.field, text));
    });
    return element;
  }
  function one(row) {
    var element = make("div", C.classes.record);
    element.appendChild(make(C.heading, C.classes.heading, shown(row, C.fields[0])));
    C.fields.slice(1).forEach(function (field) {
      var text = shown(row, field);
      if (text === undefined) return;
      var line = make("div", C.classes.line);
      line.appendChild(make("span", C.classes.label, field.label));
      line.appendChild(document.createTextNode(" "));
      line.appendChild(make("span", C.classes.value, text));
      element.appendChild(line);
    });
    return element;
  }
  function draw(data) {
    var rows = at(data, C.rows);
    if (!Array.isArray(rows)) { mount.appendChild(one(at(data, C.one))); return; }
    var list = mount.querySelector("[data-list]");
    if (!list) {
      list = make(C.outer, C.classes.list);
      list.setAttribute("data-list", "");
      mount.appendChild(list);
    }
    rows.forEach(function (row) { list.appendChild(item(row)); });
    var meta = at(data, C.meta);
    var next = meta[C.next], previous = meta[C.previous];
    var data_url = function (url) { return C.linksEndpoint ? url : C.base + url; };
    var page_url = function (url) { return C.linksEndpoint ? url.slice(C.base.length) : url; };
    if (C.style === "infinite-scroll" || C.style === "load-more") {
      if (!next) return;
      var more = make(C.style === "load-more" ? "button" : "div", C.classes.pager, C.more);
      mount.appendChild(more);
      var proceed = function () { more.remove(); load(data_url(next), draw); };
      if (C.style === "load-more") { more.addEventListener("click", proceed); return; }
      var seen = new IntersectionObserver(function (entries) {
        if (entries.some(function (entry) { return entry.isIntersecting; })) { seen.disconnect(); proceed(); }
      });
      seen.observe(more);
      return;
    }
    var pager = make("div", C.classes.pager);
    if (previous) pager.appendChild(link(page_url(previous), "", C.words[0]));
    if (next) pager.appendChild(link(page_url(next), "", C.words[1]));
    mount.appendChild(pager);
  }
  function lead_on() {
    mount.querySelectorAll("[data-to]").forEach(function (element) {
      element.addEventListener("click", function () { go(element.getAttribute("data-to")); });
    });
    var more = mount.querySelector(".more");
    if (!more) return;
    var proceed = function () { more.remove(); load(mount.getAttribute("data-next"), draw); };
    if (C.style === "load-more") { more.addEventListener("click", proceed); return; }
    var seen = new IntersectionObserver(function (entries) {
      if (entries.some(function (entry) { return entry.isIntersecting; })) { seen.disconnect(); proceed(); }
    });
    seen.observe(more);
  }
  var state = document.getElementById("__NEXT_DATA__");
  if (mount.hasAttribute("data-hydrated")) lead_on();
  else if (state) draw(JSON.parse(state.textContent).props.pageProps);
  else if (window.__INITIAL_STATE__) draw(window.__INITIAL_STATE__);
  else load(mount.getAttribute("data-source"), draw);
  if (C.style === "history") {
    addEventListener("popstate", function () {
      load(C.base + location.pathname + location.search, function (data) { mount.textContent = ""; draw(data); });
    });
  }
})();
